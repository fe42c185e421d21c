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

extension [any CodingKey] {
    /// The place that the keys lead to in a JSON document, such as `rules[3].host`; `nil` for the whole document.
    public var jsonPlace: String? {
        guard !isEmpty else { return nil }
        return reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

extension DecodingError {
    /// The reason of the error, in a few words, and its place in the JSON document; a place of `nil` is the whole document.
    public var jsonFault: (reason: String, place: String?) {
        switch self {
        case .typeMismatch(let type, let context): ("not of type \(type)", context.codingPath.jsonPlace)
        case .valueNotFound(let type, let context): ("null, and not of type \(type)", context.codingPath.jsonPlace)
        case .keyNotFound(let key, let context): ("\(key.stringValue) is missing", context.codingPath.jsonPlace)
        case .dataCorrupted(let context): ("not JSON", context.codingPath.jsonPlace)
        @unknown default: ("not JSON", nil)
        }
    }
}

/// A string or a number of a JSON text, found but not copied.
public struct JSONText: Sendable {
    /// The position of its bytes: in the input, or in the scanner's scratch if the string has escapes.
    public let range: Range<Int>
    @usableFromInline let hasEscapes: Bool

    @inlinable
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
