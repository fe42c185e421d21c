// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a piece of test support could not start.
public struct ContainerTestingError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Another program listens on the port. The location names the port.
        public static let portInUse = Code("port-in-use")
        /// The system refuses to listen for another reason.
        public static let cannotListen = Code("cannot-listen")
        /// The folder to serve does not exist, or is not a folder.
        public static let noSuchFolder = Code("no-such-folder")
        /// A fault's specification cannot be understood.
        public static let invalidFault = Code("invalid-fault")
        /// Numbers of a network profile are out of range.
        public static let invalidProfile = Code("invalid-profile")
        /// The certificate could not be made.
        public static let tls = Code("tls")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a path, a port or a specification.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    /// Makes an error.
    /// - Parameters:
    ///   - code: what kind of failure it is.
    ///   - message: one line for people.
    ///   - location: what it is about; see ``location``.
    ///   - cause: the error underneath, from another library.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// `<code>: <message> (<location>)`.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
