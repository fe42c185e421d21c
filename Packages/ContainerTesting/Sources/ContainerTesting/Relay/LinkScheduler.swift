// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One direction of a link that all connections share, as a value.
///
/// Bytes wait in one queue per connection. The link sends one quantum of each connection in turn (round robin). It is
/// busy for exactly as long as the rate requires, and delivers after the one-way delay. A quantum starts when the
/// previous quantum ends, even if the caller checks later. Late timers therefore change neither the rate nor the order.
///
/// All times are durations since an epoch that the caller chooses, and must not decrease.
struct LinkScheduler: Sendable {
    /// The rate in 1,000 bits per second; `nil` for unlimited.
    let kilobitsPerSecond: Int?
    /// The time between sending and arrival of a byte.
    let delay: Duration
    /// The limit of bytes that a connection sends in one turn.
    let quantum: Int
    /// The total time that the link has been sending. With `n` bytes at `r` kbit/s this is `8n / r` ms.
    private(set) var busy: Duration = .zero

    private var freeAt: Duration = .zero
    private var queues: [ConnectionID: Queue] = [:]
    /// The connections with unsent data, in the order of their turns.
    private var turns = CircularBuffer<ConnectionID>()
    /// The segments that were sent and have not arrived. Departures, and therefore arrivals, are in order.
    private var travelling = CircularBuffer<Segment>()

    /// Creates an idle link.
    /// - Parameters:
    ///   - kilobitsPerSecond: The rate in 1,000 bits per second, greater than 0; `nil` for unlimited.
    ///   - delay: The time between sending and arrival of a byte, not negative.
    ///   - quantum: The limit of bytes that a connection sends in one turn, greater than 0; 1,500, the size of an
    ///     Ethernet frame, by default.
    init(kilobitsPerSecond: Int?, delay: Duration, quantum: Int = 1_500) {
        precondition(kilobitsPerSecond.map { $0 > 0 } ?? true, "a rate is positive")
        precondition(quantum > 0 && delay >= .zero, "a quantum is positive, a delay is not negative")
        self.kilobitsPerSecond = kilobitsPerSecond
        self.delay = delay
        self.quantum = quantum
    }

    /// Adds content to the end of a connection's queue.
    /// - Parameters:
    ///   - content: A number of bytes, the end or a reset. A number below 1 is ignored.
    ///   - connection: The connection that sends the content.
    ///   - readyAt: The earliest time at which the content may be sent.
    mutating func enqueue(_ content: Segment.Content, on connection: ConnectionID, readyAt: Duration) {
        if case .bytes(let count) = content, count <= 0 { return }
        if queues[connection] == nil {
            turns.append(connection)
        }
        queues[connection, default: Queue()].append(content, readyAt: readyAt)
    }

    /// Removes and returns the segments that have arrived by `now`, in the order of arrival.
    mutating func arrivals(until now: Duration) -> [Segment] {
        transmit(until: now)
        var arrived: [Segment] = []
        while let next = travelling.first, next.arrives <= now {
            arrived.append(travelling.removeFirst())
        }
        return arrived
    }

    /// The time of the next check for arrivals; `nil` while nothing waits or is in transit.
    var nextWake: Duration? {
        travelling.first?.arrives ?? nextStart
    }

    /// Removes the unsent and travelling data of a connection. The transmission time of sent data still counts.
    mutating func remove(_ connection: ConnectionID) {
        if queues.removeValue(forKey: connection) != nil {
            turns.removeAll { $0 == connection }
        }
        travelling.removeAll { $0.connection == connection }
    }

    /// Sends the data that departs until `now`. A late call has the same result, because each quantum depends only on
    /// the data that was ready at its start.
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

    /// The time at which the next quantum starts; `nil` if no data waits.
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
