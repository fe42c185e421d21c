// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NameResolution
internal import OfflinePackage

/// The sender of events to streams and observers. It does not wait for slow readers of streams.
///
/// Isolation: the main actor.
@MainActor
final class EventHub {
    /// The observers, in the order of registration.
    private var observers: [Observer] = []
    /// The events that are not delivered yet, including those that observers cause during a delivery.
    private var waiting: [ContainerEvent] = []
    private var isDelivering = false
    private let events = Broadcast<ContainerEvent>(capacity: 4_096)
    /// The early events for the first subscriber; `nil` after its subscription.
    private var early: [ContainerEvent]? = []
    /// The number of events that slow subscribers lost.
    var dropped: Int { events.dropped }

    /// The maximum number of early events. If there are more, the oldest is dropped.
    static let earlyLimit = 256

    func subscribe() -> AsyncStream<ContainerEvent> { events.subscribe(startingWith: drainEarlyEvents()) }

    @discardableResult
    func observe(_ handler: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        let observer = Observer(handler)
        inOrder {
            observers.append(observer)
            for event in drainEarlyEvents() { handler(event) }
        }
        // The observation does not retain the observer, because an observer often retains its observation.
        return EventObservation { [weak self, weak observer] in
            observer?.isOver = true
            self?.observers.removeAll { $0 === observer }
        }
    }

    /// Adds an internal observer for the lifetime of the hub. Early events remain available to the first subscriber.
    func observePermanently(_ handler: @escaping @MainActor (ContainerEvent) -> Void) {
        observers.append(Observer(handler))
    }

    /// Ends all streams, after the events that they hold.
    func finish() { events.finish() }

    private func drainEarlyEvents() -> [ContainerEvent] {
        defer { early = nil }
        return early ?? []
    }

    /// The number of active streams.
    var subscriberCount: Int { events.subscriberCount }

    /// Delivers an event. Package events, `portTaken`, `unproven`, `switchedOff` and ignored modes are also stored for
    /// the first subscriber, because a rollback at launch ends before the host can subscribe.
    func send(_ event: ContainerEvent) {
        waiting.append(event)
        inOrder {}
    }

    /// Runs `body` and then delivers the waiting events. Each event reaches all observers before the next event.
    private func inOrder(_ body: () -> Void) {
        guard !isDelivering else { return body() }
        isDelivering = true
        body()
        while !waiting.isEmpty { deliver(waiting.removeFirst()) }
        isDelivering = false
    }

    private func deliver(_ event: ContainerEvent) {
        recordEarly(event)
        // An observer can end any observation, including its own. An observer that is added during a delivery gets the
        // next event.
        for observer in observers where !observer.isOver { observer.handler(event) }
        events.send(event)
    }

    private func recordEarly(_ event: ContainerEvent) {
        switch event {
        case .package(.downloading), .package(.updating): return
        // These events are also sent while the container opens.
        case .package, .remoteConfigModesIgnored, .nameResolution(.switchedOff): break
        #if Loopback
            case .loopback(.portTaken), .loopback(.unproven): break
        #endif
        default: return
        }
        early?.append(event)
        // Not counted as dropped, because there was no subscriber.
        if let count = early?.count, count > Self.earlyLimit { early?.removeFirst() }
    }
}

@MainActor
private final class Observer {
    let handler: @MainActor (ContainerEvent) -> Void
    var isOver = false

    init(_ handler: @escaping @MainActor (ContainerEvent) -> Void) { self.handler = handler }
}

/// The registration of an observer of a container's events. Releasing it does not remove the observer.
@MainActor
@_spi(Testing) public final class EventObservation {
    private var stop: (@MainActor () -> Void)?

    init(_ stop: @escaping @MainActor () -> Void) {
        self.stop = stop
    }

    /// Removes the observer.
    public func end() {
        stop?()
        stop = nil
    }
}
