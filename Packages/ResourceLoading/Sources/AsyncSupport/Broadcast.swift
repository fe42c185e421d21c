// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A channel that sends each element to all current subscribers.
///
/// A subscriber that reads too slowly loses its oldest elements; ``dropped`` counts them. Sending never suspends.
///
/// Isolation: any. Elements arrive in the order of the calls if one task or actor sends them.
public final class Broadcast<Element: Sendable>: Sendable {
    @usableFromInline
    struct State {
        @usableFromInline var subscribers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        @usableFromInline var lastID: UInt64 = 0
        @usableFromInline var dropped = 0
        @usableFromInline var isFinished = false

        @inlinable init() {}
    }

    @usableFromInline let capacity: Int
    @usableFromInline let state = Mutex(State())

    /// Creates a broadcast without subscribers.
    /// - Parameter capacity: the maximum number of buffered elements per subscriber.
    @inlinable
    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Ends all streams.
    @inlinable
    deinit {
        finish()
    }

    /// The total number of elements that slow subscribers lost.
    @inlinable
    public var dropped: Int { state.withLock(\.dropped) }

    /// The number of active subscriptions.
    @inlinable
    public var subscriberCount: Int { state.withLock(\.subscribers.count) }

    /// Returns a stream of all elements that are sent from now on. If ``finish()`` was called before, the stream ends
    /// after `first`.
    /// - Parameter first: the elements at the start of the stream.
    @inlinable
    public func subscribe(startingWith first: [Element] = []) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        // Set before the continuation becomes a subscriber, so that `finish()` cannot end the stream before the handler
        // is set.
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        for element in first { yield(element, to: continuation, id) }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.subscribers[id] = continuation }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// Sends an element to all current subscribers.
    @inlinable
    public func send(_ element: Element) {
        for (id, subscriber) in state.withLock(\.subscribers) { yield(element, to: subscriber, id) }
    }

    /// Ends the streams of all subscribers, after the elements that are already buffered.
    @inlinable
    public func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            return state.subscribers
        }
        for subscriber in subscribers.values { subscriber.finish() }
    }

    @inlinable
    func yield(_ element: Element, to subscriber: AsyncStream<Element>.Continuation, _ id: UInt64) {
        switch subscriber.yield(element) {
        case .dropped: state.withLock { $0.dropped += 1 }
        case .terminated: remove(id)
        default: break
        }
    }

    @inlinable
    func remove(_ id: UInt64) {
        // The continuation is released outside the lock because its deinitialization can run arbitrary code.
        _ = state.withLock { $0.subscribers.removeValue(forKey: id) }
    }
}
