// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix

/// A small HTTP/1.1 forward proxy on loopback.
///
/// It speaks `CONNECT`, which becomes a blind tunnel, and requests for absolute `http` URLs, which are
/// streamed both ways with back-pressure. Clients' connections are kept alive; each request upstream
/// has a connection of its own, so that no request can meet a stale one. Hop-by-hop fields are removed
/// (RFC 9110, section 7.6.1). It adds no `Via`: it is a measuring instrument, and what is measured
/// should not see it.
///
/// Trouble is answered with 400 (not a request for a proxy), 407 (not the credentials that the configuration wants), 502
/// (no connection, or a broken answer) or 504 (no connection or no answer in time). An answer that breaks off upstream
/// breaks off here too.
///
/// Isolation: any. Runs on NIO's shared event loops until ``stop()``.
public final class ForwardProxy: Sendable {
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

    /// The address to configure in a client, such as `http://127.0.0.1:8080`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// Connections accepted so far.
    public var connections: Int { registry.total }

    /// Requests answered with 407 so far.
    public var refusals: Int { counts.refusals }

    /// Begins to accept connections.
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

    /// Closes the port and every connection. Returns when they are closed; a second call does nothing.
    public func stop() async {
        try? await listener.close()
        await registry.closeAll { $0.close(promise: nil) }
    }
}
