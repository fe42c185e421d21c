// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

@Suite("Route rules", .timeLimit(.minutes(1)))
struct RouteRulesTests {
    private func request(_ url: String, _ method: HTTPRequest.Method = .get) throws -> HTTPRequest {
        try #require(HTTPRequest(method: method, urlText: url))
    }

    private func host(_ text: String) throws -> HostPattern {
        try #require(HostPattern(text))
    }

    @Test("Without rules, exactly the covered requests are intercepted")
    func none() throws {
        let request = try request("https://shop.example/")
        #expect(RouteRules.none.decide(request) == RouteDecision(.pass, because: .uncovered))
        #expect(RouteRules.none.decide(request, isCovered: true) == RouteDecision(.intercept, because: .covered))
    }

    @Test("The last matching rule decides, independently of its host index")
    func order() throws {
        let rules = try RouteRules([
            RouteRule(.intercept, host: host("*.shop.example")),
            RouteRule(.pass, path: PathPattern(glob: "/api/**")),
            RouteRule(.intercept, host: host("a.shop.example"), path: PathPattern(glob: "/api/cached/**")),
            RouteRule(.pass, host: host("*.example"), path: PathPattern(glob: "/api/cached/never")),
        ])
        for (url, action, reason) in [
            ("https://a.shop.example/x", .intercept, .rule(0)), ("https://a.shop.example/api/x", .pass, .rule(1)),
            ("https://a.shop.example/api/cached/x", .intercept, .rule(2)),
            ("https://b.shop.example/api/cached/x", .pass, .rule(1)),
            ("https://a.shop.example/api/cached/never", .pass, .rule(3)), ("https://shop.example/x", .pass, .uncovered),
            ("https://other.test/api/", .pass, .rule(1)),
        ] as [(String, RouteAction, RouteDecision.Reason)] {
            #expect(rules.decide(try request(url)) == RouteDecision(action, because: reason), "\(url)")
        }
        // A rule has priority over other coverage.
        #expect(rules.decide(try request("https://shop.example/api/x"), isCovered: true).action == .pass)
    }

    @Test("The rules determine before a request whether its origin may be intercepted")
    func origins() throws {
        let origin = try request("https://shop.example/")
        let path = try PathPattern(glob: "/api/**")
        let shop = try host("shop.example")
        func may(_ rules: [RouteRule], deny: [RouteRule] = [], isCovered: Bool = false, isOn: Bool = true) throws
            -> Bool
        {
            try RouteRules(rules, deny: deny, isEnabled: isOn).mayIntercept(originOf: origin, isCovered: isCovered)
        }
        #expect(try !may([]))
        #expect(try may([], isCovered: true))
        #expect(try may([RouteRule(.intercept, host: shop, path: path)]))
        #expect(try !may([RouteRule(.intercept, scheme: .http, host: shop)]))
        #expect(try !may([RouteRule(.intercept, host: host("other.example"))]))
        // The last rule for the complete origin decides, together with the rules after it.
        #expect(try !may([RouteRule(.intercept, host: shop), RouteRule(.pass, host: shop)], isCovered: true))
        #expect(try may([RouteRule(.pass, host: shop), RouteRule(.intercept, host: shop, methods: [.get])]))
        #expect(try may([RouteRule(.intercept, host: shop), RouteRule(.pass, host: shop, path: path)]))
        #expect(try may([RouteRule(.pass, host: shop, path: path)], isCovered: true))
        // A deny entry for the whole origin prevents interception of the origin; an entry for some requests does not.
        #expect(try !may([RouteRule(.intercept)], deny: [RouteRule(.pass, host: shop)], isCovered: true))
        #expect(try may([RouteRule(.intercept)], deny: [RouteRule(.pass, host: shop, path: path)]))
        #expect(try !may([RouteRule(.intercept)], isCovered: true, isOn: false))
    }

