// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which rules were refused. No part of a refused document applies.
public struct RouteError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<RouteError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The rule and its field, such as `rules[3].host`; `nil` for the whole document.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of the failure.
    ///   - message: the text for people, made one line of at most 200 characters.
    ///   - location: the rule and its field, such as `rules[3].host`, made one line of at most 100
    ///     characters; `nil` for the whole document.
    ///   - cause: the underlying error of another library.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message.printable(limit: 200)
        self.location = location.map { $0.printable(limit: 100) }
        self.cause = cause
    }

    /// Returns the error with `place` before its location.
    func at(_ place: String) -> RouteError {
        RouteError(code, message, at: location.map { "\(place).\($0)" } ?? place, cause: cause)
    }
}

extension ErrorCode<RouteError> {
    /// The document is not JSON, or has another shape.
    public static var badDocument: Self { Self("bad-document") }
    /// The `format` is unknown to this version.
    public static var unknownFormat: Self { Self("unknown-format") }
    /// A value is not a valid host pattern, path pattern or method.
    public static var badRule: Self { Self("bad-rule") }
    /// A limit of ``RouteLimits`` is exceeded.
    public static var limit: Self { Self("limit") }
}
