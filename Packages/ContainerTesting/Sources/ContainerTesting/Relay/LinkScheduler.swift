// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One direction of a link that all connections share, as a value.
///
/// Bytes wait in one queue for each connection. The link takes a quantum from each in turn (round
/// robin), is busy for exactly as long as the rate says, and delivers after the one-way delay. It is
/// told the time and keeps a clock of its own: a quantum begins when the one before it ended, however
/// late the caller looks, so that a slow timer changes neither the rate nor the order.
///
/// All times are durations since an epoch of the caller's choice and must not go back.
public struct LinkScheduler: Sendable {
    /// Thousand bits per second; `nil` is unlimited.
    public let kilobitsPerSecond: Int?
    /// How long a byte travels after it left.
    public let delay: Duration
    /// The most bytes a connection sends before it is another's turn.
    public let quantum: Int
    /// How long the link has been sending, in all. With `n` bytes through a link of `r` kbit/s this is `8n / r` ms.
    public private(set) var busy: Duration = .zero

    private var freeAt: Duration = .zero
    private var queues: [ConnectionID: Queue] = [:]
    /// Connections with something to send, in the order of their turns.
    private var turns = CircularBuffer<ConnectionID>()
    /// What has left and not arrived. Departures and therefore arrivals are in order.
    private var travelling = CircularBuffer<Segment>()

    /// Makes an idle link.
    /// - Parameters:
    ///   - kilobitsPerSecond: the rate in 1,000 bits per second, greater than 0; `nil` for unlimited.
    ///   - delay: the time that a byte travels after it left, not negative.
    ///   - quantum: the most bytes that a connection sends in one turn, greater than 0; 1,500 by default, an Ethernet
    ///     frame's worth.
    public init(kilobitsPerSecond: Int?, delay: Duration, quantum: Int = 1_500) {
        precondition(kilobitsPerSecond.map { $0 > 0 } ?? true, "a rate is positive")
        precondition(quantum > 0 && delay >= .zero, "a quantum is positive, a delay is not negative")
        self.kilobitsPerSecond = kilobitsPerSecond
        self.delay = delay
        self.quantum = quantum
    }

    /// Puts something at the end of a connection's queue.
    /// - Parameters:
    ///   - content: a number of bytes, the end or a reset. A number below 1 is ignored.
    ///   - connection: the connection that sends it.
    ///   - readyAt: the earliest time at which it may leave.
    public mutating func enqueue(_ content: Segment.Content, on connection: ConnectionID, readyAt: Duration) {
        if case .bytes(let count) = content, count <= 0 { return }
        if queues[connection] == nil {
            turns.append(connection)
        }
        queues[connection, default: Queue()].append(content, readyAt: readyAt)
    }

    /// Takes what has arrived by `now`, in the order of arrival.
    public mutating func arrivals(until now: Duration) -> [Segment] {
        transmit(until: now)
        var arrived: [Segment] = []
        while let next = travelling.first, next.arrives <= now {
            arrived.append(travelling.removeFirst())
        }
        return arrived
    }

    /// When to look for arrivals next; `nil` while nothing waits or travels.
    public var nextWake: Duration? {
        travelling.first?.arrives ?? nextStart
    }

    /// Forgets what waits and travels for a connection. What has left has used the link all the same.
    public mutating func remove(_ connection: ConnectionID) {
        if queues.removeValue(forKey: connection) != nil {
            turns.removeAll { $0 == connection }
        }
        travelling.removeAll { $0.connection == connection }
    }

    /// Decides what left until `now`. A decision about an earlier instant is still right when it is
    /// made late, because it only looks at what was ready at that instant.
    private mutating func transmit(until now: Duration) {
        while let start = nextStart, start <= now {
            guard let turn = turns.firstIndex(where: { isReady($0, by: start) }) else { return }
            let connection = turns.remove(at: turn)
            guard var queue = queues.removeValue(forKey: connection),
                let content = queue.dequeue(upTo: kilobitsPerSecond == nil ? .max : quantum, readyBy: start)
            else { continue }
            let time = sendingTime(of: content)
            freeAt = start + time
            busy += time
            travelling.append(
                Segment(connection: connection, content: content, departs: freeAt, arrives: freeAt + delay))
            if !queue.isEmpty {
                queues[connection] = queue
                turns.append(connection)
            }
        }
    }

    /// When the next quantum begins to leave, as far as is known.
    private var nextStart: Duration? {
        var earliest: Duration?
        for connection in turns {
            guard let ready = queues[connection]?.readyAt else { continue }
            if ready <= freeAt { return freeAt }
            earliest = min(earliest ?? ready, ready)
        }
        return earliest
    }

    private func isReady(_ connection: ConnectionID, by instant: Duration) -> Bool {
        queues[connection]?.readyAt.map { $0 <= instant } ?? false
    }

    private func sendingTime(of content: Segment.Content) -> Duration {
        guard let kilobitsPerSecond, case .bytes(let count) = content else { return .zero }
        return .milliseconds(8 * count) / kilobitsPerSecond
    }
}
