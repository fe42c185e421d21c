// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A JSON value that a test changes and writes. It is independent of the parser under test.
enum JSONValue: Sendable, Equatable {
    case string(String)
    case number(Int)
    case bool(Bool)
    case array([JSONValue])
    case object([String: JSONValue])
    /// The value of a missing member. To assign it removes the member.
    case missing

    /// The member of an object. To assign it to another value creates an object.
    subscript(_ name: String) -> JSONValue {
        get {
            guard case .object(let members) = self else { return .missing }
            return members[name] ?? .missing
        }
        set {
            var members: [String: JSONValue] = [:]
            if case .object(let old) = self { members = old }
            members[name] = newValue == .missing ? nil : newValue
            self = .object(members)
        }
    }

    /// The elements of an array. An empty array if the value is no array.
    var elements: [JSONValue] {
        get {
            guard case .array(let elements) = self else { return [] }
            return elements
        }
        set { self = .array(newValue) }
    }

    /// The members of an object. An empty dictionary if the value is no object.
    var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    /// The integer, or 0 if the value is no number.
    var integer: Int {
        get {
            guard case .number(let number) = self else { return 0 }
            return number
        }
        set { self = .number(newValue) }
    }

    /// The canonical form.
    var canonical: Data { Data(text().utf8) }

    /// Returns the JSON text with sorted names and with white space around the values if `space` is not empty.
    func text(space: String = "") -> String {
        switch self {
        case .string(let text): Self.quote(text)
        case .number(let number): "\(number)"
        case .bool(let flag): flag ? "true" : "false"
        case .array(let elements):
            "[" + elements.map { space + $0.text(space: space) }.joined(separator: ",") + space + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { space + Self.quote($0.key) + space + ":" + space + $0.value.text(space: space) }
                .joined(separator: ",") + space + "}"
        case .missing: "null"
        }
    }

    /// The texts of tests have no control characters.
    private static func quote(_ text: String) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(escaped)\""
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
