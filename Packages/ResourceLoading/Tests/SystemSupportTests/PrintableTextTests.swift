// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import SystemSupport
import Testing

@Suite("Printable text", .timeLimit(.minutes(1)))
struct PrintableTextTests {
    @Test(
        "Control characters, line separators and bidirectional controls are replaced",
        arguments: [
            ("plain é 漢 😀", "plain é 漢 😀"),
            ("a\nb\r\tc\0", "a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}"),
            ("\u{1B}[31m\u{7F}\u{85}\u{9F}", "\u{FFFD}[31m\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("a\u{2028}b\u{2029}c", "a\u{FFFD}b\u{FFFD}c"),
            ("exe.\u{202E}gpj", "exe.\u{FFFD}gpj"),
            ("\u{FEFF}a", "\u{FFFD}a"),
        ])
    func replaced(_ text: String, _ expected: String) {
        #expect(text.printable(limit: 200) == expected)
    }

    /// The characters that can control a terminal or reorder its text: C0, DEL, C1, the bidirectional controls of
    /// Unicode (UAX #9), the line and paragraph separators, and the byte order mark.
    static let unprintable: [Unicode.Scalar] = {
        let ranges: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069,
            0xFEFF...0xFEFF,
        ]
        return ranges.joined().compactMap { Unicode.Scalar($0) }
    }()

    @Test("Every control character and every bidirectional control is replaced")
    func all() {
        for scalar in Self.unprintable {
            #expect("a\(scalar)b".printable() == "a\u{FFFD}b", "U+\(String(scalar.value, radix: 16))")
        }
        // An encoded lone surrogate and an overlong encoding are not UTF-8, so a string contains U+FFFD instead.
        #expect(!String(decoding: [0x61, 0xED, 0xA0, 0x80, 0xC0, 0x9B] as [UInt8], as: UTF8.self).printable().isEmpty)
    }

    @Test(
        "Format characters of words and emoji stay, in lines and in JSON",
        arguments: [
            // A family, a word of Persian, a soft hyphen, a number of Arabic, and the flag of England.
            "\u{1F468}\u{200D}\u{1F469}", "\u{646}\u{645}\u{6CC}\u{200C}\u{62E}", "a\u{AD}b", "\u{600}\u{661}",
            "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
        ])
    func formats(_ text: String) {
        #expect(text.printable() == text && text.printableLines() == text && text.printableJSON() == text)
    }

    @Test("Lines stay lines")
    func lines() {
        #expect("a\r\n\nb\u{1B}\n".printableLines() == "a\u{FFFD}\n\nb\u{FFFD}\n")
    }

    @Test("JSON has the same value, and contains no character that is not printable")
    func json() throws {
        let text = Self.unprintable.reduce(into: "é 😀 \\ \"") { $0.unicodeScalars.append($1) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .prettyPrinted
        let json = String(decoding: try encoder.encode([text]), as: UTF8.self).printableJSON()
        #expect(json.printableLines() == json)
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == [text])
    }

    @Test("A text is truncated at the limit")
    func cut() {
        #expect("abcd".printable(limit: 4) == "abcd")
        #expect("abcde"[...].printable(limit: 4) == "abcd")
        #expect("abc".printable(limit: 0).isEmpty)
    }
}
