// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable @_spi(Facade) import SchemeRouter

@Suite("URLs with an action", .timeLimit(.minutes(1)))
struct ActionURLsTests {
    private static let page = "https://shop.example/a?b#c"

    private static func rules(_ json: String, isEnabled: Bool = true) throws -> RouteRules {
        try RouteRules(json: Data(#"{"format":1,"enabled":\#(isEnabled),"rules":[\#(json)]}"#.utf8))
    }

    @Test(
        "A fixed path is a URL, and everything below a path a beginning of URLs",
        arguments: [
            (#""action":"block","status":410,"glob":"/gone""#, ["https://shop.example/gone"], []),
            (#""action":"setHeaders","request":{"X-A":"1"},"glob":"/api/**""#, [], ["https://shop.example/api/"]),
            (#""action":"setHeaders","request":{"X-A":"1"},"host":"shop.example""#, [], ["https://shop.example/"]),
            (
                #""action":"redirect","to":"https://shop.example/b","expression":"/ü""#,
                ["https://shop.example/%C3%BC"], []
            ),
            (#""action":"respond","glob":"**""#, [], ["https://shop.example/"]),
            (#""action":"respond","methods":["POST","GET"],"glob":"/a""#, ["https://shop.example/a"], []),
        ])
    func literals(_ rule: String, _ files: [String], _ beginnings: [String]) throws {
        let urls = ActiveRules(try Self.rules("{\(rule)}")).actionURLs(ofOriginOf: Self.page)
        #expect(urls.files == files && urls.beginnings == beginnings)
        let remote = ActiveRules()
        remote.remoteRules = try Self.rules("{\(rule)}")
        #expect(remote.actionURLs(ofOriginOf: Self.page) == urls)
    }

    @Test(
        "Rules of other origins, methods, actions and patterns have no URLs",
        arguments: [
            #""action":"block","glob":"/gone""#, #""action":"intercept","glob":"/a""#, #""action":"pass""#,
            #""action":"respond","host":"other.example""#, #""action":"respond","scheme":"http""#,
            #""action":"respond","methods":["POST"]"#, #""action":"respond","glob":"/*.json""#,
            #""action":"respond","expression":"a""#,
        ])
    func others(_ rule: String) throws {
        let action = #"{"action":"respond","glob":"/flags"},"#
        let urls = ActiveRules(try Self.rules(action + "{\(rule)}")).actionURLs(ofOriginOf: Self.page)
        #expect(urls.files == ["https://shop.example/flags"] && urls.beginnings.isEmpty)
    }

    @Test("Rules that are off have no URLs")
    func off() throws {
        let rules = ActiveRules(try Self.rules(#"{"action":"respond"}"#))
        #expect(!rules.actionURLs(ofOriginOf: Self.page).beginnings.isEmpty)
        rules.isEnabled = false
        #expect(rules.actionURLs(ofOriginOf: Self.page) == ActionURLs())
        rules.isEnabled = true
        #expect(rules.actionURLs(ofOriginOf: "data:text/html,a") == ActionURLs())
    }
}
