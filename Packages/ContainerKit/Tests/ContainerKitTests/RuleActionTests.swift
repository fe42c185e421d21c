// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import HTTPTypes
import RemoteConfig
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The actions of route rules and of remote rules, in all kinds of requests.
@MainActor
@Suite("Actions of rules in a container", .timeLimit(.minutes(1)))
struct RuleActionTests {
    private let fixture = Fixture()

    private func container(
        _ json: String, covering hosts: [String] = ["shop.example"],
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let rules = try rules(json)
        return try await fixture.container(covering: hosts) {
            $0.network.rules = rules
            change(&$0)
        }
    }

    private func rules(_ json: String) throws -> RouteRules {
        try RouteRules(json: Data(#"{"format":1,"rules":[\#(json)]}"#.utf8))
    }

    private var lastFields: HTTPFields? { fixture.network.requests.withLock { $0.last?.headerFields } }

    @Test("A blocked request reaches neither a package nor the network")
    func block() async throws {
        let container = try await container(
            #"{"action":"block","glob":"/a.js"},{"action":"block","status":410,"host":"ads.example"}"#)
        try await fixture.install(["a.js": "packed", "b.js": "other"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        let blocked = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(blocked.sink.error?.code == .blocked)
        let gone = try await fixture.answer(to: "containerkit://ads.example/x", from: page.view, of: container)
        #expect(gone.record.status == .gone && gone.sink.body.isEmpty)
        #expect(gone.record.provenance?.source == .synthetic)
        #expect(gone.record.provenance?.reason == "block: rules[1]")
        #expect(try await fixture.text("containerkit://shop.example/b.js", from: page.view, of: container) == "other")
        #expect(fixture.network.urls.isEmpty)
        await container.shutDown()
    }

    @Test("A fixed response replaces that of a package, for pages and for the app")
    func respond() async throws {
        let container = try await container(
            """
            {"action":"respond","glob":"/flags.json","fields":{"Content-Type":"application/json","X-Flags":"7"},
             "body":"{}"}
            """)
        try await fixture.install(["flags.json": "packed"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        let answer = try await fixture.answer(
            to: "containerkit://shop.example/flags.json", from: page.view, of: container)
        #expect(answer.sink.body == Data("{}".utf8) && answer.record.status == .ok)
        let flags = try #require(HTTPField.Name("X-Flags"))
        #expect(answer.sink.fields[flags] == "7" && answer.sink.fields[.cacheControl]?.hasPrefix("no-store") == true)
        let configuration = URLSessionConfiguration.ephemeral
        container.intercept(configuration)
        let url = try #require(URL(string: "https://shop.example/flags.json"))
        #expect(try await URLSession(configuration: configuration).data(from: url).0 == Data("{}".utf8))
        #expect(fixture.network.urls.isEmpty)
        await container.shutDown()
    }

    @Test("Each hop of a redirect has the action of its own URL")
    func hops() async throws {
        let container = try await container(
            """
            {"action":"redirect","host":"old.example","to":"https://new.example{path}{query}"},
            {"action":"setHeaders","host":"shop.example","request":{"X-Secret":"1"}},
            {"action":"setHeaders","host":"new.example","request":{"X-New":"2"},"response":{"Server":"rule"}}
            """, covering: ["shop.example", "old.example", "new.example"])
        let page = try await container.open("https://shop.example/")
        let (secret, new) = (try #require(HTTPField.Name("X-Secret")), try #require(HTTPField.Name("X-New")))
        fixture.network.put(
            .bytes(Data("new".utf8)), at: "https://new.example/a?b", [.accessControlAllowOrigin: "*"])
        let moved = try await fixture.answer(to: "containerkit://old.example/a?b", from: page.view, of: container)
        #expect(fixture.network.urls == ["https://new.example/a?b"])
        #expect(lastFields?[new] == "2" && moved.record.status == .ok)
        // The page of another origin reads no fields.
        let other = try await container.open("https://new.example/")
        let own = try await fixture.answer(to: "containerkit://new.example/b", from: other.view, of: container)
        #expect(lastFields?[new] == "2" && own.sink.fields[.server] == "rule")
        // The server redirects from a host with fields to one without them.
        _ = try await fixture.answer(
            to: "containerkit://shop.example/to/https://other.example/x", from: page.view, of: container)
        let fields = fixture.network.requests.withLock { $0.suffix(2).map { $0.headerFields[secret] } }
        #expect(fields == ["1", nil])
        await container.shutDown()
    }

    @Test("The redirect of a document leads the page to the new URL")
    func document() async throws {
        let container = try await container(
            #"{"action":"redirect","glob":"/old/**","to":"https://shop.example/new","status":301}"#)
        let page = try await container.open("https://shop.example/old/x")
        let answer = try await fixture.answer(
            to: "containerkit://shop.example/old/x", from: page.view, isMainDocument: true, of: container)
        let html = String(decoding: answer.sink.body, as: UTF8.self)
        #expect(html.contains(#"containerkit:\/\/shop.example\/new"#), "\(html)")
        #expect(fixture.network.urls.isEmpty)
        await container.shutDown()
    }

    @Test("The HTTP cache selects responses by the fields of rules, and stores no response fields of rules")
    func cache() async throws {
        let container = try await container(
            #"{"action":"setHeaders","request":{"X-Build":"1"},"response":{"Server":"rule"}}"#)
        let url = "https://shop.example/a.txt"
        fixture.network.put(.bytes(Data("a".utf8)), at: url, [.cacheControl: "max-age=600", .vary: "X-Build"])
        let page = try await container.open("https://shop.example/")
        for _ in 0..<2 {
            let answer = try await fixture.answer(
                to: "containerkit://shop.example/a.txt", from: page.view, of: container)
            #expect(answer.sink.fields[.server] == "rule")
        }
        #expect(fixture.network.urls == [url])
        container.setRules(try rules(#"{"action":"setHeaders","request":{"X-Build":"2"}}"#))
        let other = try await fixture.answer(to: "containerkit://shop.example/a.txt", from: page.view, of: container)
        #expect(other.sink.fields[.server] == nil && fixture.network.urls == [url, url])
        container.setRules(try rules(#"{"action":"setHeaders","request":{"X-Build":"1"}}"#))
        let first = try await fixture.answer(to: "containerkit://shop.example/a.txt", from: page.view, of: container)
        #expect(first.sink.fields[.server] == nil)
        await container.shutDown()
    }

    @Test("Response fields of rules are set on files of packages")
    func packaged() async throws {
        let container = try await container(#"{"action":"setHeaders","response":{"Server":"rule"}}"#)
        try await fixture.install(["a.txt": "packed"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        let answer = try await fixture.answer(to: "containerkit://shop.example/a.txt", from: page.view, of: container)
        #expect(answer.sink.fields[.server] == "rule" && answer.record.provenance?.source == .package)
        #expect(answer.record.provenance?.reason.hasSuffix("setHeaders: rules[0]") == true)
        await container.shutDown()
    }

    @Test("In document mode, actions apply to documents and to requests that the container makes")
    func documentMode() async throws {
        fixture.engine.traitsByMode[.document] = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: false, caches: false,
            identifiesPage: true, acceptLanguage: "de")
        let container = try await container(
            """
            {"action":"respond","glob":"/home","fields":{"Content-Type":"text/html; charset=utf-8"},
             "body":"<!doctype html><script src='/a.js'></script><img src='/b.png'>"},
            {"action":"block","glob":"/a.js"},{"action":"block","glob":"/gone","status":410}
            """
        ) { $0.pages.mode = .document }
        let page = try await container.open("https://shop.example/home")
        func document(_ path: String) async throws -> EngineDocument? {
            try await page.view.onNavigation?(
                EngineNavigation(
                    to: "https://shop.example" + path, fields: [:], isReload: false, isOfApp: true,
                    mayBeOfFrame: false))
        }
        let html = try #require(try await document("/home")?.html)
        #expect(try await document("/gone") != nil)
        await #expect(throws: EngineError(.blocked, "block: rules[1]", at: "https://shop.example/a.js")) {
            _ = try await document("/a.js")
        }
        // The blocked script has a URL that reaches the container; the engine itself loads the picture.
        #expect(html.contains("containerkit://shop.example/a.js"))
        #expect(!html.contains("containerkit://shop.example/b.png"))
        let script = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(script.sink.error?.code == .blocked && fixture.network.urls.isEmpty)
        // The engine itself blocks the requests that it makes.
        #expect(page.view.contentRules.count == 1)
        #expect(page.view.contentRules.last?.contains("a\\\\.js") == true, "\(page.view.contentRules)")
        container.setRules(.none)
        _ = try await document("/home")
        #expect(page.view.contentRules.count == 2)
        let other = try await container.open("https://shop.example/home")
        #expect(other.view.contentRules.isEmpty)
        await container.shutDown()
    }

    @Test("Remote rules apply at once to named hosts, and a document with another host is refused as a whole")
    func remote() async throws {
        let host = try #require(HostPattern("shop.example"))
        let container = try await container("") {
            $0.remote = RemoteConfigOptions()
            $0.remote?.ruleHosts = [host]
        }
        let page = try await container.open("https://shop.example/")
        func apply(_ version: Int, _ rules: String) async throws {
            let json = #"{"format":1,"version":\#(version),"rules":[\#(rules)]}"#
            try await container.apply(RemoteConfigDocument(json: Data(json.utf8)))
        }
        try await apply(1, #"{"action":"block","host":"shop.example","glob":"/a.js","status":404}"#)
        let blocked = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(blocked.record.status == .notFound)
        #expect(blocked.record.provenance?.reason == "block: remote rules[0]")
        await #expect {
            try await apply(2, #"{"action":"block","host":"cdn.example"}"#)
        } throws: {
            ($0 as? RemoteConfigError)?.location == "rules[0].host"
        }
        #expect(container.remoteConfig?.document?.version == 1)
        try await apply(3, #"{"action":"pass","glob":"/a.js"}"#)
        let passed = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(passed.record.provenance?.reason.hasSuffix("pass: remote rules[0]") == true)
        await container.shutDown()
    }
}
