// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Runs work, and stops it when its time is over.
/// - Throws: ``TableError`` with code ``TableError/Code-swift.struct/timedOut``, or what the work throws.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, clock: any Clock<Duration>, at location: String,
    _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await work() }
        group.addTask {
            try await clock.sleep(for: limit)
            return nil
        }
        guard let first = try await group.next(), let value = first else {
            throw TableError(.timedOut, "not done within \(limit)", at: location)
        }
        return value
    }
}
