// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import RequestPipeline
import ResourceLoading
import ResourceStore
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@_spi(Testing) @testable import ContainerKit

/// Requests through the facade.
@MainActor
@Suite("Requests", .timeLimit(.minutes(1)))
struct RequestTests {
    private let fixture = Fixture()

    @Test(
        "A request whose body the engine loses fails and is not sent without it",
        arguments: ["POST", "PUT", "PATCH", "DELETE", "REPORT"],
        [HTTPField.Name.contentType, .contentLength])
    func lostBodies(method: String, field: HTTPField.Name) async throws {
        let method = try #require(HTTPRequest.Method(method))
        let container = try await fixture.container(covering: ["shop.example"])
        let answer = try await fixture.answer(
            to: "containerkit://shop.example/order", method, [field: "1"], of: container)
        #expect(answer.sink.error?.code == .invalidRequest && fixture.network.urls.isEmpty)
        guard case .failed(let error) = answer.record.outcome else {
            Issue.record("\(answer.record.outcome)")
            return
        }
        #expect(error.location == "https://shop.example/order" && answer.record.method == method)
    }

    @Test("Requests without a body are sent, and so are all requests of an engine that keeps bodies")
    func keptBodies() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        for (method, fields): (HTTPRequest.Method, HTTPFields) in [
            (.get, [.contentType: "text/plain"]), (.head, [:]), (.delete, [:]), (.options, [.contentLength: "0"]),
        ] {
            let answer = try await fixture.answer(to: "containerkit://shop.example/", method, fields, of: container)
            #expect(answer.sink.error == nil && answer.record.status == .ok)
        }
        let keeping = Fixture()
        keeping.engine.traits.bodies = .all
        let other = try await keeping.container(covering: ["shop.example"])
        let post = try await keeping.answer(
            to: "containerkit://shop.example/", .post, [.contentType: "text/plain"], of: other)
        #expect(post.sink.error == nil && keeping.network.urls.count == 1)
    }

    @Test("A POST is never served from a package")
    func methods() async throws {
        fixture.engine.traits.bodies = .all
        let container = try await fixture.container()
        try await fixture.install(["a.txt": "packaged"], version: "1", into: container)
        let post = try await fixture.answer(to: "containerkit://shop.example/a.txt", .post, of: container)
        #expect(post.record.provenance?.source == .network)
        let head = try await fixture.answer(to: "containerkit://shop.example/a.txt", .head, of: container)
        #expect(head.record.provenance?.source == .package && head.sink.body.isEmpty)
        #expect(head.sink.fields[.contentLength] == "8")
    }

    @Test("A record has the page, URL, status, source and times of a request")
    func record() async throws {
        let container = try await fixture.container()
        try await fixture.install(["a.txt": "packaged"], version: "7", into: container)
        let page = try await container.open("https://shop.example/a.txt")
        let record = try await fixture.answer(
            to: "containerkit://shop.example/a.txt?q", from: page.view, isMainDocument: true, of: container
        ).record
        #expect(record.page == page.session.id && record.method == .get && record.isMainDocument)
        #expect(record.url == "https://shop.example/a.txt?q")
        #expect(record.status == .ok && record.bytes == 8 && record.mediaType?.hasPrefix("text/plain") == true)
        #expect(record.provenance?.generation == page.session.generations.first)
        #expect(record.provenance?.reason.contains("shop 7") == true)
        let responded = try #require(record.responded)
        #expect(record.started <= responded && responded <= record.ended)
        guard case .finished = record.outcome else {
            Issue.record("\(record.outcome)")
            return
        }
    }

    @Test("A packaged file of another origin is refused if CORS requires it, immediately and later")
    func foreign() async throws {
        let container = try await fixture.container { $0.storage.budgets.smallBlobLimit = 4_096 }
        try await fixture.install(["a.txt": "packaged"], version: "7", into: container)
        let page = try await container.open("https://shop.example/a.txt")
        let head = try #require(
            HTTPRequest(
                method: .get, urlText: "containerkit://shop.example/a.txt", headerFields: [.origin: "null"]))
        let named = try container.path.resolve(
            EngineRequest(head: head, view: page.view.id, isMainDocument: false), for: page.session)
        for _ in 1...2 {
            #expect(container.path.immediateResponse(to: named) == nil)
            await #expect { try await container.path.answer(named) } throws: {
                ($0 as? ResourceError)?.code == .blocked
            }
        }
        await container.shutDown()
    }

    @Test(
        "The immediate response equals the later response",
        arguments: [
            ([:], true), ([.ifNoneMatch: "*"], true), ([.origin: "containerkit://shop.example"], true),
            ([.referer: "containerkit://shop.example/"], true),
            ([.range: "bytes=0-1"], false), ([.accept: "text/css,*/*"], false),
        ] as [(HTTPFields, Bool)], [HTTPRequest.Method.get, .head, .post])
    func sameAnswer(to given: (fields: HTTPFields, isImmediate: Bool), method: HTTPRequest.Method) async throws {
        let container = try await fixture.container { $0.storage.budgets.smallBlobLimit = 4_096 }
        try await fixture.install(["a.txt": "packaged"], version: "7", into: container)
        let page = try await container.open("https://shop.example/a.txt")
        let url = "containerkit://shop.example/a.txt"
        let head = try #require(HTTPRequest(method: method, urlText: url, headerFields: given.fields))
        let request = EngineRequest(head: head, view: page.view.id, isMainDocument: false)
        let named = try container.path.resolve(request, for: page.session)
        guard method != .post else {
            #expect(container.path.immediateResponse(to: named) == nil)
            return
        }
        let later = try await container.path.answer(named)
        // Bytes are in memory after they were read; after a fresh install they may not be.
        while given.isImmediate, container.path.immediateResponse(to: named) == nil {
            try Task.checkCancellation()
            _ = try await container.path.answer(named)
        }
        let immediate = container.path.immediateResponse(to: named)
        #expect((immediate != nil) == given.isImmediate)
        if let immediate {
            #expect(immediate.head == later.head && immediate.provenance == later.provenance)
            #expect(try await immediate.body.collect(upTo: 10) == later.body.collect(upTo: 10))
        }
        // A document, which may be redirected, has no immediate response, nor has any request while disabled.
        let document = EngineRequest(head: head, view: page.view.id, isMainDocument: true)
        #expect(container.path.immediateResponse(to: try container.path.resolve(document, for: page.session)) == nil)
        container.isEnabled = false
        #expect(container.path.immediateResponse(to: try container.path.resolve(request, for: page.session)) == nil)
    }

    /// Opens a page, and returns its request for a packaged file that is in memory.
    private func fileInMemory() async throws -> (Container<FakeEngine>, Page<FakeView>, EngineRequest) {
        let container = try await fixture.container { $0.storage.budgets.smallBlobLimit = 4_096 }
        try await fixture.install(["a.txt": "packaged"], version: "7", into: container)
        let page = try await container.open("https://shop.example/a.txt")
        let head = try #require(HTTPRequest(urlText: "containerkit://shop.example/a.txt"))
        let request = EngineRequest(head: head, view: page.view.id, isMainDocument: false)
        let named = try container.path.resolve(request, for: page.session)
        while container.path.immediateResponse(to: named) == nil {
            try Task.checkCancellation()
            _ = try await container.path.answer(named)
        }
        return (container, page, request)
    }

    @Test("A packaged file in memory is delivered before the engine's call returns, and recorded")
    func atOnce() async throws {
        let (container, page, _) = try await fileInMemory()
        let events = container.events
        let task = fixture.engine.send("containerkit://shop.example/a.txt", from: page.view)
        #expect(task.status == 200 && task.body == Data("packaged".utf8))
        for await case .request(let record) in events {
            #expect(record.bytes == 8 && record.provenance?.source == .package && record.page == page.session.id)
            break
        }
    }

    @Test("A page that closes during the delivery gets the complete file, and the record contains the page")
    func closingWithin() async throws {
        let (container, page, request) = try await fileInMemory()
        var records: [RequestRecord] = []
        let observation = container.hub.observe {
            if case .request(let record) = $0 { records.append(record) }
        }
        let sink = ClosingSink { _ = container.pages.close(page.session) }
        _ = container.requests.answer(request, to: sink)
        observation.end()
        #expect(sink.bytes == 8 && records.count == 1)
        #expect(records.first?.page == page.session.id && records.first?.url == "https://shop.example/a.txt")
        guard case .finished = records.first?.outcome else {
            Issue.record("\(String(describing: records.first?.outcome))")
            return
        }
    }

    @Test("A failure of the network is in the record, and the engine receives it once")
    func failure() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let answer = try await fixture.answer(to: "containerkit://shop.example/to/javascript:x", of: container)
        #expect(answer.sink.error?.code == .invalidRequest && answer.sink.status == nil)
        #expect(answer.record.responded == nil && answer.record.status == nil && answer.record.bytes == 0)
    }

    @Test("Origin and Referer have their real values even after a redirect, and other fields are unchanged")
    func origins() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        _ = try await fixture.answer(
            to: "containerkit://shop.example/to//x", .get,
            [.origin: "containerkit-http://shop.example", .referer: "https://real.example/"], of: container)
        let sent = fixture.network.requests.withLock { $0 }
        #expect(sent.map(\.path) == ["/to//x", "/x"])
        for request in sent {
            #expect(request.headerFields[.origin] == "http://shop.example")
            #expect(request.headerFields[.referer] == "https://real.example/")
        }
    }

    @Test("The requests of a page that closes are cancelled upstream, and nothing more is delivered")
    func closing() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/")
        let events = container.events
        let task = fixture.engine.send("containerkit://shop.example/endless", from: page.view)
        while fixture.network.urls.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        await container.close(page)
        for await _ in fixture.network.endings { break }
        for await case .request(let record) in events {
            guard case .stopped = record.outcome else {
                Issue.record("\(record.outcome)")
                return
            }
            // The page was known when the request was made.
            #expect(record.page == page.session.id)
            break
        }
        #expect(task.status == nil && task.error == nil)
    }

    private static let frameAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

    /// Returns the `Sec-Fetch-Site` field of the last request.
    private func lastSite() throws -> String? {
        let name = try #require(HTTPField.Name("Sec-Fetch-Site"))
        return fixture.network.requests.withLock { $0.last?.headerFields[name] }
    }

    @Test("Sec-Fetch-Site of a redirected document considers its initiator and all URLs of the redirect chain")
    func movedDocuments() async throws {
        let container = try await fixture.container(covering: ["shop.example", "evil.example"])
        let shop = "https://shop.example/x"
        let cases: [(start: String, by: String?, site: String?)] = [
            ("shop.example/to/\(shop)", nil, "none"),
            // The app opens the document, which is redirected through another site.
            ("evil.example/to/\(shop)", nil, "none"),
            ("shop.example/to/\(shop)", "shop.example", "same-origin"),
            ("shop.example/to/\(shop)", "evil.example", "cross-site"),
            ("evil.example/to/\(shop)", "shop.example", "cross-site"),
        ]
        for (index, (start, opener, site)) in cases.enumerated() {
            let start = start + "\(index)"
            let page = try await container.open("https://" + (opener.map { $0 + "/" } ?? start))
            let first = try await fixture.answer(
                to: "containerkit://" + start, from: page.view, isMainDocument: true, of: container)
            #expect(first.record.provenance?.source == .synthetic)
            page.view.onSignal?(.committed(url: "containerkit://" + start))
            _ = try await fixture.answer(
                to: "containerkit://shop.example/x\(index)", from: page.view, isMainDocument: true, of: container)
            #expect(try lastSite() == site, "\(start) by \(opener ?? "the app")")
            // The current document is the initiator of the next navigation.
            page.view.onSignal?(.started(url: "containerkit://shop.example/x"))
            page.view.onSignal?(.committed(url: "containerkit://shop.example/x"))
            _ = try await fixture.answer(
                to: "containerkit://evil.example/\(index)", from: page.view, isMainDocument: true, of: container)
            let after = try lastSite()
            #expect(after == "cross-site", "\(start) by \(opener ?? "the app"), \(fixture.network.urls.suffix(3))")
            await container.close(page)
        }
    }

    @Test("Another host of the same registrable domain is same-site")
    func sites() async throws {
        let hosts = ["shop.example", "cdn.shop.example", "a.github.io", "b.github.io"]
        let container = try await fixture.container(covering: hosts)
        for (url, other, site) in [
            ("https://shop.example/", "cdn.shop.example", "same-site"),
            ("https://a.github.io/", "b.github.io", "cross-site"),
        ] {
            let page = try await container.open(url)
            _ = try await fixture.answer(to: "containerkit://\(other)/a", from: page.view, of: container)
            #expect(try lastSite() == site, "\(url)")
            await container.close(page)
        }
        await container.shutDown()
    }

    @Test("In a page with a cross-origin frame, ambiguous element requests have no Sec-Fetch-Site")
    func frames() async throws {
        let container = try await fixture.container(covering: ["shop.example", "cdn.example"])
        let page = try await container.open("https://shop.example/")
        func site(of url: String, _ fields: HTTPFields = [:], isDocument: Bool = false) async throws -> String? {
            _ = try await fixture.answer(
                to: url, .get, fields, from: page.view, isMainDocument: isDocument, of: container)
            return try lastSite()
        }
        _ = try await site(of: "containerkit://shop.example/", isDocument: true)
        #expect(try await site(of: "containerkit://shop.example/a") == "same-origin")
        // A same-origin frame has no effect.
        _ = try await site(of: "containerkit://shop.example/frame", [.accept: Self.frameAccept])
        #expect(try await site(of: "containerkit://shop.example/a") == "same-origin")
        #expect(
            try await site(of: "containerkit://cdn.example/frame", [.accept: Self.frameAccept]) == "cross-site")
        #expect(try await site(of: "containerkit://shop.example/a") == nil)
        #expect(try await site(of: "containerkit://cdn.example/a") == nil)
        // The initiator of scripts and CORS requests is known.
        #expect(
            try await site(of: "containerkit://cdn.example/a", [.referer: "containerkit://cdn.example/frame"])
                == "same-origin")
        #expect(
            try await site(of: "containerkit://shop.example/a", [.origin: "containerkit://cdn.example"])
                == "cross-site")
        // The next document has no cross-origin frame.
        page.view.onSignal?(.committed(url: "containerkit://shop.example/next"))
        #expect(try await site(of: "containerkit://shop.example/a") == "same-origin")
    }

    @Test("A preflight is made once, even if the rules change")
    func sharedPermissions() async throws {
        let container = try await fixture.container(covering: ["shop.example", "api.example"])
        fixture.network.put(
            .empty, at: "https://api.example/x",
            [
                .accessControlAllowOrigin: "https://shop.example", .accessControlAllowMethods: "DELETE",
                .accessControlMaxAge: "600",
            ])
        let page = try await container.open("https://shop.example/")
        for rules in [RouteRules.none, try RouteRules([], deny: [RouteRule(.pass, host: HostPattern("api.example"))])] {
            container.setRules(rules)
            let answer = try await fixture.answer(
                to: "containerkit://api.example/x", .delete, [.origin: "containerkit://shop.example"],
                from: page.view, of: container)
            #expect(answer.sink.error == nil)
        }
        let methods = fixture.network.requests.withLock { $0.map(\.method) }
        #expect(methods == [.options, .delete, .delete])
    }
}

/// A sink that closes the page during the delivery.
@MainActor
private final class ClosingSink: SchemeTaskSink {
    private let close: @MainActor () -> Void
    private(set) var bytes: Int64 = 0

    init(_ close: @escaping @MainActor () -> Void) { self.close = close }

    func receive(_ head: HTTPResponse, length: Int64?) {}
    func receive(_ head: HTTPResponse, whole body: WholeBody) {
        bytes = body.length
        close()
    }
    func receive(_ data: Data) async throws {}
    func finish() {}
    func fail(_ error: ResourceError) {}
}
