// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The number of received bytes of a download, recorded by the writer and observed by the app.
final class ProgressTracker: Sendable {
    private struct State {
        var received: Int64 = 0
        var expected: Int64?
        /// The start of the current silence: the number of bytes that had arrived, and the time.
        var mark: (bytes: Int64, time: Duration) = (0, .zero)
        var isOver = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let stopwatch: Stopwatch
    private let leastBytes: Int64
    private let listeners = Broadcast<DownloadProgress>(capacity: 1)
    /// The maximum number of observers. Further observers get a stream that has ended.
    private static let listenerLimit = 64

    /// Creates a tracker.
    /// - Parameters:
    ///   - stopwatch: the stopwatch of the silence.
    ///   - leastBytes: the number of bytes that end a silence.
    init(_ stopwatch: Stopwatch, leastBytes: Int64) {
        self.stopwatch = stopwatch
        self.leastBytes = max(1, leastBytes)
    }

    var received: Int64 { state.withLock(\.received) }

    func record(_ received: Int64) {
        let now = stopwatch.elapsed
        state.withLock { state in
            state.received = received
            if received - state.mark.bytes >= leastBytes { state.mark = (received, now) }
            // Sent under the lock, so that the newest value is sent last.
            listeners.send(DownloadProgress(received: received, expected: state.expected))
        }
    }

    func expect(_ bytes: Int64?) {
        state.withLock { $0.expected = bytes }
    }

    // MARK: Silence

    /// The time since at least `leastBytes` arrived.
    var silence: Duration { stopwatch.elapsed - state.withLock(\.mark.time) }

    /// Restarts the measurement of the silence.
    func restartSilence() {
        let now = stopwatch.elapsed
        state.withLock { $0.mark = ($0.received, now) }
    }

    // MARK: Observers

    /// Returns the progress from now on. A slow reader gets only the newest value.
    func progress() -> AsyncStream<DownloadProgress> {
        state.withLock { state in
            guard !state.isOver, listeners.subscriberCount < Self.listenerLimit else {
                return AsyncStream { $0.finish() }
            }
            return listeners.subscribe(
                startingWith: [DownloadProgress(received: state.received, expected: state.expected)])
        }
    }

    func finish() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return state.waiters
        }
        listeners.finish()
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the download has ended.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if !state.isOver { state.waiters.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.resume() }
        }
    }
}
