// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SystemSupport

/// The reason for which the file of a cookie jar could not be read or written. The previous content stays.
public struct CookieFileError: CodedError, Hashable {
    /// The type of the codes of this error.
    public typealias Code = ErrorCode<CookieFileError>

    /// The kind of the failure.
    public let code: Code
    /// A message of one line for people.
    public let message: String
    /// The path of the file.
    public let path: String
    /// The path of the file.
    public var location: String? { path }

    /// Creates an error.
    init(_ code: Code, _ message: String, at path: String) {
        self.code = code
        self.message = message
        self.path = path
    }
}

extension ErrorCode<CookieFileError> {
    /// The path is a symbolic link, which is not followed.
    public static var symbolicLink: Self { Self("symbolic-link") }
    /// The path is a folder, a device or a pipe.
    public static var notAFile: Self { Self("not-a-file") }
    /// The file belongs to another user and is not read.
    public static var foreign: Self { Self("foreign") }
    /// The cookies have more bytes than the limit.
    public static var tooLarge: Self { Self("too-large") }
    /// The file system failed.
    public static var io: Self { Self("io") }
}
