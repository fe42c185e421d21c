// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// The scheduler of work for an idle app, such as the preparation of views. The work runs once after each period of
/// activity. No task and no timer runs while nothing happens.
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

    /// The maximum time for which the scheduler waits for loading pages, because some loads never end.
    static let pageLimit = Duration.seconds(15)

    /// Creates a scheduler, which starts immediately.
    /// - Parameters:
    ///   - conditions: the conditions of the device and the app.
    ///   - delay: the time without an event after which the app is idle.
    ///   - clock: the clock of the delays.
    ///   - work: a closure that does the work. It must not begin another step when `isWanted` returns `false`.
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

    /// Observes the events of pages.
    func listen(to hub: EventHub) {
        hub.observePermanently { [weak self] event in
            switch event {
            case .pageOpened(let session): self?.handle(.loading(session.id))
            case .page(let page, .started): self?.handle(.loading(page))
            case .page(let page, .finished), .page(let page, .stopped), .page(let page, .failed),
                .page(let page, .processEnded):
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

    /// Cancels the work in progress and waits for its end.
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
        // If work is in progress, `begin()` plans again at its end.
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

    /// A Boolean value that indicates whether no work is scheduled or in progress.
    var isResting: Bool { waiting == nil && working == nil }

    private func mayContinue(beside pages: Set<PageID>) -> Bool {
        !isOver && idleState.mayContinue(beside: pages)
    }

    private func begin() {
        waiting = nil
        let loading = idleState.loading
        // Recorded before the work, so that an event during the work makes it due again.
        idleState.handle(.worked)
        working = Task { [weak self, work] in
            await work { [weak self] in self?.mayContinue(beside: loading) ?? false }
            self?.working = nil
            self?.plan()
        }
    }
}
