// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import NameResolution

@Suite(.timeLimit(.minutes(1)))
struct ResolutionRulesTests {
    @Test("The rule of the host counts first, then that of the longest domain")
    func precedence() throws {
        var rules = ResolutionRules()
        #expect(rules.order(for: "shop.example") == .systemFirst)
        rules.defaultOrder = .secureFirst
        try rules.use(.systemFirst, for: "*.example")
        try rules.use(.off, for: "*.shop.example")
        try rules.use(.secureFirst, for: "A.shop.example.")
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
        try rules.use(.secureFirst, for: "*.corp.internal", "*.localhost", "localhost")
        try rules.use(.systemFirst, for: "intranet")
        #expect(rules.order(for: "wiki.corp.internal") == .secureFirst)
        #expect(rules.order(for: "intranet") == .systemFirst)
        #expect(rules.order(for: "a.localhost") == .off)
        #expect(rules.order(for: "localhost") == .off)
    }

    @Test("Public hosts are listed by name or by domain")
    func publicHosts() throws {
        var rules = ResolutionRules()
        #expect(!rules.isPublic("shop.example"))
        try rules.requirePublicAddresses(for: "shop.example", "*.CDN.example")
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
        var rules = ResolutionRules()
        for change in [
            { try rules.use(.off, for: "a.example", text) }, { try rules.requirePublicAddresses(for: text) },
        ] as [() throws -> Void] {
            let error = #expect(throws: NameResolutionError.self) { try change() }
            #expect(error?.code == .invalidName && error?.location == text)
        }
    }
}
