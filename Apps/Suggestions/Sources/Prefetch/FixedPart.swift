// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch

/// What of a request a table would write down: the names and values of a query and of a body.
struct FixedPart: Sendable {
    struct Item: Sendable, Hashable {
        /// Empty where there is none.
        let name: String
        let value: String
    }

    private(set) var items: [Item]
    /// What a body calls by a value: `{"name":"a","value":"b"}` says what `{"a":"b"}` does.
    private(set) var labelled: [Item] = []

    init(query: String?, body: JSONValue?) {
        items = PageParameters(query: query).pairs.map { Item(name: $0.name, value: $0.value) }
        if let body { add(body, of: "") }
    }

    /// What is written down, and what lies inside of it.
    var all: [Item] { items + labelled + (items + labelled).flatMap { NestedItems(in: $0).items } }

    /// The names whose values differ, each once, in the order of this one.
    func differences(from other: FixedPart) -> [String] {
        let (mine, theirs) = (byName, other.byName)
        var known: Set<String> = []
        return (items + other.items).map(\.name).filter { mine[$0] != theirs[$0] && known.insert($0).inserted }
    }

    private var byName: [String: [String]] {
        Dictionary(grouping: items, by: \.name).mapValues { $0.map(\.value) }
    }

    /// Values in lists have their list's name. How deep it goes is limited by who reads the body.
    private mutating func add(_ value: JSONValue, of name: String) {
        switch value {
        case .null: items.append(Item(name: name, value: "null"))
        case .bool(let flag): items.append(Item(name: name, value: flag ? "true" : "false"))
        case .number(let text), .string(let text): items.append(Item(name: name, value: text))
        case .array(let values):
            addName(name)
            for value in values { add(value, of: name) }
        case .object(let members):
            addName(name)
            for member in members { add(member.value, of: member.name) }
            addLabels(members)
        }
    }

    /// The name of what has no value of its own.
    private mutating func addName(_ name: String) {
        if !name.isEmpty { items.append(Item(name: name, value: "")) }
    }

    private mutating func addLabels(_ members: [JSONValue.Member]) {
        let values = members.filter { $0.name.lowercased() == "value" }
        guard !values.isEmpty else { return }
        for member in members where ["key", "name"].contains(member.name.lowercased()) {
            guard case .string(let label) = member.value else { continue }
            for value in values {
                switch value.value {
                case .number(let text), .string(let text): labelled.append(Item(name: label, value: text))
                default: labelled.append(Item(name: label, value: ""))
                }
            }
        }
    }
}
