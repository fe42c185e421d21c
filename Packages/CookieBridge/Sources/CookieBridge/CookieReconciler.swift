// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieJar
internal import Foundation

/// An actor that synchronizes cookie stores: the app's storage, the engine's store, the sites of the local server and
/// the jar.
///
/// `Reconciliation` contains the rules, and the reconciler performs the effects that it returns. Writes of one cookie
/// to one store run one after the other. A failed write is tried again after a pause. Pending work is a state, not a
/// queue, so a pause loses no change.
///
/// Isolation: an actor. It calls the stores outside of its isolation.
actor CookieReconciler {
    let configuration: Configuration
    private let stores: [CookieStoreID: any CookieStoring]
    private let order: [CookieStoreID]
    private let clock: any Clock<Duration>
    private let wallClock: @Sendable () -> Date
    private var reconciliation: Reconciliation
    private var phase = Phase.idle
    private var tasks: [UInt64: Task<Void, Never>] = [:]
    private var waiters: [UInt64: Waiter] = [:]
    private var lastID: UInt64 = 0
    private var ownCounters = CookieCounters()
    private let sources = Mutex<Set<CookieStoreID>>([])

    private enum Phase {
        case idle, running, stopped
    }

    private struct Waiter {
        var ticket: Reconciliation.Ticket
        let continuation: CheckedContinuation<Void, any Error>
        let timer: Task<Void, Never>
    }

    /// Creates a reconciler.
    /// - Parameters:
    ///   - stores: the stores by name. If the first reads differ, the store that comes first wins.
    ///   - configuration: the limits and the waits.
    ///   - clock: the clock that times waits and limits.
    ///   - now: a closure that returns the time against which cookies expire.
    init(
        _ stores: [(CookieStoreID, any CookieStoring)], configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        // If two stores have the same name, only the first is used.
        var named: [CookieStoreID: any CookieStoring] = [:]
        var order: [CookieStoreID] = []
        for (id, store) in stores where named[id] == nil {
            named[id] = store
            order.append(id)
        }
        self.stores = named
        self.order = order
        self.clock = clock
        self.wallClock = now
        reconciliation = Reconciliation(
            order.compactMap { id in named[id].map { Reconciliation.Member(id, $0.representation) } },
            limits: configuration.limits)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// The counters since the reconciler was created.
    var counters: CookieCounters {
        var counters = ownCounters
        counters.reconciliation = reconciliation.counters
        return counters
    }

    // MARK: Lifecycle

    /// Starts observing the stores, and reads them.
    /// - Parameter deleted: the cookies that were deleted before the start, whatever the first reads show.
    /// - Throws: ``CookieBridgeError`` with code `stopped`, after ``stop()``.
    func start(deleting deleted: [Cookie.Identity] = []) async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "a stopped reconciler cannot start") }
        guard phase == .idle else { return }
        phase = .running
        for id in order {
            guard let store = stores[id] else { continue }
            // The subscription precedes the first read, so that no change between them is missed.
            let changes = await store.changes()
            // `stop()` may have run during the suspension.
            guard phase == .running else { return }
            run { reconciler in
                for await _ in changes {
                    guard await reconciler()?.signalled(id) != nil else { return }
                }
            }
        }
        perform(reconciliation.delete(deleted, now: wallClock()))
        perform(reconciliation.start(now: wallClock()))
    }

    /// Stops the reconciler: it starts no further writes, and every waiting call throws an error with code `stopped`. A
    /// write that a store is performing may still complete.
    func stop() {
        phase = .stopped
        for task in tasks.values { task.cancel() }
        tasks = [:]
        for id in Array(waiters.keys) { finish(id, .failure(CookieBridgeError(.stopped, "the reconciler is stopped"))) }
    }

    // MARK: Waiting for stores

    /// Waits until all stores have the cookies that a response has set in one store. It does not wait for other
    /// changes.
    /// - Parameters:
    ///   - store: the store that has the cookies.
    ///   - identities: the cookies; `nil` waits for every pending change.
    /// - Returns: `true` if all stores have the cookies; `false` after the configured limit, if stores failed, if too
    ///   many calls wait, and after stopping or cancellation. After `false` the caller still delivers the response.
    ///   Unless it is stopped, the reconciler continues to write the cookies.
    func waitForTransfer(from store: CookieStoreID, of identities: Set<Cookie.Identity>? = nil) async -> Bool {
        guard phase == .running else { return false }
        perform(reconciliation.signalled(store, now: wallClock()))
        return await waitForTransfer(
            identities.map { reconciliation.ticket(for: $0, from: store) } ?? reconciliation.barrier())
    }

    private func waitForTransfer(_ ticket: Reconciliation.Ticket) async -> Bool {
        do {
            try await wait(for: ticket, configuration.transferLimit, "transfer of a response's cookies")
            return true
        } catch {
            ownCounters.lateTransfers += 1
            return false
        }
    }

    /// Waits until one store has the changes of another store. It does not wait for further stores.
    /// - Returns: like ``waitForTransfer(from:of:)``.
    func waitForTransfer(from store: CookieStoreID, to target: CookieStoreID) async -> Bool {
        guard phase == .running else { return false }
        perform(reconciliation.signalled(store, now: wallClock()))
        return await waitForTransfer(reconciliation.ticket(from: store, to: target))
    }

    /// Returns a Boolean value that indicates whether a store may have changes that another store lacks. A read that is
    /// in progress may show such changes.
    nonisolated func mayBeAhead(_ store: CookieStoreID) -> Bool { sources.withLock { $0.contains(store) } }

    /// Returns a Boolean value that indicates whether a store may lack a change of another store whose read has begun
    /// or was requested.
    func mayLackChanges(of store: CookieStoreID, in target: CookieStoreID) -> Bool {
        phase == .running && reconciliation.mayLackChanges(of: store, in: target)
    }

    /// Waits until all stores have all changes signalled before the call, or newer changes. The first navigation waits
    /// for this barrier.
    /// - Parameters:
    ///   - stores: the stores to read again, because their signals may not have arrived yet; none by default.
    ///   - limit: the longest wait; `nil` for the configured limit.
    /// - Throws: ``CookieBridgeError`` with code `timedOut`, `storeFailed`, `stopped` or `overloaded`;
    ///   `CancellationError`.
    func barrier(reading stores: Set<CookieStoreID> = [], within limit: Duration? = nil) async throws {
        if phase == .running {
            for id in order where stores.contains(id) { perform(reconciliation.signalled(id, now: wallClock())) }
        }
        try await wait(for: reconciliation.barrier(), limit ?? configuration.barrierLimit, "barrier")
    }

    // MARK: Clearing

    /// Clears the cookies of a scope in all stores, pending changes included.
    ///
    /// Neither a write in progress nor an echo restores the cookies. An open page can set new cookies, and so can the
    /// response to an earlier request. Close the pages of the account first.
    /// - Throws: ``CookieBridgeError`` with code `storeFailed` if a store could not be cleared; the operation then
    ///   stays pending. Also `timedOut`, `stopped`, `overloaded`; `CancellationError`.
    func clear(_ scope: CookieScope) async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "the reconciler is stopped") }
        // The clear operation is recorded before the first suspension, so that no change is recorded between the call
        // and the operation.
        perform(reconciliation.clear(scope, now: wallClock()))
        let ticket = reconciliation.clearingTicket()
        try await wait(for: ticket, configuration.clearLimit, "clear operation")
    }

    // MARK: Effects

    /// Handles a change signal of a store.
    /// - Returns: `nil` if the reconciler does not run, so that the observation ends.
    private func signalled(_ id: CookieStoreID) -> Void? {
        guard phase == .running else { return nil }
        ownCounters.signals += 1
        perform(reconciliation.signalled(id, now: wallClock()))
        return ()
    }

    private func perform(_ effects: [Reconciliation.Effect]) {
        // The reads of the effects begin afterwards, so that no caller misses their changes.
        let sources = reconciliation.sources
        self.sources.withLock { $0 = sources }
        for effect in effects {
            switch effect {
            case .read(let id, let number): read(id, number)
            case .write(let id, let write): self.write(write, to: id)
            case .clear(let id, let scope): clear(id, scope)
            case .pause(let id, let failures): pause(id, failures)
            case .report(let fault): configuration.report(fault)
            }
        }
        guard !waiters.isEmpty else { return }
        for id in waiters.keys.sorted() {
            guard var waiter = waiters[id] else { continue }
            let result = Self.result(of: reconciliation.progress(of: &waiter.ticket))
            waiters[id] = waiter
            if let result { finish(id, result) }
        }
    }

    private func read(_ id: CookieStoreID, _ number: UInt64) {
        guard let store = stores[id] else { return }
        run { reconciler in
            var cookies: [Cookie]?
            do {
                cookies = try await store.snapshot()
            } catch is CookieStoreLoss {
                await reconciler()?.ended { $0.readFoundLoss(id, number: number, now: $1) }
                return
            } catch {}
            await reconciler()?.ended { [cookies] in $0.readEnded(id, number: number, cookies: cookies, now: $1) }
        }
    }

    private func write(_ write: Reconciliation.Write, to id: CookieStoreID) {
        guard let store = stores[id] else { return }
        run { reconciler in
            var outcome = Reconciliation.Outcome.written
            do {
                switch write.change {
                case .set(let cookie): try await store.set(cookie)
                case .remove(let identity): try await store.remove(identity)
                }
            } catch is CookieRejection {
                outcome = .refused
            } catch {
                outcome = .failed
            }
            await reconciler()?.ended { [outcome] in $0.writeEnded(id, write, outcome, now: $1) }
        }
    }

    private func clear(_ id: CookieStoreID, _ scope: CookieScope) {
        guard let store = stores[id] else { return }
        run { reconciler in
            var succeeded = true
            do { try await store.clear(scope) } catch { succeeded = false }
            await reconciler()?.ended { [succeeded] in $0.clearEnded(id, succeeded: succeeded, now: $1) }
        }
    }

    private func pause(_ id: CookieStoreID, _ failures: Int) {
        run { [clock, wait = configuration.wait(after: failures)] reconciler in
            // If the clock throws, the pause ends immediately. Otherwise the store would stay paused.
            try? await clock.sleep(for: wait)
            await reconciler()?.ended { $0.resumed(id, now: $1) }
        }
    }

    private func ended(_ event: (inout Reconciliation, Date) -> [Reconciliation.Effect]) {
        guard phase != .stopped else { return }
        perform(event(&reconciliation, wallClock()))
    }

    /// Runs an operation in a task outside of the actor. The task ends when the reconciler is released.
    private func run(_ body: @escaping @Sendable (@escaping @Sendable () -> CookieReconciler?) async -> Void) {
        lastID += 1
        let id = lastID
        tasks[id] = Task { [weak self] in
            await body { [weak self] in self }
            await self?.removeTask(id)
        }
    }

    private func removeTask(_ id: UInt64) {
        tasks[id] = nil
    }

    // MARK: Waiting

    private func wait(for ticket: Reconciliation.Ticket, _ limit: Duration, _ what: String) async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "the reconciler is stopped") }
        try Task.checkCancellation()
        var ticket = ticket
        if let result = Self.result(of: reconciliation.progress(of: &ticket)) { return try result.get() }
        guard waiters.count < configuration.maxWaiters else {
            ownCounters.rejectedCalls += 1
            throw CookieBridgeError(.overloaded, "more than \(configuration.maxWaiters) calls are waiting")
        }
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = Task { [weak self, clock] in
                    try? await clock.sleep(for: limit)
                    guard !Task.isCancelled else { return }
                    await self?.finish(
                        id, .failure(CookieBridgeError(.timedOut, "the \(what) took longer than \(limit)")))
                }
                waiters[id] = Waiter(ticket: ticket, continuation: continuation, timer: timer)
            }
        } onCancel: {
            Task { await self.finish(id, .failure(CancellationError())) }
        }
    }

    private func finish(_ id: UInt64, _ result: Result<Void, any Error>) {
        guard let waiter = waiters.removeValue(forKey: id) else { return }
        waiter.timer.cancel()
        waiter.continuation.resume(with: result)
    }

    private static func result(of progress: Reconciliation.Progress) -> Result<Void, any Error>? {
        switch progress {
        case .waiting: nil
        case .done: .success(())
        case .failed(let stores):
            .failure(
                CookieBridgeError(
                    .storeFailed, "stores failed too many times: \(stores.map(\.rawValue).joined(separator: ", "))"))
        }
    }
}

