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
    var canonical: Data { Data(text(isCanonical: true).utf8) }

    /// Returns the JSON text with sorted names and with white space around the values if `space` is not empty.
    /// - Parameter isCanonical: a Boolean value that indicates whether line feeds in strings stay unescaped.
    func text(space: String = "", isCanonical: Bool = false) -> String {
        switch self {
        case .string(let text): Self.quote(text, isCanonical)
        case .number(let number): "\(number)"
        case .bool(let flag): flag ? "true" : "false"
        case .array(let elements):
            "[" + elements.map { space + $0.text(space: space, isCanonical: isCanonical) }.joined(separator: ",")
                + space + "]"
        case .object(let members):
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { name, value in
                    space + Self.quote(name, isCanonical) + space + ":" + space
                        + value.text(space: space, isCanonical: isCanonical)
                }
                .joined(separator: ",") + space + "}"
        case .missing: "null"
        }
    }

    /// The texts of tests have no control characters but line feeds.
    private static func quote(_ text: String, _ isCanonical: Bool) -> String {
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(isCanonical ? escaped : escaped.replacingOccurrences(of: "\n", with: "\\n"))\""
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
