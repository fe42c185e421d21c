// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The state, behind one lock, with all who wait for it to change and the work whose end it tells.
///
/// Isolation: any. Nobody is resumed, and nothing is cancelled, while the lock is held.
final class PrefetchStore: Sendable {
    typealias Number = PrefetchState.Number

    private struct State {
        var prefetch: PrefetchState
        var waiters: [UInt64: (number: Number, resume: @Sendable () -> Void)] = [:]
        var lastWaiter: UInt64 = 0
        /// The work of requests under way.
        var work: [Number: Task<Void, Never>] = [:]
        var isSweeping = false

        /// Whom a change is about.
        mutating func drainWaiters() -> [@Sendable () -> Void] {
            let touched = prefetch.touched
            prefetch.touched = []
            guard !touched.isEmpty else { return [] }
            let due = waiters.filter { touched.contains($0.value.number) }
            for key in due.keys { waiters[key] = nil }
            return due.values.map(\.resume)
        }

        mutating func drainEndedWork() -> [Task<Void, Never>] {
            let ended = prefetch.ended
            prefetch.ended = []
            return ended.compactMap { work.removeValue(forKey: $0) }
        }
    }

    let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    private let state: Mutex<State>

    init(_ configuration: PrefetchLoader.Configuration, clock: any Clock<Duration>) {
        self.clock = clock
        stopwatch = Stopwatch(clock)
        state = Mutex(State(prefetch: PrefetchState(configuration)))
    }

    /// Reads the state.
    func read<Value: Sendable>(_ body: (PrefetchState) -> Value) -> Value {
        state.withLock { body($0.prefetch) }
    }

    /// Changes the state, then tells all whom that is about.
    @discardableResult
    func change<Value: Sendable>(_ body: (inout PrefetchState, _ now: Duration) -> Value) -> Value {
        change { state, now in body(&state.prefetch, now) }
    }

    private func change<Value: Sendable>(_ body: (inout State, _ now: Duration) -> Value) -> Value {
        let now = stopwatch.elapsed
        let (value, waiters, work) = state.withLock { state in
            let value = body(&state, now)
            return (value, state.drainWaiters(), state.drainEndedWork())
        }
        for task in work { task.cancel() }
        for resume in waiters { resume() }
        return value
    }

    /// Asks `body` until it has an answer: now, and whenever something about this number has changed.
    /// - Throws: `CancellationError`, and then `body` has not answered.
    nonisolated(nonsending) func wait<Value: Sendable>(
        for number: Number, _ body: (inout PrefetchState, _ now: Duration) -> Value?
    ) async throws -> Value {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        while true {
            try Task.checkCancellation()
            let value: Value? = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Value?, Never>) in
                    // Asked and noted in one step, so that no change comes in between.
                    let value: Value?? = change { state, now in
                        if let value = body(&state.prefetch, now) { return value }
                        if Task.isCancelled { return .some(nil) }
                        state.waiters[waiter] = (number, { continuation.resume(returning: nil) })
                        return nil
                    }
                    if let value { continuation.resume(returning: value) }
                }
            } onCancel: {
                state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume()
            }
            if let value { return value }
        }
    }

    /// Has work done for a request made ahead, until the state says that it is to end.
    func start(_ number: Number, _ work: @escaping @Sendable () async -> Void) {
        let task = Task {
            await work()
            state.withLock { _ = $0.work.removeValue(forKey: number) }
        }
        let isWanted = state.withLock { state in
            // Where it is through already, or dropped, nobody would take the task out again.
            guard state.prefetch.isUnderWay(number) else { return false }
            state.work[number] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Drops what nobody comes for, in time, for as long as there is something.
    func sweep() {
        let begins = state.withLock { state in
            defer { state.isSweeping = true }
            return !state.isSweeping
        }
        guard begins else { return }
        Task { [self] in
            while let pause = nextPause() { try? await clock.sleep(for: pause) }
        }
    }

    /// How long the sweeper may rest; `nil` where it is not needed any more.
    private func nextPause() -> Duration? {
        change { state, now in
            state.prefetch.expire(at: now)
            let pause = state.prefetch.timeToExpiry(at: now)
            if pause == nil { state.isSweeping = false }
            return pause
        }
    }
}

/// What a prefetch has counted since it was made.
///
/// Of the requests that were started each is one of ``hits``, ``joins``, ``wasted``, ``failures`` and ``abandoned``, or
/// waits still.
public struct PrefetchCounters: Sendable, Hashable {
    /// Requests made ahead.
    public var started = 0
    /// Answers that were there whole when the page asked.
    public var hits = 0
    /// Answers that were on their way when the page asked.
    public var joins = 0
    /// Requests of pages that had been made ahead, and that went on alone all the same.
    public var misses = 0
    /// Of the misses, those whose cookies, language or other fields were not those of the request made ahead.
    public var mismatches = 0
    /// Requests made ahead for whose answers nobody came in time.
    public var wasted = 0
    /// The bytes that had come for those.
    public var wastedBytes = 0
    /// Requests made ahead that failed before a page had their answer.
    public var failures = 0
    /// Requests made ahead that were ended because the page had waited long enough.
    public var abandoned = 0
    /// Requests that were not made ahead because of a limit.
    public var skipped = 0
    /// How much sooner the pages' requests were answered, all together: the time that the request made ahead had been
    /// under way, up to its end.
    public var saved = Duration.zero

    public init() {}
}
