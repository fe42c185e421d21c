// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// A TCP relay on loopback that makes the way to a server as slow as a ``NetworkProfile`` says.
///
/// All connections share one link in each direction (``LinkScheduler``), in fair turns. A new
/// connection waits one round trip before its first byte passes, which is TCP's handshake; the
/// caller's own `connect` returns at once, because the kernel accepts it. Slow start, loss and the
/// growth of windows are not modelled: a connection has the whole free rate from its first byte.
///
/// What a connection holds in each direction is bounded: a peer that sends faster than the link is
/// not read from until its bytes have gone. Half-closed connections stay open in the other direction;
/// a connection that one side breaks off is broken off on the other side, after the bytes before it.
///
/// Isolation: any. Runs on one of NIO's shared event loops until ``stop()``.
public final class ShapingRelay: Sendable {
    /// The network that this relay imitates.
    public let profile: NetworkProfile
    /// Where connections to `127.0.0.1` are accepted.
    public let port: Int
    private let listener: any Channel
    private let core: NIOLoopBound<RelayCore>
    private let counts: RelayCounts

    private init(
        profile: NetworkProfile, port: Int, listener: any Channel, core: NIOLoopBound<RelayCore>, counts: RelayCounts
    ) {
        self.profile = profile
        self.port = port
        self.listener = listener
        self.core = core
        self.counts = counts
    }

    /// Begins to accept connections.
    /// - Parameters:
    ///   - profile: with ``NetworkProfile/offline`` every connection is reset as soon as it is made.
    ///   - target: where accepted connections lead. A target that does not answer resets the connection.
    ///   - port: 0, the default, lets the system choose.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(
        profile: NetworkProfile, target: Endpoint, port: Int = 0
    ) async throws -> ShapingRelay {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let counts = RelayCounts()
        let core = try await loop.submit {
            NIOLoopBound(RelayCore(profile: profile, target: target, loop: loop, counts: counts), eventLoop: loop)
        }.get()
        // The accepting socket and every connection share the core's loop: the core needs no lock.
        let bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try core.value.accept(channel) }
            }
        let (listener, port) = try await Listener.bind(bootstrap, port: port)
        return ShapingRelay(profile: profile, port: port, listener: listener, core: core, counts: counts)
    }

    /// What has passed so far.
    public var counters: Counters { counts.current }

    /// Bytes handed to the client of each open connection, in the order in which they were accepted.
    var bytesDownByConnection: [Int64] { counts.downByConnection }

    /// Closes the port and every connection. Returns when they are closed; a second call does nothing.
    public func stop() async {
        try? await listener.close()
        try? await core.eventLoop.flatSubmit { self.core.value.stop() }.get()
    }
}
