// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

/// Routing rules that override coverage, and the switch that disables everything.
@MainActor
@Suite("Rules of a container", .timeLimit(.minutes(1)))
struct RulesTests {
    private let fixture = Fixture()

    private func rules(_ rules: [RouteRule], deny: [RouteRule] = []) throws -> RouteRules {
        try RouteRules(rules, deny: deny)
    }

    private func container(_ rules: RouteRules = .none) async throws -> Container<FakeEngine> {
        let container = try await fixture.container { $0.network.rules = rules }
        try await fixture.install(
            ["index.html": "home", "a.js": "packed"], version: "1", base: "https://shop.example/", into: container)
        return container
    }

    @Test("A rule can intercept uncovered URLs and bypass packaged URLs, and the deny list overrides both")
    func pages() async throws {
        let container = try await container(
            rules(
                [
                    RouteRule(.intercept, host: HostPattern("*.example")),
                    RouteRule(.pass, host: HostPattern("shop.example"), path: PathPattern(glob: "/old/**")),
                ], deny: [RouteRule(.pass, host: HostPattern("pay.example"))]))
        for (url, mode) in [
            ("https://other.example/", .customScheme), ("https://shop.example/", .customScheme),
            ("https://shop.example/old/x", .plain), ("https://pay.example/", .plain), ("https://example/", .plain),
        ] as [(String, InterceptionMode)] {
            #expect(container.covers(url) == (mode == .customScheme), "\(url)")
            let page = try await container.open(url)
            #expect(page.session.mode == mode, "\(url)")
            await container.close(page)
        }
    }

    @Test("A bypassed request of an open page uses the network, and its provenance contains the reason")
    func requests() async throws {
        let container = try await container(
            rules([
                RouteRule(.pass, host: HostPattern("shop.example"), path: PathPattern(glob: "/a.js"), methods: [.get])
            ]))
        let page = try await container.open("https://shop.example/")
        let passed = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(passed.record.provenance?.source == .network)
        #expect(passed.record.provenance?.reason.hasSuffix("pass: rules[0]") == true)
        let head = try await fixture.answer(
            to: "containerkit://shop.example/a.js", .head, from: page.view, of: container)
        #expect(head.record.provenance?.source == .package)
        #expect(
            try await fixture.text("containerkit://shop.example/index.html", from: page.view, of: container) == "home")
    }

    @Test("A rule can name the pages to whose requests it applies; a document counts as its own page")
    func namedPages() async throws {
        let container = try await container(
            rules([RouteRule(.pass, pages: [PagePattern("https://shop.example/live/**")])]))
        #expect(!container.covers("https://shop.example/live/") && container.covers("https://shop.example/index.html"))
        let page = try await container.open("https://shop.example/index.html")
        #expect(try await fixture.text("containerkit://shop.example/a.js", from: page.view, of: container) == "packed")
        page.view.onSignal?(.committed(url: "containerkit://shop.example/live/x"))
        let passed = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(passed.record.provenance?.source == .network)
    }

    @Test("New rules apply to new requests at once and as a whole")
    func replaced() async throws {
        let container = try await container()
        let events = container.events
        #expect(container.covers("https://shop.example/") && container.rules.rules.isEmpty)
        container.setRules(
            try RouteRules(json: Data(#"{"format":1,"deny":[{"host":"shop.example"}]}"#.utf8)))
        #expect(!container.covers("https://shop.example/") && container.rules.deny.count == 1)
        container.setRules(try RouteRules(json: Data(#"{"format":1,"enabled":false}"#.utf8)))
        #expect(!container.covers("https://shop.example/"))
        container.setRules(.none)
        #expect(container.covers("https://shop.example/"))
        var changes = 0
        for await event in events {
            if case .rulesChanged = event { changes += 1 }
            if changes == 3 { break }
        }
        #expect(changes == 3)
    }

    @Test("The switch disables everything at once: pages open in plain mode, and open pages use the network")
    func switchedOff() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        #expect(container.isEnabled)
        container.isEnabled = false
        #expect(!container.covers("https://shop.example/"))
        let plain = try await container.open("https://shop.example/")
        #expect(plain.session.mode == .plain && plain.view.loads == ["https://shop.example/"])
        let answer = try await fixture.answer(to: "containerkit://shop.example/a.js", from: page.view, of: container)
        #expect(answer.sink.body == Data("network https://shop.example/a.js".utf8))
        #expect(answer.record.provenance?.reason.hasSuffix("pass: switched off") == true)
        // A request without a page gets nothing through the scheme any more.
        let stranger = try await fixture.answer(to: "containerkit://shop.example/a.js", of: container)
        #expect(stranger.sink.error?.code == .invalidRequest)
        container.isEnabled = true
        #expect(try await fixture.text("containerkit://shop.example/a.js", from: page.view, of: container) == "packed")
    }

    @Test("While the container is disabled, an open page still gets other hosts that were covered")
    func switchedOffElsewhere() async throws {
        let container = try await container(rules([RouteRule(.intercept, host: HostPattern("cdn.example"))]))
        let page = try await container.open("https://shop.example/")
        container.isEnabled = false
        let url = "containerkit://cdn.example/x.js"
        #expect(try await fixture.text(url, from: page.view, of: container) == "network https://cdn.example/x.js")
    }

    @Test("A request in progress finishes as it began when the container is disabled")
    func inFlight() async throws {
        let (pieces, feed) = AsyncThrowingStream<Data, any Error>.makeStream()
        fixture.network.put(.stream(ByteStream(pieces)), at: "https://shop.example/slow")
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        let events = container.events
        let task = fixture.engine.send("containerkit://shop.example/slow", from: page.view)
        feed.yield(Data("before, ".utf8))
        while task.body.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        container.isEnabled = false
        feed.yield(Data("after".utf8))
        feed.finish()
        for await event in events {
            guard case .request(let record) = event else { continue }
            guard case .finished = record.outcome else {
                Issue.record("\(record.outcome)")
                return
            }
            #expect(record.provenance?.reason.contains("switched off") == false)
            break
        }
        #expect(task.body == Data("before, after".utf8))
    }

    @Test("A document that is redirected to a denied page opens it without interception")
    func redirects() async throws {
        let container = try await container(
            rules([RouteRule(.intercept)], deny: [RouteRule(.pass, host: HostPattern("pay.example"))]))
        let page = try await container.open("https://shop.example/")
        let answer = try await fixture.answer(
            to: "containerkit://shop.example/to/https://pay.example/x", from: page.view, isMainDocument: true,
            of: container)
        #expect(
            String(decoding: answer.sink.body, as: UTF8.self).contains(#"location.replace("https:\/\/pay.example\/x""#))
    }
}
