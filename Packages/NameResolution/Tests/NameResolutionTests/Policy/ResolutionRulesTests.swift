// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import NameResolution

@Suite(.timeLimit(.minutes(1)))
struct ResolutionRulesTests {
    private func rule(_ text: String) throws -> HostRule { try #require(HostRule(text)) }

    @Test("The rule of the host counts first, then that of the longest domain")
    func precedence() throws {
        var rules = ResolutionRules()
        #expect(rules.order(for: "shop.example") == .systemFirst)
        rules.defaultOrder = .secureFirst
        rules.orders = [
            try rule("*.example"): .systemFirst, try rule("*.shop.example"): .off,
            try rule("a.shop.example"): .secureFirst,
        ]
        for (host, order): (String, ResolutionOrder) in [
            ("a.shop.example", .secureFirst), ("A.SHOP.example.", .secureFirst), ("b.shop.example", .off),
            ("x.a.shop.example", .off), ("shop.example", .systemFirst), ("eshop.example", .systemFirst),
            ("example", .off), ("other.test", .secureFirst),
        ] {
            #expect(rules.order(for: host) == order, "\(host)")
        }
    }

    @Test("Local names do not go to secure resolvers")
    func localNames() throws {
        var rules = ResolutionRules()
        rules.defaultOrder = .secureFirst
        for host in [
            "localhost", "a.localhost", "LOCALHOST.", "printer.local", "a.home.arpa", "wiki.corp.internal", "intranet",
            "192.0.2.1", "[::1]", "", "a b",
        ] {
            #expect(rules.order(for: host) == .off, "\(host)")
        }
        rules.orders = [
            try rule("*.corp.internal"): .secureFirst, try rule("intranet"): .systemFirst,
            try rule("*.localhost"): .secureFirst, try rule("localhost"): .secureFirst,
        ]
        #expect(rules.order(for: "wiki.corp.internal") == .secureFirst)
        #expect(rules.order(for: "intranet") == .systemFirst)
        #expect(rules.order(for: "a.localhost") == .off)
        #expect(rules.order(for: "localhost") == .off)
    }

    @Test("Public hosts are listed by name or by domain")
    func publicHosts() throws {
        var rules = ResolutionRules()
        #expect(!rules.isPublic("shop.example"))
        rules.publicHosts = [try rule("shop.example"), try rule("*.cdn.example")]
        for host in ["shop.example", "SHOP.example.", "a.cdn.example", "b.a.cdn.example"] {
            #expect(rules.isPublic(host), "\(host)")
        }
        for host in ["a.shop.example", "cdn.example", "example", "192.0.2.1", ""] {
            #expect(!rules.isPublic(host), "\(host)")
        }
    }

    @Test(
        "Other texts are not rules",
        arguments: [
            "", "*", "*.", "*.*.a", "a.*", "192.0.2.1", "[::1]", "a:443", "https://a", "a b", "*.\u{301}a.example",
        ])
    func invalid(text: String) {
        #expect(HostRule(text) == nil)
    }

    @Test("A rule has a text", arguments: [("Shop.example.", "shop.example"), ("*.Shop.example", "*.shop.example")])
    func texts(text: String, description: String) throws {
        #expect(try rule(text).description == description)
    }
}
