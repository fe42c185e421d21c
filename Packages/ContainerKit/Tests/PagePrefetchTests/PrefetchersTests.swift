// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import PagePrefetch
@_spi(Facade) import Prefetch
import ResourceLoading
@_spi(Facade) import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

/// Requests that are made when a page is opened.
@MainActor
@Suite("Prefetchers", .timeLimit(.minutes(1)))
struct PrefetchersTests {
    @Test("A prefetch is completed with the engine's fields, the page and its cookies, and the page takes the response")
    func completed() async throws {
        let stage = try PrefetchStage()
        stage.begin()
        #expect(try await stage.load() == .prefetch)
        let sent = try #require(stage.network.requests.first)
        #expect(stage.network.requests.count == 1 && sent.head.urlText == PrefetchStage.api)
        let fields = sent.head.headerFields
        #expect(fields[.userAgent] == "Engine/1" && fields[.accept] == "*/*" && fields[.cookie] == "user=1")
        #expect(fields[.referer] == PrefetchStage.page && fields[.origin] == nil)
        #expect(sent.credentials == .sameOrigin && sent.page?.page.id == PageID(rawValue: 1))
        #expect(stage.cookies.readings == ["scheme \(PrefetchStage.page)"])
        let counters = stage.prefetchers.counters
        #expect(counters.started == 1 && counters.hits + counters.joins == 1)
    }

    @Test("The user agent of the page's view replaces the engine's own, for this page only")
    func agents() async throws {
        let stage = try PrefetchStage()
        stage.begin(1, as: try .appending("Shop/2"))
        stage.begin(2)
        try await until { stage.network.requests.count == 2 }
        let agents = stage.network.requests.map { ($0.page?.page.id.rawValue, $0.head.headerFields[.userAgent]) }
        #expect(agents.first { $0.0 == 1 }?.1 == "Engine/1 Shop/2" && agents.first { $0.0 == 2 }?.1 == "Engine/1")
    }

