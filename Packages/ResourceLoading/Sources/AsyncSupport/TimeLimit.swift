// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Runs work and cancels it if it takes longer than a limit.
///
/// Returns only after the work has ended, so that work which ignores its cancellation delays the error.
/// - Parameters:
///   - limit: the time that the work may take.
///   - clock: the clock that measures it.
///   - error: makes the error of the limit.
///   - work: the work.
/// - Throws: the error that `error` makes; the error of `work`.
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
    /// Waits for the task's value, at most for a limit. The task is not cancelled by the limit and may run on.
    /// - Parameters:
    ///   - limit: the time that the caller waits at most.
    ///   - clock: the clock that measures it.
    /// - Returns: the value; `nil` after the limit, or if the caller is cancelled.
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
