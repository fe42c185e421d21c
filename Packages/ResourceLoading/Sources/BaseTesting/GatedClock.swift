// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A clock whose sleeps last until a test opens the gate, regardless of their deadlines.
///
/// The time does not advance until the gate is open. Then each sleep moves the time to its deadline and ends. A
/// cancelled sleep throws `CancellationError` and does not move the time.
///
/// Isolation: any; all members may be called concurrently.
public final class GatedClock: Clock, Sendable {
    /// A time on this clock, as the duration since its creation.
    public typealias Instant = ManualClock.Instant

    private struct State {
        var now = Instant()
        /// One gate per sleep, because a cancelled sleep ends only its own gate; `nil` after the gate was opened.
        var gates: [AsyncStream<Void>.Continuation]? = []
    }

    private let state = Mutex(State())
    private let started: AsyncStream<Swift.Duration>.Continuation

    /// The length of each sleep, sent when the sleep starts. Supports one reader.
    public let sleeps: AsyncStream<Swift.Duration>

    /// Creates a clock at time zero whose gate is closed.
    public init() {
        (sleeps, started) = AsyncStream.makeStream()
    }

    /// The current time.
    public var now: Instant { state.withLock { $0.now } }

    /// The smallest step of the clock: zero.
    public var minimumResolution: Swift.Duration { .zero }

    /// Ends the current sleeps. Later sleeps end immediately.
    public func open() {
        let waiting = state.withLock { state in
            defer { state.gates = nil }
            return state.gates ?? []
        }
        for gate in waiting { gate.finish() }
    }

    /// Suspends until the gate is open, then moves the time to `deadline` if that is later.
    /// - Throws: `CancellationError` if the calling task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        started.yield(now.duration(to: deadline))
        let gate = AsyncStream.makeStream(of: Void.self)
        let isClosed = state.withLock { state in
            state.gates?.append(gate.continuation)
            return state.gates != nil
        }
        if isClosed { for await _ in gate.stream {} }
        try Task.checkCancellation()
        state.withLock { $0.now = max($0.now, deadline) }
    }
}
