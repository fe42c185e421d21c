// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Hands events to those who listen, without ever waiting for them.
@MainActor
final class EventHub {
    private var subscribers: [UInt64: AsyncStream<ContainerEvent>.Continuation] = [:]
    private var lastID: UInt64 = 0
    /// Events that a slow subscriber lost.
    private(set) var dropped = 0

    func subscribe() -> AsyncStream<ContainerEvent> {
        lastID += 1
        let id = lastID
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContainerEvent.self, bufferingPolicy: .bufferingNewest(4_096))
        continuation.onTermination = { [weak self] _ in
            Task { @MainActor in self?.subscribers[id] = nil }
        }
        subscribers[id] = continuation
        return stream
    }

    func send(_ event: ContainerEvent) {
        for subscriber in subscribers.values {
            if case .dropped = subscriber.yield(event) { dropped += 1 }
        }
    }
}
