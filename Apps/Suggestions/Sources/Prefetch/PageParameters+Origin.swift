// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch

extension PageParameters {
    /// What a query was before the page's parameters joined it.
    struct Lead: Sendable, Hashable {
        let query: String?
    }

    /// The most parameters of which it is found out where they come from.
    private static let limit = 256

    /// The query to which ``following(_:)-(String?)`` adds the page's, so that `query` comes of it: the shortest one.
    /// `nil` where there is none, or the page has no parameters.
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

    /// The members to which ``following(_:)-([JSONValue.Member])`` adds the page's, so that `members` come of it in
    /// some order; `nil` where not all of the page's are there as they would be, or the page has none.
    func lead(of members: [JSONValue.Member]) -> [JSONValue.Member]? {
        let added = following([] as [JSONValue.Member])
        guard !added.isEmpty, added.count <= Self.limit else { return nil }
        let values = Dictionary(members.map { (Array($0.name.utf8), $0.value.canonical) }) { first, _ in first }
        guard added.allSatisfy({ values[Array($0.name.utf8)] == $0.value.canonical }) else { return nil }
        let names = Set(added.map { Array($0.name.utf8) })
        return members.filter { !names.contains(Array($0.name.utf8)) }
    }

    /// The first of the page's parameters whose value stands in what a table would write down, where it would be that of
    /// every page; `nil` for none.
    ///
    /// Short values are everywhere: one of less than three bytes must have the same name. A long one may be a part of
    /// another, with something before or behind it.
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

    /// A part of a path, which may be a value with a file's extension.
    private struct PathSegment {
        let text: String
        private let stem: Substring

        init(_ raw: Substring) {
            // Read as a name without a value: the escapes are the same.
            let text = PageParameters(query: String(raw)).pairs.first?.name ?? ""
            self.text = text
            stem = text.lastIndex(of: ".").map { text[..<$0] } ?? text[...]
        }

        func holds(_ value: String) -> Bool { text == value || stem == value }
    }
}
