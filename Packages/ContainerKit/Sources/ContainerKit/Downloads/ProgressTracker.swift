// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// How many bytes of a download there are: noted where they are written, and read elsewhere.
final class ProgressTracker: Sendable {
    private struct State {
        var received: Int64 = 0
        var expected: Int64?
        /// How many there were, and when, as there were enough for the last time.
        var mark: (bytes: Int64, time: Duration) = (0, .zero)
        var isOver = false
        var lastListener: UInt64 = 0
        var listeners: [UInt64: AsyncStream<DownloadProgress>.Continuation] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    private let stopwatch: Stopwatch
    private let leastBytes: Int64
    /// A host that asks again and again gets streams that are over.
    private static let listenerLimit = 64

    /// - Parameter leastBytes: that many are to come before it is silent no more.
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
            let progress = DownloadProgress(received: received, expected: state.expected)
            for listener in state.listeners.values { listener.yield(progress) }
        }
    }

    func expect(_ bytes: Int64?) {
        state.withLock { $0.expected = bytes }
    }

    // MARK: Silence

    /// For how long too little has come.
    var silence: Duration { stopwatch.elapsed - state.withLock(\.mark.time) }

    /// From now on.
    func restartSilence() {
        let now = stopwatch.elapsed
        state.withLock { $0.mark = ($0.received, now) }
    }

    // MARK: Listeners

    /// Those who listen hear the newest alone.
    func progress() -> AsyncStream<DownloadProgress> {
        let (stream, listener) = AsyncStream.makeStream(of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let isAccepted = state.withLock { state in
            guard !state.isOver, state.listeners.count < Self.listenerLimit else { return false }
            state.lastListener += 1
            let id = state.lastListener
            state.listeners[id] = listener
            listener.onTermination = { [weak self] _ in self?.forget(id) }
            listener.yield(DownloadProgress(received: state.received, expected: state.expected))
            return true
        }
        if !isAccepted { listener.finish() }
        return stream
    }

    private func forget(_ id: UInt64) {
        _ = state.withLock { $0.listeners.removeValue(forKey: id) }
    }

    func finish() {
        let (listeners, waiters) = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [] }
            return (Array(state.listeners.values), state.waiters)
        }
        // Not under the lock, as each of them comes back.
        for listener in listeners { listener.finish() }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns at the end, however many listen.
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
