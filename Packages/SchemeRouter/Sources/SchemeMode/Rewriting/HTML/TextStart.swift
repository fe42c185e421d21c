// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

/// The beginning of a style sheet, held back until it has said what its charset is (CSS Syntax Level 3, section 3.2).
struct TextStart {
    /// What decides of what stands in the bytes themselves.
    enum Declaration: Equatable {
        /// A byte order mark of UTF-8, which goes before what the server says. That of UTF-16 is not looked for here.
        case mark
        /// `@charset`, which comes after it.
        case rule(TextCharset)
        case none
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let rule = Array("@charset \"".utf8)
    /// The end of the label is not looked for beyond so many bytes.
    private static let maxBytes = 1_024
    private var held = Data()

    /// Takes the next piece.
    /// - Returns: all that has come, with what it says, as soon as that is clear; `nil` until then.
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
