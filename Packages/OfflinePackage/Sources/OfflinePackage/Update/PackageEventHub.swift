// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// Hands events to whoever listens. A listener that does not keep up loses the oldest.
///
/// Isolation: any.
final class PackageEventHub: Sendable {
    private struct State {
        var listeners: [UInt64: AsyncStream<PackageEvent>.Continuation] = [:]
        var lastID: UInt64 = 0
        var dropped = 0
    }

    private let state = Mutex(State())

    /// Events that slow listeners lost, all of them together.
    var dropped: Int { state.withLock(\.dropped) }

    deinit {
        finish()
    }

    /// Ends the streams of those who listen now; what they have not taken yet they still get.
    func finish() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() }
    }

    func subscribe() -> AsyncStream<PackageEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let id = state.withLock { state in
                state.lastID += 1
                state.listeners[state.lastID] = continuation
                return state.lastID
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    func send(_ event: PackageEvent) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            guard case .dropped = listener.yield(event) else { continue }
            state.withLock { $0.dropped += 1 }
        }
    }
}
