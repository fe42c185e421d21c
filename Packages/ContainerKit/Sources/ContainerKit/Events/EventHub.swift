// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import LoopbackServer
internal import OfflinePackage

/// Sends events to streams and to observers, and never waits for a reader.
@MainActor
final class EventHub {
    /// In the order in which they came.
    private var observers: [Observer] = []
    /// Events that an observer caused while it was called, to be delivered next.
    private var waiting: [ContainerEvent] = []
    private var isDelivering = false
    private let events = Broadcast<ContainerEvent>(capacity: 4_096)
    /// The events that the first subscriber gets of the time before it; `nil` once there was one.
    private var early: [ContainerEvent]? = []
    /// Events that a slow subscriber lost.
    var dropped: Int { events.dropped }

    /// The most events that are kept for the first subscriber; for one more the oldest is lost.
    static let earlyLimit = 256

    func subscribe() -> AsyncStream<ContainerEvent> { events.subscribe(startingWith: drainEarlyEvents()) }

    @discardableResult
    func observe(_ handler: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        let observer = Observer(handler)
        inOrder {
            observers.append(observer)
            for event in drainEarlyEvents() { handler(event) }
        }
        // Only the hub holds the observer, because observers often hold their observation.
        return EventObservation { [weak self, weak observer] in
            observer?.isOver = true
            self?.observers.removeAll { $0 === observer }
        }
    }

    /// Adds an observer of the container's own, for the life of the hub. It leaves the early events to the host.
    func observePermanently(_ handler: @escaping @MainActor (ContainerEvent) -> Void) {
        observers.append(Observer(handler))
    }

    private func drainEarlyEvents() -> [ContainerEvent] {
        defer { early = nil }
        return early ?? []
    }

    /// The number of streams that are still read.
    var subscriberCount: Int { events.subscriberCount }

    /// Delivers an event. Events of packages, taken ports and missing modes are kept for the first subscriber: a
    /// rollback at launch is over before the host has the container and can subscribe.
    func send(_ event: ContainerEvent) {
        waiting.append(event)
        inOrder {}
    }

    /// Runs `body`, then delivers the waiting events: each reaches all observers before the next one.
    private func inOrder(_ body: () -> Void) {
        guard !isDelivering else { return body() }
        isDelivering = true
        body()
        while !waiting.isEmpty { deliver(waiting.removeFirst()) }
        isDelivering = false
    }

    private func deliver(_ event: ContainerEvent) {
        keep(event)
        // An observer may end another or itself; one that is added meanwhile gets the next event.
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
        // Not counted as lost: there was no subscriber yet.
        if let count = early?.count, count > Self.earlyLimit { early?.removeFirst() }
    }
}

@MainActor
private final class Observer {
    let handler: @MainActor (ContainerEvent) -> Void
    var isOver = false

    init(_ handler: @escaping @MainActor (ContainerEvent) -> Void) { self.handler = handler }
}
