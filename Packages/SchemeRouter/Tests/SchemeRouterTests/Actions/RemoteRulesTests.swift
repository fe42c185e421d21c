// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import SchemeRouter

@Suite("Remote rules", .timeLimit(.minutes(1)))
struct RemoteRulesTests {
    private struct Document: Decodable {
        let rules: RouteRules

        enum Names: CodingKey { case rules }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Names.self)
            rules = try RouteRules(remote: container.superDecoder(forKey: .rules))
        }
    }

    private func read(_ rules: String) throws -> RouteRules {
        try JSONDecoder().decode(Document.self, from: Data(#"{"rules":[\#(rules)]}"#.utf8)).rules
    }

    private func request(_ url: String) throws -> HTTPRequest {
        try #require(HTTPRequest(urlText: url))
    }

    @Test(
        "A remote rule cannot intercept, and cannot set the fields with which a site restricts its pages",
        arguments: [
            (#""action":"intercept""#, "a remote rule cannot intercept (rules[0].action)"),
            (#""action":"setHeaders","request":{"Authorization":"a"}"#, "(rules[0].request.Authorization)"),
            (
                #""action":"setHeaders","response":{"Content-Security-Policy-Report-Only":null}"#,
                "(rules[0].response.Content-Security-Policy-Report-Only)"
            ),
            (#""action":"setHeaders","response":{"Access-Control-Allow-Origin":"*"}"#, "cannot set the field"),
            (#""action":"respond","fields":{"Cross-Origin-Opener-Policy":"a"}"#, "(rules[0].fields.Cross-Origin"),
            (#""action":"setHeaders","response":{"x-frame-options":null}"#, "cannot set the field x-frame-options"),
            (#""action":"respond","fields":{"WWW-Authenticate":"Basic"}"#, "(rules[0].fields.WWW-Authenticate)"),
            (#""action":"respond","fields":{"Expires":"0"}"#, "(rules[0].fields.Expires)"),
            (#""action":"setHeaders","response":{"Age":null}"#, "(rules[0].response.Age)"),
            (#""action":"setHeaders","response":{"Cache-Control":null}"#, "(rules[0].response.Cache-Control)"),
            (
                #""action":"setHeaders","response":{"Cache-Control":"no-cache, max-age=1"}"#,
                "(rules[0].response.Cache-Control)"
            ),
            (#""action":"respond","fields":{"Cache-Control":""}"#, "(rules[0].fields.Cache-Control)"),
            (#""action":"block""#, "a remote rule needs a host (rules[0].host)"),
            (#""action":"block","hosts":"a""#, "unknown name: hosts (rules[0])"),
        ])
    func refused(members: String, message: String) throws {
        let error = #expect(throws: RouteError.self) { _ = try read("{\(members)}") }
        #expect(error.map { "\($0)".contains(message) } == true, "\(String(describing: error))")
    }

    @Test("Remote rules may prevent that a response is stored", arguments: ["no-store", "No-Cache , no-store"])
    func uncached(value: String) throws {
        let rule = #"{"action":"setHeaders","host":"a.example","response":{"Cache-Control":"\#(value)"}}"#
        #expect(try read(rule).rules.count == 1)
    }

    @Test("The app must name the hosts of the rules and of their redirects")
    func hostsToName() throws {
        let rules = try read(
            #"""
            {"action":"pass","host":"a.example"},{"action":"block","host":"*.b.example"},
            {"action":"redirect","host":"c.example","to":"https://{host}/"},
            {"action":"redirect","host":"c.example","to":"http://d.example:81/"}
            """#)
        #expect(rules.hostsToName == ["*.b.example", "c.example", "d.example:81"])
        try rules.checkRemote(within: rules.hostsToName.compactMap { HostPattern($0) })
    }

    @Test("The number of remote rules is limited")
    func limit() throws {
        let rule = #"{"action":"pass"}"#
        #expect(try read(Array(repeating: rule, count: 200).joined(separator: ",")).rules.count == 200)
        let error = #expect(throws: RouteError.self) {
            _ = try read(Array(repeating: rule, count: 201).joined(separator: ","))
        }
        #expect(error?.code == .limit && error?.location == "rules")
    }

    @Test(
        "Remote rules change only named hosts, and redirect only to them or to the host of the request",
        arguments: [
            (#"{"action":"pass"}"#, nil), (#"{"action":"pass","host":"other.test"}"#, nil),
            (#"{"action":"block","host":"shop.example"}"#, nil), (#"{"action":"block","host":"a.cdn.example"}"#, nil),
            (#"{"action":"block","host":"*.a.cdn.example"}"#, nil),
            (#"{"action":"block","host":"*.cdn.example"}"#, nil),
            (#"{"action":"block"}"#, "rules[0].host"), (#"{"action":"block","host":"cdn.example"}"#, "rules[0].host"),
            (#"{"action":"block","host":"*.shop.example"}"#, "rules[0].host"),
            (#"{"action":"block","host":"*.example"}"#, "rules[0].host"),
            (#"{"action":"block","host":"xcdn.example"}"#, "rules[0].host"),
            (#"{"action":"block","host":"port.example"}"#, "rules[0].host"),
            (#"{"action":"block","host":"port.example:8443"}"#, nil),
            (#"{"action":"redirect","host":"shop.example","to":"https://a.cdn.example{path}"}"#, nil),
            (#"{"action":"redirect","host":"shop.example","to":"https://{host}/new"}"#, nil),
            (#"{"action":"redirect","host":"shop.example","to":"https://evil.test/"}"#, "rules[0].to"),
            (#"{"action":"redirect","host":"shop.example","to":"https://{host}.evil.test/"}"#, "rules[0].to"),
            (#"{"action":"pass"},{"action":"respond"}"#, "rules[1].host"),
        ] as [(String, String?)])
    func hosts(rules: String, location: String?) throws {
        let hosts = try ["shop.example", "*.cdn.example", "port.example:8443"].map { try #require(HostPattern($0)) }
        guard let location else {
            try read(rules).checkRemote(within: hosts)
            return
        }
        let error = #expect(throws: RouteError.self) { try read(rules).checkRemote(within: hosts) }
        #expect(error?.location == location)
    }

    @Test("Remote rules neither intercept more requests nor replace an action of the host")
    func precedence() throws {
        let live = ActiveRules(
            try RouteRules([
                RouteRule(.intercept, host: HostPattern("a.example")),
                RouteRule(.block(.gone), host: HostPattern("b.example")),
                RouteRule(.pass, host: HostPattern("c.example")),
            ]))
        live.remoteRules = try RouteRules(
            json: Data(#"{"format":1,"rules":[{"action":"respond"},{"action":"pass","glob":"/live"}]}"#.utf8))
        let respond = try RouteAction.respond(FixedResponse())
        for (url, action, reason) in [
            ("https://a.example/", respond, .remoteRule(0)), ("https://a.example/live", .pass, .remoteRule(1)),
            ("https://b.example/live", .block(.gone), .rule(1)), ("https://c.example/", .pass, .rule(2)),
            ("https://d.example/", .pass, .uncovered),
        ] as [(String, RouteAction, RouteDecision.Reason)] {
            #expect(live.decide(try request(url)) == RouteDecision(action, because: reason), "\(url)")
        }
        #expect(live.decide(try request("https://d.example/"), isCovered: true).action == respond)
        #expect("\(live.decide(try request("https://a.example/")))" == "respond: remote rules[0]")
        #expect(try !live.mayIntercept(originOf: request("https://d.example/"), isCovered: false))
        #expect(live.haveActions)
        // A veto and the host's switch precede the rules.
        live.vetoes = [try RouteRules([], deny: [RouteRule(.pass, host: HostPattern("a.example"))])]
        #expect(live.decide(try request("https://a.example/")).reason == .veto(.denied(0)))
        live.isEnabled = false
        #expect(live.decide(try request("https://d.example/"), isCovered: true).reason == .off)
    }
}
