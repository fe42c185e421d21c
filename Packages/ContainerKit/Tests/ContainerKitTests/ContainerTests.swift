// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import ResourceStore
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

/// The facade, without an engine and without a network.
@MainActor
@Suite("Container", .timeLimit(.minutes(1)))
struct ContainerTests {
    private let fixture = Fixture()
    private var engine: FakeEngine { fixture.engine }
    private var network: FakeNetwork { fixture.network }

    private func container(covering hosts: [String] = []) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: hosts)
    }

    private func install(_ version: String, _ text: String, into container: Container<FakeEngine>) async throws {
        try await fixture.install(["index.html": text], version: version, into: container)
    }

    private func answer(
        to url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        of container: Container<FakeEngine>
    ) async throws -> (sink: FakeSink, record: RequestRecord) {
        try await fixture.answer(to: url, method, fields, from: view, of: container)
    }

    @Test("A page that is not covered opens in plain mode, a covered page under the scheme")
    func modes() async throws {
        let container = try await container(covering: ["shop.example"])
        let plain = try await container.open("https://other.example/a")
        let covered = try await container.open("http://SHOP.example/b?c#d")
        #expect(plain.session.mode == .plain && plain.view.loads == ["https://other.example/a"])
        #expect(covered.session.mode == .customScheme)
        #expect(covered.view.loads == ["containerkit-http://shop.example/b?c#d"])
        #expect(container.openPages.map(\.documentURL) == ["https://other.example/a", "http://shop.example/b?c#d"])
    }

    @Test(
        "Invalid page URLs are refused",
        arguments: ["", "javascript:alert(1)", "https://", "https://a b/", "/x", "ftp://a/"])
    func invalidURL(url: String) async throws {
        let container = try await container()
        await #expect { try await container.open(url) } throws: { ($0 as? ContainerError)?.code == .invalidURL }
        #expect(engine.views.isEmpty)
    }

    @Test("Encoded responses are decoded by the engine, or otherwise by the container", arguments: [false, true])
    func decoding(decodes: Bool) async throws {
        let plain = FakeNetwork([])
        fixture.engine.traits.decodes = decodes
        // The container's own cache stores decoded bodies.
        fixture.engine.traits.caches = decodes
        let container = try await fixture.container { $0.network.transport = plain }
        try await install("1", "packaged", into: container)
        let page = try await container.open("https://shop.example/index.html")
        _ = try await answer(
            to: "containerkit://shop.example/api", .get, [.acceptEncoding: "br, zstd"], from: page.view, of: container)
        let sent = try #require(plain.requests.withLock { $0.last })
        #expect(sent.headerFields[.acceptEncoding] == (decodes ? "br, zstd" : "br"))
    }

    @Test("The package is used first, the network second, and the record contains the source")
    func order() async throws {
        let container = try await container()
        try await install("1", "packaged", into: container)
        let page = try await container.open("https://shop.example/index.html")
        let packaged = try await answer(
            to: "containerkit://shop.example/index.html?q", from: page.view, of: container)
        #expect(packaged.sink.body == Data("packaged".utf8))
        #expect(packaged.record.provenance?.source == .package && packaged.record.page == page.session.id)
        #expect(packaged.record.bytes == 8 && packaged.record.url == "https://shop.example/index.html?q")
        let missing = try await answer(
            to: "containerkit://shop.example/api", .get,
            [.origin: "containerkit://shop.example", .referer: "containerkit://shop.example/index.html"],
            from: page.view, of: container)
        #expect(missing.sink.body == Data("network https://shop.example/api".utf8))
        #expect(missing.record.provenance?.source == .network)
        let sent = try #require(network.requests.withLock { $0.last })
        #expect(sent.headerFields[.origin] == "https://shop.example")
        #expect(sent.headerFields[.referer] == "https://shop.example/index.html")
    }

    @Test("Requests to hosts without a rule, and requests with lost bodies, fail without using the network")
    func refusals() async throws {
        let container = try await container(covering: ["shop.example"])
        let uncovered = try await answer(to: "containerkit://other.example/", of: container)
        #expect(uncovered.sink.error?.code == .invalidRequest)
        let post = try await answer(
            to: "containerkit://shop.example/order", .post, [.contentType: "text/plain"], of: container)
        #expect(post.sink.error?.code == .invalidRequest)
        let typedArray = try await answer(to: "containerkit://shop.example/order", .post, of: container)
        #expect(typedArray.sink.error?.code == .invalidRequest)
        #expect(network.requests.withLock { $0.isEmpty })
        let get = try await answer(
            to: "containerkit://shop.example/list", .get, [.contentType: "application/json"], of: container)
        #expect(get.sink.status == 200)
    }

    @Test("A request that the engine cancels is cancelled upstream")
    func cancellation() async throws {
        let container = try await container(covering: ["shop.example"])
        let events = container.events
        let task = engine.send("containerkit://shop.example/endless")
        while network.requests.withLock({ $0.isEmpty }) {
            try Task.checkCancellation()
            await Task.yield()
        }
        task.drop()
        for await case .request(let record) in events {
            guard case .stopped = record.outcome else { Issue.record("\(record.outcome)"); break }
            break
        }
        #expect(task.status == nil && task.error == nil)
    }

    @Test("Only one container at a time can use a folder")
    func exclusive() async throws {
        let first = try await container()
        await #expect { try await container() } throws: { ($0 as? StoreError)?.code == .inUse }
        await first.shutDown()
        let second = try await container()
        // The former container does not lock the folder again.
        try await first.hostResumed()
        await second.shutDown()
    }
}
