// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// Why a remote config document was refused. Nothing of it applies then.
public struct RemoteConfigError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Not JSON, or not JSON of this shape: a name that is missing, or a value of another type.
        public static let badDocument = Code("bad-document")
        /// A `format` that this version does not know.
        public static let unknownFormat = Code("unknown-format")
        /// A value that means nothing, or is out of its bounds.
        public static let badValue = Code("bad-value")
        /// Too many bytes, levels, entries or letters.
        public static let limit = Code("limit")
        /// An older version than the one that applies.
        public static let older = Code("older")
        /// A source that is not of `https`, where the host has not allowed that.
        public static let insecure = Code("insecure")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The field, such as `features.pool.perMille` or `deny[3]`; `nil` where it is about the whole.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the text for people, made one line of at most 200 characters.
    ///   - location: the field, made one line of at most 100 characters; `nil` for the whole document.
    ///   - cause: the error underneath, from another library.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message.printable(limit: 200)
        self.location = location.map { $0.printable(limit: 100) }
        self.cause = cause
    }

    /// `<code>: <message> (<location>)`.
    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
