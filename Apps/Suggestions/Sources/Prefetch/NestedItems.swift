// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import Prefetch

/// The names and values that lie inside of a name or a value: JSON, a query, a URL that has one, any of these escaped once
/// more, or JSON in base64.
struct NestedItems {
    private(set) var items: [FixedPart.Item] = []
    /// Whether all was read. What was not may be anything.
    private(set) var isWhole = true

    private static let maxLevels = 4
    /// The most items that are looked at in a level.
    private static let maxCount = 1_000
    /// As deep as a body may be that is compared, see ``RequestIdentity``.
    private static let maxDepth = 64

    init(in item: FixedPart.Item) {
        var level = [item.name, item.value]
        // One level more than is taken says whether there is one.
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

    /// - Returns: nothing where it is a value and no more; `nil` for what begins as JSON, and is none that can be read.
    private static func read(_ text: String) -> [FixedPart.Item]? {
        guard let first = text.first(where: { !$0.isWhitespace }) else { return [] }
        if first == "{" || first == "[" { return json(Array(text.utf8)) }
        // Its padding would be a query's sign.
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

    /// Of a URL also what stands in its fragment, and behind `;` in its path.
    private static func query(_ text: String) -> [FixedPart.Item] {
        let pieces = text.split { "?&;#".contains($0) }.filter { $0.contains("=") }
        return PageParameters(query: pieces.joined(separator: "&")).pairs.map {
            FixedPart.Item(name: $0.name, value: $0.value)
        }
    }

    /// The text in base64 or base64url, with or without padding, that begins with `{` or `[`.
    private static func base64(_ text: String) -> [UInt8]? {
        guard ["ey", "ew", "W"].contains(where: { text.hasPrefix($0) }), text.utf8.count >= 8 else { return nil }
        // A query's `+` was read as a blank.
        let signs: [Character: Character] = ["-": "+", " ": "+", "_": "/"]
        var letters = text.reversed().drop { $0 == "=" }.reversed().map { signs[$0] ?? $0 }
        // What is cut off in the middle of a letter says so by its length.
        if letters.count % 4 == 1 { letters.removeLast() }
        letters += Array(repeating: "=", count: (4 - letters.count % 4) % 4)
        guard let bytes = Data(base64Encoded: String(letters)).map({ Array($0) }), let first = bytes.first,
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["), isText(bytes)
        else { return nil }
        return bytes
    }

    /// Whether it is UTF-8, of which the last letter may be cut off: `W123` is a word like any other.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        (0..<4).contains { $0 < bytes.count && String(validating: bytes.dropLast($0), as: UTF8.self) != nil }
    }
}
