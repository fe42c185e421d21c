// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Waits until a condition holds. If it never holds, the time limit of the test ends the wait.
/// - Parameter condition: the condition, which is checked on the actor of the caller.
/// - Throws: the error of the condition; `CancellationError`.
nonisolated(nonsending) public func until(_ condition: () throws -> Bool) async throws {
    while try !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
