// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BodyBridge
import ContainerTesting
@_spi(Facade) import CookieBridge
import CookieJar
import Foundation
import HTTPTypes
import OfflinePackage
import PackageUpdates
import Prefetch
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// Prefetches of pages in a container.
@MainActor
@Suite("Prefetch in a container", .timeLimit(.minutes(1)))
struct PrefetchTests {
    private let fixture = Fixture()
    private let url = "https://shop.example/?id=7"
    private let api = "https://shop.example/api?id=7"
    private let place = "containerkit://shop.example/"
    /// The header fields of a script's request, as the engine makes it.
    private var fields: HTTPFields {
        [.userAgent: "Fake", .acceptLanguage: "de", .accept: "*/*", .referer: place + "?id=7"]
    }

    private func table(_ interfaces: String...) throws -> PrefetchTable {
        let json = """
            {"code":200,"data":{"version":"1","config":[{"url":"https://shop.example/","interfaces":
            [\(interfaces.joined(separator: ","))]}]}}
            """
        return try PrefetchTable(json: Data(json.utf8))
    }

    private func container(
        _ interfaces: String = #"{"api":"https://shop.example/api","urlParam":true}"#, on engine: FakeEngine? = nil,
        isKnown: Bool = true, change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        let table = try table(interfaces)
        let container = try await fixture.container(covering: ["shop.example", "api.example"], on: engine) {
            $0.network.prefetch = PrefetchOptions()
            $0.network.prefetch?.table = table
            change(&$0)
        }
        if isKnown { container.pipelines.primary.fields?.record(try document()) }
        return container
    }

