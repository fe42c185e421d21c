// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import LoopbackServer
internal import OfflinePackage

/// Hands events to those who listen, without ever waiting for them.
@MainActor
final class EventHub {
    /// In the order in which they came.
    private var observers: [Observer] = []
    /// What is still to be told, where an observer caused it by what it heard.
    private var waiting: [ContainerEvent] = []
    private var isDelivering = false
    private let events = Broadcast<ContainerEvent>(capacity: 4_096)
    /// What the first who listens gets of the time before it came; `nil` once it has.
    private var early: [ContainerEvent]? = []
    /// Events that a slow subscriber lost.
    var dropped: Int { events.dropped }

    /// The most events that are kept for the first subscriber; for one more the oldest is lost.
    static let earlyLimit = 256

    func subscribe() -> AsyncStream<ContainerEvent> { events.subscribe(startingWith: drainEarlyEvents()) }

    func observe(_ handler: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        let observer = Observer(handler)
        inOrder {
            observers.append(observer)
            for event in drainEarlyEvents() { handler(event) }
        }
        // Held by the hub alone: who observes often holds the observation.
        return EventObservation { [weak self, weak observer] in
            observer?.isOver = true
            self?.observers.removeAll { $0 === observer }
        }
    }

    /// As ``observe(_:)`` for one of the container's own, as long as the hub lives: what happened before stays for the host,
    /// who is still to come.
    func observePermanently(_ handler: @escaping @MainActor (ContainerEvent) -> Void) {
        observers.append(Observer(handler))
    }

    private func drainEarlyEvents() -> [ContainerEvent] {
        defer { early = nil }
        return early ?? []
    }

    /// The number of streams that are still read.
    var subscriberCount: Int { events.subscriberCount }

    /// What happens to packages is kept for the first subscriber, and that a port was taken, or a mode is not there: a
    /// rollback at launch is over before the host has the container and can listen.
    func send(_ event: ContainerEvent) {
        waiting.append(event)
        inOrder {}
    }

    /// Does something, and tells what waits then: everyone hears one event after the other.
    private func inOrder(_ body: () -> Void) {
        guard !isDelivering else { return body() }
        isDelivering = true
        body()
        while !waiting.isEmpty { deliver(waiting.removeFirst()) }
        isDelivering = false
    }

    private func deliver(_ event: ContainerEvent) {
        keep(event)
        // One may end another, or itself; who comes meanwhile hears the next.
        for observer in observers where !observer.isOver { observer.handler(event) }
        events.send(event)
    }

    private func keep(_ event: ContainerEvent) {
        switch event {
        case .package(.downloading): return
        // Said as the container begins, too.
        case .package, .loopback(.portTaken), .remoteConfigModesIgnored: break
        default: return
        }
        early?.append(event)
        // Not counted as lost: nobody has listened yet.
        if let count = early?.count, count > Self.earlyLimit { early?.removeFirst() }
    }
}

@MainActor
private final class Observer {
    let handler: @MainActor (ContainerEvent) -> Void
    var isOver = false

    init(_ handler: @escaping @MainActor (ContainerEvent) -> Void) { self.handler = handler }
}
