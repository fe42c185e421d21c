// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension URLSessionTransport {
    /// How a ``URLSessionTransport`` works.
    public struct Configuration: Sendable {
        /// The longest wait for a connection, TLS included; 10 s by default. The session does not say when it is
        /// connected, so this counts together with ``readTimeout``, or ``writeTimeout`` for a request with a body, and only
        /// where that is set: else the system's limit applies.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the peer while a response is awaited or arriving; `nil`, the default, for no limit: the
        /// page, or whoever asks, ends a request, as in browsers. The session has no TCP keep-alive that could be set, so
        /// that without a limit a request may wait for a peer that is gone.
        public var readTimeout: Duration?
        /// The longest silence within a stream of events (`text/event-stream`), which may rest for as long as nothing
        /// happens; `nil`, the default, for no limit.
        public var eventStreamTimeout: Duration?
        /// The longest time that an upload may make no progress; `nil`, the default, for no limit.
        public var writeTimeout: Duration?
        /// Connections to one host at a time over HTTP/1.1; 6 by default. More requests wait in line.
        public var connectionsPerHost = 6
        /// The most requests that wait in line for one host; 1,024 by default. More fail at once.
        public var longestLine = 1_024
        /// The longest wait in line; `nil`, the default, for no limit, as in browsers.
        public var lineTimeout: Duration?
        /// The most bytes that one encoded body may decode to; 256 MiB by default.
        public var decodedBodyLimit: Int64 = 256 << 20
        /// The most bytes of one body that wait to be read; 64 MiB by default. A body beyond it fails where the sender
        /// cannot be held back, as on Linux.
        public var unreadLimit = 64 << 20
        /// The most bytes of a stream that are written to a file before they are sent; 1 GiB by default.
        public var uploadLimit: Int64 = 1 << 30
        /// Where that file lies; the system's folder for temporary files by default.
        public var temporaryDirectory: String?

        public init() {}
    }
}
