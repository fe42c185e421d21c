// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension CookieFile {
    /// What was read.
    public struct Contents: Sendable, Hashable {
        /// The cookies, those included whose time is over.
        public let cookies: [Cookie]
        /// How many more the file had that no jar would have written.
        public let refused: Int
        /// Why nothing could be read, and where the file is now; `nil` where all is well, and where there is no file.
        public let damage: Damage?
    }

    /// A file that could not be read as a whole, and so was not read at all.
    public struct Damage: Sendable, Hashable {
        /// What is wrong. Further ones are added over time.
        public struct Reason: Sendable, Hashable, CustomStringConvertible {
            public let description: String

            init(_ description: String) {
                self.description = description
            }

            /// Its bytes are no cookies: cut off, or changed.
            public static let unreadable = Reason("unreadable")
            /// A later version of this library has written it.
            public static let newerFormat = Reason("newer-format")
            /// It has more bytes than the limit.
            public static let tooLarge = Reason("too-large")
        }

        /// What is wrong.
        public let reason: Reason
        /// Where the file is now. The next one to be set aside takes its place.
        public let path: String
    }
}
