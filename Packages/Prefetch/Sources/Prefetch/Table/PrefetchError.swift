// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which a prefetch table was refused. No part of a refused table applies.
public struct PrefetchError: CodedError {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<PrefetchError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The member, such as `data.config[3].interfaces[0].api`, or `byte N`; `nil` for the whole table.
    public let location: String?

    /// Creates an error. The message becomes one line of at most 200 characters.
    package init(_ code: Code, _ message: String, at location: String? = nil) {
        self.code = code
        self.message = message.printable(limit: 200)
        self.location = location
    }
}

extension ErrorCode<PrefetchError> {
    /// The bytes are not JSON (RFC 8259), or an object has two members of one name.
    public static var badJSON: Self { Self("bad-json") }
    /// The JSON is not a table: a member is missing, has another type or has an invalid value.
    public static var badTable: Self { Self("bad-table") }
    /// The server's document has a `code` other than 200.
    public static var serverCode: Self { Self("server-code") }
    /// A limit of ``PrefetchLimits`` is exceeded.
    public static var limit: Self { Self("limit") }
}