extension CookieReconciler {
    /// The limits and waits of a reconciler.
    struct Configuration: Sendable {
        /// The limits on retained cookies and on attempts.
        var limits = Reconciliation.Limits()
        /// The longest wait of a barrier; 3 seconds by default.
        var barrierLimit = Duration.seconds(3)
        /// The longest wait of a response for its cookies; 2 seconds by default.
        var transferLimit = Duration.seconds(2)
        /// The longest wait for the stores when cookies are cleared; 10 seconds by default.
        var clearLimit = Duration.seconds(10)
        /// The pause of a store after its first failure; 50 milliseconds by default. It doubles with each further
        /// failure.
        var firstWait = Duration.milliseconds(50)
        /// The longest pause of a store; 5 seconds by default.
        var longestWait = Duration.seconds(5)
        /// The maximum number of calls that wait at the same time, for barriers, responses and clearing together; 256
        /// by default. A further call throws an error with code `overloaded`.
        var maxWaiters = 256
        /// A closure that receives faults. It must not block. The default does nothing.
        var report: @Sendable (Reconciliation.Fault) -> Void = { _ in }

        init() {}

        /// Returns the pause of a store after a number of consecutive failures.
        func wait(after failures: Int) -> Duration {
            var wait = firstWait
            for _ in 1..<max(2, min(failures, 32)) where failures > 1 && wait < longestWait { wait *= 2 }
            return min(wait, longestWait)
        }
    }
}
