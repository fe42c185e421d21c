// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// A small SOCKS5 proxy on loopback (RFC 1928), with optional credentials (RFC 1929).
///
/// It supports `CONNECT` to host names and to IPv4 and IPv6 addresses. Each connection becomes a tunnel.
///
/// Isolation: any. It runs on NIO's shared event loops until ``stop()``.
public final class SocksProxy: Sendable {
    private let listener: ProxyListener

    private init(_ listener: ProxyListener) {
        self.listener = listener
    }

    /// The port on `127.0.0.1`.
    public var port: Int { listener.port }

    /// The number of connections accepted.
    public var connections: Int { listener.connections }

    /// The number of connections refused because of missing or wrong credentials.
    public var refusals: Int { listener.counts.refusals }

    /// Starts a proxy. It returns when the proxy accepts connections.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(
        _ configuration: ForwardProxy.Configuration = ForwardProxy.Configuration()
    ) async throws -> SocksProxy {
        let listener = try await ProxyListener.start(port: configuration.port) { channel, counts in
            try channel.pipeline.syncOperations.addHandlers([
                IdleStateHandler(allTimeout: TimeAmount(configuration.idleTimeout)),
                SocksConnection(configuration: configuration, counts: counts),
            ])
        }
        return SocksProxy(listener)
    }

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        await listener.stop()
    }
}
