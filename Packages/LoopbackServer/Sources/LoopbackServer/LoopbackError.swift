// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a loopback server could not do something.
public struct LoopbackError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No port of loopback can be listened on.
        public static let cannotListen = Code("cannot-listen")
        /// A certificate could not be made.
        public static let certificate = Code("certificate")
        /// The engine did not take a certificate.
        public static let trust = Code("trust")
        /// It was stopped.
        public static let stopped = Code("stopped")
        /// A connection would lead back to where it comes from.
        public static let loop = Code("loop")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a host, or an address.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// `<code>: <message> (<location>)`, and the cause.
    public var description: String {
        let place = location.map { " (\($0))" } ?? ""
        return "\(code): \(message)\(cause.map { ": \($0)" } ?? "")\(place)"
    }
}
