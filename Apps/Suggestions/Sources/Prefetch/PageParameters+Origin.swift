// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch

extension PageParameters {
    /// The query of an interface, to which the page's parameters are appended.
    struct Lead: Sendable, Hashable {
        let query: String?
    }

    /// The maximum number of parameters to search.
    private static let limit = 256

    /// Returns the shortest query to which ``following(_:)-(String?)`` appends the page's parameters to produce
    /// `query`.
    /// - Returns: `nil` if no query leads to `query`, or if the page has no parameters.
    func lead(of query: String?) -> Lead? {
        guard let query, !pairs.isEmpty, pairs.count <= Self.limit else { return nil }
        let parts = query.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
        guard parts.count <= Self.limit else { return nil }
        for count in parts.indices {
            let own = count == 0 ? nil : parts[..<count].joined(separator: "&")
            if following(own) == query { return Lead(query: own) }
        }
        return nil
    }

    /// Returns the members to which ``following(_:)-([JSONValue.Member])`` adds the page's parameters to produce
    /// `members` in any order.
    /// - Returns: `nil` if `members` does not contain all parameters of the page, or if the page has no parameters.
    func lead(of members: [JSONValue.Member]) -> [JSONValue.Member]? {
        let added = following([] as [JSONValue.Member])
        guard !added.isEmpty, added.count <= Self.limit else { return nil }
        let values = Dictionary(members.map { (Array($0.name.utf8), $0.value.canonical) }) { first, _ in first }
        guard added.allSatisfy({ values[Array($0.name.utf8)] == $0.value.canonical }) else { return nil }
        let names = Set(added.map { Array($0.name.utf8) })
        return members.filter { !names.contains(Array($0.name.utf8)) }
    }

    /// Returns the name of the first page parameter whose value occurs in the fixed part or the path. There the value
    /// would apply to every page.
    ///
    /// A value of fewer than three bytes must also have the same name, because short values occur by chance. A value
    /// of eight bytes or more may be part of another value.
    func stray(in part: FixedPart, path: String) -> String? {
        let segments = path.split(separator: "/").map { PathSegment($0) }
        let items = part.all
        return pairs.first { pair in
            guard !pair.value.isEmpty else { return false }
            let (isLong, isWhole) = (pair.value.utf8.count >= 3, pair.value.utf8.count < 8)
            return items.contains {
                $0.value == pair.value && (isLong || $0.name == pair.name)
                    || !isWhole && ($0.value.contains(pair.value) || $0.name.contains(pair.value))
            } || segments.contains { $0.holds(pair.value) || !isWhole && $0.text.contains(pair.value) }
        }?.name
    }

    /// A segment of a path: a value, or a value with a file extension.
    private struct PathSegment {
        let text: String
        private let stem: Substring

        init(_ raw: Substring) {
            // `PageParameters` decodes the escapes: a segment is parsed like a parameter name without a value.
            let text = PageParameters(query: String(raw)).pairs.first?.name ?? ""
            self.text = text
            stem = text.lastIndex(of: ".").map { text[..<$0] } ?? text[...]
        }

        func holds(_ value: String) -> Bool { text == value || stem == value }
    }
}
