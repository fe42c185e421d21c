// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOPosix

/// A small SOCKS5 proxy on loopback (RFC 1928), with optional credentials (RFC 1929).
///
/// It supports `CONNECT` to host names and to IPv4 and IPv6 addresses. Each connection becomes a tunnel.
///
/// Isolation: any. It runs on NIO's shared event loops until ``stop()``.
public final class SocksProxy: Sendable {
    /// The port on `127.0.0.1`.
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

    /// The number of connections accepted.
    public var connections: Int { registry.total }

    /// The number of connections refused because of missing or wrong credentials.
    public var refusals: Int { counts.refusals }

    /// Starts a proxy. It returns when the proxy accepts connections.
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

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        try? await listener.close()
        await registry.closeAll { $0.close(promise: nil) }
    }
}