    /// Returns the engine's request for a page's document.
    private func document() throws -> HTTPRequest {
        try #require(
            HTTPRequest(
                method: .get, urlText: place,
                headerFields: [.userAgent: "Fake", .acceptLanguage: "de", .accept: "text/html,*/*"]))
    }

    private func count(_ url: String) -> Int { fixture.network.urls.count { $0 == url } }

    /// Sends the page's own request for the interface.
    private func sendRequest(_ page: Page<FakeView>, of container: Container<FakeEngine>) async throws -> Provenance
        .Source?
    {
        let answer = try await fixture.answer(
            to: place + "api?id=7", .get, fields, from: page.view, of: container)
        #expect(answer.sink.status == 200 && answer.sink.body == Data("network \(api)".utf8))
        return answer.record.provenance?.source
    }

    @Test(
        "In the first launch prefetches wait for the engine's first document request, and the page gets the response")
    func firstLaunch() async throws {
        let container = try await container(isKnown: false)
        let page = try await container.open(url)
        #expect(container.counters.prefetch?.started == 1 && fixture.network.urls == [])
        let head = try document()
        _ = try await fixture.answer(
            to: place + "?id=7", .get, head.headerFields, from: page.view, isMainDocument: true, of: container)
        #expect(try await sendRequest(page, of: container) == .prefetch)
        #expect(count(api) == 1)
        let sent = try #require(fixture.network.requests.withLock { $0.first { $0.urlText == api } }).headerFields
        #expect(sent[.userAgent] == "Fake" && sent[.acceptLanguage] == "de" && sent[.accept] == "*/*")
        #expect(sent[.referer] == url && sent[.origin] == nil)
        #expect(HTTPField.Name("Sec-Fetch-Site").flatMap { sent[$0] } == "same-origin")
        // Each response is used once: the second request is not served from the prefetch.
        #expect(try await sendRequest(page, of: container) != .prefetch)
        let counters = try #require(container.counters.prefetch)
        #expect(counters.started == 1 && counters.hits + counters.joins == 1)
        await container.shutDown()
    }

    @Test("Prefetches start before a view is checked out, and do not wait for the page's document")
    func order() async throws {
        let container = try await container()
        var started: Int?
        fixture.engine.onMakeView = { started = container.counters.prefetch?.started }
        let page = try await container.open(url)
        #expect(started == 1)
        try await until { count(api) == 1 }
        #expect(try await sendRequest(page, of: container) == .prefetch && fixture.network.urls == [api])
        await container.shutDown()
    }

    @Test("The engine's header fields are stored for the next launch")
    func nextLaunch() async throws {
        var first: Container<FakeEngine>? = try await container()
        let file = fixture.folder + "/store/documents/prefetch-fields"
        try await until { FileManager.default.fileExists(atPath: file) }
        await first?.shutDown()
        first = nil
        let next = try await container(on: FakeEngine(), isKnown: false)
        let page = try await next.open(url)
        try await until { count(api) == 1 }
        let sent = fixture.network.requests.withLock { $0.first?.headerFields }
        #expect(sent?[.userAgent] == "Fake" && sent?[.acceptLanguage] == "de")
        await next.close(page)
        await next.shutDown()
    }

    @Test("Prefetches carry the engine's cookies; a page whose cookies have changed makes its own request")
    func cookies() async throws {
        let container = try await container()
        try await fixture.engine.jar.set(EngineCookie(name: "user", value: "1", domain: "shop.example"))
        let page = try await container.open(url)
        #expect(try await sendRequest(page, of: container) == .prefetch)
        let sent = fixture.network.requests.withLock { $0.map { $0.headerFields[.cookie] } }
        #expect(sent == ["user=1"])
        await container.close(page)
        let other = try await container.open(url)
        try await until { count(api) == 2 }
        try await fixture.engine.jar.set(EngineCookie(name: "user", value: "2", domain: "shop.example"))
        _ = try await container.open("https://api.example/")
        #expect(try await sendRequest(other, of: container) != .prefetch)
        #expect(fixture.network.requests.withLock { $0.last?.headerFields[.cookie] } == "user=2")
        #expect(container.counters.prefetch?.mismatches == 1)
        await container.shutDown()
    }

    @Test(
        "A page gets a prefetched response that renewed the page's cookies, and the new cookies remain",
        arguments: [true, false])
    func renewedCookies(_ isCached: Bool) async throws {
        let container = try await container { if !isCached { $0.network.httpCache = nil } }
        try await fixture.engine.jar.set(EngineCookie(name: "user", value: "1", domain: "shop.example"))
        fixture.network.put(
            .bytes(Data("network \(api)".utf8)), at: api, [.setCookie: "user=2", .cacheControl: "no-store"])
        let page = try await container.open(url)
        try await until { container.cookies?.jar?.cookies.map(\.value) == ["2"] }
        try await until { count(api) == 1 }
        let answer = try await fixture.answer(to: place + "api?id=7", .get, fields, from: page.view, of: container)
        #expect(answer.record.provenance?.source == .prefetch && count(api) == 1)
        #expect(answer.sink.fields[.setCookie] == nil)
        #expect(container.counters.prefetch?.mismatches == 0)
        await container.shutDown()
    }

    /// A cookie of the document, the requests that are sent again for it, and the cookies of the page's own request.
    struct DocumentCookie: CustomTestStringConvertible {
        var setCookie: String?
        var renewed: Set<String> = []
        var own: String? = "user=1"

        var testDescription: String { setCookie ?? "none" }

        static let all = [
            DocumentCookie(setCookie: nil),
            // The same value again, and cookies that do not apply to the requests.
            DocumentCookie(setCookie: "user=1; Path=/"), DocumentCookie(setCookie: "session=1; Path=/cart"),
            DocumentCookie(setCookie: "session=1; Domain=api.example"),
            DocumentCookie(setCookie: "session=1; Domain=example"), DocumentCookie(setCookie: "session=1; Max-Age=0"),
            DocumentCookie(setCookie: "session=1; Path=/account", renewed: ["account"]),
            DocumentCookie(setCookie: "session=1; Path=/", renewed: ["api", "account"], own: "user=1; session=1"),
            DocumentCookie(
                setCookie: "session=1; Domain=shop.example; Path=/; Secure; HttpOnly", renewed: ["api", "account"],
                own: "user=1; session=1"),
            DocumentCookie(setCookie: "user=2; Path=/", renewed: ["api", "account"], own: "user=2"),
            DocumentCookie(setCookie: "user=; Max-Age=0; Path=/", renewed: ["api", "account"], own: nil),
        ]
    }

    @Test(
        "After the document has set a cookie, only prefetches with another Cookie field are sent again",
        arguments: DocumentCookie.all, [false, true])
    func documentCookie(_ cookie: DocumentCookie, engineKeepsCookies: Bool) async throws {
        let urls = [
            "api": api, "account": "https://shop.example/account/data", "other": "https://api.example/data",
        ]
        fixture.engine.traits.keepsCookies = engineKeepsCookies
        let container = try await container(
            #"{"api":"https://shop.example/api","urlParam":true},{"api":"https://shop.example/account/data"},"#
                + #"{"api":"https://api.example/data"}"#)
        try await fixture.engine.jar.set(EngineCookie(name: "user", value: "1", domain: "shop.example"))
        var answered: HTTPFields = [.contentType: "text/html", .cacheControl: "no-store"]
        answered[.setCookie] = cookie.setCookie
        fixture.network.put(.bytes(Data("page".utf8)), at: url, answered)
        let page = try await container.open(url)
        try await until { urls.values.allSatisfy { count($0) == 1 } }
        let head = try document()
        _ = try await fixture.answer(
            to: place + "?id=7", .get, head.headerFields, from: page.view, isMainDocument: true, of: container)
        #expect(container.counters.prefetch?.started == 3 + cookie.renewed.count)
        try await until { urls.allSatisfy { count($0.value) == (cookie.renewed.contains($0.key) ? 2 : 1) } }
        var own = fields
        if engineKeepsCookies { own[.cookie] = cookie.own }
        let answer = try await fixture.answer(to: place + "api?id=7", .get, own, from: page.view, of: container)
        #expect(answer.record.provenance?.source == .prefetch)
        #expect(container.counters.prefetch?.mismatches == 0)
        let sent = fixture.network.requests.withLock { $0.last { $0.urlText == api }?.headerFields[.cookie] }
        #expect(sent.map { Set($0.split(separator: "; ")) } == cookie.own.map { Set($0.split(separator: "; ")) })
        await container.shutDown()
    }

    @Test("A container that ends drops unused responses although its page is open")
    func ended() async throws {
        let container = try await container()
        let page = try await container.open(url)
        try await until { count(api) == 1 }
        await container.shutDown()
        #expect(container.counters.prefetch?.wasted == 1)
        await container.close(page)
    }

    @Test("If the engine stores the cookies, a prefetch carries the cookies of its own host")
    func engineCookies() async throws {
        fixture.engine.traits.keepsCookies = true
        let container = try await container()
        for domain in ["shop.example", "api.example"] {
            try await fixture.engine.jar.set(EngineCookie(name: domain, value: "1", domain: domain, isHTTPOnly: true))
        }
        let page = try await container.open(url)
        try await until { count(api) == 1 }
        #expect(fixture.network.requests.withLock { $0.first?.headerFields[.cookie] } == "shop.example=1")
        // The engine's own request carries the cookies.
        var own = fields
        own[.cookie] = "shop.example=1"
        let same = try await fixture.answer(to: place + "api?id=7", .get, own, from: page.view, of: container)
        #expect(same.record.provenance?.source == .prefetch)
        // No prefetch is sent if the engine's cookies cannot be read.
        await container.close(page)
        fixture.engine.jar.hangs = true
        let other = try await container.open(url)
        await container.close(other)
        try await until { container.counters.prefetch?.wasted == 1 }
        #expect(count(api) == 1)
        await container.shutDown()
    }

    @Test("With the loopback server, prefetches carry the cookies of the page's site, and not the token")
    func serverCookies() async throws {
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true, identifiesPage: false, acceptLanguage: nil)
        let container = try await container { $0.pages.mode = .loopbackServer }
        for domain in ["shop-example.localhost", "api-example.localhost"] {
            try await fixture.engine.jar.set(EngineCookie(name: domain, value: "1", domain: domain))
        }
        // The token is also in the store.
        let page = try await container.open(url)
        #expect(fixture.engine.jar.cookies.count == 3)
        try await until { count(api) == 1 }
        #expect(
            fixture.network.requests.withLock { $0.first?.headerFields[.cookie] } == "shop-example.localhost=1")
        await container.close(page)
        await container.shutDown()
    }

    @Test(
        "A URL is not prefetched if a package serves it, rules exclude it, or it would not pass through the container"
    )
    func nothing() async throws {
        let container = try await container(
            """
            {"api":"https://shop.example/packaged.json"},{"api":"https://denied.example/api"},
            {"api":"https://elsewhere.example/api"}
            """)
        try container.setRules(RouteRules([], deny: [RouteRule(.pass, host: HostPattern("denied.example"))]))
        try await fixture.install(["packaged.json": "{}"], version: "1", into: container)
        let page = try await container.open(url)
        // The prefetch fails only after the package has been looked up.
        try await until { container.counters.prefetch?.failures == 1 }
        #expect(container.counters.prefetch?.started == 1 && fixture.network.urls == [])
        let packaged = try await fixture.answer(
            to: place + "packaged.json", .get, fields, from: page.view, of: container)
        #expect(packaged.record.provenance?.source == .package)
        // Pages that are not covered, and all pages while the container is disabled, have no prefetches.
        container.isEnabled = false
        _ = try await container.open(url)
        #expect(container.counters.prefetch?.started == 1)
        await container.shutDown()
    }

    @Test("A page that the rules bypass gets no prefetched response")
    func passed() async throws {
        let container = try await container()
        let page = try await container.open(url)
        try await until { count(api) == 1 }
        try container.setRules(RouteRules([], deny: [RouteRule(.pass, host: HostPattern("shop.example"))]))
        #expect(try await sendRequest(page, of: container) == .network)
        #expect(count(api) == 2)
        await container.shutDown()
    }

    @Test(
        "Unused responses are removed with their page, their account, the cache or under memory pressure",
        arguments: ["page", "account", "all", "sign-out", "cache", "memory"])
    func dropped(_ how: String) async throws {
        let container = try await container()
        let page = try await container.open(url)
        try await until { count(api) == 1 }
        switch how {
        case "page": await container.close(page)
        case "account": try await container.clearAccount(domains: ["shop.example"])
        case "all": try await container.clearAllCookies()
        case "sign-out": try await container.signOut(of: ["shop.example"])
        case "cache": await container.clearHTTPCache()
        default: container.releaseMemory()
        }
        #expect(container.counters.prefetch?.wasted == 1)
        let other = how == "page" ? try await container.open("https://shop.example/other") : page
        #expect(try await sendRequest(other, of: container) != .prefetch)
        await container.shutDown()
    }

    @Test("A cross-origin prefetch is preflighted if it is not a simple request", arguments: [true, false])
    func preflight(isEngines: Bool) async throws {
        fixture.engine.traits.preflights = isEngines
        let api = "https://api.example/list"
        let container = try await container(#"{"api":"\#(api)","method":"POST","body":{}}"#)
        let page = try await container.open(url)
        try await until { container.counters.prefetch?.failures == 1 }
        #expect(fixture.network.requests.withLock { $0.map(\.method) } == [.options])
        await container.close(page)
        let allowed = try #require(HTTPField.Name("Access-Control-Allow-Headers"))
        fixture.network.put(
            .empty, at: api, [.accessControlAllowOrigin: "https://shop.example", allowed: "content-type"])
        let other = try await container.open(url)
        try await until { fixture.network.requests.withLock { $0.count } == 3 }
        let sent = fixture.network.requests.withLock { $0 }
        #expect(sent.map(\.method) == [.options, .options, .post])
        #expect(sent[2].headerFields[.origin] == "https://shop.example" && sent[2].headerFields[.cookie] == nil)
        #expect(sent[2].headerFields[.referer] == "https://shop.example/")
        #expect(fixture.network.bodies.withLock { $0 } == [Data("{}".utf8)])
        await container.close(other)
        await container.shutDown()
    }

    @Test("The document is prefetched if the app configures it, unless it is posted")
    func documentAhead() async throws {
        let container = try await container { $0.network.prefetch?.fetchesDocument = true }
        let page = try await container.open(url)
        try await until { count(url) == 1 && count(api) == 1 }
        let head = try document()
        let answer = try await fixture.answer(
            to: place + "?id=7", .get, head.headerFields, from: page.view, isMainDocument: true, of: container)
        #expect(answer.record.provenance?.source == .prefetch && count(url) == 1)
        let sent = try #require(fixture.network.requests.withLock { $0.first { $0.urlText == url } }).headerFields
        #expect(sent[.accept] == "text/html,*/*" && sent[.referer] == nil)
        #expect(HTTPField.Name("Sec-Fetch-Dest").flatMap { sent[$0] } == "document")
        let post = try #require(HTTPRequest(method: .post, urlText: url))
        _ = try await container.open(post)
        #expect(container.counters.prefetch?.started == 3)
        await container.shutDown()
    }

    private func json(_ version: String) -> Data {
        Data(
            """
            {"code":200,"data":{"version":"\(version)","config":[{"url":"https://shop.example/","interfaces":
            [{"api":"https://shop.example/api","urlParam":true}]}]}}
            """.utf8)
    }

    @Test("The table is requested at launch, stored for the next launch, and an invalid response changes nothing")
    func fetchedTable() async throws {
        let source = "https://config.example/prefetch"
        fixture.network.put(.bytes(json("2")), at: source)
        let change = { @Sendable (configuration: inout ContainerConfiguration) in
            configuration.network.prefetch?.table = nil
            configuration.network.prefetch?.tableSource = PrefetchTableSource(url: source)
            configuration.network.prefetch?.tableSource?.interval = .zero
            configuration.network.prefetch?.tableSource?.retryInterval = .zero
        }
        var first: Container<FakeEngine>? = try await container(change: change)
        try await until { first?.counters.prefetchTable?.applied == 1 }
        let page = try await first?.open(url)
        try await until { count(api) == 1 }
        if let page { await first?.close(page) }
        // An unchanged table is not applied again. While the first table is being stored, no request is made.
        try await until {
            if count(source) == 1 { first?.hostEnteredForeground() }
            return count(source) == 2
        }
        await first?.shutDown()
        first = nil
        fixture.network.put(.bytes(Data(#"{"code":500}"#.utf8)), at: source)
        let next = try await container(on: FakeEngine(), change: change)
        // The table of the former launch. Events of this launch may precede the subscription.
        let other = try await next.open(url)
        try await until { count(api) == 2 && next.counters.prefetchTable?.failures == 1 }
        await next.close(other)
        var checks: [PrefetchTableCheck] = []
        next.hub.observe { if case .prefetchTableChecked(let check) = $0 { checks.append(check) } }
        next.hostEnteredForeground()
        try await until { checks.count == 1 }
        guard case .failed(let error as PrefetchError) = checks[0] else {
            Issue.record("\(checks)")
            return
        }
        #expect(error.code == .serverCode)
        fixture.network.put(.bytes(json("3")), at: source)
        next.hostEnteredForeground()
        try await until { checks.count == 2 }
        guard case .applied("3") = checks[1] else {
            Issue.record("\(checks)")
            return
        }
        let counters = try #require(next.counters.prefetchTable)
        #expect(counters.checks == 3 && counters.applied == 1 && counters.failures == 2)
        await next.shutDown()
    }

    /// Returns the reply to a message of a page.
    private func call(_ message: String, from document: String, in view: FakeView) async throws -> String {
        let say = { (word: String, json: String) throws -> String in
            let answer = view.prompt("\(word) \(document) \(json)")
            let members = try JSONDecoder().decode([String: String].self, from: Data(answer.utf8))
            return members["value"] ?? "error: \(members["error"] ?? answer)"
        }
        let ticket = try say("prefetch", message)
        while true {
            try Task.checkCancellation()
            let answer = try say("prefetched", "\"\(ticket)\"")
            if !answer.isEmpty { return answer }
            await Task.yield()
        }
    }

    @Test("A page can get a prefetched response by a message, once, for URLs of its own origin")
    func messages() async throws {
        let container = try await container(
            #"{"api":"https://shop.example/api","urlParam":true},{"api":"https://api.example/list"}"#
        ) { $0.pages.legacyMessages = LegacyMessages(prefix: "yx") }
        fixture.network.put(.bytes(Data("ä".utf8)), at: api, [.contentType: "text/plain"])
        let page = try await container.open(url)
        let message = #"{"url":"\#(api)"}"#
        #expect(try await call(message, from: "containerkit://other.example/", in: page.view) == "null")
        #expect(try await call(#"{"url":"https://api.example/list"}"#, from: place, in: page.view) == "null")
        #expect(
            try await call(message, from: place, in: page.view)
                == #"{"status":200,"headers":{"content-type":"text/plain"},"body":"ä"}"#)
        #expect(try await call(message, from: place, in: page.view) == "null")
        #expect(try await call(#"{"url":7}"#, from: place, in: page.view).hasPrefix("error: "))
        #expect(count(api) == 1)
        await container.shutDown()
    }

    @Test("A response that would set a cookie that is not stored is not used for a message")
    func messageCookies() async throws {
        fixture.engine.traits.keepsCookies = true
        let container = try await container {
            $0.pages.mode = .loopbackProxy
            $0.pages.legacyMessages = LegacyMessages(prefix: "yx")
        }
        container.pipelines.primary.fields?.record(
            try #require(HTTPRequest(method: .get, urlText: url, headerFields: [.userAgent: "Fake"])))
        fixture.network.put(.bytes(Data("a".utf8)), at: api, [.setCookie: "session=2"])
        let page = try await container.open(url)
        #expect(try await call(#"{"url":"\#(api)"}"#, from: "https://shop.example/", in: page.view) == "null")
        #expect(count(api) == 1 && container.counters.prefetch?.started == 1)
        #expect(container.counters.prefetch.map { $0.hits + $0.joins } == 0)
        await container.shutDown()
    }

    @Test("A new table applies to pages that are opened later; without the option no request is made")
    func tables() async throws {
        let container = try await container()
        container.setPrefetchTable(nil)
        _ = try await container.open(url)
        #expect(container.counters.prefetch?.started == 0)
        container.setPrefetchTable(try table(#"{"api":"https://shop.example/a"},{"api":"https://shop.example/b"}"#))
        _ = try await container.open(url)
        #expect(container.counters.prefetch?.started == 2)
        await container.shutDown()
        let plain = try await Fixture().container(covering: ["shop.example"])
        #expect(plain.counters.prefetch == nil)
        await plain.shutDown()
    }
}
