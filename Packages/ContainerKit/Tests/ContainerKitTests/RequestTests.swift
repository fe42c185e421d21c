// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import Synchronization
import Testing

/// The way of one request through the facade.
@MainActor
@Suite("Requests", .timeLimit(.minutes(1)))
struct RequestTests {
    private let fixture = Fixture()

    @Test(
        "A body that the engine loses is not missed by the server: the request fails",
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

    @Test("Requests without a body go on, and so does everything on an engine that keeps bodies")
    func keptBodies() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        for (method, fields): (HTTPRequest.Method, HTTPFields) in [
            (.get, [.contentType: "text/plain"]), (.head, [:]), (.delete, [:]), (.options, [.contentLength: "0"]),
        ] {
            let answer = try await fixture.answer(to: "containerkit://shop.example/", method, fields, of: container)
            #expect(answer.sink.error == nil && answer.record.status == .ok)
        }
        let keeping = Fixture()
        keeping.engine.traits.keepsBodies = true
        let other = try await keeping.container(covering: ["shop.example"])
        let post = try await keeping.answer(
            to: "containerkit://shop.example/", .post, [.contentType: "text/plain"], of: other)
        #expect(post.sink.error == nil && keeping.network.urls.count == 1)
    }

    @Test("A POST is never answered from a package")
    func methods() async throws {
        fixture.engine.traits.keepsBodies = true
        let container = try await fixture.container()
        try await fixture.install(["a.txt": "packaged"], version: "1", into: container)
        let post = try await fixture.answer(to: "containerkit://shop.example/a.txt", .post, of: container)
        #expect(post.record.provenance?.source == .network)
        let head = try await fixture.answer(to: "containerkit://shop.example/a.txt", .head, of: container)
        #expect(head.record.provenance?.source == .package && head.sink.body.isEmpty)
        #expect(head.sink.fields[.contentLength] == "8")
    }

    @Test("A record says what became of a request, in order and in full")
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

    @Test("A failure of the network is in the record, and the page hears of it once")
    func failure() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let answer = try await fixture.answer(to: "containerkit://shop.example/to/javascript:x", of: container)
        #expect(answer.sink.error?.code == .invalidRequest && answer.sink.status == nil)
        #expect(answer.record.responded == nil && answer.record.status == nil && answer.record.bytes == 0)
    }

    @Test("Origin and Referer have their real values also after a hop, and others stay as they are")
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

    @Test("The requests of a page that closes are cancelled upstream, and it hears nothing more")
    func closing() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/")
        let events = container.events()
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
            // Who asked was known when it asked.
            #expect(record.page == page.session.id)
            break
        }
        #expect(task.sink.status == nil && task.sink.error == nil)
    }
}
