// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Runs `body`, and gives up after `limit`.
///
/// - Throws: ``EngineError`` with code `timedOut`, after `body` was cancelled; else what `body` throws.
@MainActor
public func withLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(), _ what: String = "no answer in time",
    _ body: @escaping @MainActor () async throws -> Value
) async throws -> Value {
    try await withTimeLimit(limit, clock: clock) {
        EngineError(.timedOut, "\(what) (limit \(limit))")
    } _: {
        try await body()
    }
}

/// What a task ends with, or `nil` once `limit` is over, whether or not the task heeds a cancellation. It goes on then.
@MainActor
public func outcome<Value: Sendable>(
    of task: Task<Value, Never>, within limit: Duration, clock: any Clock<Duration> = ContinuousClock()
) async -> Value? {
    let (ends, end) = AsyncStream<Value?>.makeStream()
    let waiting = Task { end.yield(await task.value) }
    let timer = Task {
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
