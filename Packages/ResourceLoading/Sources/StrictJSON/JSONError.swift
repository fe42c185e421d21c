// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A violation of JSON syntax or of the limits of a JSON text.
public struct JSONError: Error, Sendable, CustomStringConvertible {
    /// A kind of violation.
    public enum Code: Sendable, Hashable {
        /// The text is not JSON (RFC 8259) or not UTF-8.
        case malformed
        /// An object has a duplicate name.
        case repeatedName
        /// A name has escapes, and ``JSONScanner/Limits/allowsEscapedNames`` is `false`.
        case escapedName
        /// Values are nested too deeply, or objects have too many names.
        case tooMany
        /// A name is too long.
        case tooLong
    }

    /// The kind of violation.
    public let code: Code
    /// A message of one line for people.
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
    /// The keys as a location in a JSON document, such as `rules[3].host`; `nil` for the whole document.
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
    /// A short reason for the error and its location in the JSON document; the location `nil` is the whole document.
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

/// A string or a number in a JSON text, as a byte range instead of a copy.
public struct JSONText: Sendable {
    /// The byte range in the input, or in the scanner's buffer of unescaped bytes if the string has escapes.
    public let range: Range<Int>
    @usableFromInline let hasEscapes: Bool

    @inlinable
    init(range: Range<Int>, hasEscapes: Bool) {
        self.range = range
        self.hasEscapes = hasEscapes
    }
}
