// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@testable import Prefetch

/// Tests of the comparison of request bodies.
@Suite(.timeLimit(.minutes(1)))
struct BodyTests {
    private func body(_ text: String) -> RequestIdentity.Body { RequestIdentity.Body(Data(text.utf8)) }

    @Test(
        "Bodies with the same meaning are equal",
        arguments: [
            (#"{"a":1,"b":[true,null]}"#, " { \"b\" : [ true , null ] ,\n\"a\" : 1 } "),
            (#"{"a":{"y":1,"x":2}}"#, #"{"a":{"x":2,"y":1}}"#),
            (#""\u00e9\/\ud83d\ude00\n""#, "\"é/😀\\u000A\""),
            ("[1,10,-0,0.5,1200]", "[1.0,1e1,0,5E-1,1.2e+3]"),
            ("[0]", "[0e99]"), ("", ""), ("\u{FEFF}{}", "{}"),
        ])
    func same(_ one: String, _ other: String) {
        #expect(body(one) == body(other))
    }

    @Test(
        "Bodies with different meanings are not equal",
        arguments: [
            (#"{"a":1}"#, #"{"a":"1"}"#), (#"{"a":1}"#, #"{"A":1}"#), ("[1,2]", "[2,1]"), ("{}", ""), ("{}", "null"),
            // Both numbers round to the same `Double`.
            ("[9007199254740993]", "[9007199254740992]"), ("[0.1]", "[0.1000000000000000055511151231257827]"),
            ("[1]", "[-1]"), ("[1e2]", "[1e3]"),
            // A composed character, and the same character as two code points.
            ("\"\u{e9}\"", "\"e\u{301}\""), ("{\"\u{e9}\":1}", "{\"e\u{301}\":1}"),
            // Parsers choose different members of the same name, so these bodies are compared as bytes.
            (#"{"a":1,"a":2}"#, #"{"a":2,"a":1}"#), (#"{"a":1,"a":2}"#, #"{ "a":1,"a":2}"#),
            ("a=1&b=2", "b=2&a=1"), ("[1e99999999999999]", "[1e99999999999998]"),
        ])
    func different(_ one: String, _ other: String) {
        #expect(body(one) != body(other))
        #expect(body(one) == body(one))
    }

    @Test("The canonical form is stable, and the order of members does not matter")
    func canonical() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let value = JSONValue.random(depth: 3, &generator)
            let canonical = value.canonical
            #expect(try JSONValue(json: canonical, maxDepth: 64).canonical == canonical)
            #expect(try JSONValue(json: value.text, maxDepth: 64).canonical == canonical)
            #expect(try JSONValue(json: value.shuffled(&generator).text, maxDepth: 64).canonical == canonical)
        }
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, _ generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: .null
        case 1: .bool(.random(using: &generator))
        case 2:
            .number(["0", "-0", "1.50", "12e3", "-7", "1E-2", "100", "0.010"].randomElement(using: &generator) ?? "0")
        case 3, 4:
            .string(["", "a", "\"\\\n\u{1}", "é😀", "\u{2028}", "e\u{301}"].randomElement(using: &generator) ?? "")
        case 5: .array((0..<Int.random(in: 0..<4, using: &generator)).map { _ in random(depth: depth - 1, &generator) })
        default:
            .object(
                ["b", "a", "é", "e\u{301}", "10", "9"].shuffled(using: &generator)
                    .prefix(Int.random(in: 0..<7, using: &generator))
                    .map { Member(name: $0, value: random(depth: depth - 1, &generator)) })
        }
    }

    /// Returns the value with members in another order.
    fileprivate func shuffled(_ generator: inout SeededGenerator) -> JSONValue {
        switch self {
        case .array(let values): return .array(values.map { $0.shuffled(&generator) })
        case .object(let members):
            return .object(
                members.map { Member(name: $0.name, value: $0.value.shuffled(&generator)) }.shuffled(using: &generator))
        default: return self
        }
    }
}
