// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
@_spi(Facade) import CookieBridge
import CookieJar
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import Prefetch
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting
import WebViewPool

@testable import ContainerKit
@testable import LoopbackInterception

/// A container with proxy pages, custom-scheme pages and plain pages.
@MainActor
@Suite("Pages of several modes", .timeLimit(.minutes(1)))
struct SeveralModesTests {
    private let fixture = Fixture()
    private let byProxy = "https://m.shop.example/"
    private let byName = "https://s.shop.example/"
    private let plain = "https://p.shop.example/"
    private let place = "containerkit://s.shop.example/"

    init() {
        fixture.engine.traitsByMode[.loopbackProxy] = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
            identifiesPage: false, acceptLanguage: nil)
    }

    private func container(
        on engine: FakeEngine? = nil, change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let modes = [
            try PageMode("s.shop.example", .customScheme), try PageMode("p.shop.example", .plain),
            try PageMode("part.example/app/**", .customScheme),
        ]
        return try await fixture.container(covering: ["*.shop.example", "part.example"], on: engine) {
            $0.pages.mode = .loopbackProxy
            $0.pages.modes = modes
            change(&$0)
        }
    }

    /// Sends a request of the engine through the proxy, with a `Referer` that identifies the page.
    private func sendRequest(
        _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from page: String? = nil,
        of container: Container<FakeEngine>
    ) async throws -> (fields: HTTPFields, text: String, page: PageID?, provenance: Provenance) {
        let pipeline = try #require(container.pipelines[.loopbackProxy])
        let requests = LoopbackRequests(
            pipeline: pipeline.path, pages: try #require(container.loopback).pages)
        var fields = fields
        fields[.referer] = page
        let head = try #require(HTTPRequest(method: method, urlText: url, headerFields: fields))
        var request = ResourceRequest(head)
        requests.complete(&request)
        let response = try #require(try await requests.load(request))
        let text = String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
        return (response.head.headerFields, text, request.page?.page.id, response.provenance)
    }

    /// Commits the document that was last loaded in the view of a page.
    private func show(_ place: String? = nil, in page: Page<FakeView>) throws {
        let place = try place ?? #require(page.view.loads.last)
        page.view.onSignal?(.started(url: place))
        page.view.onSignal?(.committed(url: place))
    }

    @Test("Each page opens in its configured mode, and other pages in the container's mode")
    func opens() async throws {
        let container = try await container()
        for (url, mode, lies) in [
            (byProxy, InterceptionMode.loopbackProxy, byProxy), (byName, .customScheme, place), (plain, .plain, plain),
            ("https://other.example/", .plain, "https://other.example/"),
            ("https://part.example/app/x", .customScheme, "containerkit://part.example/app/x"),
        ] {
            #expect(container.mode(ofPageAt: url) == mode && container.covers(url) == (mode != .plain))
            let page = try await container.open(url)
            #expect(page.session.mode == mode && page.view.loads == [lies])
            await container.close(page)
        }
        #expect(fixture.engine.proxy != nil)
        container.isEnabled = false
        #expect(container.mode(ofPageAt: byName) == .plain && fixture.engine.proxy == nil)
        await container.shutDown()
    }

    @Test("An unused view can be used for each mode, and a used view only for its own")
    func views() async throws {
        let container = try await container { $0.views.pool = PoolCapacity(fixed: 1) }
        try await container.warmUp()
        let page = try await container.open(byName)
        #expect(container.counters.pool.warmCheckOuts == 1)
        await container.close(page)
        let other = try await container.open(byProxy)
        #expect(other.view.id != page.view.id)
        await container.shutDown()
    }

    @Test("Pages that cannot be distinguished share their generations, and a custom-scheme page has its own")
    func generations() async throws {
        let container = try await container()
        try await fixture.install(["x": "one"], version: "1", base: byName, into: container)
        let first = try await container.open(byProxy)
        let named = try await container.open(byName)
        try await fixture.install(["x": "two"], version: "2", base: byName, into: container)
        let later = try await container.open(byName)
        #expect(first.session.generations == named.session.generations)
        #expect(later.session.generations != named.session.generations && later.session.generations.count == 1)
        #expect(try await container.open(plain).session.generations == first.session.generations)
        #expect(try await sendRequest(byName + "x", from: byProxy, of: container).text == "one")
        #expect(try await fixture.text(place + "x", from: named.view, of: container) == "one")
        #expect(try await fixture.text(place + "x", from: later.view, of: container) == "two")
        await container.shutDown()
    }

    @Test("A view that navigates from a custom-scheme URL to a real URL joins the shared generations, once")
    func joins() async throws {
        let container = try await container()
        try await fixture.install(["x": "one"], version: "1", base: byName, into: container)
        let first = try await container.open(byProxy)
        try await fixture.install(["x": "two"], version: "2", base: byName, into: container)
        let moving = try await container.open(byName)
        try show(in: moving)
        #expect(moving.session.generations != first.session.generations)
        #expect(try await sendRequest(byName + "y", of: container).page == nil, "the page of the request is unknown")
        try show(byProxy + "moved", in: moving)
        let session = try #require(container.openPages.first { $0.id == moving.session.id })
        #expect(session.generations == first.session.generations)
        #expect(try await sendRequest(byProxy + "y", from: byProxy + "moved", of: container).page == moving.session.id)
        await container.close(first)
        #expect(try await sendRequest(byName + "x", from: byProxy + "moved", of: container).text == "one")
        await container.close(moving)
        #expect(try await sendRequest(byName + "x", of: container).text == "two")
        await container.shutDown()
    }

    @Test("All requests of a plain page are bypassed, also by the proxy; requests of other pages are not")
    func plainPages() async throws {
        let container = try await container()
        try await fixture.install(["x": "packaged"], version: "1", base: byName, into: container)
        let pages = [try await container.open(byProxy), try await container.open(plain)]
        let passed = try await sendRequest(byName + "x", from: plain, of: container)
        #expect(passed.text == "network \(byName)x" && passed.provenance.reason.contains("page bypasses"))
        #expect(try await sendRequest(byName + "x", from: byProxy, of: container).text == "packaged")
        for page in pages { await container.close(page) }
        await container.shutDown()
    }

    @Test("Cookies of a mode are sent in the other modes, and a sign-out clears both stores")
    func cookies() async throws {
        let container = try await container()
        fixture.network.put(.bytes(Data()), at: byName + "set", [.setCookie: "named=1; Domain=shop.example"])
        let named = try await container.open(byName)
        _ = try await fixture.answer(to: place + "set", from: named.view, of: container)
        let proxied = try await container.open(byProxy)
        #expect(fixture.engine.jar.cookies.map(\.name) == ["named"], "before a proxy page loads")
        // The engine stores the cookies of responses through the proxy, and the container does not.
        fixture.network.put(.bytes(Data()), at: byProxy + "set", [.setCookie: "proxied=2; Domain=shop.example"])
        let answer = try await sendRequest(byProxy + "set", .get, [.cookie: "named=1"], from: byProxy, of: container)
        #expect(answer.fields[.setCookie] == "proxied=2; Domain=shop.example")
        #expect(fixture.network.requests.withLock { $0.last?.headerFields[.cookie] } == "named=1")
        #expect(container.cookies?.jar?.cookies.map(\.identity.name) == ["named"])
        try await fixture.engine.jar.set(EngineCookie(name: "proxied", value: "2", domain: ".shop.example"))
        let next = try await container.open(byName)
        _ = try await fixture.answer(to: place, from: next.view, isMainDocument: true, of: container)
        let sent = fixture.network.requests.withLock { $0.last?.headerFields[.cookie] }
        #expect(sent?.split(separator: "; ").sorted() == ["named=1", "proxied=2"])
        for page in [named, proxied, next] { await container.close(page) }
        try await container.signOut(of: ["shop.example"])
        #expect(fixture.engine.jar.cookies.isEmpty && container.cookies?.jar?.cookies.isEmpty == true)
        await container.shutDown()
    }

    @Test("A bypassed POST through the proxy leaves its cookies to the engine")
    func passed() async throws {
        let container = try await container()
        container.setRules(try RouteRules([], deny: [RouteRule(.pass, host: HostPattern("m.shop.example"))]))
        fixture.network.put(.bytes(Data()), at: byProxy, [.setCookie: "own=1"])
        let page = try await container.open(byName)
        let answer = try await sendRequest(byProxy, .post, of: container)
        #expect(answer.fields[.setCookie] == "own=1" && container.cookies?.jar?.cookies.isEmpty == true)
        await container.close(page)
        await container.shutDown()
    }

    @Test("The container's cache serves only custom-scheme pages and the app")
    func cache() async throws {
        let container = try await container()
        let urls = [byName + "kept", byProxy + "kept"]
        for url in urls { fixture.network.put(.bytes(Data("kept".utf8)), at: url, [.cacheControl: "max-age=600"]) }
        let (named, proxied) = (try await container.open(byName), try await container.open(byProxy))
        for _ in 0..<2 {
            #expect(try await fixture.text(place + "kept", from: named.view, of: container) == "kept")
            #expect(try await sendRequest(urls[1], from: byProxy, of: container).text == "kept")
        }
        #expect(urls.map { url in fixture.network.urls.count { $0 == url } } == [1, 2])
        for page in [named, proxied] { await container.close(page) }
        await container.shutDown()
    }

    @Test("Only open proxy pages delay the removal of old files from the engine")
    func engineCaches() async throws {
        let container = try await container()
        try await fixture.install(["x": "one"], version: "1", base: byProxy, into: container)
        let proxied = try await container.open(byProxy)
        let named = try await container.open(byName)
        let before = fixture.engine.removedFiles.count
        try await fixture.install(["x": "two"], version: "2", base: byProxy, into: container)
        #expect(fixture.engine.removedFiles.count == before)
        let events = container.events
        await container.close(proxied)
        for await case .engineCachesCleared(let bases) in events {
            #expect(bases.map(\.description) == [byProxy], "although a custom-scheme page is open")
            break
        }
        await container.close(named)
        await container.shutDown()
    }

    @Test("A link from a custom-scheme page to a page of another mode leads to its real URL")
    func leadsBack() async throws {
        let container = try await container()
        let page = try await container.open(byName)
        try show(in: page)
        for url in ["m.shop.example/a?b", "p.shop.example/<x>", "nobody.example/"] {
            let answer = try await fixture.answer(
                to: "containerkit://\(url)", from: page.view, isMainDocument: true, of: container)
            let text = url.replacing("<", with: "\\u003c").replacing("/", with: "\\/")
            #expect(answer.sink.text.contains("location.replace(\"https:\\/\\/\(text)\"+location.hash)"))
            #expect(answer.record.provenance?.source == .synthetic)
        }
        // Documents of the same site, and subresources, are not redirected to real URLs.
        for (path, isDocument) in [("next", true), ("", true), ("x.js", false)] {
            let answer = try await fixture.answer(
                to: place + path, from: page.view, isMainDocument: isDocument, of: container)
            #expect(answer.sink.text == "network \(byName)\(path)")
        }
        let other = try await fixture.answer(to: "containerkit://m.shop.example/x.js", from: page.view, of: container)
        #expect(other.sink.text == "network \(byProxy)x.js")
        await container.shutDown()
    }

    @Test("A redirected document opens at the URL of its mode")
    func redirects() async throws {
        let container = try await container()
        let page = try await container.open(byName)
        for (target, place) in [(byProxy, byProxy), (plain, plain), (byName + "next", place + "next")] {
            let answer = try await fixture.answer(
                to: self.place + "to/" + target, from: page.view, isMainDocument: true, of: container)
            let literal = place.replacing("/", with: "\\/")
            #expect(answer.sink.text.contains("location.replace(\"\(literal)\"+location.hash)"), "\(target)")
        }
        await container.close(page)
        await container.shutDown()
    }

    @Test("After a suspension, and in its timeline, a page has the mode in which it opened")
    func life() async throws {
        let container = try await container { $0.diagnostics.timelines = TimelineOptions() }
        let proxy = try #require(fixture.engine.proxy)
        let pages = [
            try await container.open(byProxy), try await container.open(byName), try await container.open(plain),
        ]
        try await container.hostWillSuspend()
        try await container.hostResumed()
        #expect(fixture.engine.proxy == proxy)
        #expect(container.openPages.map(\.mode) == [.loopbackProxy, .customScheme, .plain])
        #expect(pages.map { $0.timeline?.mode } == [.loopbackProxy, .customScheme, .plain])
        #expect(try await fixture.text(place + "x", from: pages[1].view, of: container) == "network \(byName)x")
        for page in pages { await container.close(page) }
        await container.shutDown()
    }

    @Test("An origin that opened in custom-scheme mode keeps it in the next launch, unless its page is configured")
    func sticky() async throws {
        var first: Container<FakeEngine>? = try await container()
        do {
            let container = try #require(first)
            #expect(container.mode(ofPageAt: "https://part.example/") == .loopbackProxy)
            try show(in: try await container.open("https://part.example/app/"))
            try show(in: try await container.open(byProxy))
            #expect(container.originModes == ["https://part.example": .intercepted])
            #expect(container.mode(ofPageAt: "https://part.example/") == .customScheme)
            await container.shutDown()
        }
        first = nil
        let modes = [
            try PageMode("s.shop.example", .customScheme), try PageMode("part.example/new/**", .loopbackProxy),
        ]
        let next = try await container(on: FakeEngine()) { $0.pages.modes = modes }
        #expect(next.mode(ofPageAt: "https://part.example/") == .customScheme)
        #expect(next.mode(ofPageAt: "https://part.example/new/x") == .loopbackProxy)
        try next.setMode(nil, ofOrigin: "https://part.example/")
        #expect(next.mode(ofPageAt: "https://part.example/") == .loopbackProxy)
        await next.shutDown()
    }

    @Test("The host's mode of an origin decides whether it is intercepted, and `pages.modes` decides the mode")
    func decided() async throws {
        let container = try await container { $0.network.coveredHosts = [] }
        for url in [byProxy, byName] { try container.setMode(.intercepted, ofOrigin: url) }
        #expect(
            container.mode(ofPageAt: byProxy) == .loopbackProxy && container.mode(ofPageAt: byName) == .customScheme)
        try container.setMode(.plain, ofOrigin: byName)
        #expect(container.mode(ofPageAt: byName) == .plain && container.mode(ofPageAt: plain) == .plain)
        await container.shutDown()
    }

    @Test("Prefetches apply to the page's own mode, and their counters are added")
    func prefetch() async throws {
        let interfaces = ["m", "s"].map {
            #"{"url":"https://\#($0).shop.example/","interfaces":[{"api":"https://\#($0).shop.example/api"}]}"#
        }
        let table = try PrefetchTable(
            json: Data(#"{"code":200,"data":{"version":"1","config":[\#(interfaces.joined(separator: ","))]}}"#.utf8))
        let container = try await container {
            $0.network.prefetch = PrefetchOptions()
            $0.network.prefetch?.table = table
        }
        let limits = container.pipelines.all.map { $0.prefetch?.options.loader.maxBytes }
        #expect(limits == [4 << 20, 4 << 20], "the modes share the limit")
        let fields: HTTPFields = [.userAgent: "Fake", .accept: "text/html"]
        for pipeline in container.pipelines.all {
            pipeline.fields?.record(try #require(HTTPRequest(method: .get, urlText: byProxy, headerFields: fields)))
        }
        let (named, proxied) = (try await container.open(byName), try await container.open(byProxy))
        let answer = try await fixture.answer(
            to: place + "api", .get, [.referer: place], from: named.view, of: container)
        #expect(answer.record.provenance?.source == .prefetch && answer.sink.text == "network \(byName)api")
        let other = try await sendRequest(byProxy + "api", from: byProxy, of: container)
        #expect(other.provenance.source == .prefetch && other.text == "network \(byProxy)api")
        #expect([byName, byProxy].allSatisfy { url in fixture.network.urls.count { $0 == url + "api" } == 1 })
        #expect(container.counters.prefetch?.started == 2)
        for page in [named, proxied] { await container.close(page) }
        await container.shutDown()
    }

    @Test("Remote config moves a site to a mode in use at the next launch; an unused mode is reported")
    func remoteConfig() async throws {
        let document = { (version: Int, mode: String) throws in
            try RemoteConfigDocument(
                json: Data(
                    #"{"format":1,"version":\#(version),"modes":[{"host":"s.shop.example","mode":"\#(mode)"}]}"#.utf8))
        }
        var first: Container<FakeEngine>? = try await container { $0.remote = RemoteConfigOptions() }
        try await first?.apply(document(1, "proxy"))
        #expect(first?.mode(ofPageAt: byName) == .customScheme)
        await first?.shutDown()
        first = nil
        var second: Container<FakeEngine>? = try await container(on: FakeEngine()) {
            $0.remote = RemoteConfigOptions()
        }
        #expect(second?.mode(ofPageAt: byName) == .loopbackProxy)
        var ignored: [[InterceptionMode]] = []
        let receive: @MainActor @Sendable (ContainerEvent) -> Void = { event in
            if case .remoteConfigModesIgnored(let modes) = event { ignored.append(modes) }
        }
        second?.hub.observe(receive)
        try await second?.apply(document(2, "server"))
        #expect(ignored == [[.loopbackServer]])
        await second?.shutDown()
        second = nil
        let third = try await container(on: FakeEngine()) { $0.remote = RemoteConfigOptions() }
        #expect(third.mode(ofPageAt: byName) == .customScheme)
        third.hub.observe(receive)
        #expect(ignored.count == 2, "a later subscriber also receives the event of the stored document")
        await third.shutDown()
    }

    @Test("If plain is the default, requests of plain pages through the proxy are bypassed, and other requests are not")
    func plainByDefault() async throws {
        let modes = [try PageMode("m.shop.example", .loopbackProxy)]
        let container = try await container {
            $0.pages.mode = .plain
            $0.pages.modes = modes
        }
        try await fixture.install(["x": "packaged"], version: "1", base: byName, into: container)
        let pages = [try await container.open(byProxy), try await container.open(plain)]
        #expect(pages.map(\.session.mode) == [.loopbackProxy, .plain])
        #expect(try await sendRequest(byName + "x", from: byProxy, of: container).text == "packaged")
        #expect(try await sendRequest(byName + "x", from: plain, of: container).text == "network \(byName)x")
        for page in pages { await container.close(page) }
        await container.shutDown()
    }

    @Test("With the loopback server a site may be plain, and the engine's store is the only store of cookies")
    func server() async throws {
        fixture.engine.traitsByMode[.loopbackServer] = fixture.engine.traitsByMode[.loopbackProxy]
        let modes = [try PageMode("p.shop.example", .plain)]
        let container = try await container {
            $0.pages.mode = .loopbackServer
            $0.pages.modes = modes
        }
        let pages = [try await container.open(byProxy), try await container.open(plain)]
        #expect(pages.map(\.session.mode) == [.loopbackServer, .plain] && pages[1].view.loads == [plain])
        #expect(pages[0].view.loads[0].hasPrefix("https://m-shop-example.localhost:"))
        #expect(container.cookies == nil && fixture.engine.proxy == nil)
        for page in pages { await container.close(page) }
        await container.shutDown()
    }

    @Test("A container with incompatible modes does not open")
    func refused() async throws {
        let server = try PageMode("s.shop.example", .loopbackServer)
        let error = await #expect(throws: ContainerError.self) { try await container { $0.pages.modes = [server] } }
        #expect(error?.code == .unsupported)
    }
}
