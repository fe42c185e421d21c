// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable @_spi(Facade) import SchemeRouter

/// The content rules of blocked requests, which are evaluated here as an engine does.
@Suite("Content rules of blocked requests", .timeLimit(.minutes(1)))
struct BlockingRulesTests {
    private struct Rule: Decodable {
        struct Trigger: Decodable {
            let url: String
            let isCaseSensitive: Bool
            let pages: [String]?

            enum CodingKeys: String, CodingKey {
                case url = "url-filter"
                case isCaseSensitive = "url-filter-is-case-sensitive"
                case pages = "if-top-url"
            }
        }

        let trigger: Trigger
        let action: [String: String]
    }

    private static func rules(_ json: String, deny: String = "", isEnabled: Bool = true) throws -> RouteRules {
        let text = #"{"format":1,"enabled":\#(isEnabled),"rules":[\#(json)],"deny":[\#(deny)]}"#
        return try RouteRules(json: Data(text.utf8))
    }

    private static func matches(_ url: String, _ filter: String) throws -> Bool {
        let expression = try NSRegularExpression(pattern: filter)
        return expression.firstMatch(in: url, range: NSRange(location: 0, length: url.utf16.count)) != nil
    }

    /// Returns whether an engine blocks a request of a page.
    private static func blocks(_ json: String?, _ url: String, page: String) throws -> Bool {
        guard let json else { return false }
        var isBlocked = false
        for rule in try JSONDecoder().decode([Rule].self, from: Data(json.utf8)) {
            #expect(rule.trigger.isCaseSensitive)
            guard try matches(url, rule.trigger.url),
                try rule.trigger.pages?.contains(where: { try matches(page, $0) }) ?? true
            else { continue }
            isBlocked = rule.action["type"] == "block"
        }
        return isBlocked
    }

    private static let hosts = ["shop.example", "a.shop.example", "shop.example:8443", "other.example"]
    private static let paths = [
        "/", "/a", "/a.js", "/aXjs", "/a/b", "/a/b/c.js", "/a/b/c.js?x=/d", "/ads/1", "/ads/12", "/ads/123",
        "/ads/1234", "/ads", "/x/ads/1", "/ab", "/abab", "/ac", "/%C3%BC", "/%c3%bc", "/[", "/{a}b", "/A",
        "/.~-_!$&'()*+,;=:@",
    ]

    @Test(
        "An engine blocks the requests that the rules block",
        arguments: [
            #"{"action":"block","host":"shop.example"}"#, #"{"action":"block","host":"*.shop.example"}"#,
            #"{"action":"block","host":"shop.example:443"}"#, #"{"action":"block","host":"shop.example:8443"}"#,
            #"{"action":"block","host":"shop.example:80"}"#, #"{"action":"block","scheme":"https"}"#,
            #"{"action":"block","scheme":"http"}"#, #"{"action":"block","glob":"/a.js"}"#,
            #"{"action":"block","glob":"/a/**"}"#, #"{"action":"block","glob":"/a/*"}"#,
            #"{"action":"block","glob":"/**/*.js"}"#, #"{"action":"block","glob":"**.js"}"#,
            #"{"action":"block","glob":"**/ads/?"}"#, #"{"action":"block","glob":"/ü"}"#,
            #"{"action":"block","glob":"**"}"#, #"{"action":"block","glob":"*/a"}"#,
            #"{"action":"block","expression":"/ads/[0-9]{2,3}"}"#, #"{"action":"block","expression":"/ads/\\d{3,}"}"#,
            #"{"action":"block","expression":"/(a|ads)(/[^/]|/b)?"}"#, #"{"action":"block","expression":"/(a|b)+"}"#,
            #"{"action":"block","expression":"/(ab){1,2}"}"#, #"{"action":"block","expression":"/(a?)*b"}"#,
            #"{"action":"block","expression":"/(a*b?)+"}"#, #"{"action":"block","expression":"/(ab)*"}"#,
            #"{"action":"block","expression":"/(?:a(b|c)){1,2}"}"#, #"{"action":"block","expression":".*js"}"#,
            #"{"action":"block","expression":"/a\\.js|/\\w"}"#, #"{"action":"block","expression":"/[^\\w%.]*"}"#,
            #"{"action":"block"},{"action":"pass","glob":"/a/**"},{"action":"block","glob":"/a/b"}"#,
            #"{"action":"block"},{"action":"intercept","host":"shop.example"},{"action":"block","glob":"/a"}"#,
            #"{"action":"intercept"},{"action":"block","status":404,"glob":"/a"}"#,
            #"{"action":"block","expression":"(/[a-z]{1,2})?/ads/.*"}"#,
            #"{"action":"block","expression":".+/ads/.+"}"#,
            #"{"action":"block"},{"action":"setHeaders","glob":"/ab","response":{"X-A":"1"}}"#,
            #"{"action":"block","pages":["https://shop.example/a/**","other.example"]}"#,
            #"{"action":"block"},{"action":"intercept","pages":["https://*.shop.example"]}"#,
        ])
    func decisions(json: String) throws {
        let rules = ActiveRules(try Self.rules(json))
        let list = try rules.blockingContentRules(coveredHosts: [])
        for scheme in ["https", "http"] {
            for host in Self.hosts {
                for path in Self.paths {
                    for page in ["https://shop.example/a/b", "https://a.shop.example/", "http://shop.example/"] {
                        let url = "\(scheme)://\(host)\(path)"
                        let request = try #require(HTTPRequest(urlText: url))
                        var isBlocked = false
                        if case .block = rules.decide(request, page: page).action { isBlocked = true }
                        #expect(try Self.blocks(list, url, page: page) == isBlocked, "\(url) of \(page)")
                        let socket = "ws" + url.dropFirst(4)
                        #expect(try Self.blocks(list, socket, page: page) == isBlocked, "\(socket) of \(page)")
                    }
                }
            }
        }
        #expect(try !Self.blocks(list, "containerkit://shop.example/a", page: "https://shop.example/"))
    }

