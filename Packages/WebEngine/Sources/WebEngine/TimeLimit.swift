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
