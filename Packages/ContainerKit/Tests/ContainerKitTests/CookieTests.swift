// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BodyBridge
@_spi(Facade) import CookieBridge
import CookieJar
import Foundation
import HTTPTransport
import HTTPTypes
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// The cookies of pages in custom-scheme mode, and those of the engine.
@MainActor
@Suite("Cookies", .timeLimit(.minutes(1)))
struct CookieTests {
    private let fixture = Fixture()
    private let place = "containerkit://shop.example/"
    private let marker = HTTPField.Name("X-WKWebView-Request-Type")

    private func container(
        on engine: FakeEngine? = nil, change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example"], on: engine) { change(&$0) }
    }

    /// Sends a request of a page whose response sets cookies.
    private func set(
        _ cookie: String, _ fields: HTTPFields = [:], in page: Page<FakeView>, of container: Container<FakeEngine>
    ) async throws {
        fixture.network.put(.bytes(Data()), at: "https://shop.example/set", [.setCookie: cookie])
        _ = try await fixture.answer(to: place + "set", .get, fields, from: page.view, of: container)
    }

    /// Returns the `Cookie` field of the first request of a new page.
    private func sent(by container: Container<FakeEngine>, on engine: FakeEngine? = nil) async throws -> String? {
        let page = try await container.open("https://shop.example/")
        let events = container.events
        (engine ?? fixture.engine).send(place, from: page.view, isMainDocument: true)
        for await case .request in events { break }
        await container.close(page)
        return fixture.network.requests.withLock { $0.last?.headerFields[.cookie] }
    }

    private var stored: [String] { fixture.engine.jar.cookies.map { "\($0.name)=\($0.value)" }.sorted() }

    @Test("A cookie that the app adds to the engine is sent with the first navigation, a removed cookie is not")
    func fromEngine() async throws {
        let container = try await container()
        let cookie = EngineCookie(
            name: "id", value: "7", domain: ".shop.example", expires: Int64(Date().timeIntervalSince1970) + 600,
            isSecure: true, isHTTPOnly: true, sameSite: .lax)
        try await fixture.engine.jar.set(cookie)
        #expect(try await sent(by: container) == "id=7")
        try await fixture.engine.jar.set(EngineCookie(name: "id", value: "8", domain: ".shop.example"))
        #expect(try await sent(by: container) == "id=8")
        try await fixture.engine.jar.remove(name: "id", domain: ".shop.example", path: "/")
        #expect(try await sent(by: container) == nil)
        // The test made the three writes; the container writes no cookies back to the engine.
        #expect(fixture.engine.jar.writes == 3)
        await container.shutDown()
    }

