// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Events and counters of a container.
extension Container {
    /// A new stream of the container's events. Each access subscribes, so keep the stream and iterate over it once.
    ///
    /// The first stream begins with the stored events since the container began to open, at most 256. The stored events
    /// are package events except download progress, `LoopbackEvent.portTaken`, `LoopbackEvent.unproven(reason:)`, and
    /// ``ContainerEvent/remoteConfigModesIgnored(_:)``. A stream buffers 4,096 events and then drops the oldest;
    /// ``droppedEvents`` counts them. A stream ends when ``shutDown()`` returns or the container is released.
    public var events: AsyncStream<ContainerEvent> {
        hub.subscribe()
    }

    /// Registers an observer that is called synchronously with the events of ``events``, until the observation ends.
    ///
    /// Intended for tests that compare the order of events with calls of the engine. The engine may wait for the
    /// observer, so the observer must not open, close or release a page.
    @_spi(Testing) @discardableResult
    public func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        hub.observe(observer)
    }

    /// The number of events, reports and timelines that were dropped, because a subscriber was too slow or a buffer was
    /// full.
    public var droppedEvents: Int { counters.droppedEvents }

    /// The counters since the container was opened.
    public var counters: ContainerCounters { components.counters }
}
