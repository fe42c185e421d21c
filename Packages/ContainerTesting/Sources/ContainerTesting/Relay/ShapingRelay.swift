// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// A TCP relay on loopback that simulates the network of a ``NetworkProfile`` in front of a server.
///
/// All connections share one link per direction in fair turns. The first byte of a new connection waits one round trip
/// to simulate the TCP handshake. The client's own `connect` returns immediately, because the kernel accepts the
/// connection. Slow start, loss and window growth are not simulated: a connection can use the whole free rate from its
/// first byte.
///
/// The data that a connection buffers in each direction is limited: at the limit, reading from the sender pauses.
/// Half-closed connections stay open in the other direction. A reset on one side is passed to the other side after all
/// earlier bytes.
///
/// Isolation: any. It runs on one of NIO's shared event loops until ``stop()``.
public final class ShapingRelay: Sendable {
    /// The network that the relay simulates.
    public let profile: NetworkProfile
    /// The port on `127.0.0.1`.
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

    /// Starts a relay. It returns when the relay accepts connections.
    /// - Parameters:
    ///   - profile: The network. With ``NetworkProfile/offline`` each connection is reset immediately.
    ///   - target: The server to connect to. If it cannot be connected, the client's connection is reset.
    ///   - port: The port; 0, the default, lets the system choose.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(
        profile: NetworkProfile, target: Endpoint, port: Int = 0
    ) async throws -> ShapingRelay {
        try await start(profile: profile, target: target, port: port, isPrivateProxy: false)
    }

    /// Starts a relay as ``start(profile:target:port:)`` does.
    /// - Parameter isPrivateProxy: A Boolean value that indicates whether the target is a proxy for this process and
    ///   its descendants only. The relay then resets the connections of other processes, and does not delay CONNECT
    ///   exchanges.
    static func start(
        profile: NetworkProfile, target: Endpoint, port: Int, isPrivateProxy: Bool
    ) async throws -> ShapingRelay {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let counts = RelayCounts()
        let core = try await loop.submit {
            NIOLoopBound(
                RelayCore(profile: profile, target: target, isProxy: isPrivateProxy, loop: loop, counts: counts),
                eventLoop: loop)
        }.get()
        // The listening socket and all connections share the event loop of the core, so the core needs no lock.
        let bootstrap = ServerBootstrap(group: loop)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .childChannelInitializer { channel in
                channel.closeOnExec()
                let opened = core.value.now
                let admission =
                    isPrivateProxy ? OwnProcesses.admit(channel) : channel.eventLoop.makeSucceededFuture(true)
                return admission.flatMapThrowing {
                    try core.value.accept(channel, openedAt: opened, isAdmitted: $0)
                }
            }
        let (listener, port) = try await Listener.bind(bootstrap, port: port)
        return ShapingRelay(profile: profile, port: port, listener: listener, core: core, counts: counts)
    }

    /// The current counters.
    public var counters: Counters { counts.current }

    /// The bytes delivered to the client of each open connection, in the order of acceptance.
    var bytesDownByConnection: [Int64] { counts.downByConnection }

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        try? await listener.close()
        try? await core.eventLoop.flatSubmit { self.core.value.stop() }.get()
    }
}
