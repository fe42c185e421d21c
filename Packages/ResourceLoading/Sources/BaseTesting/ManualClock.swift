// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A clock whose time changes only when a test advances it.
///
/// Sleepers wake in the order of their deadlines, and in the order of their arrival if deadlines are equal. A cancelled
/// sleeper wakes immediately and throws `CancellationError`.
///
/// Isolation: any; all members may be called concurrently.
public final class ManualClock: Clock, Sendable {
    /// A time on this clock, as the duration since its creation.
    public struct Instant: InstantProtocol, Hashable {
        /// The duration since the creation of the clock.
        public let offset: Duration

        /// Creates an instant.
        /// - Parameter offset: the duration since the creation of the clock.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// Returns the duration from this instant to `other`, negative if `other` is earlier.
        public func duration(to other: Instant) -> Duration {
            other.offset - offset
        }

        /// Returns a Boolean value that indicates whether `left` is before `right`.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct Sleeper {
        let id: UInt64
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let id: UInt64
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant()
        var nextID: UInt64 = 0
        /// The sleepers, sorted by deadline and then by arrival.
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []

        mutating func makeID() -> UInt64 {
            nextID += 1
            return nextID
        }
    }

    private let state = Mutex(State())

    /// Creates a clock at time zero.
    public init() {}

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }
    /// The smallest step of the clock: zero, because it can be advanced by any duration.
    public var minimumResolution: Duration { .zero }

    /// The number of tasks that sleep.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends until a test has advanced the clock to `deadline`. Returns immediately if that time has passed.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = state.withLock { $0.makeID() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (woken, watchers) = state.withLock { state -> (Result<Void, any Error>?, [Watcher]) in
                    // The check runs under the lock that the cancellation handler acquires too. A cancellation
                    // therefore happens either before this check or after the sleeper is in the list.
                    if Task.isCancelled { return (.failure(CancellationError()), []) }
                    if deadline <= state.now { return (.success(()), []) }
                    let place = state.sleepers.firstIndex { $0.deadline > deadline } ?? state.sleepers.endIndex
                    state.sleepers.insert(Sleeper(id: id, deadline: deadline, continuation: continuation), at: place)
                    let count = state.sleepers.count
                    let satisfied = state.watchers.filter { $0.count <= count }
                    state.watchers.removeAll { $0.count <= count }
                    return (nil, satisfied)
                }
                if let woken { continuation.resume(with: woken) }
                for watcher in watchers { watcher.continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Moves the time forward and wakes all sleepers whose deadlines have passed.
    ///
    /// If a woken task sleeps again for a duration, the duration starts at the new time. To step through a series of
    /// these sleeps, advance the clock once for each sleep.
    /// - Parameter duration: the duration to advance by, not negative.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "the duration is negative")
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.prefix { $0.deadline <= state.now }
            state.sleepers.removeFirst(due.count)
            return Array(due)
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the time forward to an instant. Does nothing if that time has passed.
    public func advance(to instant: Instant) {
        let distance = now.duration(to: instant)
        if distance > .zero { advance(by: distance) }
    }

    /// Suspends until at least `count` tasks sleep, or until the calling task is cancelled.
    ///
    /// A test calls this method before it advances the clock, so that the sleeps of the code under test have started.
    public func sleepers(atLeast count: Int) async {
        let id = state.withLock { $0.makeID() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if Task.isCancelled || state.sleepers.count >= count { return true }
                    state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume()
        }
    }
}
