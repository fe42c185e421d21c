// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// Why a prefetch table was refused. Nothing of it applies then.
public struct PrefetchError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// Lower-case words joined by hyphens; programs print it.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The bytes are no JSON (RFC 8259), or an object has a name twice.
        public static let badJSON = Code("bad-json")
        /// The JSON is no table: a member is missing, of another type, or means nothing.
        public static let badTable = Code("bad-table")
        /// The server answered with a `code` other than 200.
        public static let serverCode = Code("server-code")
        /// A limit of ``PrefetchLimits`` was passed.
        public static let limit = Code("limit")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The member, such as `data.config[3].interfaces[0].api`, or `byte N`; `nil` where it is about the whole.
    public let location: String?

    /// - Parameter message: is made one line, of at most 200 characters.
    package init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message.printable(limit: 200)
        self.location = location
    }

    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
