// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

@Suite("Rules as JSON", .timeLimit(.minutes(1)))
struct RouteDocumentTests {
    private func read(_ text: String, _ limits: RouteLimits = RouteLimits()) throws -> RouteRules {
        try RouteRules(json: Data(text.utf8), limits: limits)
    }

    @Test("A document may have all fields")
    func whole() throws {
        let rules = try read(
            """
            { "format": 1, "enabled": true,
              "rules": [
                { "action": "intercept", "scheme": "https", "host": "*.shop.example", "glob": "/app/**",
                  "methods": ["GET", "HEAD"], "pages": ["https://shop.example/app/**", "m.example"] },
                { "action": "pass", "host": "shop.example:8443", "expression": "/v[0-9]+/live" } ],
              "deny": [ { "host": "pay.example" }, {"glob": "/admin/**"} ] }
            """)
        let first = try RouteRule(
            .intercept, scheme: .https, host: HostPattern("*.shop.example"), path: PathPattern(glob: "/app/**"),
            methods: [.get, .head], pages: [PagePattern("https://shop.example/app/**"), PagePattern("m.example")])
        let second = try RouteRule(
            .pass, host: HostPattern("shop.example:8443"), path: PathPattern(expression: "/v[0-9]+/live"))
        #expect(rules.rules == [first, second] && rules.isEnabled)
        #expect(rules.deny.map(\.host) == [HostPattern("pay.example"), nil])
        #expect(rules.deny.last?.path == (try PathPattern(glob: "/admin/**")))
    }

    @Test("The minimal document has no rules, and `enabled` is the switch")
    func least() throws {
        #expect(try read(#"{"format":1}"#).isEnabled && read(#"{"format":1}"#).rules.isEmpty)
        let off = try read(#"{"format":1,"enabled":false,"rules":[{"action":"intercept"}]}"#)
        let request = try #require(HTTPRequest(urlText: "https://a.example/"))
        #expect(off.decide(request) == RouteDecision(.pass, because: .off))
    }

    @Test(
        "One error rejects the complete document; the error contains the rule and the field",
        arguments: [
            ("", "bad-document: not JSON"), ("{", "bad-document: not JSON"), ("[]", "bad-document: not of type"),
            ("{}", "bad-document: format is missing"),
            (#"{"format":2}"#, "unknown-format: 2; this version supports 1 (format)"),
            (#"{"format":"1"}"#, "bad-document: not of type Int (format)"),
            (#"{"format":1,"rule":[]}"#, "bad-document: unknown name: rule"),
            (#"{"format":1,"enabled":null}"#, "not of type Bool (enabled)"),
            (#"{"format":1,"rules":{}}"#, "bad-document: not of type"),
            (#"{"format":1,"rules":[1]}"#, "(rules[0])"),
            (#"{"format":1,"rules":[{"action":"pass"},{}]}"#, "bad-document: action is missing (rules[1])"),
            (#"{"format":1,"rules":[{"action":"drop"}]}"#, "bad-rule: invalid value: 'drop' (rules[0].action)"),
            (#"{"format":1,"rules":[{"action":"pass","hosts":"a"}]}"#, "unknown name: hosts (rules[0])"),
            (
                #"{"format":1,"rules":[{"action":"pass","host":"a/b"}]}"#,
                "bad-rule: invalid value: 'a/b' (rules[0].host)"
            ),
            (#"{"format":1,"rules":[{"action":"pass","host":7}]}"#, "bad-document: not of type String (rules[0].host)"),
            (#"{"format":1,"rules":[{"action":"pass","scheme":"ftp"}]}"#, "(rules[0].scheme)"),
            (#"{"format":1,"rules":[{"action":"pass","glob":"a"}]}"#, "begin with a slash or a star (rules[0].glob)"),
            (#"{"format":1,"rules":[{"action":"pass","expression":"/(a"}]}"#, "at byte 3 (rules[0].expression)"),
            (
                #"{"format":1,"rules":[{"action":"pass","expression":"/.{64}x{65}"}]}"#,
                "limit: the pattern has more than"
            ),
            (#"{"format":1,"rules":[{"action":"pass","glob":"/","expression":"/"}]}"#, "both a glob and an expression"),
            (#"{"format":1,"rules":[{"action":"pass","methods":[]}]}"#, "(rules[0].methods)"),
            (#"{"format":1,"rules":[{"action":"pass","methods":["GET","A B"]}]}"#, "'A B' (rules[0].methods[1])"),
            (#"{"format":1,"rules":[{"action":"pass","pages":["a/*","b c"]}]}"#, "not a page: b c (rules[0].pages[1])"),
            (#"{"format":1,"deny":[{"action":"pass"}]}"#, "unknown name: action (deny[0])"),
            (
                #"{"format":1,"deny":[{"host":"a","host":"b"}]}"#,
                "bad-document: a name that comes twice in one object: host"
            ),
            (#"{"format":1,"deny":[{"\u0068ost":"a"}]}"#, #"bad-document: a name with escapes: \u0068ost"#),
            (#"{"format":1} x"#, "bad-document: not JSON"), ("{\"format\":1}\0", "bad-document: not UTF-8"),
        ])
    func faults(text: String, message: String) throws {
        let error = #expect(throws: RouteError.self) { _ = try read(text) }
        let description = "\(try #require(error))"
        #expect(description.contains(message), "\(description)")
        #expect(!description.contains("\n") && description.utf8.count < 400)
    }

    @Test("The error for a hostile value is one short line")
    func hostileText() throws {
        let error = #expect(throws: RouteError.self) {
            _ = try read(
                #"{"format":1,"rules":[{"action":"pass","host":"a\n\u001b[2Jerror: \#(String(repeating: "x", count: 150))"}]}"#
            )
        }
        let text = "\(try #require(error))"
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 } && text.utf8.count < 400)
    }

    @Test("Limits on bytes, rules, lists and lengths are checked")
    func limits() throws {
        var limits = RouteLimits()
        limits.maxBytes = 100
        limits.maxRules = 2
        limits.maxListCount = 1
        limits.maxTextLength = 10
        let any = #"{"action":"pass"}"#
        #expect(try read(#"{"format":1,"rules":[\#(any),\#(any)]}"#, limits).rules.count == 2)
        for (text, message) in [
            (#"{"format":1,"rules":[\#(any),\#(any)],"deny":[{}]}"#, "limit: more than 2 rules (deny)"),
            (String(repeating: " ", count: 101), "limit: 101 bytes, limit 100"),
            (#"{"format":1,"rules":[{"action":"pass","methods":["A","B"]}]}"#, "limit: 2 items"),
            (
                #"{"format":1,"rules":[{"action":"pass","glob":"/1234567890"}]}"#,
                "limit: longer than 10 bytes (rules[0].glob)"
            ),
        ] {
            let error = #expect(throws: RouteError.self) { _ = try read(text, limits) }
            #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(String(describing: error))")
        }
    }

    @Test("Deep nesting is rejected without recursion")
    func nesting() throws {
        let deep = String(repeating: "[", count: 100_000)
        #expect(throws: RouteError.self) { _ = try read(#"{"format":1,"rules":"# + deep) }
    }
}
