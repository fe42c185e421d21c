// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension URLSessionTransport {
    /// How a ``URLSessionTransport`` works.
    public struct Configuration: Sendable {
        /// The longest wait for a connection, TLS included; 10 s by default. The session does not say when it is
        /// connected, so a request without a body waits for its answer's head for this and ``readTimeout`` together.
        public var connectTimeout: Duration = .seconds(10)
        /// The longest silence of the peer while an answer is awaited or arriving; 30 s by default.
        public var readTimeout: Duration = .seconds(30)
        /// The longest silence within a stream of events (`text/event-stream`), which may rest for as long as nothing
        /// happens; `nil`, the default, for no limit.
        public var eventStreamTimeout: Duration?
        /// The longest time that an upload may make no progress; 30 s by default.
        public var writeTimeout: Duration = .seconds(30)
        /// Connections to one host at a time over HTTP/1.1; 6 by default. More requests wait in line.
        public var connectionsPerHost = 6
        /// The most requests that wait in line for one host; 1,024 by default. More fail at once.
        public var longestLine = 1_024
        /// The longest wait in line; 5 min by default.
        public var lineTimeout: Duration = .seconds(300)
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
