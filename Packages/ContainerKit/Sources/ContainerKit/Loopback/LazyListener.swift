// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Something that listens, begun when it is first wanted: where interception is off, a port that cannot be had is
/// nobody's fault yet.
///
/// Isolation: the main actor.
@MainActor
final class LazyListener<Listener: Sendable> {
    /// What listens; `nil` until it does.
    private(set) var listener: Listener?
    private var isOver = false
    private var starting: Task<Listener, any Error>?
    private let start: @MainActor () async throws -> Listener

    init(_ start: @escaping @MainActor () async throws -> Listener) {
        self.start = start
    }

    /// Begins once for all who ask meanwhile; after a failure whoever asks tries again.
    /// - Throws: `CancellationError` after the end.
    func begun() async throws -> Listener {
        if let listener { return listener }
        guard !isOver else { throw CancellationError() }
        let task = starting ?? Task { try await start() }
        starting = task
        defer { if starting == task { starting = nil } }
        let listener = try await task.value
        self.listener = listener
        return listener
    }

    /// Begins never again.
    /// - Returns: what listens, or was about to.
    func end() async -> Listener? {
        isOver = true
        if let starting { return try? await starting.value }
        return listener
    }
}
