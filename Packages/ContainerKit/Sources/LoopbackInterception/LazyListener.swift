// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A listener that starts on first use; concurrent callers share one start. A port that is in use is therefore no error
/// while interception is off.
///
/// Isolation: the main actor.
@MainActor
final class LazyListener<Listener: Sendable> {
    /// The listener; `nil` until it has started.
    private(set) var listener: Listener?
    private var isOver = false
    private var starting: Task<Listener, any Error>?
    private let start: @MainActor () async throws -> Listener

    init(_ start: @escaping @MainActor () async throws -> Listener) {
        self.start = start
    }

    /// Returns the listener, and starts it if necessary. After a failure the next call tries again.
    /// - Throws: the error of the start, or `CancellationError` after ``end()``.
    func started() async throws -> Listener {
        if let listener { return listener }
        guard !isOver else { throw CancellationError() }
        let task = starting ?? Task { try await start() }
        starting = task
        defer { if starting == task { starting = nil } }
        let listener = try await task.value
        guard !isOver else { throw CancellationError() }
        self.listener = listener
        return listener
    }

    /// Prevents further starts.
    /// - Returns: the listener, including a listener that is starting, or `nil` if there is none.
    func end() async -> Listener? {
        isOver = true
        if let starting { return try? await starting.value }
        return listener
    }
}
