// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import Prefetch
internal import WebSyntax

/// The names and values nested in a name or a value: JSON, a query, a URL with a query, any of these percent-encoded
/// again, or JSON in base64.
struct NestedItems {
    private(set) var items: [FixedPart.Item] = []
    /// A Boolean value that indicates whether all text was decoded. If not, the remaining text may contain any value.
    private(set) var isWhole = true

    private static let maxLevels = 4
    /// The maximum number of items per level.
    private static let maxCount = 1_000
    /// The maximum depth of a comparable body; see ``RequestIdentity``.
    private static let maxDepth = 64

    init(in item: FixedPart.Item) {
        var level = [item.name, item.value]
        // The additional level shows if anything is nested deeper than `maxLevels`.
        for number in 0...Self.maxLevels where !level.isEmpty {
            var found: [FixedPart.Item] = []
            for text in level {
                guard let inner = Self.read(text), found.count + inner.count <= Self.maxCount else {
                    isWhole = false
                    continue
                }
                found += inner
            }
            guard number < Self.maxLevels else {
                if !found.isEmpty { isWhole = false }
                return
            }
            items += found
            level = found.map(\.value)
        }
    }

    /// Decodes one level.
    /// - Returns: The nested items, empty for a plain value, or `nil` for text that begins like JSON but is invalid.
    private static func read(_ text: String) -> [FixedPart.Item]? {
        guard let first = text.first(where: { !$0.isWhitespace }) else { return [] }
        if first == "{" || first == "[" { return json(Array(text.utf8)) }
        // This check precedes the check for a query, because base64 padding is an equals sign.
        if let bytes = base64(text) { return json(bytes) }
        if text.utf8.contains(UInt8(ascii: "=")) { return query(text) }
        if text.utf8.contains(UInt8(ascii: "%")), let whole = PageParameters(query: text).pairs.first?.name,
            whole != text
        {
            return [FixedPart.Item(name: "", value: whole)]
        }
        return []
    }

    private static func json(_ bytes: [UInt8]) -> [FixedPart.Item]? {
        guard let value = try? JSONValue(json: bytes, maxDepth: maxDepth) else { return nil }
        let part = FixedPart(query: nil, body: value)
        return part.items + part.labelled
    }

    /// Reads the query of a URL, including parameters in the fragment and after `;` in the path.
    private static func query(_ text: String) -> [FixedPart.Item] {
        let pieces = text.split { "?&;#".contains($0) }.filter { $0.contains("=") }
        return PageParameters(query: pieces.joined(separator: "&")).pairs.map {
            FixedPart.Item(name: $0.name, value: $0.value)
        }
    }

    /// Returns the decoded text if it is base64 or base64url, with or without padding, and begins with `{` or `[`.
    private static func base64(_ text: String) -> [UInt8]? {
        guard ["ey", "ew", "W"].contains(where: { text.hasPrefix($0) }), text.utf8.count >= 8 else { return nil }
        // The query parser decodes `+` as a space.
        let signs: [Character: Character] = ["-": "+", " ": "+", "_": "/"]
        var letters = text.reversed().drop { $0 == "=" }.reversed().map { signs[$0] ?? $0 }
        // Base64 has groups of four characters. A remainder of one character is no byte, so the text was truncated.
        if letters.count % 4 == 1 { letters.removeLast() }
        letters += Array(repeating: "=", count: (4 - letters.count % 4) % 4)
        guard let bytes = Data(base64Encoded: String(letters)).map({ Array($0) }), let first = bytes.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["), isText(bytes)
        else { return nil }
        return bytes
    }

    /// Returns a Boolean value that indicates whether the bytes are UTF-8, except for a truncated last character. A
    /// word such as `W123` is valid base64, but its bytes are rarely UTF-8.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        (0..<4).contains { $0 < bytes.count && String(validUTF8: bytes.dropLast($0)) != nil }
    }
}
