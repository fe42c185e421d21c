// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SchemeRouter
public import SystemSupport

/// The reason why a remote config document was refused. No part of a refused document applies.
public struct RemoteConfigError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<RemoteConfigError>

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
}

extension RemoteConfigError {
    /// Converts an error of the rules in a document.
    init(_ error: RouteError) {
        let code: Code =
            switch error.code {
            case .limit: .limit
            case .badRule: .badValue
            default: .badDocument
            }
        self.init(code, error.message, at: error.location, cause: error)
    }
}

extension ErrorCode<RemoteConfigError> {
    /// The text is not JSON, a name is missing, or a value has another type.
    public static var badDocument: Self { Self("bad-document") }
    /// The `format` is unknown to this version.
    public static var unknownFormat: Self { Self("unknown-format") }
    /// A value is invalid or out of its bounds.
    public static var badValue: Self { Self("bad-value") }
    /// A limit of bytes, levels, entries or text is exceeded.
    public static var limit: Self { Self("limit") }
    /// The version is older than the version that applies.
    public static var older: Self { Self("older") }
    /// The scheme of the source is not `https`, and the host has not allowed `http`.
    public static var insecure: Self { Self("insecure") }
}
