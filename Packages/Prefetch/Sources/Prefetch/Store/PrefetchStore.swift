// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The prefetch state behind one lock, with the waiters for its changes and the tasks of its requests.
///
/// Isolation: any thread. Continuations are resumed and tasks are cancelled outside of the lock.
final class PrefetchStore: Sendable {
    typealias Number = PrefetchState.Number

    private struct State {
        var prefetch: PrefetchState
        var waiters: [UInt64: (number: Number, resume: @Sendable () -> Void)] = [:]
        var lastWaiter: UInt64 = 0
        /// The tasks of the requests in progress.
        var work: [Number: Task<Void, Never>] = [:]
        var isSweeping = false

        /// Removes and returns the waiters of the changed requests.
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

    /// Changes the state, then resumes the waiters and cancels the tasks concerned.
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

    /// Calls `body` now, and after each change of this request, until it returns a value.
    /// - Throws: `CancellationError`; `body` has then returned no value.
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
                    // The call and the registration happen under one lock, so that no change between them is missed.
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

    /// Runs the work of a prefetch request in a task, until the state ends the request.
    func start(_ number: Number, _ work: @escaping @Sendable () async -> Void) {
        let task = Task {
            await work()
            state.withLock { _ = $0.work.removeValue(forKey: number) }
        }
        let isWanted = state.withLock { state in
            // If the request has already ended, no later step would remove the task.
            guard state.prefetch.isUnderWay(number) else { return false }
            state.work[number] = task
            return true
        }
        if !isWanted { task.cancel() }
    }

    /// Starts a task that drops expired responses, unless it is running. The task ends when all responses are claimed.
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

    /// Returns the time until the next sweep; `nil` if none is needed.
    private func nextPause() -> Duration? {
        change { state, now in
            state.prefetch.expire(at: now)
            let pause = state.prefetch.timeToExpiry(at: now)
            if pause == nil { state.isSweeping = false }
            return pause
        }
    }
}
