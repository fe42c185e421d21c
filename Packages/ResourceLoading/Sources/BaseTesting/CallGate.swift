// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// A gate that a test closes to suspend calls of a test double. It is open at first.
///
/// A waiting call ignores the cancellation of its task.
///
/// Isolation: any; all members may be called concurrently.
public final class CallGate: Sendable {
    private struct State {
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// A stream with one element for each call that starts to wait.
    public let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let state = Mutex(State())

    /// Creates an open gate.
    public init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// Returns at once if the gate is open; otherwise suspends until it is opened.
    nonisolated(nonsending) public func pass() async {
        guard state.withLock(\.isClosed) else { return }
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if state.isClosed { state.waiting.append(continuation) }
                return state.isClosed
            }
            if isClosed { arrival.yield() } else { continuation.resume() }
        }
    }

    /// Closes the gate, so that later calls wait.
    public func close() { state.withLock { $0.isClosed = true } }

    /// Opens the gate for waiting and later calls.
    public func open() {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
