// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable @_spi(Facade) import SchemeRouter

@Suite("Fixed URLs with a response of a rule", .timeLimit(.minutes(1)))
struct FixedURLsTests {
    private static let page = "https://shop.example/a?b#c"

    private static func rules(_ json: String, deny: String = "") throws -> RouteRules {
        try RouteRules(json: Data(#"{"format":1,"rules":[\#(json)],"deny":[\#(deny)]}"#.utf8))
    }

    private static func urls(_ rules: ActiveRules) -> [String] {
        rules.answeredURLs(ofPageAt: page, isCovered: true)
    }

    @Test(
        "A fixed path that a rule answers or redirects is a URL",
        arguments: [
            (#""action":"block","status":410,"glob":"/gone""#, "/gone"),
            (#""action":"redirect","to":"https://shop.example/b","glob":"/ü""#, "/%C3%BC"),
            (#""action":"respond","methods":["POST","GET"],"glob":"/b""#, "/b"),
            (#""action":"respond","pages":["shop.example/a"],"host":"*.example","glob":"/c""#, "/c"),
        ])
    func fixed(rule: String, path: String) throws {
        #expect(Self.urls(ActiveRules(try Self.rules("{\(rule)}"))) == ["https://shop.example\(path)"])
        let remote = ActiveRules()
        remote.remoteRules = try Self.rules("{\(rule)}")
        #expect(Self.urls(remote) == ["https://shop.example\(path)"])
        #expect(remote.answeredURLs(ofPageAt: Self.page, isCovered: false).isEmpty)
    }

    @Test(
        "Other actions, conditions and patterns have no URL",
        arguments: [
            #""action":"block","glob":"/gone""#, #""action":"intercept","glob":"/a""#, #""action":"pass","glob":"/a""#,
            #""action":"setHeaders","request":{"X-A":"1"},"glob":"/a""#, #""action":"respond""#,
            #""action":"respond","host":"other.example","glob":"/a""#,
            #""action":"respond","scheme":"http","glob":"/a""#, #""action":"respond","methods":["POST"],"glob":"/a""#,
            #""action":"respond","pages":["other.example"],"glob":"/a""#, #""action":"respond","glob":"/api/**""#,
        ])
    func others(rule: String) throws {
        #expect(Self.urls(ActiveRules(try Self.rules("{\(rule)}"))).isEmpty)
    }

    @Test("The deny list, vetoes, later rules and switches remove URLs")
    func removed() throws {
        let respond = #"{"action":"respond","glob":"/a"},{"action":"respond","glob":"/b"}"#
        let rules = ActiveRules(try Self.rules(respond + #",{"action":"intercept","glob":"/b"}"#))
        #expect(Self.urls(rules) == ["https://shop.example/a"])
        rules.rules = try Self.rules(respond, deny: #"{"glob":"/a"}"#)
        #expect(Self.urls(rules) == ["https://shop.example/b"])
        rules.vetoes = [try Self.rules("", deny: #"{"host":"shop.example"}"#)]
        #expect(Self.urls(rules).isEmpty)
        rules.vetoes = []
        rules.isEnabled = false
        #expect(Self.urls(rules).isEmpty)
    }
}