    @Test("A cookie of a response is in the engine's store before the next page, with all attributes")
    func fromJar() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try await set(
            "id=1; Domain=shop.example; Path=/a; HttpOnly; Secure; SameSite=Strict; Max-Age=6000", in: page,
            of: container
        )
        _ = try await container.open("https://other.example/")
        let cookie = try #require(fixture.engine.jar.cookies.first)
        #expect(cookie.domain == ".shop.example" && cookie.path == "/a" && cookie.isHTTPOnly && cookie.isSecure)
        #expect(cookie.sameSite == .strict)
        let left = try #require(cookie.expires) - Int64(Date().timeIntervalSince1970)
        #expect((5_000...6_000).contains(left))
        try await set("id=1; Domain=shop.example; Path=/a; Max-Age=0", in: page, of: container)
        _ = try await container.open("https://other.example/")
        #expect(stored == [])
        #expect(fixture.engine.jar.writes == 2)
        let counters = try #require(await container.cookieCounters())
        #expect(counters.reconciliation.writes == 2 && counters.reconciliation.conflicts == 0)
        await container.shutDown()
    }

    @Test("A host-only cookie remains host-only, also for an IP address")
    func hosts() async throws {
        let container = try await container()
        try await fixture.engine.jar.set(EngineCookie(name: "a", value: "1", domain: "::1"))
        try await fixture.engine.jar.set(EngineCookie(name: "b", value: "2", domain: "shop.example"))
        _ = try await container.open("https://shop.example/")
        let identities = try #require(container.cookies?.jar).cookies.map(\.identity)
        #expect(identities.map(\.domain).sorted() == ["[::1]", "shop.example"] && identities.allSatisfy(\.isHostOnly))
        await container.shutDown()
    }

    @Test("A store that hangs delays a page and a response by their time limits")
    func hangs() async throws {
        let container = try await container { configuration in
            configuration.network.cookies.openLimit = .milliseconds(50)
            configuration.network.cookies.transferLimit = .milliseconds(50)
        }
        fixture.engine.jar.hangs = true
        let page = try await container.open("https://shop.example/")
        #expect(page.view.loads == [place])
        try await set("id=1", [try #require(marker): "1"], in: page, of: container)
        #expect(stored == [])
        #expect(try #require(await container.cookieCounters()).lateTransfers == 1)
        // The container's own pages have the cookie.
        #expect(try #require(container.cookies?.jar).cookies.map(\.value) == ["1"])
        await container.shutDown()
    }

    @Test("A response waits only for its own cookies")
    func handOverOfItsOwn() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        fixture.engine.jar.hangingNames = ["stuck"]
        try await set("stuck=1", in: page, of: container)
        let fields: HTTPFields = [try #require(marker): "1"]
        try await set("id=1", fields, in: page, of: container)
        #expect(stored == ["id=1"])
        // A response without cookies does not wait.
        _ = try await fixture.answer(to: place + "none", .get, fields, from: page.view, of: container)
        #expect(try #require(await container.cookieCounters()).lateTransfers == 0)
        await container.shutDown()
    }

    @Test("If the engine loses its cookies, they are restored before the next page")
    func lost() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try await set("id=1; Max-Age=600; HttpOnly", in: page, of: container)
        try await fixture.engine.jar.set(EngineCookie(name: "native", value: "1", domain: "shop.example"))
        _ = try await container.open("https://shop.example/")
        #expect(stored == ["id=1", "native=1"])
        fixture.engine.jar.lose()
        // The app sets a cookie at once.
        try await fixture.engine.jar.set(EngineCookie(name: "new", value: "1", domain: "shop.example"))
        _ = try await container.open("https://shop.example/")
        #expect(stored == ["id=1", "native=1", "new=1"])
        #expect(try #require(await container.cookieCounters()).reconciliation.losses == 1)
        #expect(try await sent(by: container) == "id=1; native=1; new=1")
        // Cookies that are cleared while the engine has lost them are not restored.
        fixture.engine.jar.lose()
        try await container.clearAccount(domains: ["shop.example"])
        _ = try await container.open("https://shop.example/")
        #expect(stored == [] && container.cookies?.jar?.cookies.isEmpty == true)
        await container.shutDown()
    }

    @Test(
        "Clearing an account also removes its pages' bodies, and pending changes to the engine's cookies",
        arguments: [false, true])
    func clearBodies(signsOut: Bool) async throws {
        fixture.engine.traits.bodies = .plain
        let uploads = UploadNetwork()
        let container = try await fixture.container(covering: ["shop.example", "other.example"]) {
            $0.network.transport = uploads
        }
        let pages = try await [container.open("https://shop.example/"), container.open("https://other.example/")]
        let events = container.events
        let mark = try #require(HTTPField.Name("ContainerKit-Request"))
        let id = String(repeating: "0a", count: 16)
        let rest = String(repeating: "other", count: 20_000)
        var sinks: [FakeSink] = []
        for page in pages {
            let host = page.session.documentURL == "https://shop.example/" ? "shop.example" : "other.example"
            // A part of a body has arrived, and its request has begun. The body is too long to be stored for a
            // redirect.
            #expect(page.view.put("first", at: 0, of: id) == #"{"value":true}"#)
            sinks.append(
                fixture.engine.send(
                    "containerkit://\(host)/upload", .post,
                    [mark: "\(page.view.promptPrefix ?? "")take \(id) \(5 + rest.utf8.count)"],
                    from: page.view
                ))
            // A form is about to be submitted.
            #expect(page.view.announce("containerkit://\(host)/form") == #"{"value":true}"#)
        }
        var arrivals = uploads.arrivals.makeAsyncIterator()
        for _ in pages { _ = await arrivals.next() }
        // A change that the engine does not accept yet.
        fixture.engine.jar.failure = EngineError(.storage, "not now")
        container.cookies?.jar?.store(
            setCookies: ["id=1"], from: try #require(CookieURL("https://shop.example/")))
        if signsOut {
            try await container.signOut(of: ["shop.example"])
        } else {
            try await container.clearAccount(domains: ["shop.example"])
        }
        fixture.engine.jar.failure = nil
        // The upload of the other account continues; that of the cleared account has failed.
        #expect(pages[1].view.put(rest, at: 5, of: id) == #"{"value":true}"#)
        var ended = 0
        for await case .request in events {
            ended += 1
            if ended == 2 { break }
        }
        #expect(sinks[0].error?.code == .cancelled && sinks[0].status == nil)
        #expect(sinks[1].status == 200)
        #expect(uploads.bodies.withLock { $0.map(\.utf8.count) } == [5 + rest.utf8.count])
        for (page, host) in zip(pages, ["shop.example", "other.example"]) {
            let sink = try await fixture.answer(
                to: "containerkit://\(host)/form", .post, [.contentType: "text/plain"], from: page.view, of: container
            ).sink
            #expect((sink.error?.code == .invalidRequest) == (host == "shop.example"), "\(host)")
        }
        _ = try await container.open("https://shop.example/")
        #expect(stored == [] && container.cookies?.jar?.cookies.isEmpty == true)
        await container.shutDown()
    }

    @Test("A page that forges messages for another site gets only the cookies of a frame of that site")
    func liar() async throws {
        fixture.engine.traits.bodies = .plain
        let container = try await fixture.container(covering: ["bank.example", "shop.example"])
        let bank = try #require(CookieURL("https://bank.example/"))
        container.cookies?.jar?.store(
            setCookies: [
                "strict=1; Secure; SameSite=Strict", "lax=1; Secure", "all=1; Secure; SameSite=None",
                "hidden=1; Secure; SameSite=None; HttpOnly",
            ], from: bank)
        let page = try await container.open("https://shop.example/")
        let ask = { page.view.prompt(#"{"ask":"cookies","place":"containerkit://bank.example/"}"#) }
        #expect(ask() == #"{"value":"all=1"}"#)
        _ = page.view.prompt(#"{"ask":"setCookie","place":"containerkit://bank.example/","text":"all=2; Secure"}"#)
        #expect(ask() == #"{"value":"all=1"}"#)
        // It cannot act for a later page of the bank in the same view, with or without the proof of its own site.
        let own = try proof(in: page.view, of: "shop.example")
        page.view.onSignal?(.committed(url: "containerkit://bank.example/"))
        #expect(ask() == #"{"value":""}"#)
        #expect(
            page.view.prompt(own + #"{"ask":"cookies","place":"containerkit://bank.example/"}"#) == #"{"value":""}"#)
        await container.shutDown()
    }

    /// Returns the proof that a document of a site prefixes to its messages.
    private func proof(in view: FakeView, of host: String) throws -> String {
        let script = try #require(view.scripts.last { $0.places.first == "containerkit://\(host)/*" })
        let proof = try #require(script.source.firstMatch(of: try Regex("[+][0-9a-f]{32}")))
        return "\(script.source[proof.range]) "
    }

    @Test("A frame of another site that has the token can neither read nor set cookies of the page's site")
    func frames() async throws {
        fixture.engine.traits.bodies = .plain
        let container = try await fixture.container(covering: ["bank.example", "www.bank.example", "shop.example"])
        let bank = try #require(CookieURL("https://bank.example/"))
        container.cookies?.jar?.store(
            setCookies: ["lax=1; Secure; Domain=bank.example", "all=1; Secure; SameSite=None"], from: bank)
        let page = try await container.open("https://bank.example/")
        let ask = { (proof: String, host: String) in
            page.view.prompt(proof + #"{"ask":"cookies","place":"containerkit://\#(host)/"}"#)
        }
        for host in ["bank.example", "www.bank.example"] {
            #expect(ask("", host) == #"{"value":""}"#)
            _ = page.view.prompt(#"{"ask":"setCookie","place":"containerkit://\#(host)/","text":"planted=1; Secure"}"#)
        }
        let own = try proof(in: page.view, of: "bank.example")
        #expect(ask(own, "bank.example") == #"{"value":"lax=1; all=1"}"#)
        #expect(ask(own, "www.bank.example") == #"{"value":"lax=1"}"#)
        // The page cannot act for other sites.
        #expect(ask(own, "shop.example") == #"{"value":""}"#)
        // After a navigation, documents of the new site get their own proof and content rules.
        let rules = page.view.contentRules
        #expect(rules.count == 1 && rules[0].contains("bank"))
        _ = try await fixture.answer(
            to: "containerkit://shop.example/", from: page.view, isMainDocument: true, of: container)
        page.view.onSignal?(.committed(url: "containerkit://shop.example/"))
        #expect(page.view.contentRules.count == 2 && page.view.contentRules[1].contains("shop"))
        // A frame of the bank in a page of the shop is cross-site: it gets only the `SameSite=None` cookies.
        #expect(ask(own, "bank.example") == #"{"value":"all=1"}"#)
        let new = try proof(in: page.view, of: "shop.example")
        _ = page.view.prompt(new + #"{"ask":"setCookie","place":"containerkit://shop.example/","text":"a=1; Secure"}"#)
        #expect(ask(new, "shop.example") == #"{"value":"a=1"}"#)
        await container.shutDown()
    }

    @Test("With a covered cross-site frame, SameSite cookies are sent only with requests whose sender is proven")
    func foreignFrame() async throws {
        fixture.engine.traits.bodies = .plain
        fixture.engine.traits.preflights = false
        let container = try await fixture.container(covering: ["bank.example", "shop.example"])
        let bank = try #require(CookieURL("https://bank.example/"))
        container.cookies?.jar?.store(
            setCookies: ["strict=1; Secure; SameSite=Strict", "lax=1; Secure", "all=1; Secure; SameSite=None"],
            from: bank)
        let page = try await container.open("https://bank.example/")
        for path in ["x", "y", "link", ""] { fixture.network.put(.bytes(Data()), at: "https://bank.example/" + path) }
        let document = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        fixture.network.put(.bytes(Data()), at: "https://shop.example/frame")
        let sent = { [fixture] (path: String, fields: HTTPFields, isMain: Bool) in
            _ = try await fixture.answer(
                to: "containerkit://bank.example/" + path, .get, fields, from: page.view, isMainDocument: isMain,
                of: container)
            return fixture.network.requests.withLock { $0.last?.headerFields[.cookie] }
        }
        #expect(try await sent("x", [.accept: "image/png"], false) == "strict=1; lax=1; all=1")
        _ = try await fixture.answer(
            to: "containerkit://shop.example/frame", .get, [.accept: document], from: page.view,
            of: container)
        #expect(try await sent("x", [.accept: "image/png"], false) == "all=1")
        let mark = try #require(HTTPField.Name(InjectedScript.field))
        let token = try #require(page.view.promptPrefix)
        let proven = try proof(in: page.view, of: "bank.example")
        #expect(try await sent("y", [mark: token + "none"], false) == "all=1")
        #expect(try await sent("y", [mark: token + proven + "none"], false) == "strict=1; lax=1; all=1")
        #expect(try await sent("y", [.referer: "containerkit://bank.example/"], false) == "strict=1; lax=1; all=1")
        #expect(try await sent("y", [.referer: "containerkit://shop.example/frame"], false) == "all=1")
        // The frame may have caused a navigation, which therefore has no `SameSite=Strict` cookies.
        #expect(try await sent("link", [:], true) == "lax=1; all=1")
        // A document from the page cache still has its frames.
        page.view.onSignal?(.committed(url: "containerkit://bank.example/link"))
        page.view.onSignal?(.committed(url: "containerkit://bank.example/"))
        #expect(try await sent("x", [.accept: "image/png"], false) == "all=1")
        // A document that was loaded again has no cross-site frame yet.
        _ = try await sent("", [:], true)
        page.view.onSignal?(.committed(url: "containerkit://bank.example/"))
        #expect(try await sent("x", [.accept: "image/png"], false) == "strict=1; lax=1; all=1")
        // A frame that is not intercepted sends only document requests through the container.
        page.view.onSignal?(.frameLoaded(url: "https://ad.example/"))
        #expect(try await sent("x", [.accept: "image/png"], false) == "strict=1; lax=1; all=1")
        #expect(try await sent("y", [.accept: document], false) == "all=1")
        #expect(try await sent("link", [:], true) == "lax=1; all=1")
        // A request that may be cross-site stores only `SameSite=None` cookies.
        fixture.network.put(
            .bytes(Data()), at: "https://bank.example/y",
            [.setCookie: "all=2; Secure; SameSite=None", .setCookie: "lax=2; Secure"])
        _ = try await sent("y", [.accept: document], false)
        #expect(try await sent("x", [.accept: "image/png"], false) == "strict=1; lax=1; all=2")
        await container.shutDown()
    }

    @Test("Pages of the container have cookies that the engine does not accept")
    func refused() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        fixture.engine.jar.failure = EngineError(.cookie, "no")
        try await set("id=1", in: page, of: container)
        #expect(try await sent(by: container) == "id=1")
        #expect(try await sent(by: container) == "id=1")
        #expect(fixture.engine.jar.writes == 1)
        await container.shutDown()
    }

    @Test("A response to a request with the marker field waits until the engine has its cookies; the field is not sent")
    func handOver() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try await set("id=1; HttpOnly", [try #require(marker): "1", .accept: "*/*"], in: page, of: container)
        #expect(stored == ["id=1"])
        let fields = try #require(fixture.network.requests.withLock { $0.last?.headerFields })
        #expect(fields[try #require(marker)] == nil && fields[.accept] == "*/*")
        await container.shutDown()
    }

    @Test("The marker field is not sent to servers in other modes or from the app; its name can be configured")
    func field() async throws {
        let marker = try #require(marker)
        let other = try #require(HTTPField.Name("X-Wait"))
        let container = try await container { configuration in
            configuration.pages.mode = .loopbackProxy
            configuration.network.cookies.transferField = "x-wait"
        }
        let head = try #require(
            HTTPRequest(method: .get, urlText: "https://shop.example/", headerFields: [other: "1", marker: "1"]))
        _ = try await container.path.answer(loopback: ResourceRequest(head))
        _ = try await container.path.answer(ResourceRequest(head))
        fixture.network.requests.withLock { requests in
            #expect(requests.count == 2 && requests.allSatisfy { $0.headerFields[other] == nil })
            #expect(requests.allSatisfy { $0.headerFields[marker] == "1" })
        }
        await container.shutDown()
    }

    @Test("Clearing an account clears the jar, its file and the engine, and keeps other accounts")
    func clear() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try await set("id=1; Domain=shop.example; Max-Age=60", in: page, of: container)
        try await fixture.engine.jar.set(EngineCookie(name: "b", value: "2", domain: "a.shop.example"))
        try await fixture.engine.jar.set(EngineCookie(name: "c", value: "3", domain: "other.example"))
        try await container.clearAccount(domains: [".Shop.Example"])
        #expect(stored == ["c=3"])
        #expect(try await sent(by: container) == nil)
        #expect(try #require(container.cookies?.jar).cookies.map(\.value) == ["3"])
        let file = try String(contentsOfFile: fixture.folder + "/store/cookies.json", encoding: .utf8)
        #expect(!file.contains("shop.example"))
        try await container.clearAllCookies()
        #expect(stored == [] && container.cookies?.jar?.cookies.isEmpty == true)
        _ = try await container.open("https://other.example/")
        #expect(stored == [])
        await container.shutDown()
    }

    @Test("A pending response restores no cleared cookie; a response to a later request can set cookies")
    func clearedMeanwhile() async throws {
        let network = HeldNetwork()
        let container = try await container { $0.network.transport = network }
        let page = try await container.open("https://shop.example/")
        let events = container.events
        let asked = Task { for await _ in network.arrivals { break } }
        fixture.engine.send(place + "late", from: page.view)
        await asked.value
        try await container.clearAccount(domains: ["example"])
        network.release()
        for await case .request in events { break }
        #expect(container.cookies?.jar?.cookies.isEmpty == true)
        fixture.engine.send(place + "new", from: page.view)
        for await case .request in events { break }
        #expect(container.cookies?.jar?.cookies.map(\.identity.path) == ["/"])
        await container.shutDown()
    }

    @Test("A failure to clear the engine's store is reported, and the jar is empty")
    func clearFails() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try await set("id=1", [try #require(marker): "1"], in: page, of: container)
        fixture.engine.jar.removalFailure = EngineError(.storage, "no")
        do {
            try await container.clearAllCookies()
            Issue.record("no error")
        } catch let error as ContainerError {
            #expect(error.code == .cookies)
        }
        #expect(container.cookies?.jar?.cookies.isEmpty == true)
        await container.shutDown()
    }

    @Test("If the engine's store is the only cookie store, clearing an account clears it")
    func clearEngine() async throws {
        fixture.engine.traits.keepsCookies = true
        let container = try await container { $0.pages.mode = .loopbackProxy }
        #expect(await container.cookieCounters() == nil)
        try await fixture.engine.jar.set(EngineCookie(name: "a", value: "1", domain: ".shop.example"))
        try await fixture.engine.jar.set(EngineCookie(name: "b", value: "2", domain: "other.example"))
        try await container.clearAccount(domains: ["shop.example"])
        #expect(stored == ["b=2"])
        try await container.clearAllCookies()
        #expect(stored == [])
        await container.shutDown()
    }

    @Test("The loopback server's token remains in the engine's store")
    func clearServer() async throws {
        fixture.engine.traits.keepsCookies = true
        let container = try await container { $0.pages.mode = .loopbackServer }
        let page = try await container.open("https://shop.example/")
        let token = try #require(fixture.engine.jar.cookies.first)
        try await fixture.engine.jar.set(EngineCookie(name: "a", value: "1", domain: token.domain))
        try await container.clearAccount(domains: ["other.example"])
        #expect(stored.count == 2)
        try await container.clearAccount(domains: ["shop.example"])
        #expect(fixture.engine.jar.cookies == [token])
        await container.close(page)
        await container.shutDown()
    }

    @Test("In plain mode no cookie component runs")
    func plain() async throws {
        let container = try await container { $0.pages.mode = .plain }
        #expect(await container.cookieCounters() == nil)
        await container.shutDown()
    }

    @Test("Cookies with an expiry time survive a shutdown, in the jar and in the engine's store")
    func lasts() async throws {
        do {
            let container = try await container()
            let page = try await container.open("https://shop.example/")
            try await set("id=1; Max-Age=600", in: page, of: container)
            try await set("session=1", in: page, of: container)
            await container.shutDown()
        }
        let engine = FakeEngine()
        let container = try await container(on: engine)
        #expect(try await sent(by: container, on: engine) == "id=1")
        #expect(engine.jar.cookies.map(\.value) == ["1"])
        await container.shutDown()
    }
}

extension FakeView {
    /// Sends a chunk of a body to the relay by a prompt, as the page's script does if requests are forbidden.
    fileprivate func put(_ text: String, at offset: Int, of id: String) -> String {
        let bytes = Data(text.utf8).base64EncodedString()
        return prompt(
            #"{"ask":"store","place":"","id":"\#(id)","offset":\#(offset),"bytes":"\#(bytes)"}"#)
    }

    /// Announces a request with a body of plain bytes.
    fileprivate func announce(_ url: String) -> String {
        prompt(#"{"ask":"next","place":"","url":"\#(url)","words":"plain"}"#)
    }
}

/// A network that reads the bodies of its requests.
private final class UploadNetwork: HTTPTransporting {
    let capabilities: TransportCapabilities = .decodes
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    let bodies = Mutex<[String]>([])

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        if request.path == "/upload" {
            arrival.yield()
            let text = String(decoding: try await body.collect(upTo: 2 << 20), as: UTF8.self)
            bodies.withLock { $0.append(text) }
        }
        return TransportResponse(head: HTTPResponse(status: .ok), body: .empty)
    }
}

/// A network whose first response waits. Each response sets a cookie.
private final class HeldNetwork: HTTPTransporting {
    let capabilities: TransportCapabilities = .decodes
    let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation
    private let gate: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    init() {
        (arrivals, arrival) = AsyncStream.makeStream()
        (gate, opening) = AsyncStream.makeStream()
    }

    func release() {
        opening.finish()
    }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        arrival.yield()
        for await _ in gate {}
        return TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.setCookie: "id=1", .cacheControl: "no-store"]),
            body: .empty)
    }
}
