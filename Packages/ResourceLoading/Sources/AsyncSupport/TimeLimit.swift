// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Runs work and cancels it if it takes longer than a limit.
///
/// Returns only after the work has ended. Work that ignores its cancellation therefore delays the error.
/// - Parameters:
///   - limit: the maximum duration of the work.
///   - clock: the clock that measures the duration.
///   - error: a closure that returns the error to throw at the limit.
///   - work: the work.
/// - Throws: the error that `error` returns; the error of `work`.
public nonisolated(nonsending) func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(),
    otherwise error: @escaping @Sendable () -> any Error,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw error()
        }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

extension Task where Failure == Never {
    /// Waits for the task's value for at most a limit. The limit does not cancel the task.
    /// - Parameters:
    ///   - limit: the maximum time to wait.
    ///   - clock: the clock that measures the time.
    /// - Returns: the value; `nil` after the limit, or if the calling task is cancelled.
    public nonisolated(nonsending) func value(
        within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
    ) async -> Success? {
        let (ends, end) = AsyncStream<Success?>.makeStream()
        let waiting = Task<Void, Never> { end.yield(await self.value) }
        let timer = Task<Void, Never> {
            try? await clock.sleep(for: limit)
            end.yield(nil)
        }
        defer {
            waiting.cancel()
            timer.cancel()
        }
        for await value in ends { return value }
        return nil
    }
}
