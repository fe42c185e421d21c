// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Runs an operation with a time limit and returns its result.
/// - Parameters:
///   - limit: the time after which the operation is cancelled.
///   - clock: the clock that measures the limit.
///   - what: the message of the error, to which the limit is appended.
///   - body: the operation.
/// - Throws: ``EngineError`` with code `timedOut` after the limit; otherwise the error of `body`.
@MainActor
public func withLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(), _ what: String = "no response in time",
    _ body: @escaping @MainActor () async throws -> Value
) async throws -> Value {
    try await withTimeLimit(limit, clock: clock) {
        EngineError(.timedOut, "\(what) (limit \(limit))")
    } _: {
        try await body()
    }
}
