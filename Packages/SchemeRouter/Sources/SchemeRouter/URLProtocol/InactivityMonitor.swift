// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading

/// Ends work from which nothing is heard for a time.
final class InactivityMonitor: Sendable {
    private let signs = Mutex(0)

    /// Something came.
    func recordActivity() {
        signs.withLock { $0 += 1 }
    }

    /// Runs `body`, and cancels it once nothing has been heard for `limit`, or at most for twice that when something had
    /// come before.
    /// - Throws: `ResourceError` with code `timedOut`; what `body` throws.
    func limit(
        _ limit: Duration, by clock: any Clock<Duration>, at url: String,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: body)
            group.addTask {
                var last = -1
                while self.signs.withLock({ $0 }) != last {
                    last = self.signs.withLock { $0 }
                    try await clock.sleep(for: limit)
                }
                throw ResourceError(.timedOut, "nothing came for \(limit)", at: url)
            }
            try await group.next()
        }
    }
}
