// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which a table, a response about it or one of its files was refused.
public struct TableError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<TableError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The URL that the error is about, or `byte N` of the JSON.
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
}

extension ErrorCode<TableError> {
    /// The bytes are not JSON (RFC 8259).
    public static var badJSON: Self { Self("bad-json") }
    /// The JSON is not a table: a member is missing, duplicated, of another type or invalid.
    public static var badTable: Self { Self("bad-table") }
    /// The server's document has a `code` other than 200.
    public static var serverCode: Self { Self("server-code") }
    /// The response has an HTTP status other than 200, or there was no response.
    public static var noAnswer: Self { Self("no-answer") }
    /// A limit on bytes or on the length of a text is exceeded.
    public static var tooLarge: Self { Self("too-large") }
    /// A limit on a count or a depth is exceeded.
    public static var tooMany: Self { Self("too-many") }
    /// An entry covers a page, or names a download, of a host outside the ``TableScope``.
    public static var outOfScope: Self { Self("out-of-scope") }
    /// A URL is neither https nor local, and the configuration does not allow it.
    public static var insecure: Self { Self("insecure") }
    /// The bytes of a file do not have the MD5 digest in the table.
    public static var digestMismatch: Self { Self("digest-mismatch") }
    /// The device has no network.
    public static var offline: Self { Self("offline") }
    /// A time limit expired.
    public static var timedOut: Self { Self("timed-out") }
    /// The store cannot be read or written.
    public static var storage: Self { Self("storage") }
}
