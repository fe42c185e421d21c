// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A small HTTP/1.1 forward proxy on loopback.
///
/// It supports `CONNECT`, which opens a tunnel, and requests for absolute `http` URLs, which are streamed in both
/// directions with back-pressure. Client connections are kept alive; each upstream request has a connection of its
/// own, so that no request uses a stale one. Hop-by-hop fields are removed (RFC 9110, section 7.6.1). No `Via` field
/// is added, because the proxy must not affect what it measures.
///
/// Errors result in status 400 (not a proxy request), 407 (missing credentials), 502 (no connection, or an invalid
/// response) or 504 (no connection or no response in time). A response that breaks upstream also breaks for the
/// client.
///
/// Isolation: any. It runs on NIO's shared event loops until ``stop()``.
public final class ForwardProxy: Sendable {
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

    /// The address to configure in a client, such as `http://127.0.0.1:8080`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The number of connections accepted.
    public var connections: Int { registry.total }

    /// The number of requests that received 407.
    public var refusals: Int { counts.refusals }

    /// Starts a proxy. It returns when the proxy accepts connections.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(_ configuration: Configuration = Configuration()) async throws -> ForwardProxy {
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
                    try ProxyConnection.install(on: channel, configuration: configuration, counts: counts)
                }
            }
        let (listener, port) = try await Listener.bind(bootstrap, port: configuration.port)
        return ForwardProxy(port: port, listener: listener, registry: registry, counts: counts)
    }

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        try? await listener.close()
        await registry.closeAll { $0.close(promise: nil) }
    }
}
