// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// The two links of a relay and the connections that share them.
///
/// Isolation: the relay's event loop.
final class RelayCore {
    /// The limit of open connections; further ones are refused.
    private static let connectionLimit = 1_024
    private static let connectTimeout = TimeAmount.seconds(10)

    private let profile: NetworkProfile
    private let target: Endpoint
    private let isProxy: Bool
    private let loop: any EventLoop
    private let counts: RelayCounts
    private let epoch = NIODeadline.now()
    private var down: LinkScheduler
    private var up: LinkScheduler
    private var connections: [LinkScheduler.ConnectionID: RelayConnection] = [:]
    private var nextID: UInt64 = 0
    private var isStopped = false
    private var wake: (at: Duration, task: Scheduled<Void>)?
    private var isPumpScheduled = false

    /// - Parameter isProxy: A Boolean value that indicates whether the target is a proxy, whose CONNECT exchanges are
    ///   not delayed.
    init(profile: NetworkProfile, target: Endpoint, isProxy: Bool, loop: any EventLoop, counts: RelayCounts) {
        self.isProxy = isProxy
        self.profile = profile
        self.target = target
        self.loop = loop
        self.counts = counts
        self.down = LinkScheduler(kilobitsPerSecond: profile.downKilobits, delay: profile.roundTrip / 2)
        self.up = LinkScheduler(kilobitsPerSecond: profile.upKilobits, delay: profile.roundTrip / 2)
    }

    /// The time of the links.
    var now: Duration {
        .nanoseconds((NIODeadline.now() - epoch).nanoseconds)
    }

    /// Returns the number of bytes that a connection may buffer in a direction before its sender must wait.
    func holdingLimit(_ direction: RelayDirection) -> Int {
        let most = 4 * 1_048_576
        guard let rate = direction == .down ? profile.downKilobits : profile.upKilobits else { return most }
        // The limit covers the data in transit, plus a quarter of a second, so that the link does not idle if reading
        // resumes late.
        let time = profile.roundTrip / 2 + .milliseconds(250)
        let bytes = Double(rate) * 125 * (time / .seconds(1))
        return min(max(Int(bytes), 65_536), most)
    }

    /// Adds a new client connection, or resets it.
    /// - Parameters:
    ///   - opened: The time at which the client has connected.
    ///   - isAdmitted: A Boolean value that indicates whether the client may use the relay.
    func accept(_ client: any Channel, openedAt opened: Duration, isAdmitted: Bool) throws {
        counts.update { $0.connections += 1 }
        guard isAdmitted, !isStopped, !profile.isOffline, connections.count < Self.connectionLimit else {
            counts.update { $0.refused += 1 }
            client.reset()
            return
        }
        nextID += 1
        let connection = RelayConnection(
            id: LinkScheduler.ConnectionID(nextID), core: self, client: client, opensAt: opened + profile.roundTrip,
            handshake: isProxy ? ConnectHandshake() : nil)
        connections[connection.id] = connection
        try client.pipeline.syncOperations.addHandler(connection.end(.down))
        connect(connection)
    }

    private func connect(_ connection: RelayConnection) {
        // A name with several addresses creates several channels. Only the channel that connects gets the handler;
        // nothing is read before.
        ClientBootstrap(group: loop)
            .connectTimeout(Self.connectTimeout)
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { channel.closeOnExec() } }
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .channelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .connect(host: target.host, port: target.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let channel): connection.connected(channel)
                case .failure:
                    self.counts.update { $0.refused += 1 }
                    connection.refuse()
                }
            }
    }

    func enqueue(
        _ content: LinkScheduler.Segment.Content, _ direction: RelayDirection, of connection: RelayConnection
    ) {
        let ready = max(now, connection.opensAt)
        switch direction {
        case .down: down.enqueue(content, on: connection.id, readyAt: ready)
        case .up: up.enqueue(content, on: connection.id, readyAt: ready)
        }
    }

    /// Calls a function in the next turn of the event loop, before the next ``pump()`` that is requested later.
    func soon(_ body: @escaping () -> Void) {
        loop.assumeIsolated().execute(body)
    }

    func recordHeld(_ count: Int) {
        counts.update { $0.mostHeld = max($0.mostHeld, count) }
    }

    /// Removes the data in transit to a closed side.
    func drop(_ direction: RelayDirection, of connection: RelayConnection) {
        switch direction {
        case .down: down.remove(connection.id)
        case .up: up.remove(connection.id)
        }
    }

    func remove(_ connection: RelayConnection) {
        drop(.down, of: connection)
        drop(.up, of: connection)
        connections[connection.id] = nil
        counts.remove(connection.id)
    }

    /// Calls `pump()` in the next turn of the event loop. `pump()` must not run while a channel reads, because it
    /// writes, and a failed write closes the channel (see `Channel+Ending.swift`).
    func pumpSoon() {
        guard !isPumpScheduled else { return }
        isPumpScheduled = true
        loop.assumeIsolated().execute {
            self.isPumpScheduled = false
            self.pump()
        }
    }

    /// Delivers the segments that have arrived, and sets the timer for the next ones.
    private func pump() {
        guard !isStopped else { return }
        let now = now
        let arrivals = (down: down.arrivals(until: now), up: up.arrivals(until: now))
        // The counters are updated before the flush, so that they include the bytes when a peer receives them.
        counts.update { counters in
            counters.busyDown = down.busy
            counters.busyUp = up.busy
        }
        deliver(arrivals.down, .down)
        deliver(arrivals.up, .up)
        setTimer()
    }

    private func deliver(_ segments: [LinkScheduler.Segment], _ direction: RelayDirection) {
        var touched: [LinkScheduler.ConnectionID: RelayConnection] = [:]
        var bytes: Int64 = 0
        for segment in segments {
            guard let connection = connections[segment.connection] else { continue }
            switch segment.content {
            case .bytes(let count):
                let written = connection.write(count, direction)
                bytes += Int64(written)
                if direction == .down { counts.addDown(written, to: connection.id) }
                touched[connection.id] = connection
            case .end: connection.finish(direction)
            case .reset: connection.reset(direction)
            }
        }
        counts.update { counters in
            switch direction {
            case .down: counters.bytesDown += bytes
            case .up: counters.bytesUp += bytes
            }
        }
        for connection in touched.values { connection.flush(direction) }
    }

    private func setTimer() {
        let next = [down.nextWake, up.nextWake].compactMap(\.self).min()
        if let wake, wake.at == next { return }
        wake?.task.cancel()
        wake = nil
        guard let next else { return }
        let deadline = epoch + .nanoseconds(Int64((next / .nanoseconds(1)).rounded(.up)))
        let task = loop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.wake = nil
            self.pump()
        }
        wake = (next, task)
    }

    /// Closes all channels.
    /// - Returns: A future that succeeds when all channels are closed.
    func stop() -> EventLoopFuture<Void> {
        isStopped = true
        wake?.task.cancel()
        wake = nil
        let channels = connections.values.flatMap(\.channels)
        for channel in channels { channel.close(promise: nil) }
        return EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: loop)
    }
}
