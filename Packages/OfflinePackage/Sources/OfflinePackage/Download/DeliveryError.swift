// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a package could not be brought from the network to its place.
///
/// What is wrong with the package itself is a `PackageError`, what the store cannot do a `StoreError`.
public struct DeliveryError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Lower-case words joined by hyphens; programs print it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The URL cannot be asked for: not absolute, or a redirect leads from https to http.
        public static let badURL = Code("bad-url")
        /// The network failed, in whatever way, as often as the plan allows. The cause says how.
        public static let network = Code("network")
        /// The server answered with a status that gives no bytes.
        public static let status = Code("status")
        /// Nothing came for as long as the limit allows.
        public static let stalled = Code("stalled")
        /// The answer breaks the protocol, or is in a coding that was not asked for.
        public static let badAnswer = Code("bad-answer")
        /// More bytes than announced, or than allowed.
        public static let tooLarge = Code("too-large")
        /// Fewer bytes than announced, each time it was tried.
        public static let truncated = Code("truncated")
        /// The bytes do not have the size or the digest that the manifest names.
        public static let digestMismatch = Code("digest-mismatch")
        /// The device or the store's budget has no room for it.
        public static let noSpace = Code("no-room")
        /// As many downloads wait as may.
        public static let queueFull = Code("queue-full")
        /// The host's conditions do not allow it now.
        public static let notNow = Code("not-now")
        /// The package asks for a later version of the host.
        public static let hostTooOld = Code("host-too-old")
        /// This version failed its trial before, and is never tried again.
        public static let quarantined = Code("quarantined")
        /// The host itself installed or removed the package meanwhile.
        public static let overtaken = Code("overtaken")
        /// The manifest names another package, or another scope, than it may; or a redirect leads out of a scope.
        public static let outOfScope = Code("out-of-scope")
        /// The package is installed from another source, which alone may update it.
        public static let otherSource = Code("other-source")
        /// The manifest is older than one that was installed, or another one with the same number.
        public static let replayed = Code("replayed")
        /// A URL is neither https nor of this machine, and the configuration does not allow it.
        public static let insecure = Code("insecure")
        /// The file system refused.
        public static let io = Code("io")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL or a path.
    public let location: String?
    /// The error underneath.
    public let cause: (any Error)?

    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
