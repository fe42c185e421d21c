// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a table, an answer about it or one of its files was refused.
public struct TableError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Lower-case words joined by hyphens; programs print it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The bytes are no JSON (RFC 8259).
        public static let badJSON = Code("bad-json")
        /// The JSON is no table: a member is missing, of another type, twice there, or means nothing.
        public static let badTable = Code("bad-table")
        /// The server answered with a `code` other than 200.
        public static let serverCode = Code("server-code")
        /// The server answered with an HTTP status other than 200, or nobody answered.
        public static let noAnswer = Code("no-answer")
        /// A limit on bytes or on the length of a text was passed.
        public static let tooLarge = Code("too-large")
        /// A limit on a count or a depth was passed.
        public static let tooMany = Code("too-many")
        /// An entry covers a page, or names a download, of a host outside of the ``TableScope``.
        public static let outOfScope = Code("out-of-scope")
        /// A URL is neither https nor of this machine, and the configuration does not allow it.
        public static let insecure = Code("insecure")
        /// A file's bytes do not have the MD5 that the table names.
        public static let digestMismatch = Code("digest-mismatch")
        /// The device has no network.
        public static let offline = Code("offline")
        /// A time limit passed.
        public static let timedOut = Code("timed-out")
        /// The store cannot be read or written.
        public static let storage = Code("storage")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// What it is about: a URL, or `byte N` of the JSON.
    public let location: String?
    /// The error underneath, from another library.
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
