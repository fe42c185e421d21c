// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a resource could not be loaded.
public struct ResourceError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The request cannot be understood: no URL, an unsupported scheme, a forbidden field.
        public static let invalidRequest = Code("invalid-request")
        /// The host's name has no address.
        public static let unknownHost = Code("unknown-host")
        /// No connection could be made.
        public static let cannotConnect = Code("cannot-connect")
        /// The peer's certificate or the TLS handshake was refused.
        public static let tls = Code("tls")
        /// The connection ended, or broke the protocol, before the answer was whole.
        public static let connectionLost = Code("connection-lost")
        /// A time limit passed.
        public static let timedOut = Code("timed-out")
        /// The network is cut, or the container is told to keep off it.
        public static let offline = Code("offline")
        /// A configured limit on size was passed.
        public static let tooLarge = Code("too-large")
        /// More redirects than the limit, or a loop of them.
        public static let tooManyRedirects = Code("too-many-redirects")
        /// A rule of the web forbids it: mixed content, or another origin's bytes.
        public static let blocked = Code("blocked")
        /// Stored bytes do not match their digest.
        public static let damaged = Code("damaged")
        /// The file system refused.
        public static let io = Code("io")
        /// The page or the caller stopped the request.
        public static let cancelled = Code("cancelled")
        /// A fault of the container itself.
        public static let `internal` = Code("internal")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL or a path.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// Gives any error this type: unchanged where it already is one.
    public init(_ error: any Error, at location: String? = nil) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "stopped", at: location)
        default: self.init(.internal, String(describing: error), at: location, cause: error)
        }
    }

    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
