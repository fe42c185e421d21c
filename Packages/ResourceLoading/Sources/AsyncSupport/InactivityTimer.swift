// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A timer that cancels work if the work records no activity for a given time.
///
/// Isolation: any.
public final class InactivityTimer: Sendable {
    private let clock: any Clock<Duration>
    private let stopwatch: Stopwatch
    /// The time of the last activity, on the stopwatch.
    private let last = Mutex(Duration.zero)

    /// Creates a timer.
    /// - Parameter clock: the clock that measures the time.
    public init(_ clock: any Clock<Duration>) {
        self.clock = clock
        stopwatch = Stopwatch(clock)
    }

    /// Restarts the time limit.
    public func recordActivity() {
        let now = stopwatch.elapsed
        last.withLock { $0 = max($0, now) }
    }

    /// Runs work and cancels it if it records no activity for the duration of the limit. The start counts as activity.
    ///
    /// Returns only after the work has ended. Work that ignores its cancellation therefore delays the error.
    /// - Parameters:
    ///   - limit: the longest time without activity.
    ///   - error: a closure that returns the error to throw at the limit.
    ///   - work: the work.
    /// - Throws: the error that `error` returns; the error of `work`.
    public nonisolated(nonsending) func run<Value: Sendable>(
        limit: Duration, otherwise error: @escaping @Sendable () -> any Error,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        recordActivity()
        return try await withThrowingTaskGroup(of: Value.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask { [self] in
                while true {
                    let rest = last.withLock { $0 } + limit - stopwatch.elapsed
                    guard rest > .zero else { throw error() }
                    try await clock.sleep(for: rest)
                }
            }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }
}
