// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// A small SOCKS5 proxy on loopback (RFC 1928), with credentials by RFC 1929 where it wants some.
///
/// It knows `CONNECT` to names and addresses of IPv4 and IPv6: each becomes a blind tunnel.
///
/// Isolation: any. Runs on NIO's shared event loops until ``stop()``.
public final class SocksProxy: Sendable {
    /// Where connections to `127.0.0.1` are accepted.
    public let port: Int
    private let listener: any Channel
    private let registry: ConnectionRegistry
    private let counts: ProxyCounts

    private init(port: Int, listener: any Channel, registry: ConnectionRegistry, counts: ProxyCounts) {
        self.port = port
        self.listener = listener
        self.registry = registry
        self.counts = counts
    }

    /// Connections accepted so far.
    public var connections: Int { registry.total }

    /// Connections refused so far for want of the right credentials.
    public var refusals: Int { counts.refusals }

    /// Begins to accept connections.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(
        _ configuration: ForwardProxy.Configuration = ForwardProxy.Configuration()
    ) async throws -> SocksProxy {
        let registry = ConnectionRegistry(limit: configuration.connectionLimit)
        let counts = ProxyCounts()
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.socketOption(.so_rcvbuf), value: Listener.receiveBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard registry.admit(channel) else {
                        channel.reset()
                        return
                    }
                    try channel.pipeline.syncOperations.addHandlers([
                        IdleStateHandler(allTimeout: TimeAmount(configuration.idleTimeout)),
                        SocksConnection(configuration: configuration, counts: counts),
                    ])
                }
            }
        let (listener, port) = try await Listener.bind(bootstrap, port: configuration.port)
        return SocksProxy(port: port, listener: listener, registry: registry, counts: counts)
    }

    /// Closes the port and every connection. Returns when they are closed; a second call does nothing.
    public func stop() async {
        try? await listener.close()
        await registry.closeAll { $0.close(promise: nil) }
    }
}
