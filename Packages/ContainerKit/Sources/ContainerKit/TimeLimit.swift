// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Runs `body`, and gives up after `limit`.
///
/// - Throws: ``EngineError`` with code `timedOut`, after `body` was cancelled; else what `body` throws.
@MainActor
public func withLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration> = ContinuousClock(), _ what: String = "no answer in time",
    _ body: @escaping @MainActor () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: limit)
            throw EngineError(.timedOut, "\(what) (limit \(limit))")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}
