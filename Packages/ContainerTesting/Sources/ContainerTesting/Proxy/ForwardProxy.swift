// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A small HTTP/1.1 forward proxy on loopback.
///
/// It supports `CONNECT`, which opens a tunnel, and requests for absolute `http` URLs. Bodies are streamed in both
/// directions with back-pressure. Client connections are persistent. Each upstream request has its own connection,
/// because a pooled connection could be stale. Hop-by-hop fields are removed (RFC 9110, section 7.6.1). No `Via` field
/// is added, because a server could respond differently to a proxy.
///
/// Errors result in status 400 (not a proxy request), 407 (missing credentials), 502 (no connection, or an invalid
/// response) or 504 (no connection or no response in time). If the upstream connection breaks during a response, the
/// client connection is broken, too.
///
/// Isolation: any. It runs on NIO's shared event loops until ``stop()``.
public final class ForwardProxy: Sendable {
    private let listener: ProxyListener

    private init(_ listener: ProxyListener) {
        self.listener = listener
    }

    /// The port on `127.0.0.1`.
    public var port: Int { listener.port }

    /// The address to configure in a client, such as `http://127.0.0.1:8080`.
    public var url: String { "http://127.0.0.1:\(port)" }

    /// The number of connections accepted.
    public var connections: Int { listener.connections }

    /// The number of requests that received 407.
    public var refusals: Int { listener.counts.refusals }

    /// Starts a proxy. It returns when the proxy accepts connections.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(_ configuration: Configuration = Configuration()) async throws -> ForwardProxy {
        try await start(configuration, isPrivate: false)
    }

    /// Starts a proxy as ``start(_:)`` does.
    /// - Parameter isPrivate: A Boolean value that indicates whether the proxy serves only this process and its
    ///   descendants.
    static func start(_ configuration: Configuration, isPrivate: Bool) async throws -> ForwardProxy {
        let listener = try await ProxyListener.start(port: configuration.port, isPrivate: isPrivate) {
            channel, counts in
            try ProxyConnection.install(on: channel, configuration: configuration, counts: counts)
        }
        return ForwardProxy(listener)
    }

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        await listener.stop()
    }
}