    @Test("Deny lists and vetoes cancel blocks, and switches remove the list")
    func vetoes() throws {
        let page = "https://shop.example/"
        let rules = ActiveRules(try Self.rules(#"{"action":"block"}"#, deny: #"{"glob":"/pay/**"}"#))
        rules.vetoes = [try Self.rules("", deny: #"{"host":"bank.example"}"#)]
        let list = try rules.blockingContentRules(coveredHosts: [])
        #expect(try Self.blocks(list, "https://shop.example/a", page: page))
        #expect(try !Self.blocks(list, "https://shop.example/pay/a", page: page))
        #expect(try !Self.blocks(list, "https://bank.example/a", page: page))
        rules.vetoes = [try Self.rules(#"{"action":"pass","pages":["shop.example"]}"#)]
        let changed = try rules.blockingContentRules(coveredHosts: [])
        #expect(try !Self.blocks(changed, "https://cdn.example/a", page: page))
        #expect(try Self.blocks(changed, "https://cdn.example/a", page: "https://cdn.example/"))
        rules.vetoes = [try Self.rules("", isEnabled: false)]
        #expect(try rules.blockingContentRules(coveredHosts: []) == nil)
        rules.vetoes = []
        #expect(try rules.blockingContentRules(coveredHosts: []) != nil)
        rules.isEnabled = false
        #expect(try rules.blockingContentRules(coveredHosts: []) == nil)
    }

    @Test("A block of another host does not cancel a remote block")
    func otherHosts() throws {
        let rules = ActiveRules(
            try Self.rules(#"{"action":"block","host":"ads.example"},{"action":"intercept","host":"shop.example"}"#))
        rules.remoteRules = try Self.rules(#"{"action":"block","host":"shop.example","glob":"/ads/**"}"#)
        let list = try rules.blockingContentRules(coveredHosts: [])
        #expect(try Self.blocks(list, "https://shop.example/ads/1", page: "https://shop.example/"))
        #expect(try !Self.blocks(list, "https://shop.example/a", page: "https://shop.example/"))
        #expect(try Self.blocks(list, "https://ads.example/", page: "https://shop.example/"))
    }

    @Test("Remote blocks apply to hosts that are intercepted, unless a rule of the host has an action")
    func remote() throws {
        let page = "https://shop.example/"
        let rules = ActiveRules(try Self.rules(#"{"action":"pass","glob":"/own/**"}"#))
        rules.remoteRules = try Self.rules(
            """
            {"action":"block","host":"shop.example"},{"action":"block","host":"cdn.example"},
            {"action":"pass","host":"shop.example","glob":"/b"}
            """)
        let list = try rules.blockingContentRules(coveredHosts: [try #require(HostPattern("*.example"))])
        #expect(try Self.blocks(list, "https://shop.example/a", page: page))
        #expect(try Self.blocks(list, "https://cdn.example/b", page: page))
        #expect(try !Self.blocks(list, "https://shop.example/b", page: page))
        #expect(try !Self.blocks(list, "https://shop.example/own/a", page: page))
        rules.rules = try Self.rules(#"{"action":"intercept","host":"cdn.example"}"#)
        let named = try rules.blockingContentRules(coveredHosts: [])
        #expect(try Self.blocks(named, "https://cdn.example/b", page: page))
        #expect(try !Self.blocks(named, "https://shop.example/a", page: page))
    }

    @Test(
        "A block that content rules cannot express is left out",
        arguments: [
            #""methods":["GET"]"#, #""expression":"/(ab|cd)*""#, #""expression":"a/.*""#,
            #""expression":"/.*a[0-9]{9}""#, #""expression":"/(a|bb)(a|bb)(a|bb)(a|bb)(a|bb)""#,
            #""expression":"/(.*a){9}""#, #""pages":["shop.example/*a????????????"]"#,
        ])
    func inexpressible(condition: String) throws {
        let rules = ActiveRules(try Self.rules(#"{"action":"block",\#(condition)}"#))
        #expect(try rules.blockingContentRules(coveredHosts: []) == nil)
        // Another rule with the condition cancels the block of its host.
        rules.rules = try Self.rules(
            #"{"action":"block"},{"action":"intercept","host":"shop.example",\#(condition)}"#)
        let list = try rules.blockingContentRules(coveredHosts: [])
        #expect(try Self.blocks(list, "https://cdn.example/a", page: "https://shop.example/"))
        #expect(try !Self.blocks(list, "https://shop.example/zzz", page: "https://shop.example/"))
    }

    @Test("Without a block there is no list, and the list is limited")
    func limits() throws {
        let rules = ActiveRules(try Self.rules(#"{"action":"respond","status":404,"glob":"/a"}"#))
        #expect(try rules.blockingContentRules(coveredHosts: []) == nil)
        let path = try PathPattern(expression: "/(aa|bb)(aa|bb)(aa|bb)(aa|bb)")
        var limits = RouteLimits()
        limits.maxPositions = .max
        rules.rules = try RouteRules(
            Array(repeating: RouteRule(.block(nil), path: path), count: 3_126), limits: limits)
        #expect(throws: RouteError.self) { try rules.blockingContentRules(coveredHosts: []) }
    }
}