    @Test("A cross-origin prefetch carries cookies only if the option is set", arguments: [true, false])
    func otherOrigins(_ sends: Bool) async throws {
        let stage = try PrefetchStage(#"{"api":"https://api.example/list"}"#) { $0.sendsCookiesToOtherOrigins = sends }
        stage.begin()
        try await until { stage.network.requests.count == 1 }
        let sent = stage.network.requests[0]
        #expect(sent.credentials == (sends ? .include : .sameOrigin))
        #expect(sent.head.headerFields[.origin] == "https://shop.example")
    }

    @Test("Nothing is prefetched for pages that are not intercepted, or if routing or a package excludes it")
    func excluded() async throws {
        let interfaces = ["api", "denied", "packed"].map { #"{"api":"https://shop.example/\#($0)"}"# }
        let stage = try PrefetchStage(interfaces.joined(separator: ","))
        stage.routing.state.withLock { $0.opens = false }
        stage.begin(1)
        #expect(stage.prefetchers.counters.started == 0 && stage.cookies.readings.isEmpty)
        stage.routing.state.withLock {
            $0.opens = true
            $0.excluded = ["https://shop.example/denied"]
        }
        stage.packages.urls.withLock { $0 = ["https://shop.example/packed"] }
        stage.begin(2)
        try await until { stage.network.requests.count == 1 && stage.prefetchers.counters.failures == 1 }
        #expect(stage.prefetchers.counters.started == 2 && stage.network.requests[0].head.urlText == PrefetchStage.api)
    }

    @Test("Only with the loopback server, cross-origin requests do not pass through the container")
    func originBound() async throws {
        let stage = try PrefetchStage(in: [.customScheme, .loopbackServer, .loopbackProxy])
        for (id, mode) in [InterceptionMode.customScheme, .loopbackServer, .loopbackProxy].enumerated() {
            stage.begin(UInt64(id + 1), in: mode)
        }
        #expect(stage.routing.state.withLock { $0.asked.map { $0.isOriginBound } } == [false, true, false])
    }

    @Test("The document is prefetched first if the option is set, unless it is posted")
    func document() async throws {
        let stage = try PrefetchStage { $0.fetchesDocument = true }
        stage.begin(1, isPosted: true)
        #expect(stage.prefetchers.counters.started == 1)
        stage.begin(2)
        #expect(stage.prefetchers.counters.started == 3)
        try await until { stage.network.requests.count == 3 }
        let document = try #require(stage.network.requests.first { $0.destination == .document })
        #expect(document.head.urlText == PrefetchStage.page && document.head.headerFields[.accept] == "text/html")
        #expect(document.head.headerFields[.referer] == nil)
    }

    @Test("Nothing is prefetched if the cookies cannot be read")
    func noCookies() async throws {
        let stage = try PrefetchStage()
        stage.cookies.error = EngineError(.timedOut, "no cookies")
        stage.begin()
        try await until { stage.prefetchers.counters.failures == 1 }
        #expect(await stage.prefetchers.waitForCookies(of: PageID(rawValue: 1)))
        #expect(await !stage.prefetchers.waitForCookies(of: PageID(rawValue: 2)))
        #expect(stage.network.requests.isEmpty)
    }

    @Test("Cookies that a response sets are included in the comparison, although a loader removes the field")
    func setCookies() async throws {
        let stage = try PrefetchStage()
        stage.network.put(.bytes(Data("a".utf8)), at: PrefetchStage.api, [.setCookie: "user=2"])
        stage.begin()
        try await until { stage.setCookies.values.withLock { $0 == ["user=2"] } }
        #expect(try await stage.load(cookie: "user=2") == .prefetch)
        #expect(stage.prefetchers.counters.mismatches == 0)
    }

    @Test("The response of a closed page is removed, and all responses on demand")
    func dropped() async throws {
        let stage = try PrefetchStage()
        stage.begin(1)
        stage.begin(2)
        try await until { stage.network.requests.count == 2 }
        stage.prefetchers.removePage(PageID(rawValue: 1))
        #expect(await !stage.prefetchers.waitForCookies(of: PageID(rawValue: 1)))
        stage.prefetchers.removeAll()
        #expect(try await stage.load(2) == .network)
        #expect(stage.prefetchers.counters.wasted == 2)
    }

    @Test("Modes share the memory limit, and their counters are added")
    func modes() async throws {
        var limit = 0
        let stage = try PrefetchStage(in: [.customScheme, .loopbackProxy]) { limit = $0.loader.maxBytes }
        #expect(stage.loaders.values.map(\.configuration.maxBytes) == [limit / 2, limit / 2])
        stage.begin(1, in: .customScheme)
        stage.begin(2, in: .loopbackProxy)
        stage.begin(3, in: .plain)
        #expect(try await stage.load(1, in: .customScheme) == .prefetch)
        #expect(try await stage.load(1, in: .loopbackProxy) == .network)
        #expect(try await stage.load(2, in: .loopbackProxy) == .prefetch)
        let counters = stage.prefetchers.counters
        #expect(counters.started == 2 && counters.hits + counters.joins == 2)
    }

    @Test("A new table applies to pages that are opened later, in all modes")
    func tables() async throws {
        let stage = try PrefetchStage(in: [.customScheme, .loopbackProxy])
        stage.prefetchers.table = nil
        stage.begin(1)
        #expect(stage.prefetchers.counters.started == 0)
        stage.prefetchers.table = try PrefetchStage.table(
            "2", #"{"api":"https://shop.example/a"},{"api":"https://shop.example/b"}"#)
        stage.begin(2, in: .loopbackProxy)
        #expect(stage.prefetchers.counters.started == 2)
    }

    @Test("A message is answered once, for URLs of its own origin, with the current cookies")
    func messages() async throws {
        let stage = try PrefetchStage()
        stage.network.put(.bytes(Data("ä".utf8)), at: PrefetchStage.api, [.contentType: "text/plain"])
        stage.begin()
        let page = PageReference(id: PageID(rawValue: 1), documentURL: PrefetchStage.page)
        let call = try PrefetchCall(json: Data(#"{"url":"https://shop.example/api"}"#.utf8))
        let (own, other) = (
            try #require(WebOrigin(url: PrefetchStage.page)), try #require(WebOrigin(url: "https://other.example/"))
        )
        #expect(try await stage.prefetchers.answer(call, of: page, in: .customScheme, from: other) == nil)
        #expect(try await stage.prefetchers.answer(call, of: page, in: .loopbackProxy, from: own) == nil)
        let answer = try await stage.prefetchers.answer(call, of: page, in: .customScheme, from: own)
        #expect(
            answer.map { String(decoding: $0, as: UTF8.self) }
                == #"{"status":200,"headers":{"content-type":"text/plain"},"body":"ä"}"#)
        #expect(try await stage.prefetchers.answer(call, of: page, in: .customScheme, from: own) == nil)
        #expect(stage.cookies.readings.count == 2)
    }

    @Test("If the engine makes preflights for pages, the prefetch makes preflights for its own requests")
    func preflights() async throws {
        let stage = try PrefetchStage(
            #"{"api":"https://api.example/list","method":"POST","body":{}}"#, permissions: PreflightCache())
        stage.begin()
        try await until { stage.prefetchers.counters.failures == 1 }
        #expect(stage.network.requests.map(\.head.method) == [.options])
    }
}
