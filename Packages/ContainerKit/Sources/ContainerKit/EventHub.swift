// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Hands events to those who listen, without ever waiting for them.
@MainActor
final class EventHub {
    private var subscribers: [UInt64: AsyncStream<ContainerEvent>.Continuation] = [:]
    private var lastID: UInt64 = 0
    /// Events that a slow subscriber lost.
    private(set) var dropped = 0

    /// Who listens must not wait for a container that is gone.
    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
    }

    func subscribe() -> AsyncStream<ContainerEvent> {
        lastID += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContainerEvent.self, bufferingPolicy: .bufferingNewest(4_096))
        subscribers[lastID] = continuation
        return stream
    }

    /// The number of those who listen; one that stopped is counted until the next event.
    var subscriberCount: Int { subscribers.count }

    func send(_ event: ContainerEvent) {
        for (id, subscriber) in subscribers {
            switch subscriber.yield(event) {
            case .dropped: dropped += 1
            case .terminated: subscribers[id] = nil
            default: break
            }
        }
    }
}
