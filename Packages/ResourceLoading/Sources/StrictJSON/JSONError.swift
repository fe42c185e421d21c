// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The reason for which a JSON text is refused.
public struct JSONError: Error, Sendable, CustomStringConvertible {
    /// A kind of fault.
    public enum Code: Sendable, Hashable {
        /// The bytes are no JSON (RFC 8259), or not UTF-8.
        case malformed
        /// An object has a name twice.
        case repeatedName
        /// A name has escapes, which ``JSONScanner/Limits/allowsEscapedNames`` forbids.
        case escapedName
        /// Values nest too deep, or objects have too many names.
        case tooMany
        /// A name is too long.
        case tooLong
    }

    /// The kind of fault.
    public let code: Code
    /// One line for people.
    public let message: String
    /// The position in the input, in bytes.
    public let position: Int

    /// Creates an error at a position of the input.
    public init(_ code: Code, _ message: String, at position: Int) {
        self.code = code
        self.message = message
        self.position = position
    }

    public var description: String { "\(message) (byte \(position))" }
}
