// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which metadata or a target of a TUF repository was refused.
public struct TrustError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<TrustError>

    public let code: Code
    public let message: String
    /// The name of a role, the path of a target, or a path in the file system.
    public let location: String?
    /// The underlying error of another library.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, at location: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    /// Creates an error of the folder of trusted metadata.
    init(_ error: SystemError) {
        self.init(.io, "\(error)", at: error.path, cause: error)
    }
}

extension ErrorCode<TrustError> {
    /// The document is not metadata of the expected role.
    public static var badMetadata: Self { Self("bad-metadata") }
    /// A document is longer than its limit or than its announced length.
    public static var tooLarge: Self { Self("too-large") }
    /// Fewer keys than the threshold have signed the metadata.
    public static var unsigned: Self { Self("unsigned") }
    /// The metadata has expired.
    public static var expired: Self { Self("expired") }
    /// A version is lower than the trusted version, or a role has disappeared.
    public static var rollback: Self { Self("rollback") }
    /// A document has another length, digest or version than its announcement.
    public static var mismatch: Self { Self("mismatch") }
    /// The snapshot does not list a delegated role.
    public static var unknownRole: Self { Self("unknown-role") }
    /// The server does not have the metadata.
    public static var notFound: Self { Self("not-found") }
    /// The folder of trusted metadata cannot be read or written, or has no root.
    public static var io: Self { Self("io") }
}
