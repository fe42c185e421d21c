// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// The reason why a remote config document was refused. No part of a refused document applies.
public struct RemoteConfigError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name: lower-case words joined by hyphens.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The text is not JSON, a name is missing, or a value has another type.
        public static let badDocument = Code("bad-document")
        /// The `format` is unknown to this version.
        public static let unknownFormat = Code("unknown-format")
        /// A value is invalid or out of its bounds.
        public static let badValue = Code("bad-value")
        /// A limit of bytes, levels, entries or text is exceeded.
        public static let limit = Code("limit")
        /// The version is older than the one that applies.
        public static let older = Code("older")
        /// The scheme of the source is not `https`, and the host does not allow that.
        public static let insecure = Code("insecure")
    }

    /// The kind of failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The field, such as `features.pool.perMille` or `deny[3]`; `nil` for the whole document.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - message: the text for people, made one line of at most 200 characters.
    ///   - location: the field, made one line of at most 100 characters; `nil` for the whole document.
    ///   - cause: the underlying error of another library.
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
