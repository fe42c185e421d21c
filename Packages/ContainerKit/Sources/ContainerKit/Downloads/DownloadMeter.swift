// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// How many bytes of a download there are: noted where they are written, and read elsewhere.
final class DownloadMeter: Sendable {
    private struct State {
        var received: Int64 = 0
        var expected: Int64?
        var isOver = false
        var lastListener: UInt64 = 0
        var listeners: [UInt64: AsyncStream<DownloadProgress>.Continuation] = [:]
    }

    private let state = Mutex(State())
    /// A host that asks again and again gets streams that are over.
    private static let listenerLimit = 64

    var received: Int64 { state.withLock(\.received) }

    func note(_ received: Int64) {
        state.withLock { state in
            state.received = received
            let progress = DownloadProgress(received: received, expected: state.expected)
            for listener in state.listeners.values { listener.yield(progress) }
        }
    }

    func expect(_ bytes: Int64?) {
        state.withLock { $0.expected = bytes }
    }

    /// Those who listen hear the newest alone.
    func progress() -> AsyncStream<DownloadProgress> {
        let (stream, listener) = AsyncStream.makeStream(of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let isHeard = state.withLock { state in
            guard !state.isOver, state.listeners.count < Self.listenerLimit else { return false }
            state.lastListener += 1
            let id = state.lastListener
            state.listeners[id] = listener
            listener.onTermination = { [weak self] _ in self?.forget(id) }
            listener.yield(DownloadProgress(received: state.received, expected: state.expected))
            return true
        }
        if !isHeard { listener.finish() }
        return stream
    }

    private func forget(_ id: UInt64) {
        _ = state.withLock { $0.listeners.removeValue(forKey: id) }
    }

    func finish() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        // Not under the lock, as each of them comes back.
        for listener in listeners { listener.finish() }
    }

    /// Returns at the end.
    func ended() async {
        for await _ in progress() {}
    }
}
