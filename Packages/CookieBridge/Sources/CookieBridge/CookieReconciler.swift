// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieJar
public import Foundation

/// Keeps the stores of cookies the same: the jar, the engine's store, and what scripts see.
///
/// The rules are those of `Reconciliation`; the reconciler performs the effects of that value. Writes of one cookie to one
/// store go one after the other; a failed one is tried again after a wait. Nothing is lost by waiting: what is pending is a state, not a queue.
///
/// Isolation: an actor. Stores are called outside of it.
public actor CookieReconciler {
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

    private enum Phase {
        case idle, running, stopped
    }

    private struct Waiter {
        var ticket: Reconciliation.Ticket
        let continuation: CheckedContinuation<Void, any Error>
        let timer: Task<Void, Never>
    }

    /// - Parameters:
    ///   - stores: the stores by name. Where the first readings differ, one that stands earlier wins.
    ///   - configuration: the limits and the waits.
    ///   - clock: times waits and limits.
    ///   - now: the time by which cookies expire.
    public init(
        _ stores: KeyValuePairs<CookieStoreID, any CookieStoring>, configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        // A name that comes twice means its first store.
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
            stores.reduce(into: []) { members, pair in
                guard !members.contains(where: { $0.id == pair.key }) else { return }
                members.append(Reconciliation.Member(pair.key, pair.value.representation))
            }, limits: configuration.limits)
    }

    deinit {
        for task in tasks.values { task.cancel() }
    }

    /// What happened so far.
    public var counters: CookieCounters {
        var counters = ownCounters
        counters.reconciliation = reconciliation.counters
        return counters
    }

    // MARK: Life

    /// Begins: listens to the stores, and reads them.
    /// - Throws: ``CookieBridgeError`` with code `stopped`, after ``stop()``.
    public func start() async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "a reconciler does not start again") }
        guard phase == .idle else { return }
        phase = .running
        for id in order {
            guard let store = stores[id] else { continue }
            // Before the first reading, so that no change falls between the two.
            let changes = await store.changes()
            // Stopped meanwhile.
            guard phase == .running else { return }
            run { reconciler in
                for await _ in changes {
                    guard await reconciler()?.signalled(id) != nil else { return }
                }
            }
        }
        perform(reconciliation.start(now: wallClock()))
    }

    /// Ends: nothing is written any more, and all who wait hear that it has stopped. A write that is under way in a store may
    /// still end there.
    public func stop() {
        phase = .stopped
        for task in tasks.values { task.cancel() }
        tasks = [:]
        for id in Array(waiters.keys) { finish(id, .failure(CookieBridgeError(.stopped, "stopped"))) }
    }

    // MARK: Changes

    /// Takes changes that no store holds yet, and does not wait for them.
    /// - Parameters:
    ///   - changes: the changes, in order.
    ///   - author: what a script may change is limited: see ``CookieUpdate/Author``.
    func apply(_ changes: [CookieUpdate], by author: CookieUpdate.Author = .host) {
        guard phase != .stopped else { return }
        for change in changes { perform(reconciliation.apply(change, by: author, now: wallClock())) }
    }

    /// Returns when all stores have the cookies that a response has set in one of them, whatever other changes are pending.
    /// - Parameters:
    ///   - store: the store that has the cookies.
    ///   - identities: the cookies. `nil` for all, which waits for each pending change.
    /// - Returns: `true` if all stores have them. `false` after the limit of the configuration, if stores failed, and when
    ///   stopped or cancelled: a response is not lost for its cookies, which are written later if that is possible.
    @discardableResult
    public func handOver(from store: CookieStoreID, of identities: Set<Cookie.Identity>? = nil) async -> Bool {
        guard phase == .running else { return false }
        perform(reconciliation.signalled(store, now: wallClock()))
        let ticket = identities.map { reconciliation.ticket(for: $0, from: store) } ?? reconciliation.barrier()
        do {
            try await wait(for: ticket, configuration.handOverLimit, "cookies of an answer")
            return true
        } catch {
            ownCounters.lateHandOvers += 1
            return false
        }
    }

    /// Returns once all stores have all changes that were heard or signalled before, or newer ones. What a first navigation
    /// waits for.
    /// - Parameters:
    ///   - stores: those that are read once more, as their signals may still be on the way. Default: none.
    ///   - limit: how long it waits. `nil` for what is configured.
    /// - Throws: ``CookieBridgeError`` with code `timedOut`, `storeFailed`, `stopped` or `overloaded`; `CancellationError`.
    public func barrier(reading stores: Set<CookieStoreID> = [], within limit: Duration? = nil) async throws {
        if phase == .running {
            for id in order where stores.contains(id) { perform(reconciliation.signalled(id, now: wallClock())) }
        }
        try await wait(for: reconciliation.barrier(), limit ?? configuration.barrierLimit, "a barrier")
    }

    // MARK: Clearing

    /// Clears an account: the cookies of these domains and of all below them, in all stores, pending changes included.
    ///
    /// Neither a change that is under way nor an echo restores them. A page that is still open can set new ones, and so can
    /// the response to an earlier request, so close the account's pages first.
    /// - Throws: as ``clearAll()``.
    public func clear(domains: some Sequence<String>) async throws {
        let names = domains.map { name in
            let name = name.lowercased()
            return name.hasPrefix(".") ? String(name.dropFirst()) : name
        }
        try await clear(.domains(Set(names.filter { !$0.isEmpty })))
    }

    /// Clears all cookies.
    /// - Throws: ``CookieBridgeError`` with code `storeFailed` if a store could not be cleared; the clearing is
    ///   still pending then; `timedOut`, `stopped`, `overloaded`; `CancellationError`.
    public func clearAll() async throws {
        try await clear(.all)
    }

    /// Clears the cookies of a scope.
    /// - Throws: as ``clearAll()``.
    func clear(_ scope: CookieScope) async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "stopped") }
        // At once, so that no change comes in between.
        perform(reconciliation.clear(scope, now: wallClock()))
        let ticket = reconciliation.clearingTicket()
        try await wait(for: ticket, configuration.clearLimit, "clearing")
    }

    // MARK: Effects

    /// - Returns: something, where there was somebody to hear it.
    private func signalled(_ id: CookieStoreID) -> Void? {
        guard phase == .running else { return nil }
        ownCounters.signals += 1
        perform(reconciliation.signalled(id, now: wallClock()))
        return ()
    }

    private func perform(_ effects: [Reconciliation.Effect]) {
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
            // A clock that cannot wait must not hold up the store.
            try? await clock.sleep(for: wait)
            await reconciler()?.ended { $0.resumed(id, now: $1) }
        }
    }

    private func ended(_ event: (inout Reconciliation, Date) -> [Reconciliation.Effect]) {
        guard phase != .stopped else { return }
        perform(event(&reconciliation, wallClock()))
    }

    /// Runs something outside of the actor, for as long as this lives.
    private func run(_ body: @escaping @Sendable (@escaping @Sendable () -> CookieReconciler?) async -> Void) {
        lastID += 1
        let id = lastID
        tasks[id] = Task { [weak self] in
            await body { [weak self] in self }
            await self?.forget(id)
        }
    }

    private func forget(_ id: UInt64) {
        tasks[id] = nil
    }

    // MARK: Waiting

    private func wait(for ticket: Reconciliation.Ticket, _ limit: Duration, _ what: String) async throws {
        guard phase != .stopped else { throw CookieBridgeError(.stopped, "stopped") }
        try Task.checkCancellation()
        var ticket = ticket
        if let result = Self.result(of: reconciliation.progress(of: &ticket)) { return try result.get() }
        guard waiters.count < configuration.maxWaiters else {
            ownCounters.turnedAway += 1
            throw CookieBridgeError(.overloaded, "more than \(configuration.maxWaiters) wait")
        }
        lastID += 1
        let id = lastID
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let timer = Task { [weak self, clock] in
                    try? await clock.sleep(for: limit)
                    guard !Task.isCancelled else { return }
                    await self?.finish(id, .failure(CookieBridgeError(.timedOut, "\(what): not within \(limit)")))
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
                    .storeFailed, "failed too often: \(stores.map(\.rawValue).joined(separator: ", "))"))
        }
    }
}

