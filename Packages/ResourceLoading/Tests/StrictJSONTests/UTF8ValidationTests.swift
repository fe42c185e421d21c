// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import StrictJSON

/// Tests of the check of strings, and of its form for systems before iOS 18 and macOS 15.
@Suite("UTF-8 in JSON strings", .timeLimit(.minutes(1)))
struct UTF8ValidationTests {
    private func isAccepted(_ bytes: [UInt8]) -> Bool {
        let quote = UInt8(ascii: "\"")
        return ([quote] + bytes + [quote]).withUnsafeBytes { buffer in
            do {
                try JSONScanner.validate(buffer)
                return true
            } catch {
                return false
            }
        }
    }

    /// The first and last scalars of each length, those next to the surrogates, and U+FFFD, which decoders insert.
    @Test(
        "Well-formed bytes are accepted",
        arguments: [
            "", "a", "\u{7F}\u{80}", "\u{7FF}\u{800}", "\u{D7FF}\u{E000}", "\u{FFFD}", "\u{FFFF}\u{10000}",
            "\u{10FFFF}", "\u{FEFF}a", "e\u{301}",
        ])
    func accepted(text: String) {
        for text in [text, "a\(text)", "\(text)a"] {
            let bytes = Array(text.utf8)
            #expect(JSONScanner.isUnrepairedUTF8(bytes) && JSONScanner.isUnrepairedUTF8(bytes[...]))
            #expect(isAccepted(bytes))
        }
    }

    /// Ill-formed sequences (Unicode Standard, section 3.9, tables 3-7 to 3-11).
    static let invalid: [(bytes: [UInt8], defect: String)] = [
        ([0x80], "continuation"), ([0xBF], "continuation"), ([0xFE], "no UTF-8"), ([0xFF], "no UTF-8"),
        ([0xC3], "truncated"), ([0xE2, 0x82], "truncated"), ([0xF0, 0x9F, 0x98], "truncated"),
        ([0xC3, 0x41], "truncated"), ([0xE2, 0x82, 0x41], "truncated"), ([0xF0, 0x9F, 0x98, 0x41], "truncated"),
        ([0xC0, 0x80], "overlong"), ([0xC1, 0xBF], "overlong"), ([0xE0, 0x9F, 0xBF], "overlong"),
        ([0xF0, 0x8F, 0xBF, 0xBF], "overlong"), ([0xED, 0xA0, 0x80], "surrogate"), ([0xED, 0xBF, 0xBF], "surrogate"),
        ([0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], "surrogate pair"), ([0xF4, 0x90, 0x80, 0x80], "above U+10FFFF"),
        ([0xEF, 0xBF, 0xBD, 0x80], "after U+FFFD"), ([0x80, 0xEF, 0xBF, 0xBD], "before U+FFFD"),
    ]

    @Test("Ill-formed bytes are rejected", arguments: invalid)
    func rejected(bytes: [UInt8], defect: String) {
        for bytes in [bytes, [0x61] + bytes, bytes + [0x61], Array(repeating: 0x61, count: 64) + bytes] {
            #expect(!JSONScanner.isUnrepairedUTF8(bytes), "\(defect)")
            #expect(!isAccepted(bytes), "\(defect)")
        }
    }
}
