// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// Why rules were refused. Nothing of them applies then.
public struct RouteError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Not JSON, or not JSON of this shape.
        public static let badDocument = Code("bad-document")
        /// A `format` that this version does not know.
        public static let unknownFormat = Code("unknown-format")
        /// A value that means nothing: no host pattern, no path pattern, no method.
        public static let badRule = Code("bad-rule")
        /// A limit of ``RouteLimits`` was passed.
        public static let limit = Code("limit")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The rule and its field, such as `rules[3].host`; `nil` where it is about the whole.
    public let location: String?
    /// The error underneath, from another library.
    public let cause: (any Error)?

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of the failure.
    ///   - message: a text for people, which is made one line of at most 200 characters.
    ///   - location: the rule and its field, such as `rules[3].host`, of at most 100 characters; `nil` for the whole.
    ///   - cause: the error underneath, from another library.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message.printable(limit: 200)
        self.location = location.map { $0.printable(limit: 100) }
        self.cause = cause
    }

    /// The same, said of this place.
    func at(_ place: String) -> RouteError {
        RouteError(code, message, at: location.map { "\(place).\($0)" } ?? place, cause: cause)
    }

    public var description: String {
        location.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
