// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import WebSyntax

@Suite("Texts from bytes that must be UTF-8", .timeLimit(.minutes(1)))
struct ValidUTF8Tests {
    /// Ill-formed sequences (Unicode Standard, section 3.9, tables 3-7 to 3-11), and cut ones.
    static let invalid: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0xAF],
        [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
        [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82],
        [0xF0, 0x9F, 0x98], [0xC3, 0x41], [0xE2, 0x82, 0x41], [0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41],
        // The replacement character before and after an invalid byte.
        [0xEF, 0xBF, 0xBD, 0x80], [0x80, 0xEF, 0xBF, 0xBD],
    ]

    @Test("Bytes that are not UTF-8 have no text", arguments: invalid)
    func rejected(bytes: [UInt8]) {
        for bytes in [bytes, [0x61] + bytes, bytes + [0x61], Array(repeating: 0x61, count: 64) + bytes] {
            #expect(String(validUTF8: bytes) == nil)
            #expect(String(unrepairedUTF8: bytes) == nil)
        }
    }

    @Test(
        "UTF-8 keeps its scalars, also the replacement character, a byte order mark and decomposed letters",
        arguments: [
            "", "a", "\u{0}", "\u{7F}\u{80}", "\u{7FF}\u{800}", "\u{D7FF}\u{E000}", "\u{FFFF}\u{10000}", "\u{10FFFF}",
            "\u{FFFD}", "\u{FEFF}a", "e\u{301}", "\u{1F600}", "a\r\nb",
        ])
    func accepted(text: String) {
        let bytes = Array(text.utf8)
        for found in [
            String(validUTF8: bytes), String(unrepairedUTF8: bytes), String(validUTF8: bytes[...]),
            String(unrepairedUTF8: text.utf8),
        ] {
            #expect(found?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
        }
    }
}
