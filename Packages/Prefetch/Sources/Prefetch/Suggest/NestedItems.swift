// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The names and values that lie inside of a value: JSON, a query, a URL that has one, any of these escaped once more, or
/// JSON in base64.
enum NestedItems {
    private static let maxLevels = 4
    /// The most items that are looked at in a level.
    private static let maxCount = 1_000
    /// As deep as a body may be that is compared, see ``RequestIdentity``.
    private static let maxDepth = 64

    static func items(in value: String) -> [FixedPart.Item] {
        var found: [FixedPart.Item] = []
        var level = [value]
        for _ in 0..<maxLevels where !level.isEmpty {
            let items = level.flatMap { read($0) }.prefix(maxCount)
            found += items
            level = items.map(\.value)
        }
        return found
    }

    private static func read(_ text: String) -> [FixedPart.Item] {
        guard let first = text.first(where: { !$0.isWhitespace }) else { return [] }
        if first == "{" || first == "[" { return json(Array(text.utf8)) ?? quoted(text) }
        if text.utf8.contains(UInt8(ascii: "=")) { return query(text) }
        if text.utf8.contains(UInt8(ascii: "%")), let whole = PageParameters(query: text).pairs.first?.name,
            whole != text
        {
            return [FixedPart.Item(name: "", value: whole)]
        }
        return base64(text).flatMap { json(Array($0)) } ?? []
    }

    private static func json(_ bytes: [UInt8]) -> [FixedPart.Item]? {
        (try? JSONReader.read(bytes, maxDepth: maxDepth)).map { FixedPart(query: nil, body: $0).items }
    }

    /// What stands in quotes where it is no JSON that can be read: any of it may be a name.
    private static func quoted(_ text: String) -> [FixedPart.Item] {
        text.split(separator: "\"").map { FixedPart.Item(name: String($0), value: "") }
    }

    /// Of a URL also what stands in its fragment, and behind `;` in its path.
    private static func query(_ text: String) -> [FixedPart.Item] {
        let pieces = text.split { "?&;#".contains($0) }.filter { $0.contains("=") }
        return PageParameters(query: pieces.joined(separator: "&")).pairs.map {
            FixedPart.Item(name: $0.name, value: $0.value)
        }
    }

    /// Base64 or base64url, with or without padding, of what begins with `{"` or `[`.
    private static func base64(_ text: String) -> Data? {
        guard text.hasPrefix("ey") || text.hasPrefix("W"), text.utf8.count >= 8 else { return nil }
        var letters = text.filter { $0 != "=" }.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        letters += Array(repeating: "=", count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: String(letters))
    }
}