extension CookieReconciler {
    /// How a reconciler works.
    public struct Configuration: Sendable {
        /// What is kept at most.
        var limits = Reconciliation.Limits()
        /// How long a barrier waits. Default: 3 seconds.
        public var barrierLimit = Duration.seconds(3)
        /// How long an answer waits for its cookies. Default: 2 seconds.
        public var handOverLimit = Duration.seconds(2)
        /// How long a clearing waits for the stores. Default: 10 seconds.
        public var clearLimit = Duration.seconds(10)
        /// How long a store is left alone after a failure; twice as long after each further one. Default: 50 milliseconds.
        public var firstWait = Duration.milliseconds(50)
        /// The longest such time. Default: 5 seconds.
        public var longestWait = Duration.seconds(5)
        /// Who may wait at the same time, for barriers, answers and clearings together. Default: 256; one more is turned away.
        public var maxWaiters = 256
        /// Is told what went wrong for good. Must not block. Default: nobody.
        var report: @Sendable (Reconciliation.Fault) -> Void = { _ in }

        public init() {}

        /// How long a store is left alone after so many failures in a row.
        func wait(after failures: Int) -> Duration {
            var wait = firstWait
            for _ in 1..<max(2, min(failures, 32)) where failures > 1 && wait < longestWait { wait *= 2 }
            return min(wait, longestWait)
        }
    }
}
