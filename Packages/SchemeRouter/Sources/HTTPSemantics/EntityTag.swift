// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The tag of one state of a resource (RFC 9110, section 8.8.3).
struct EntityTag: Hashable {
    let isWeak: Bool
    /// Without its quotes.
    let opaque: Substring

    /// Reads a tag that is all of a text; `nil` where it is none.
    init?(_ text: some StringProtocol) {
        var rest = Substring(text)
        guard let tag = EntityTag(parsing: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// Takes a tag from the beginning of a text.
    private init?(parsing rest: inout Substring) {
        var text = rest
        isWeak = text.utf8.starts(with: "W/".utf8)
        if isWeak { text = text[text.utf8.index(text.startIndex, offsetBy: 2)...] }
        guard text.utf8.first == UInt8(ascii: "\"") else { return nil }
        let start = text.utf8.index(after: text.startIndex)
        guard let end = text.utf8[start...].firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        opaque = text[start..<end]
        guard opaque.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        rest = text[text.utf8.index(after: end)...]
    }

    /// Both strong and the same (RFC 9110, section 8.8.3.2).
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// The same, weak or not (RFC 9110, section 8.8.3.2).
    func matchesWeakly(_ other: EntityTag) -> Bool {
        opaque == other.opaque
    }

    /// Whether one tag of a list fits: `"a", W/"b"`. A list that breaks off counts as far as it can be read.
    static func list(_ text: String, contains fits: (EntityTag) -> Bool) -> Bool {
        var rest = text[...]
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            guard let tag = EntityTag(parsing: &rest) else { return false }
            if fits(tag) { return true }
            rest = rest.drop { $0 == " " || $0 == "\t" }
            guard rest.utf8.first == UInt8(ascii: ",") else { return false }
        }
    }
}