    @Test("All conditions of a rule must match: scheme, host and port, method, path, page")
    func parts() throws {
        let rules = try RouteRules([
            RouteRule(
                .intercept, scheme: .https, host: host("shop.example:443"), path: PathPattern(expression: "/[a-z]+"),
                methods: [.get, .head], pages: [PagePattern("https://*.shop.example/app/**"), PagePattern("m.example")])
        ])
        let page = "https://a.shop.example/app/x"
        for (url, method, page, fits) in [
            ("https://shop.example/a", .get, page, true), ("HTTPS://SHOP.example:443/a?q", .head, page, true),
            ("https://shop.example/a", .get, "http://m.example:8080/", true),
            ("http://shop.example/a", .get, page, false),
            ("https://shop.example:444/a", .get, page, false), ("https://shop.example/a", .post, page, false),
            ("https://shop.example/1", .get, page, false), ("https://shop.example/a", .get, nil, false),
            ("https://shop.example/a", .get, "https://shop.example/app/x", false),
            ("https://shop.example/a", .get, "https://a.shop.example/", false),
            ("https://shop.example/a", .get, "http://a.shop.example/app/x", false),
            ("https://shop.example/a", .get, "about:blank", false),
        ] as [(String, HTTPRequest.Method, String?, Bool)] {
            let decision = rules.decide(try request(url, method), page: page)
            #expect(
                decision == (fits ? RouteDecision(.intercept, because: .rule(0)) : .init(.pass, because: .uncovered)))
        }
    }

    @Test(
        "The deny list has priority over rules and packages, for each spelling of the URL",
        arguments: [
            "https://pay.example/", "https://PAY.example/", "https://pay.example./x", "https://pay.example.:443/",
            "https://a.pay.example/", "https://shop.example/secret/x", "https://shop.example/%73ecret/x",
            "https://shop.example/a/../secret/x", "https://shop.example/%2e/secret/x",
            "https://shop.example/\\secret/x",
        ])
    func deny(url: String) throws {
        let rules = try RouteRules(
            [RouteRule(.intercept), RouteRule(.intercept, host: host("pay.example"))],
            deny: [
                RouteRule(.intercept, host: host("pay.example")), RouteRule(.pass, host: host("*.pay.example")),
                RouteRule(.pass, host: host("shop.example."), path: PathPattern(glob: "/**/secret/**")),
            ])
        let decision = rules.decide(try request(url), isCovered: true)
        guard case .denied = decision.reason, decision.action == .pass else {
            // A different spelling of the slash is another path, which may be intercepted.
            Issue.record("\(url): \(decision)")
            return
        }
        #expect(rules.decide(try request("https://shop.example/x")) == RouteDecision(.intercept, because: .rule(0)))
    }

    @Test(
        "A URL that cannot be evaluated is not intercepted",
        arguments: [
            "ftp://shop.example/", "https://user@shop.example/", "https://shop.example:x/",
            "containerkit://shop.example/",
            "https://\(String(repeating: "a", count: 300))/",
            "https://shop.example/\(String(repeating: "a", count: 4_096))",
        ])
    func unreadable(url: String) throws {
        let decision = try RouteRules([RouteRule(.intercept)]).decide(try request(url), isCovered: true)
        #expect(decision == RouteDecision(.pass, because: .unreadable))
    }

    @Test("A single switch turns interception off and on")
    func switches() throws {
        let live = ActiveRules(try RouteRules([RouteRule(.intercept)]))
        let request = try request("https://shop.example/")
        #expect(live.decide(request).action == .intercept)
        live.isEnabled = false
        #expect(live.decide(request, isCovered: true) == RouteDecision(.pass, because: .off))
        live.isEnabled = true
        live.rules = try RouteRules([RouteRule(.intercept)], isEnabled: false)
        #expect(live.decide(request, isCovered: true) == RouteDecision(.pass, because: .off))
        live.rules = .none
        #expect(live.decide(request, isCovered: true) == RouteDecision(.intercept, because: .covered))
    }

    @Test("Rules are replaced atomically")
    func swap() async throws {
        // Each rule set has its own index.
        let old = try RouteRules([RouteRule(.intercept)])
        let new = try RouteRules([RouteRule(.pass, path: PathPattern(glob: "/none")), RouteRule(.pass)])
        let live = ActiveRules(old)
        let request = try request("https://shop.example/")
        let seen = await withTaskGroup(of: Set<RouteDecision>.self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<400).reduce(into: []) { seen, _ in seen.insert(live.decide(request)) } }
            }
            for round in 0..<400 { live.rules = round.isMultiple(of: 2) ? new : old }
            return await group.reduce(into: Set<RouteDecision>()) { $0.formUnion($1) }
        }
        #expect(
            seen.isSubset(of: [RouteDecision(.intercept, because: .rule(0)), RouteDecision(.pass, because: .rule(1))]))
    }

    @Test("Three thousand rules are evaluated by host, so few of them are compared", .timeLimit(.minutes(1)))
    func many() throws {
        var rules = try (0..<2_999).map { index in
            RouteRule(.intercept, host: try host("h\(index).example"), path: try PathPattern(glob: "/\(index)/*.js"))
        }
        rules.append(RouteRule(.pass, path: try PathPattern(glob: "/never/**")))
        let all = try RouteRules(rules)
        for index in stride(from: 0, to: 2_999, by: 97) {
            let decision = all.decide(try request("https://h\(index).example/\(index)/a.js"))
            #expect(decision == RouteDecision(.intercept, because: .rule(index)))
        }
    }

    @Test("The positions of all patterns for one host are limited, and so is their sum")
    func positions() throws {
        let pattern = try PathPattern(glob: "/*a*")
        var limits = RouteLimits()
        limits.maxPositions = 9
        limits.maxTotalPositions = 18
        let ofHosts = try (0..<6).map { RouteRule(.pass, host: try host("h\($0).example"), path: pattern) }
        _ = try RouteRules(ofHosts, limits: limits)
        // Three of these apply to h0.example: its own rule, the domain's, and the one for all hosts.
        let below = RouteRule(.pass, host: try host("*.example"), path: pattern)
        let any = RouteRule(.pass, path: pattern)
        _ = try RouteRules([ofHosts[0], below, any], limits: limits)
        for (rules, deny, place) in [
            ([ofHosts[0], below, any, any], [], "rules[3]"), ([ofHosts[0], below], [any, any], nil),
            (ofHosts + [below], [], "rules[6]"), ([], [below, any, any, any], "deny[3]"),
        ] as [([RouteRule], [RouteRule], String?)] {
            let error = #expect(throws: RouteError.self) { _ = try RouteRules(rules, deny: deny, limits: limits) }
            #expect(error?.code == .limit && (place == nil || error?.location == place), "\(String(describing: error))")
        }
    }

    @Test("Limits on rules, lengths and patterns are checked")
    func limits() throws {
        var limits = RouteLimits()
        limits.maxRules = 2
        limits.maxTextLength = 20
        limits.maxListCount = 2
        limits.maxPositions = 4
        let any = RouteRule(.pass)
        _ = try RouteRules([any], deny: [any], limits: limits)
        let long = try PathPattern(glob: "/" + String(repeating: "a", count: 20))
        let complex = try RouteRule(.pass, path: PathPattern(glob: "/*a*"))
        for (rules, deny, place) in [
            ([any, any], [any], nil), ([any], [RouteRule(.pass, path: long)], "deny[0].path"),
            ([any, RouteRule(.pass, methods: [.get, .put, .post])], [], "rules[1].methods"),
            ([any, RouteRule(.pass, pages: Array(repeating: try PagePattern("a"), count: 3))], [], "rules[1].pages"),
            ([complex, complex], [], "rules[1]"),
        ] as [([RouteRule], [RouteRule], String?)] {
            #expect {
                _ = try RouteRules(rules, deny: deny, limits: limits)
            } throws: { error in
                (error as? RouteError)?.code == .limit && (error as? RouteError)?.location == place
            }
        }
    }
}
