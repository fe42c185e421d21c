// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite("Texts that are compared by bytes", .timeLimit(.minutes(1)))
struct ByteTextTests {
    /// Pairs of texts that are canonically equivalent and have different bytes.
    static let pairs = [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), (";", "\u{37E}"),
        ("a\u{323}\u{307}", "a\u{307}\u{323}"),
    ]

    @Test("Canonically equivalent texts are different", arguments: pairs)
    func different(one: String, other: String) {
        #expect(one == other)
        #expect(!one.hasSameBytes(as: other))
        #expect(ByteText(one) != ByteText(other))
        #expect(Set([ByteText(one), ByteText(other), ByteText(one)]).count == 2)
        #expect((ByteText(one) < ByteText(other)) != (ByteText(other) < ByteText(one)))
    }

    @Test("Texts with the same bytes are equal", arguments: ["", "a", "\u{E9}", "e\u{301}", "\u{1F600}"])
    func equal(text: String) {
        // The second text is a slice, which has other storage.
        #expect(text.hasSameBytes(as: "x\(text)x".dropFirst().dropLast()))
        #expect(text.hasSameBytes(as: String(decoding: Array(text.utf8), as: UTF8.self)))
        #expect(Set([ByteText(text), ByteText(String(decoding: Array(text.utf8), as: UTF8.self))]).count == 1)
    }

    @Test("Texts are ordered by bytes")
    func order() {
        let texts = ["", "Z", "a", "e\u{301}", "\u{E9}", "\u{FFFD}", "\u{1F600}"]
        #expect(texts.reversed().map { ByteText($0) }.sorted().map(\.text.utf8.count) == texts.map(\.utf8.count))
    }

    @Test("Missing texts are equal to each other only")
    func missing() {
        func isSame(_ one: String?, _ other: String?) -> Bool { one.hasSameBytes(as: other) }
        #expect(isSame(nil, nil))
        #expect(!isSame(nil, ""))
        #expect(!isSame("", nil))
        #expect(isSame("\u{E9}", "\u{E9}"))
        #expect(!isSame("\u{E9}", "e\u{301}"))
    }
}
