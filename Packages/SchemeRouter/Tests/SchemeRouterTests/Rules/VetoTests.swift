// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import SchemeRouter
import Testing

/// Rule sets that can veto interception.
@Suite("Vetoes")
struct VetoTests {
    private func request(_ path: String, host: String = "shop.example") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: host, path: path)
    }

    @Test("A veto prevents interception by switch, deny list or rule, and never enables it")
    func decide() throws {
        let live = ActiveRules(try RouteRules([RouteRule(.intercept, host: HostPattern("shop.example"))]))
        #expect(live.decide(request("/")).action == .intercept && live.isOn)
        live.vetoes = [
            try RouteRules(
                [
                    RouteRule(.pass, pages: [PagePattern("m.example")]),
                    RouteRule(.intercept, host: HostPattern("b.example")),
                ]),
            try RouteRules([], deny: [RouteRule(.pass, path: PathPattern(glob: "/a/**"))]),
        ]
        #expect(live.decide(request("/")) == RouteDecision(.intercept, because: .rule(0)))
        let denied = live.decide(request("/a/b"))
        #expect(denied == RouteDecision(.pass, because: .veto(.denied(0))))
        #expect("\(denied)" == "pass: veto, deny[0]")
        #expect(
            live.decide(request("/"), page: "https://m.example/")
                == RouteDecision(.pass, because: .veto(.rule(0))))
        #expect(live.decide(request("/", host: "b.example")) == RouteDecision(.pass, because: .uncovered))
        // The host's own switch has priority.
        live.isEnabled = false
        #expect(live.decide(request("/a/b")).reason == .off && !live.isOn)
        live.isEnabled = true
        live.vetoes = [try RouteRules([], isEnabled: false)]
        #expect(live.decide(request("/")).reason == .veto(.off) && !live.isOn)
    }

    @Test("An origin that a veto denies completely is not intercepted")
    func origins() throws {
        let live = ActiveRules(try RouteRules([RouteRule(.intercept, host: HostPattern("*.example"))]))
        live.vetoes = [
            try RouteRules(
                [RouteRule(.pass, pages: [PagePattern("m.example")])],
                deny: [
                    RouteRule(.pass, host: HostPattern("pay.example")),
                    RouteRule(.pass, host: HostPattern("shop.example"), path: PathPattern(glob: "/a/**")),
                ])
        ]
        for (host, isOpened) in [
            ("pay.example", false), ("shop.example", true), ("m.example", true), ("x.other", false),
        ] {
            #expect(live.mayIntercept(originOf: request("/", host: host), isCovered: false) == isOpened, "\(host)")
        }
        live.vetoes = [try RouteRules([], isEnabled: false)]
        #expect(!live.mayIntercept(originOf: request("/"), isCovered: true))
    }
}
