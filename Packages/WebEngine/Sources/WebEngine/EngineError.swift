// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why an engine could not do something.
public struct EngineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// No main loop runs under the engine.
        public static let noMainLoop = Code("no-main-loop")
        /// There is no display to draw on.
        public static let noDisplay = Code("no-display")
        /// The engine's sandbox is required, and this system cannot run it.
        public static let noSandbox = Code("no-sandbox")
        /// The engine keeps this scheme for itself.
        public static let schemeTaken = Code("scheme-taken")
        /// A message handler cannot have this name.
        public static let handlerTaken = Code("handler-taken")
        /// A page could not be loaded.
        public static let loadFailed = Code("load-failed")
        /// The engine does not load such a URL: its port is one that browsers block, for one.
        public static let blocked = Code("blocked")
        /// The page went away before the answer was there. Asking again asks the page that took its place; a script may
        /// have run in either of them.
        public static let pageGone = Code("page-gone")
        /// The name of a page's host has no address.
        public static let unknownHost = Code("unknown-host")
        /// No connection to a page's host.
        public static let cannotConnect = Code("cannot-connect")
        /// The TLS handshake failed, or the certificate of a page's host is refused.
        public static let tls = Code("tls")
        /// The server's answer is none that the engine can use: it leads on too often, or nowhere, for one.
        public static let badAnswer = Code("bad-answer")
        /// The connection ended before a page was whole.
        public static let connectionLost = Code("connection-lost")
        /// The web process ended, or the view did.
        public static let processEnded = Code("process-ended")
        /// A script threw, or its result cannot be sent.
        public static let script = Code("script")
        /// No picture could be taken.
        public static let snapshot = Code("snapshot")
        /// The place for the engine's data, or for a download's, cannot be used.
        public static let storage = Code("storage")
        /// A cookie was refused.
        public static let cookie = Code("cookie")
        /// A user agent that header fields cannot carry.
        public static let invalidUserAgent = Code("invalid-user-agent")
        /// A time limit passed.
        public static let timedOut = Code("timed-out")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about, mostly a URL.
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
