// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import SchemeRouter
import Testing

/// Rules of others than the host.
@Suite("Objections")
struct VetoTests {
    private func request(_ path: String, host: String = "shop.example") -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: host, path: path)
    }

    @Test("They keep out by switch, deny list and rule, and let nothing in")
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
        // The host's word goes before theirs.
        live.isEnabled = false
        #expect(live.decide(request("/a/b")).reason == .off && !live.isOn)
        live.isEnabled = true
        live.vetoes = [try RouteRules([], isEnabled: false)]
        #expect(live.decide(request("/")).reason == .veto(.off) && !live.isOn)
    }

    @Test("An origin that one of them denies as a whole is not opened")
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
