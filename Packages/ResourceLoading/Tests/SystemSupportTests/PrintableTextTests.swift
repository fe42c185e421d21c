// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
        ])
    func replaced(_ text: String, _ expected: String) {
        #expect(text.printable(limit: 200) == expected)
    }

    @Test("A text is truncated at the limit")
    func cut() {
        #expect("abcd".printable(limit: 4) == "abcd")
        #expect("abcde"[...].printable(limit: 4) == "abcd")
        #expect("abc".printable(limit: 0).isEmpty)
    }
}
