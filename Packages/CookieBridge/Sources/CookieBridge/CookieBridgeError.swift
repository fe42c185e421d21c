// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An error of this module.
public struct CookieBridgeError: Error, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public struct Code: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// Not done within its limit. It may still be done later.
        public static let timedOut = Code(rawValue: "timed-out")
        /// Stores failed again and again: what they lack stays pending until they signal a change.
        public static let storeFailed = Code(rawValue: "store-failed")
        /// The reconciler is stopped.
        public static let stopped = Code(rawValue: "stopped")
        /// More wait than may.
        public static let overloaded = Code(rawValue: "overloaded")
        /// A message that is not one.
        public static let badMessage = Code(rawValue: "bad-message")
        /// A message of a page that may not send it.
        public static let wrongOrigin = Code(rawValue: "wrong-origin")
    }

    public let code: Code
    /// What is wrong, for a person; never a cookie's value.
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { "\(code): \(message)" }
}
