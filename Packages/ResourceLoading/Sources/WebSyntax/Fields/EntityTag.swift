// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A validator in `ETag`, `If-Match`, `If-None-Match` and `If-Range` (RFC 9110, section 8.8.3).
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// A Boolean value that indicates whether the tag is weak: it begins with `W/`, which is case-sensitive.
    public let isWeak: Bool
    /// The tag without its quotation marks. A backslash is an ordinary byte.
    public let opaque: String

    /// Creates a tag from a text.
    ///
    /// The opaque part is enclosed in quotation marks and contains neither white space nor control characters.
    /// - Returns: `nil` for all other texts, for example a tag without quotation marks.
    @inlinable
    public init?(_ text: some StringProtocol) {
        self.init(in: Substring(text))
    }

    @usableFromInline
    init?(in text: Substring) {
        var rest = text.trimmingFieldWhitespace
        guard let tag = EntityTag(removedFrom: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// Parses a tag at the start of a text and removes it from the text.
    private init?(removedFrom rest: inout Substring) {
        let text = rest.utf8
        let isWeak = text.starts(with: "W/".utf8)
        let quoted = isWeak ? text.dropFirst(2) : text
        guard quoted.first == UInt8(ascii: "\"") else { return nil }
        let inner = quoted.dropFirst()
        guard let end = inner.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        guard inner[..<end].allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        self.isWeak = isWeak
        opaque = String(Substring(inner[..<end]))
        rest = Substring(inner[inner.index(after: end)...])
    }

    /// Returns a Boolean value that indicates whether both tags are strong and equal (RFC 9110, section 8.8.3.2).
    public func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && matchesWeakly(other)
    }

    /// Returns a Boolean value that indicates whether the tags are equal, weak or not (RFC 9110, section 8.8.3.2).
    public func matchesWeakly(_ other: EntityTag) -> Bool {
        // Compares bytes, because `==` of strings compares characters.
        opaque.utf8.elementsEqual(other.opaque.utf8)
    }

    public static func == (one: EntityTag, other: EntityTag) -> Bool {
        one.isWeak == other.isWeak && one.matchesWeakly(other)
    }

    /// Returns the tags of a list: `"a", W/"b"`. Parsing stops at the first invalid member.
    @inlinable
    public static func list(_ text: some StringProtocol) -> [EntityTag] { list(in: Substring(text)) }

    @usableFromInline
    static func list(in text: Substring) -> [EntityTag] {
        var tags: [EntityTag] = []
        var rest = text
        while true {
            rest = Substring(rest.utf8.drop { $0.isFieldWhitespace || $0 == UInt8(ascii: ",") })
            guard let tag = EntityTag(removedFrom: &rest) else { return tags }
            let tail = rest.utf8.drop(while: \.isFieldWhitespace)
            tags.append(tag)
            guard tail.first == UInt8(ascii: ",") else { return tags }
            rest = Substring(tail)
        }
    }

    public var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }
}
