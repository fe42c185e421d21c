// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// The scheduler that determines when the app is idle. It runs work, such as the preparation of views, once after each
/// period of activity, and then reports the app as idle. No task and no timer runs while nothing happens.
///
/// Isolation: the main actor.
@MainActor
package final class IdleScheduler {
    private var idleState: IdleState
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let report: @MainActor (_ isIdle: Bool) -> Void
    private let work: @MainActor (_ isWanted: @escaping @MainActor () -> Bool) async -> Void
    private var waiting: Task<Void, Never>?
    private var working: Task<Void, Never>?
    private var listening: Task<Void, Never>?
    private var isOver = false

    /// The maximum time for which the scheduler waits for loading pages, because some loads never end.
    package static let pageLimit = Duration.seconds(15)

    /// Creates a scheduler, which starts immediately.
    /// - Parameters:
    ///   - conditions: the conditions of the device and the host, without the idleness that the scheduler reports.
    ///   - delay: the time without an event after which the app is idle.
    ///   - clock: the clock of the delays.
    ///   - report: a closure that receives each change of the idleness. The app is not idle at first.
    ///   - work: a closure that does the work. It must not begin another step when `isWanted` returns `false`.
    package init(
        _ conditions: any HostConditioning, delay: Duration, clock: any Clock<Duration> = ContinuousClock(),
        report: @escaping @MainActor (_ isIdle: Bool) -> Void = { _ in },
        work: @escaping @MainActor (_ isWanted: @escaping @MainActor () -> Bool) async -> Void
    ) {
        // The stream is created before the conditions are first read, so that no change is missed.
        let changes = conditions.changes()
        idleState = IdleState(conditions.conditions)
        self.delay = delay
        self.clock = clock
        self.report = report
        self.work = work
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

    package func handle(_ event: IdleState.Event) {
        let before = idleState
        record(event)
        if idleState != before { plan() }
    }

    /// Cancels the work in progress and waits for its end.
    package func shutDown() async {
        isOver = true
        listening?.cancel()
        waiting?.cancel()
        working?.cancel()
        await working?.value
    }

    private func record(_ event: IdleState.Event) {
        let wasIdle = idleState.isIdle
        idleState.handle(event)
        if idleState.isIdle != wasIdle { report(idleState.isIdle) }
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
    package var isResting: Bool { waiting == nil && working == nil }

    private func mayContinue(beside pages: Set<PageID>) -> Bool {
        !isOver && idleState.mayContinue(beside: pages)
    }

    private func begin() {
        waiting = nil
        let loading = idleState.loading
        guard idleState.isWorkDue else {
            record(.rested)
            return plan()
        }
        // Recorded before the work, so that an event during the work makes it due again.
        record(.worked)
        working = Task { [weak self, work] in
            await work { [weak self] in self?.mayContinue(beside: loading) ?? false }
            self?.finishWork(begunBeside: loading)
        }
    }

    private func finishWork(begunBeside pages: Set<PageID>) {
        working = nil
        if !isOver, !idleState.isWorkDue, idleState.loading.isSubset(of: pages) { record(.rested) }
        plan()
    }
}
