// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTransport
public import WebSyntax

extension AsyncHTTPTransport {
    /// The options of an ``AsyncHTTPTransport``.
    public struct Configuration: Sendable {
        /// The HTTP proxy for all requests, in place of the proxies of the system; none by default. Each connection is
        /// a tunnel, also for `http` URLs, so the proxy must permit `CONNECT` to their ports.
        public var proxy: HostPort?
        /// The resolver of host names, in place of that of ``AsyncHTTPTransport/useAddresses(_:)``; the system's by
        /// default. It has no effect with a proxy, which resolves names itself.
        public var addresses: (any AddressResolving)?
        /// Certificate authorities that are trusted in addition to those of the system; none by default.
        public var authorities: [CertificateAuthority] = []
        /// The time limit for a connection, including TLS; 10 s by default.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the peer before or during a response; `nil`, the default, for no limit.
        ///
        /// As in browsers, a request without a limit ends when the page or another caller cancels it. The downloads of
        /// the container have their own limits.
        public var readTimeout: Duration?
        /// The longest silence within an event stream (`text/event-stream`); `nil`, the default, for no limit.
        public var eventStreamTimeout: Duration?
        /// The longest time without progress during an upload; `nil`, the default, for no limit.
        public var writeTimeout: Duration?
        /// The time that a request in progress waits for bytes before the transport probes HTTP/2 connections with
        /// PING; 30 s by default, `nil` for no probes.
        ///
        /// Only connections that have been silent for this time are probed. The probe is repeated at this interval. A
        /// connection is closed if its peer does not reply within three quarters of the interval, or within 1 s if that
        /// is longer. HTTP/1.1 connections use TCP keep-alive, which detects a lost peer within 85 s of silence.
        public var pingInterval: Duration? = .seconds(30)
        /// The limit of concurrent HTTP/1.1 connections to one host, as in browsers; 6 by default. Up to 1,024 further
        /// requests wait in a queue.
        public var connectionsPerHost = 6
        /// The longest time that a request waits in the queue of its host; `nil`, the default, for no limit.
        ///
        /// As in browsers, a page whose event streams occupy all connections waits until one of them ends.
        public var lineTimeout: Duration?

        /// Creates a configuration with the default values.
        public init() {}
    }
}
