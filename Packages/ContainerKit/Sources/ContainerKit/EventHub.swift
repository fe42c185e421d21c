// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage

/// Hands events to those who listen, without ever waiting for them.
@MainActor
final class EventHub {
    private var observers: [@MainActor (ContainerEvent) -> Void] = []
    private var subscribers: [UInt64: AsyncStream<ContainerEvent>.Continuation] = [:]
    private var lastID: UInt64 = 0
    /// What the first who listens gets of the time before it came; `nil` once it has.
    private var early: [ContainerEvent]? = []
    /// Events that a slow subscriber lost.
    private(set) var dropped = 0

    /// The most events that are kept for the first subscriber; for one more the oldest is lost.
    static let earlyLimit = 256

    /// Who listens must not wait for a container that is gone.
    deinit {
        for subscriber in subscribers.values { subscriber.finish() }
    }

    func subscribe() -> AsyncStream<ContainerEvent> {
        lastID += 1
        let (stream, continuation) = AsyncStream.makeStream(
            of: ContainerEvent.self, bufferingPolicy: .bufferingNewest(4_096))
        subscribers[lastID] = continuation
        for event in takeEarly() { continuation.yield(event) }
        return stream
    }

    func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) {
        observers.append(observer)
        for event in takeEarly() { observer(event) }
    }

    private func takeEarly() -> [ContainerEvent] {
        defer { early = nil }
        return early ?? []
    }

    /// The number of those who listen; one that stopped is counted until the next event.
    var subscriberCount: Int { subscribers.count }

    /// What happens to packages is kept for the first subscriber: a rollback at launch is over before the host has the
    /// container and can listen.
    func send(_ event: ContainerEvent) {
        if case .package(let event) = event { keep(event) }
        for observer in observers { observer(event) }
        for (id, subscriber) in subscribers {
            switch subscriber.yield(event) {
            case .dropped: dropped += 1
            case .terminated: subscribers[id] = nil
            default: break
            }
        }
    }

    private func keep(_ event: PackageEvent) {
        if case .downloading = event { return }
        early?.append(.package(event))
        // Not counted as lost: nobody has listened yet.
        if let count = early?.count, count > Self.earlyLimit { early?.removeFirst() }
    }
}
