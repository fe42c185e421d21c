// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
@_spi(Facade) import BodyBridge
import Foundation
import HTTPTypes
import RequestPipeline
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import LoopbackInterception

/// Messages of older pages, and requests of older apps.
@MainActor
@Suite("Older pages", .timeLimit(.minutes(1)))
struct LegacyTests {
    private let fixture = Fixture()
    private let place = "containerkit://shop.example/"
    private let oldScheme: HTTPField.Name
    private let bodyParam: HTTPField.Name
    private let formType = "application/x-www-form-urlencoded"

    init() throws {
        oldScheme = try #require(HTTPField.Name("oldScheme"))
        bodyParam = try #require(HTTPField.Name("bodyParam"))
    }

    private func container(
        isOn: Bool = true, mode: InterceptionMode = .customScheme
    ) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example", "other.example"]) { configuration in
            configuration.pages.mode = mode
            configuration.pages.legacyMessages = isOn ? LegacyMessages(prefix: "yx") : nil
        }
    }

    /// Sends a message like a script of the page.
    private func say(_ word: String, _ json: String, from url: String, in view: FakeView) throws -> String {
        try #require(view.promptPrefix != nil)
        return view.prompt("\(word) \(url) \(json)")
    }

    private func store(_ id: String, _ rest: String = #""body":"x""#, in view: FakeView) throws {
        let answer = try say("body", #"{"requestId":"\#(id)",\#(rest)}"#, from: place, in: view)
        #expect(answer == #"{"value":"\#(id)"}"#)
    }

    private func head(
        _ url: String, _ method: HTTPRequest.Method = .post, _ fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        try #require(HTTPRequest(method: method, urlText: url, headerFields: fields))
    }

    /// Returns the error code of a failed request; `nil` if it did not fail.
    private func failure(_ record: RequestRecord) -> ResourceError.Code? {
        if case .failed(let error) = record.outcome { error.code } else { nil }
    }

    private var last: HTTPRequest? { fixture.network.requests.withLock { $0.last } }
    private var bodies: [String] { fixture.network.bodies.withLock { $0.map { String(decoding: $0, as: UTF8.self) } } }

    @Test("While the option is off, there is no script and no message handler", arguments: [false, true])
    func switchedOff(hasBridge: Bool) async throws {
        if hasBridge { fixture.engine.traits.bodies = .plain }
        let container = try await container(isOn: false)
        let page = try await container.open("https://shop.example/")
        #expect(page.view.scripts.count { $0.world == .page && $0.places.isEmpty } == (hasBridge ? 3 : 0))
        #expect(
            page.view.scripts.allSatisfy { !$0.source.contains("XHRCALL") && !$0.source.contains("original_cookie") })
        if hasBridge {
            #expect(try say("body", #"{"requestId":"1","body":""}"#, from: place, in: page.view) == "null")
        }
        _ = try await fixture.answer(to: place + "a?yx-wkwebview-request-id=1", from: page.view, of: container)
        #expect(last?.path == "/a?yx-wkwebview-request-id=1")
        await #expect(throws: ContainerError.self) {
            _ = try await container.open(
                HTTPRequest(
                    method: .get, scheme: "post", authority: "shop.example", path: "/",
                    headerFields: [oldScheme: "https"]))
        }
        await container.shutDown()
    }

    @Test("An alias counts as https: pages open at their own origin, and resources are answered")
    func aliases() async throws {
        let names = try #require(SchemeNames(prefix: "containerkit", aliases: ["page", "assets"]))
        let container = try await fixture.container(covering: ["shop.example"]) { configuration in
            configuration.pages.mode = .customScheme
            configuration.pages.schemeNames = names
        }
        let page = try await container.open("page://shop.example/a")
        #expect(page.view.loads == [place + "a"])
        let resource = try await fixture.answer(to: "assets://shop.example/x.js", from: page.view, of: container)
        #expect(resource.sink.status == 200 && resource.record.url == "https://shop.example/x.js")
        #expect(last?.urlText == "https://shop.example/x.js")
        // A document leads to its own origin, so that no second origin has storage.
        let document = try await fixture.answer(
            to: "page://shop.example/b", from: page.view, isMainDocument: true, of: container)
        #expect(document.sink.text.contains(#"location.replace("https:\/\/shop.example\/b"+location.hash)"#))
        await #expect(throws: ContainerError.self) { try await container.open("pages://shop.example/") }
        await container.shutDown()
    }

    @Test("A page that is not covered has no script and no message handler")
    func notCovered() async throws {
        let container = try await container()
        let page = try await container.open("https://elsewhere.example/")
        #expect(page.view.scripts.isEmpty && page.view.promptPrefix == nil)
        await container.shutDown()
    }

    @Test("A request consumes its body and fields once, and its URL loses the parameter", arguments: [false, true])
    func taken(hasBridge: Bool) async throws {
        if hasBridge { fixture.engine.traits.bodies = .plain }
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        #expect(page.view.scripts.count { $0.world == .page && $0.places.isEmpty } == (hasBridge ? 4 : 1))
        try store("1", #""body":{"a":1},"headers":{"X-Own":"1","Cookie":"a=b"}"#, in: page.view)
        let url = place + "a?b=c&yx-wkwebview-request-id=1"
        let first = try await fixture.answer(to: url, .post, from: page.view, of: container)
        #expect(first.sink.status == 200 && first.record.url == "https://shop.example/a?b=c")
        #expect(last?.urlText == "https://shop.example/a?b=c" && bodies == [#"{"a":1}"#])
        #expect(last?.headerFields[.contentType] == "application/json" && last?.headerFields[.cookie] == nil)
        #expect(last?.headerFields[try #require(HTTPField.Name("X-Own"))] == "1")
        let second = try await fixture.answer(to: url, .post, from: page.view, of: container)
        #expect(failure(second.record) == .invalidRequest && fixture.network.urls.count == 1)
        // A GET has no lost body, so it is sent although no body is stored.
        let third = try await fixture.answer(to: url, from: page.view, of: container)
        #expect(third.sink.status == 200 && last?.urlText == "https://shop.example/a?b=c")
        await container.shutDown()
    }

    @Test("Requests of another origin or another page consume no body")
    func foreign() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        let other = try await container.open("https://shop.example/")
        try store("1", in: page.view)
        let url = place + "a?yx-wkwebview-request-id=1"
        let foreign: [(HTTPFields, FakeView)] = [
            ([.origin: "containerkit://other.example"], page.view), ([.origin: "null"], page.view),
            ([.origin: "containerkit-http://shop.example"], page.view),
            ([.referer: "containerkit://other.example/a"], page.view), ([:], other.view),
        ]
        for (fields, view) in foreign {
            let record = try await fixture.answer(to: url, .post, fields, from: view, of: container).record
            #expect(failure(record) == .invalidRequest, "\(fields)")
        }
        // A request of the page to another origin consumes the body.
        let answer = try await fixture.answer(
            to: "containerkit://other.example/a?yx-wkwebview-request-id=1", .post,
            [.origin: "containerkit://shop.example"], from: page.view, of: container)
        #expect(answer.sink.error == nil && bodies == ["x"] && last?.urlText == "https://other.example/a")
        await container.shutDown()
    }

    @Test("Header fields of a message require the permission of another origin")
    func preflight() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        try store("1", #""body":"x","headers":{"X-Own":"1"}"#, in: page.view)
        let answer = try await fixture.answer(
            to: "containerkit://other.example/a?yx-wkwebview-request-id=1", .post,
            [.origin: "containerkit://shop.example"], from: page.view, of: container)
        #expect(failure(answer.record) != nil)
        fixture.network.requests.withLock { requests in
            #expect(requests.map(\.method) == [.options] && requests[0].path == "/a")
        }
        await container.shutDown()
    }

    @Test("A new document, the page's end and a cleared account remove the bodies")
    func dropped() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        let url = place + "a?yx-wkwebview-request-id=1"
        try store("1", in: page.view)
        page.view.onSignal?(.committed(url: place + "b?yx-wkwebview-request-id=2"))
        #expect(container.openPages.first?.documentURL == "https://shop.example/b")
        #expect(
            failure(try await fixture.answer(to: url, .post, from: page.view, of: container).record) == .invalidRequest)
        try store("1", in: page.view)
        try await container.clearAccount(domains: ["shop.example"])
        #expect(
            failure(try await fixture.answer(to: url, .post, from: page.view, of: container).record) == .invalidRequest)
        try store("1", in: page.view)
        let view = page.view
        await container.close(page)
        #expect(
            failure(try await fixture.answer(to: url, .post, from: view, of: container).record) == .invalidRequest)
        #expect(bodies == [])
        await container.shutDown()
    }

    @Test("If two views of an origin use equal body identifiers, each gets its own body or no body")
    func sameIDs() async throws {
        fixture.engine.traits.keepsCookies = true
        fixture.engine.traits.preflights = true
        let container = try await container(mode: .loopbackProxy)
        let requests = LoopbackRequests(
            pipeline: container.path, pages: PageAttributor(), bodies: [container.requests.legacy].compactMap(\.self))
        let places = ["https://shop.example/a", "https://shop.example/b"]
        var pages: [Page<FakeView>] = []
        for place in places {
            let page = try await container.open(place)
            page.view.onSignal?(.committed(url: place))
            _ = try say("body", #"{"requestId":"1","body":"\#(place)"}"#, from: place, in: page.view)
            pages.append(page)
        }
        let send = { (referrer: String) in
            try await requests.load(
                ResourceRequest(
                    try head(
                        "https://shop.example/api?yx-wkwebview-request-id=1", .post,
                        [.origin: "https://shop.example", .referer: referrer])))
        }
        // The sender cannot be determined.
        await #expect(throws: ResourceError.self) { _ = try await send("https://shop.example/") }
        for place in places.reversed() { _ = try await send(place) }
        #expect(bodies == places.reversed())
        for page in pages { await container.close(page) }
        await container.shutDown()
    }

    @Test("Over loopback a request is matched by its origin, and the engine has already made the preflight")
    func loopback() async throws {
        fixture.engine.traits.keepsCookies = true
        fixture.engine.traits.preflights = true
        let container = try await container(mode: .loopbackProxy)
        let page = try await container.open("https://shop.example/")
        let requests = LoopbackRequests(
            pipeline: container.path, pages: PageAttributor(), bodies: [container.requests.legacy].compactMap(\.self))
        let store = { (id: String, rest: String) throws in
            let json = #"{"requestId":"\#(id)",\#(rest)}"#
            let answer = try say("body", json, from: "https://shop.example/p", in: page.view)
            #expect(answer == #"{"value":"\#(id)"}"#)
        }
        let send = { (url: String, fields: HTTPFields) in
            var request = ResourceRequest(try head(url, .post, fields))
            request.body = .bytes(Data("the engine's".utf8))
            let answer = try await requests.load(request)
            return answer?.head.status.code
        }
        let own: HTTPFields = [.origin: "https://shop.example"]
        try store("1", #""body":"x","headers":{"X-Own":"1"}"#)
        await #expect(throws: ResourceError.self) {
            _ = try await send("https://shop.example/a?yx-wkwebview-request-id=1", [.origin: "https://other.example"])
        }
        await #expect(throws: ResourceError.self) {
            _ = try await send("https://shop.example/a?yx-wkwebview-request-id=1", [:])
        }
        #expect(try await send("https://shop.example/a?yx-wkwebview-request-id=1&b", own) == 200)
        #expect(last?.urlText == "https://shop.example/a?b" && bodies == ["x"])
        #expect(last?.headerFields[try #require(HTTPField.Name("X-Own"))] == "1")
        // The other origin has not permitted the field.
        try store("2", #""body":"y","headers":{"X-Own":"1"}"#)
        await #expect(throws: ResourceError.self) {
            _ = try await send("https://other.example/a?yx-wkwebview-request-id=2", own)
        }
        try store("3", #""body":{}"#)
        #expect(try await send("https://other.example/a?yx-wkwebview-request-id=3", own) == 200)
        #expect(last?.headerFields[.contentType] == nil && bodies == ["x", "{}"])
        // The preflight of the engine does not consume the body.
        try store("4", #""body":"z""#)
        _ = try await requests.load(
            ResourceRequest(try head("https://other.example/a?yx-wkwebview-request-id=4", .options, own)))
        #expect(last?.urlText == "https://other.example/a")
        #expect(try await send("https://other.example/a?yx-wkwebview-request-id=4", own) == 200)
        #expect(try await send("https://shop.example/plain", own) == 200)
        #expect(bodies == ["x", "{}", "z", "the engine's"])
        await container.shutDown()
    }

    @Test("A cookie message is validated against its document, and converted to the text of document.cookie")
    func cookies() async throws {
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        let say = { (domain: String, url: String) throws -> String in
            let json =
                #"{"name":"a","value":"1","domain":"\#(domain)","path":"/","originurl":"https://shop.example"}"#
            return try self.say("cookie", json, from: url, in: page.view)
        }
        #expect(try say("shop.example", place) == #"{"value":"a=1; Path=\/"}"#)
        #expect(try say(".shop.example", place) == #"{"value":"a=1; Path=\/; Domain=shop.example"}"#)
        for (domain, url) in [
            ("other.example", place), ("example", place), ("shop.example", "containerkit://other.example/"),
            ("other.example", "containerkit://other.example/"), ("shop.example", "null/"), ("shop.example", ""),
        ] {
            #expect(try say(domain, url).hasPrefix(#"{"error":"wrong-origin"#), "\(domain) \(url)")
        }
        await container.shutDown()
    }

    @Test("A page is opened by POST, once")
    func post() async throws {
        let container = try await container()
        let page = try await container.open(
            HTTPRequest(
                method: .get, scheme: "post", authority: "shop.example", path: "/a?b",
                headerFields: [oldScheme: "https", bodyParam: "c=d"]))
        #expect(page.view.loads == [place + "a?b"] && page.session.documentURL == "https://shop.example/a?b")
        // Other requests of the view and requests for other documents are not posted.
        _ = try await fixture.answer(to: place + "a?b", from: page.view, of: container)
        _ = try await fixture.answer(to: place + "other", from: page.view, isMainDocument: true, of: container)
        #expect(bodies == [])
        let record = try await fixture.answer(to: place + "a?b", from: page.view, isMainDocument: true, of: container)
            .record
        #expect(record.method == .post && record.isMainDocument && failure(record) == nil)
        #expect(last?.method == .post && last?.urlText == "https://shop.example/a?b" && bodies == ["c=d"])
        #expect(last?.headerFields[.contentType] == "application/x-www-form-urlencoded")
        #expect(last?.headerFields[oldScheme] == nil && last?.headerFields[bodyParam] == nil)
        _ = try await fixture.answer(to: place + "a?b", from: page.view, isMainDocument: true, of: container)
        #expect(last?.method == .get)
        await container.shutDown()
    }

    @Test("Over the proxy a page is opened by a form with a mark, and requests with the mark get the body")
    func postOverProxy() async throws {
        fixture.engine.traits.keepsCookies = true
        fixture.engine.traits.preflights = true
        let container = try await container(mode: .loopbackProxy)
        let requests = LoopbackRequests(
            pipeline: container.path, pages: PageAttributor(), bodies: [container.requests.posts])
        let send = { (form: Data) in
            let head = try head("https://shop.example/a?b", .post, [.contentType: formType, .origin: "null"])
            _ = try await requests.load(ResourceRequest(head, body: .bytes(form), destination: .document))
        }
        let opened = try await container.open(
            "https://shop.example/a?b", method: .post, fields: [.contentType: "a/b"], body: Data("x".utf8))
        let older = try await container.open(
            HTTPRequest(
                method: .get, scheme: "post", authority: "shop.example", path: "/a?b",
                headerFields: [oldScheme: "https", bodyParam: "c=d"]))
        var forms: [Data] = []
        for (page, body, type) in [(opened, "x", "a/b"), (older, "c=d", formType)] {
            let posts = page.view.sentPosts
            #expect(page.view.loads.isEmpty && posts.map(\.url) == ["https://shop.example/a?b"])
            let form = try #require(posts.first?.body)
            forms.append(form)
            // Reload and back repeat the form.
            for _ in 0..<2 {
                try await send(form)
                #expect(last?.method == .post && last?.headerFields[.contentType] == type && bodies.last == body)
                #expect(last?.headerFields[.origin] == nil && last?.headerFields[oldScheme] == nil)
                page.view.onSignal?(.committed(url: "https://shop.example/a?b"))
            }
        }
        await container.close(opened)
        await #expect(throws: ResourceError.self) { try await send(forms[0]) }
        try await send(forms[1])
        // The data of the account includes the bodies.
        try await container.signOut()
        await #expect(throws: ResourceError.self) { try await send(forms[1]) }
        #expect(bodies.count == 5)
        await container.shutDown()
    }

    @Test("An engine that sends bodies posts in each mode without a mark", arguments: [true, false])
    func postByEngine(isCovered: Bool) async throws {
        fixture.engine.traits.keepsCookies = true
        fixture.engine.traits.preflights = true
        fixture.engine.sendsBodies = true
        let container = try await container(mode: .loopbackProxy)
        let url = isCovered ? "https://shop.example/" : "https://elsewhere.example/"
        let page = try await container.open(url, method: .post, fields: [.contentType: "a/b"], body: Data("x".utf8))
        let sent = try #require(page.view.sentPosts.first)
        #expect(sent.url == url && sent.body == Data("x".utf8) && sent.fields == [.contentType: "a/b"])
        #expect(page.view.sentPosts.count == 1 && page.view.loads.isEmpty)
        await container.shutDown()
    }

    @Test("A page that is not covered, and a URL without a scheme, are not opened by POST")
    func refusedPosts() async throws {
        fixture.engine.traits.keepsCookies = true
        fixture.engine.traits.preflights = true
        let container = try await container(mode: .loopbackProxy)
        let refusals: [(String, ContainerError.Code)] = [
            ("https://elsewhere.example/", .unsupported), ("/a", .invalidURL), ("ftp://a/", .invalidURL),
        ]
        for (url, code) in refusals {
            let error = await #expect(throws: ContainerError.self) {
                _ = try await container.open(url, method: .post, body: Data("x".utf8))
            }
            #expect(error?.code == code)
        }
        let error = await #expect(throws: ContainerError.self) {
            _ = try await container.open("https://shop.example/", method: .get, body: Data("x".utf8))
        }
        #expect(error?.code == .unsupported && container.openPages.isEmpty)
        #expect(fixture.engine.views.allSatisfy { $0.loads.isEmpty && $0.sentPosts.isEmpty })
        let page = try await container.open("https://shop.example/#x", method: .get)
        #expect(page.view.loads == ["https://shop.example/#x"])
        await container.shutDown()
    }

    @Test("A request of the app opens a page; invalid requests are refused")
    func requests() async throws {
        let container = try await container(isOn: false)
        let page = try await container.open(
            try head("https://shop.example/", .post, [.contentType: "a/b"]), body: Data("x".utf8))
        _ = try await fixture.answer(to: place, from: page.view, isMainDocument: true, of: container)
        #expect(last?.method == .post && last?.headerFields[.contentType] == "a/b" && bodies == ["x"])
        let second = try await container.open(try head("https://shop.example/", .get))
        _ = try await fixture.answer(to: place, from: second.view, isMainDocument: true, of: container)
        #expect(last?.method == .get)
        let code = { (head: HTTPRequest) -> ContainerError.Code? in
            do { _ = try await container.open(head) } catch { return (error as? ContainerError)?.code }
            return nil
        }
        #expect(try await code(head("https://elsewhere.example/")) == .unsupported)
        #expect(try await code(head("https://shop.example/", .put)) == .unsupported)
        #expect(try await code(head("post://shop.example/", .get, [oldScheme: "https"])) == .invalidURL)
        #expect(container.openPages.count == 2)
        await container.shutDown()
    }
}
