// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a container could not do what its host asked.
public struct ContainerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Not an absolute `http` or `https` URL.
        public static let invalidURL = Code("invalid-url")
        /// The proxy that the mode needs cannot listen.
        public static let proxy = Code("proxy")
        /// The local server that the mode needs cannot listen, or the engine does not take its token.
        public static let server = Code("server")
        /// A page cannot be opened so: by such a method, or in such a mode; or modes do not go together.
        public static let unsupported = Code("unsupported")
        /// A store of cookies could not be cleared.
        public static let cookies = Code("cookies")
        /// Values that a page cannot be given.
        public static let invalidInitialData = Code("invalid-seed")
        /// Something of an account could not be cleared.
        public static let signOut = Code("sign-out")
        /// A domain that is no name of a host, in ASCII.
        public static let invalidDomain = Code("invalid-domain")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL or a name.
    public let location: String?

    /// Makes an error.
    /// - Parameters:
    ///   - code: what kind of failure it is.
    ///   - message: one line for people.
    ///   - location: what it is about; see ``location``.
    public init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }

    /// `<code>: <message> (<location>)`.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
