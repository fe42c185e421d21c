// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

extension AsyncHTTPTransport {
    /// How an ``AsyncHTTPTransport`` works.
    public struct Configuration: Sendable {
        /// The proxy that all requests go through; none by default.
        public var proxy: Proxy?
        /// Says where names are found; the system by default. Of no effect with a proxy, which looks names up itself.
        public var addresses: (any AddressResolving)?
        /// Authorities that may vouch for a host besides those of the system; none by default.
        public var authorities: [CertificateAuthority] = []
        /// The longest wait for a connection, TLS included; 10 s by default.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the peer while a response is awaited or arriving; `nil`, the default, for no limit: the
        /// page, or whoever asks, ends a request, as in browsers. The limits of the container's own downloads are theirs.
        public var readTimeout: Duration?
        /// The longest silence within a stream of events (`text/event-stream`), which may rest for as long as nothing
        /// happens; `nil`, the default, for no limit.
        public var eventStreamTimeout: Duration?
        /// The longest time that an upload may make no progress; `nil`, the default, for no limit.
        public var writeTimeout: Duration?
        /// The silence of the peer, while it owes something, after which each silent HTTP/2 connection is asked for a sign
        /// of life by PING, and again after as long; 30 s by default, `nil` for never. A connection whose peer does not
        /// reply within three quarters of this, and at least 1 s, is closed. Connections of HTTP/1.1 have TCP keep-alive,
        /// which finds out within 85 s of silence that the peer is gone.
        public var pingInterval: Duration? = .seconds(30)
        /// Connections to one host at a time over HTTP/1.1, as browsers have; 6 by default. More requests wait in line.
        public var connectionsPerHost = 6
        /// The most requests that wait in line for one host; 1,024 by default. More fail at once.
        public var longestLine = 1_024
        /// The longest wait in line; `nil`, the default, for no limit, as in browsers: a page whose event streams take all
        /// connections waits until one of them ends.
        public var lineTimeout: Duration?

        public init() {}
    }

    /// An HTTP proxy on a host and a port.
    public struct Proxy: Sendable, Hashable {
        /// A name or an address.
        public var host: String
        /// 1 to 65535.
        public var port: Int

        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }
    }
}
