// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Events and counts of a container.
extension Container {
    /// A new stream of the events of the container. Each access subscribes: hold the stream, and iterate over it once.
    ///
    /// The first stream begins with the events of packages since the container began to open: at most 256, without the
    /// progress of downloads. A stream whose reader does not keep up loses its oldest events: it buffers 4,096.
    /// ``droppedEvents`` counts the lost ones. A stream ends when the container is released.
    public var events: AsyncStream<ContainerEvent> {
        hub.subscribe()
    }

    /// Calls `observer` with the same events as ``events`` within the call that causes them, until the observation ends.
    ///
    /// For tests that compare the order of events with calls of the engine. The engine may wait for the observer, so that
    /// it must not open, close or discard a page.
    @_spi(Testing) @discardableResult
    public func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        hub.observe(observer)
    }

    /// The number of events that were lost so far: by slow subscribers, all together, and before they were sent; lost
    /// reports and timelines of pages included.
    public var droppedEvents: Int { counters.droppedEvents }

    /// The counts since the container was opened: damage, use of memory, losses.
    public var counters: ContainerCounters { components.counters }
}
