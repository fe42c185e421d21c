// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
public import WebSyntax

extension URLSessionTransport {
    /// The options of a ``URLSessionTransport``.
    public struct Configuration: Sendable {
        /// The time limit for a connection, including TLS; 10 s by default.
        ///
        /// The session does not report when it is connected. This limit is therefore added to ``readTimeout``, or to
        /// ``writeTimeout`` for a request with a body. If the latter is `nil`, the system's limit applies instead.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the peer before or during a response; `nil`, the default, for no limit.
        ///
        /// As in browsers, a request without a limit ends when the page or another caller cancels it. The session has
        /// no setting for TCP keep-alive, so the request may wait for a lost peer.
        public var readTimeout: Duration?
        /// The longest silence within an event stream (`text/event-stream`); `nil`, the default, for no limit.
        public var eventStreamTimeout: Duration?
        /// The longest time without progress during an upload; `nil`, the default, for no limit.
        public var writeTimeout: Duration?
        /// The limit of concurrent HTTP/1.1 connections to one host; 6 by default. Up to 1,024 further requests wait in
        /// a queue.
        public var connectionsPerHost = 6
        /// The longest time that a request waits in the queue of its host; `nil`, the default, for no limit, as in
        /// browsers.
        public var lineTimeout: Duration?
        /// The server that resolves host names, on Apple's systems only; `nil`, the default, for the system's servers.
        /// It has no effect on other systems.
        public var encryptedResolver: EncryptedResolver?
        /// A closure that starts the tunnel for ``URLSessionTransport/useAddresses(_:)``, on Apple's systems only;
        /// `nil`, the default, for none. `AsyncHTTPTransport.startTunnel(_:)` of the module NIOTransport starts one.
        public var startTunnel: (@Sendable (any AddressResolving) async throws -> any AddressTunneling)?
        /// A closure that receives the reason, as one line, why the tunnel is not used until the transport ends. It is
        /// called once at most, from any isolation, and must not block. It does nothing by default.
        public var onTunnelFailure: @Sendable (_ message: String) -> Void = { _ in }
        /// The limit of bytes that one encoded body may decode to; 256 MiB by default.
        var decodedBodyLimit: Int64 = 256 << 20
        /// The limit of unread bytes of one body; 64 MiB by default. A body with more unread bytes fails, which can
        /// happen if the sender cannot be stopped, as on Linux.
        var unreadLimit = 64 << 20

        /// Creates a configuration with the default values.
        public init() {}
    }
    /// A server of DNS over HTTPS (RFC 8484) for all connections of the process that the system makes.
    ///
    /// It replaces the servers of the network from the creation of a transport until the process ends; that of the
    /// latest transport applies. It serves each URLSession, Network.framework and `getaddrinfo`, but no WKWebView,
    /// whose connections belong to another process. Names in the local network that the server does not know are not
    /// found. If the device already has an encrypted resolver, such as that of a profile, the system uses that one.
    ///
    /// There is one server and no other to fall back to: if it fails, no name is resolved.
    public struct EncryptedResolver: Sendable, Hashable {
        /// The URL of the server, with the scheme `https`.
        public let url: String
        /// The addresses of the server. Without one, the system resolves the server's name without encryption.
        public let addresses: [IPAddress]

        /// Creates the description of a server.
        /// - Returns: `nil` if the URL is not an `https` URL with a host.
        public init?(url: String, addresses: [IPAddress]) {
            guard let parsed = URL(string: url), parsed.scheme?.asciiLowercased == "https",
                parsed.host()?.isEmpty == false, parsed.port.map({ UInt16(exactly: $0) ?? 0 }) != 0
            else { return nil }
            self.url = url
            self.addresses = addresses
        }
    }
}
