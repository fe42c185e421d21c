// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// The beginning of a style sheet, buffered until its charset is known (CSS Syntax Level 3, section 3.2).
struct TextStart {
    /// The charset declaration in the bytes of the text.
    enum Declaration: Equatable {
        /// A UTF-8 byte order mark, which overrides the charset from the server. A UTF-16 mark is handled elsewhere.
        case mark
        /// A `@charset` rule, which the charset from the server overrides.
        case rule(TextCharset)
        case none
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let rule = Array("@charset \"".utf8)
    /// The maximum number of bytes in which the end of the label is searched.
    private static let maxBytes = 1_024
    private var held = Data()

    /// Appends a piece.
    /// - Returns: All bytes with the declaration, as soon as it is known; `nil` until then.
    mutating func append(_ piece: Data, isLast: Bool) -> (text: Data, word: Declaration)? {
        held += piece
        guard let word = Self.word(in: [UInt8](held.prefix(Self.maxBytes)), isLast: isLast) else { return nil }
        defer { held = Data() }
        return (held, word)
    }

    private static func word(in bytes: [UInt8], isLast: Bool) -> Declaration? {
        let isWhole = isLast || bytes.count == maxBytes
        if bytes.starts(with: mark) { return .mark }
        if !isWhole, mark.starts(with: bytes) || rule.starts(with: bytes) { return nil }
        guard bytes.starts(with: rule) else { return Declaration.none }
        let label = bytes[rule.count...].prefix { $0 != UInt8(ascii: "\"") }
        guard label.endIndex + 1 < bytes.count else { return isWhole ? Declaration.none : nil }
        guard bytes[label.endIndex + 1] == UInt8(ascii: ";") else { return Declaration.none }
        let name = String(decoding: label.drop { $0.isASCIIWhitespace }, as: UTF8.self)
        return .rule(TextCharset(labelInText: name.prefix { !$0.isWhitespace }))
    }
}
