// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An index of rules by host, so that a request is compared only with rules that can match.
struct RouteIndex: Sendable {
    // All lists contain indexes into the list of rules, in ascending order.
    private var exact: [String: [Int]] = [:]
    /// The rules for all hosts below a domain, by domain.
    private var below: [String: [Int]] = [:]
    private var anywhere: [Int] = []

    init(_ rules: [RouteRule]) {
        for (index, rule) in rules.enumerated() {
            guard let host = rule.host else {
                anywhere.append(index)
                continue
            }
            let name = host.rootless
            if host.matchesBelow {
                below[name, default: []].append(index)
            } else {
                exact[name, default: []].append(index)
            }
        }
    }

    /// Returns the maximum total weight of the rules that can apply to one host, for an error report. `last` is the
    /// index of the last of these rules that name the host or no host; rules for its parent domains are not considered.
    func heaviest(_ weight: (Int) -> Int) -> (weight: Int, last: Int) {
        func sum(_ list: [Int]) -> Int { list.reduce(0) { $0 + weight($1) } }
        let everywhere = sum(anywhere)
        let domains = below.mapValues { sum($0) }
        var heaviest = (weight: everywhere, last: anywhere.last ?? 0)
        for names in [exact, below] {
            for (name, list) in names {
                var total = everywhere + sum(list)
                for domain in Self.domains(above: name) { total += domains[domain] ?? 0 }
                if total > heaviest.weight { heaviest = (total, max(list.last ?? 0, anywhere.last ?? 0)) }
            }
        }
        return heaviest
    }

    /// Returns the parent domains: `b.c` and `c` for `a.b.c`.
    private static func domains(above host: String) -> some Sequence<String> {
        sequence(state: host[...]) { rest -> String? in
            guard let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            rest = rest[rest.utf8.index(after: dot)...]
            return String(rest)
        }
    }

    /// Returns the index of the last rule that can apply to a host and satisfies a condition.
    func last(of host: String, where fits: (Int) -> Bool) -> Int? {
        var lists: [ArraySlice<Int>] = []
        if !anywhere.isEmpty { lists.append(anywhere[...]) }
        if let list = exact[host] { lists.append(list[...]) }
        if !below.isEmpty {
            for domain in Self.domains(above: host) {
                if let list = below[domain] { lists.append(list[...]) }
            }
        }
        // In descending order of the index, across all lists.
        while let next = lists.indices.max(by: { (lists[$0].last ?? -1) < (lists[$1].last ?? -1) }),
            let index = lists[next].popLast()
        {
            if fits(index) { return index }
        }
        return nil
    }
}
