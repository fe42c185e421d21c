// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// Does what is for idle times, once after each time that something happened: it prepares views. Nothing runs, and no
/// timer, while nothing happens.
///
/// Isolation: the main actor.
@MainActor
final class IdleScheduler {
    private var idleState: IdleState
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let work: @MainActor (_ isWanted: @escaping @MainActor () -> Bool) async -> Void
    private var waiting: Task<Void, Never>?
    private var working: Task<Void, Never>?
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// How long a page that loads is waited for, at the most: some never come to an end.
    static let pageLimit = Duration.seconds(15)

    /// - Parameters:
    ///   - delay: how long it has to be quiet.
    ///   - work: what is done then, and is not to begin with more where it is not wanted any longer.
    init(
        _ conditions: any HostConditioning, delay: Duration, clock: any Clock<Duration> = ContinuousClock(),
        work: @escaping @MainActor (_ isWanted: @escaping @MainActor () -> Bool) async -> Void
    ) {
        idleState = IdleState(conditions.conditions)
        self.delay = delay
        self.clock = clock
        self.work = work
        let changes = conditions.changes()
        listening = Task { [weak self] in
            for await conditions in changes { self?.handle(.conditions(conditions)) }
        }
        plan()
    }

    deinit {
        listening?.cancel()
        waiting?.cancel()
        working?.cancel()
    }

    /// Hears of pages from now on.
    func listen(to hub: EventHub) {
        hub.observePermanently { [weak self] event in
            switch event {
            case .pageOpened(let session): self?.handle(.loading(session.id))
            case .page(let page, .started): self?.handle(.loading(page))
            case .page(let page, .finished), .page(let page, .failed), .page(let page, .processEnded):
                self?.handle(.loadingEnded(page))
            case .pageClosed(let page): self?.handle(.loadingEnded(page))
            default: break
            }
        }
    }

    func handle(_ event: IdleState.Event) {
        let before = idleState
        idleState.handle(event)
        if idleState != before { plan() }
    }

    /// Ends what goes on, and waits for it.
    func shutDown() async {
        isOver = true
        listening?.cancel()
        waiting?.cancel()
        working?.cancel()
        await working?.value
    }

    private func plan() {
        waiting?.cancel()
        waiting = nil
        // One that is under way plans anew when it ends.
        guard working == nil, !isOver else { return }
        let limit: Duration
        switch idleState.wait {
        case .event: return
        case .quiet: limit = delay
        case .pages: limit = Self.pageLimit
        }
        waiting = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: limit)) != nil, !Task.isCancelled else { return }
            self?.begin()
        }
    }

    /// Whether nothing is under way, and nothing waits.
    var isResting: Bool { waiting == nil && working == nil }

    private func mayGoOn(beside pages: Set<PageID>) -> Bool {
        !isOver && idleState.mayGoOn(beside: pages)
    }

    private func begin() {
        waiting = nil
        let loading = idleState.loading
        // What happens meanwhile makes it due again.
        idleState.handle(.worked)
        working = Task { [weak self, work] in
            await work { [weak self] in self?.mayGoOn(beside: loading) ?? false }
            self?.working = nil
            self?.plan()
        }
    }
}
