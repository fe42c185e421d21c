// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Why a jar's file could not be read or written. What was there before is there still.
public struct CookieFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. Codes are added over time: keep a default when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// A symbolic link is in the file's place; it is not followed.
        public static let symbolicLink = Code("symbolic-link")
        /// A folder, a device or a pipe is in the file's place.
        public static let notAFile = Code("not-a-file")
        /// A file of another user is in the file's place; it is not read.
        public static let foreign = Code("foreign")
        /// The cookies take more bytes than the limit.
        public static let tooLarge = Code("too-large")
        /// The file system refused.
        public static let io = Code("io")
    }

    /// What kind of failure it is.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The file that it is about.
    public let path: String

    init(_ code: Code, _ message: String, at path: String) {
        self.code = code
        self.message = message
        self.path = path
    }

    public var description: String {
        "\(code): \(message) (\(path))"
    }
}
