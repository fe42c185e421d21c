// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A part of an HTTP/1 message head that violates HTTP.
public struct MessageHeadViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// One line of text that names the broken rule.
    public let description: String

    /// Creates a violation.
    public init(_ description: String) {
        self.description = description
    }
}

/// A field of a message head, with the text as received. Bytes that are not UTF-8 are replaced by U+FFFD.
public struct MessageHeadField: Sendable, Equatable {
    /// The largest number of fields in a head.
    public static let mostInHead = 4_096

    /// The name, a token.
    public let name: String
    /// The value, without the white space around it. It has no CR, LF or NUL; other control characters are possible.
    public var value: String

    /// Creates a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The lines of a message head.
struct MessageHeadLines {
    let lines: [ArraySlice<UInt8>]

    /// Creates the lines of a head without its line ends.
    /// - Throws: ``MessageHeadViolation`` if the head has no line, or contains NUL (RFC 9110, section 5.5).
    init(_ bytes: [UInt8]) throws(MessageHeadViolation) {
        guard !bytes.contains(0) else { throw MessageHeadViolation("a NUL in the head") }
        let start = bytes.firstIndex { $0 != 0x0A && $0 != 0x0D } ?? bytes.endIndex
        lines = bytes[start...].split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        guard lines.first?.isEmpty == false else { throw MessageHeadViolation("an empty head") }
    }
}

extension Collection<UInt8> {
    /// The bytes as text, with U+FFFD for each invalid sequence.
    var text: String { String(decoding: self, as: UTF8.self) }
}
