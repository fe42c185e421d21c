// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Rules by the hosts that they are about, so that a request is held only against those that may fit.
struct RouteIndex: Sendable {
    // Positions in the list, in ascending order.
    private var exact: [String: [Int]] = [:]
    /// By domain: of all hosts below it.
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

    /// The last rule that may be about a host and fits.
    func last(of host: String, where fits: (Int) -> Bool) -> Int? {
        var lists: [ArraySlice<Int>] = []
        if !anywhere.isEmpty { lists.append(anywhere[...]) }
        if let list = exact[host] { lists.append(list[...]) }
        if !below.isEmpty {
            var domain = host[...]
            while let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) {
                domain = domain[domain.utf8.index(after: dot)...]
                if let list = below[String(domain)] { lists.append(list[...]) }
            }
        }
        // From the highest index down, across all lists.
        while let next = lists.indices.max(by: { (lists[$0].last ?? -1) < (lists[$1].last ?? -1) }),
            let index = lists[next].popLast()
        {
            if fits(index) { return index }
        }
        return nil
    }
}
