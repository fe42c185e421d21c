// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Prefetch
internal import WebSyntax

/// The fixed part of a request in a table: the names and values of the query and the body.
struct FixedPart: Sendable {
    struct Item: Sendable, Hashable {
        /// The name, or an empty string for a value without a name.
        let name: String
        let value: String
    }

    private(set) var items: [Item]
    /// The items that a body labels by a value: `{"name":"a","value":"b"}` is equivalent to `{"a":"b"}`.
    private(set) var labelled: [Item] = []

    init(query: String?, body: JSONValue?) {
        items = PageParameters(query: query).pairs.map { Item(name: $0.name, value: $0.value) }
        if let body { add(body, of: "") }
    }

    /// All items, including those nested in names and values.
    var all: [Item] { items + labelled + (items + labelled).flatMap { NestedItems(in: $0).items } }

    /// Returns the names whose values differ between both parts, without duplicates, in the order of this part.
    func differences(from other: FixedPart) -> [String] {
        let (mine, theirs) = (byName, other.byName)
        var known: Set<ByteText> = []
        return (items + other.items).map(\.name).filter { name in
            let key = ByteText(name)
            return mine[key] != theirs[key] && known.insert(key).inserted
        }
    }

    /// The values by name. Names and values are compared by bytes, as servers do.
    private var byName: [ByteText: [ByteText]] {
        Dictionary(grouping: items) { ByteText($0.name) }.mapValues { $0.map { ByteText($0.value) } }
    }

    /// Adds a value. Elements of an array have the name of the array. The recursion ends, because the parser limits the
    /// depth.
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

    /// Adds the name of an array or object with an empty value.
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
