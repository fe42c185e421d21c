// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The parameters of a page's query (`application/x-www-form-urlencoded`; URL Standard, section 5), and the rules for
/// adding them to a URL and a body.
package struct PageParameters: Sendable {
    package struct Pair: Sendable {
        /// The original text in the query.
        let raw: Substring
        package let name: String
        package let value: String
    }

    private let query: String
    package let pairs: [Pair]

    package init(query: String?) {
        self.query = query ?? ""
        pairs = Self.pairs(of: self.query)
    }

    /// Returns a query followed by the page's parameters. The parameters keep their spelling. Those whose name is
    /// already in the query are omitted.
    package func following(_ own: String?) -> String? {
        guard !query.isEmpty else { return own }
        guard let own, !own.isEmpty else { return query }
        let names = Set(Self.pairs(of: own).map { Array($0.name.utf8) })
        let added = pairs.filter { !names.contains(Array($0.name.utf8)) }.map(\.raw)
        guard !added.isEmpty else { return own }
        return own + (own.hasSuffix("&") ? "" : "&") + added.joined(separator: "&")
    }

    /// Returns members followed by the page's parameters; existing members are unchanged. If a parameter occurs more
    /// than once, its last value is at the position of the first one, as in a JavaScript object.
    package func following(_ own: [JSONValue.Member]) -> [JSONValue.Member] {
        var members = own
        var places: [[UInt8]: Int] = [:]
        let names = Set(own.map { Array($0.name.utf8) })
        for pair in pairs {
            let key = Array(pair.name.utf8)
            guard !names.contains(key) else { continue }
            let isNumber = JSONNumber.isCanonicalInteger(pair.value)
            let member = JSONValue.Member(
                name: pair.name, value: isNumber ? .number(pair.value) : .string(pair.value))
            if let place = places[key] {
                members[place] = member
            } else {
                places[key] = members.count
                members.append(member)
            }
        }
        return members
    }

    private static func pairs(of query: String) -> [Pair] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { raw in
            let equals = raw.firstIndex(of: UInt8(ascii: "="))
            let value = equals.map { raw[raw.index(after: $0)...] } ?? raw[raw.endIndex...]
            return Pair(
                raw: Substring(raw), name: decoded(raw[..<(equals ?? raw.endIndex)]), value: decoded(value))
        }
    }

    private static func decoded(_ text: Substring.UTF8View) -> String {
        String(decoding: PercentEncoding.decodeLeniently(text, isForm: true), as: UTF8.self)
    }
}
