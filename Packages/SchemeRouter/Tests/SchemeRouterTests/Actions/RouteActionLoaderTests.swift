// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import SchemeRouter

@Suite("Actions of rules", .timeLimit(.minutes(1)))
struct RouteActionLoaderTests {
    /// A server that returns the fields of the request in its body.
    private final class Server: ResourceLoader {
        let requests = Mutex<[HTTPRequest]>([])

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { response(to: request) }

        func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .known(response(to: request)) }

        private func response(to request: ResourceRequest) -> ResourceResponse {
            requests.withLock { $0.append(request.head) }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.server: "origin", .cacheControl: "max-age=9"]),
                body: .empty, provenance: Provenance(.network, reason: "the server"))
        }
    }

    private let server = Server()

    private func load(_ action: RouteAction, _ method: HTTPRequest.Method = .get) async throws -> ResourceResponse? {
        let head = try #require(HTTPRequest(method: method, urlText: "https://a.example/b?c"))
        return try await server.settingFields { _ in (action, "a reason") }
            .performingActions { _ in (action, "a reason") }.load(ResourceRequest(head))
    }

    private var requests: [HTTPRequest] { server.requests.withLock(\.self) }

    @Test("A blocked request fails or has the status, and does not reach the server")
    func block() async throws {
        await #expect {
            try await load(.block(nil))
        } throws: {
            ($0 as? ResourceError)?.code == .blocked && "\($0)".contains("a reason")
        }
        let response = try #require(try await load(.block(.gone)))
        #expect(response.head.status == .gone && response.body.length == 0)
        #expect(response.head.headerFields[.cacheControl] == "no-store")
        #expect(response.provenance == Provenance(.synthetic, reason: "a reason"))
        #expect(requests.isEmpty)
    }

    @Test("A redirect has the URL of its template")
    func redirect() async throws {
        let template = try RouteTemplate("https://new.example{path}{query}")
        let response = try #require(try await load(.redirect(template, .permanentRedirect)))
        #expect(response.head.status == .permanentRedirect)
        #expect(response.head.headerFields[.location] == "https://new.example/b?c")
        #expect(response.head.headerFields[.cacheControl] == "no-store")
        #expect(requests.isEmpty)
    }

    @Test("A fixed response has its length; a response to HEAD has no body")
    func respond() async throws {
        let fixed = try FixedResponse(
            status: .created, fields: [.contentType: "text/plain", .cacheControl: "max-age=1"], body: Data("abc".utf8))
        let response = try #require(try await load(.respond(fixed)))
        #expect(response.head.status == .created && response.head.headerFields[.contentLength] == "3")
        #expect(response.head.headerFields[.cacheControl] == "max-age=1")
        #expect(try await response.body.collect(upTo: 9) == Data("abc".utf8))
        let head = try #require(try await load(.respond(fixed), .head))
        #expect(head.head.headerFields[.contentLength] == "3" && head.body.length == 0)
        let empty = try #require(try await load(.respond(FixedResponse(status: .noContent))))
        #expect(empty.head.headerFields[.contentLength] == nil)
        #expect(requests.isEmpty)
    }

    @Test("Fields are set and removed in the request and in the response")
    func setHeaders() async throws {
        let fields = try RouteFields(
            request: [.userAgent: "app", .accept: nil], response: [.cacheControl: "no-cache", .server: nil])
        let response = try #require(try await load(.setHeaders(fields)))
        #expect(response.head.headerFields == [.cacheControl: "no-cache"])
        #expect(response.provenance == Provenance(.network, reason: "the server; a reason"))
        #expect(requests.map(\.headerFields) == [[.userAgent: "app"]])
    }

    @Test("Requests without an action pass unchanged, and only they have an immediate response")
    func immediate() async throws {
        let request = ResourceRequest(try #require(HTTPRequest(urlText: "https://a.example/")))
        let fields = try RouteFields(response: [.server: "x"])
        for (action, isKnown) in [
            (nil, true), (.block(.gone), false), (.setHeaders(fields), false),
        ] as [(RouteAction?, Bool)] {
            let loader = server.performingActions { _ in action.map { ($0, "a reason") } }
            if case .known = loader.immediateResponse(to: request) {
                #expect(isKnown)
            } else {
                #expect(!isKnown)
            }
        }
        let passed = server.performingActions { _ in nil }
        #expect(try await passed.load(request)?.provenance.reason == "the server")
    }
}

@Suite("Decisions with actions", .timeLimit(.minutes(1)))
struct RouteActionDecisionTests {
    private func request(_ url: String) throws -> HTTPRequest {
        try #require(HTTPRequest(urlText: url))
    }

    @Test("A rule with an action intercepts exactly as a rule that intercepts", arguments: 0..<20)
    func interception(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let template = try RouteTemplate("https://new.example{path}")
        let fields = try RouteFields(response: [.server: "x"])
        let actions: [RouteAction] = [
            .intercept, .pass, .block(nil), .redirect(template, .found), .respond(try FixedResponse()),
            .setHeaders(fields),
        ]
        let hosts = ["a.example", "*.example", "b.a.example", "other.test"]
        let paths = ["/**", "/a/*", "/a/b"]
        var rules: [RouteRule] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            rules.append(
                RouteRule(
                    try #require(actions.randomElement(using: &random)),
                    host: Bool.random(using: &random)
                        ? nil : HostPattern(try #require(hosts.randomElement(using: &random))),
                    path: Bool.random(using: &random)
                        ? nil : try PathPattern(glob: #require(paths.randomElement(using: &random)))))
        }
        let plain = rules.map { rule in
            var rule = rule
            if rule.action != .pass { rule.action = .intercept }
            return rule
        }
        let (withActions, without) = (try RouteRules(rules), try RouteRules(plain))
        for url in ["https://a.example/", "https://b.a.example/a/b", "http://c.example/a/x", "https://other.test/a/b"] {
            for isCovered in [true, false] {
                let decisions = try [withActions, without].map { try $0.decide(request(url), isCovered: isCovered) }
                #expect(decisions[0].action.intercepts == decisions[1].action.intercepts, "\(url)")
                #expect(decisions[0].reason == decisions[1].reason)
                #expect(
                    try withActions.mayIntercept(originOf: request(url), isCovered: isCovered)
                        == without.mayIntercept(originOf: request(url), isCovered: isCovered))
            }
        }
        let hasActions = rules.contains { ![.intercept, .pass].contains($0.action) }
        #expect(ActiveRules(withActions).haveActions == hasActions)
        #expect(!ActiveRules(without).haveActions)
    }
}
