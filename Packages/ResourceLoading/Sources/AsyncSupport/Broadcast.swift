// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Sends each element to all current subscribers.
///
/// A subscriber that reads too slowly loses its oldest elements, which are counted. Sending never waits.
public final class Broadcast<Element: Sendable>: Sendable {
    private struct State {
        var subscribers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var lastID: UInt64 = 0
        var dropped = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: the number of elements that wait for one subscriber at most.
    public init(capacity: Int) {
        self.capacity = capacity
    }

    /// Ends all streams.
    deinit {
        finish()
    }

    /// The number of elements that slow subscribers lost, all together.
    public var dropped: Int { state.withLock(\.dropped) }

    /// The number of streams that are still read.
    public var subscriberCount: Int { state.withLock(\.subscribers.count) }

    /// Returns a stream of all elements that are sent from now on.
    /// - Parameter first: elements that the stream begins with.
    public func subscribe(startingWith first: [Element] = []) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(capacity))
        let id = state.withLock { state in
            state.lastID += 1
            for element in first { continuation.yield(element) }
            state.subscribers[state.lastID] = continuation
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends an element to all current subscribers.
    public func send(_ element: Element) {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) {
            guard case .dropped = subscriber.yield(element) else { continue }
            state.withLock { $0.dropped += 1 }
        }
    }

    /// Ends the streams of all current subscribers; they still get the elements that wait for them.
    public func finish() {
        for subscriber in state.withLock({ Array($0.subscribers.values) }) { subscriber.finish() }
    }
}
