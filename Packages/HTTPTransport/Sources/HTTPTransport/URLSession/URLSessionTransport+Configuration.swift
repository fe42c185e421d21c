// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
        /// The limit of bytes that one encoded body may decode to; 256 MiB by default.
        var decodedBodyLimit: Int64 = 256 << 20
        /// The limit of unread bytes of one body; 64 MiB by default. A body with more unread bytes fails, which can
        /// happen if the sender cannot be stopped, as on Linux.
        var unreadLimit = 64 << 20

        /// Creates a configuration with the default values.
        public init() {}
    }
}
