// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import ResourceStore
import SchemeRouter
import Synchronization
import Testing

/// The facade, without an engine and without a network.
@MainActor
@Suite("Container", .timeLimit(.minutes(1)))
final class ContainerTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let engine = FakeEngine()
    private let network = FakeNetwork()

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func container(covering hosts: [String] = []) async throws -> Container<FakeEngine> {
        var configuration = Container<FakeEngine>.Configuration(directory: folder + "/store", transport: network)
        configuration.coveredHosts = hosts.compactMap { HostPattern($0) }
        return try await Container(engine: engine, configuration: configuration)
    }

    private func install(_ version: String, _ text: String, into container: Container<FakeEngine>) async throws {
        let site = "\(folder)/site-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: site + "/index.html"))
        let package = try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/"), output: folder + "/packages")
        try await container.install(archive: package.archive, manifest: package.manifest)
    }

    /// Sends a request and waits for its record.
    private func answer(
        to url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:], from view: FakeView? = nil,
        of container: Container<FakeEngine>
    ) async throws -> (sink: FakeSink, record: RequestRecord) {
        let events = container.events()
        let sink = engine.send(url, method, fields, from: view).sink
        for await case .request(let record) in events { return (sink, record) }
        throw CancellationError()
    }

    @Test("A page that nothing covers opens plain, a covered one under the scheme")
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
        "What is no page is refused",
        arguments: ["", "javascript:alert(1)", "https://", "https://a b/", "/x", "ftp://a/"])
    func invalidURL(url: String) async throws {
        let container = try await container()
        await #expect { try await container.open(url) } throws: { ($0 as? ContainerError)?.code == .invalidURL }
        #expect(engine.views.isEmpty)
    }

    @Test("The package answers first, the network second, and the record says which")
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

    @Test("A host that no rule covers, and a body that the engine loses, fail and stay off the network")
    func refusals() async throws {
        let container = try await container(covering: ["shop.example"])
        let uncovered = try await answer(to: "containerkit://other.example/", of: container)
        #expect(uncovered.sink.error?.code == .invalidRequest)
        let post = try await answer(
            to: "containerkit://shop.example/order", .post, [.contentType: "text/plain"], of: container)
        #expect(post.sink.error?.code == .invalidRequest)
        #expect(network.requests.withLock { $0.isEmpty })
    }

    @Test("A page keeps the generation that it opened with; the next page has the new one")
    func generations() async throws {
        let container = try await container()
        try await install("1", "old", into: container)
        let first = try await container.open("https://shop.example/index.html")
        try await install("2", "new", into: container)
        let second = try await container.open("https://shop.example/index.html")
        let url = "containerkit://shop.example/index.html"
        #expect(try await answer(to: url, from: first.view, of: container).sink.body == Data("old".utf8))
        #expect(try await answer(to: url, from: second.view, of: container).sink.body == Data("new".utf8))
        await container.close(first)
        #expect(container.openPages.map(\.id) == [second.session.id])
    }

    @Test("A request that the engine drops is cancelled upstream")
    func cancellation() async throws {
        let container = try await container(covering: ["shop.example"])
        let events = container.events()
        let task = engine.send("containerkit://shop.example/endless")
        while network.requests.withLock({ $0.isEmpty }) { await Task.yield() }
        task.delivery?.stop()
        for await case .request(let record) in events {
            guard case .stopped = record.outcome else { Issue.record("\(record.outcome)"); break }
            break
        }
        #expect(task.sink.status == nil && task.sink.error == nil)
    }

    @Test("The session follows the document, and ends with the page")
    func session() async throws {
        let container = try await container(covering: ["shop.example"])
        var page: Page<FakeView>? = try await container.open("https://shop.example/")
        try #require(page).view.onSignal?(.committed(url: "containerkit://shop.example/next"))
        #expect(container.openPages.first?.documentURL == "https://shop.example/next")
        page = nil
        #expect(container.openPages.isEmpty)
    }

    @Test("One folder belongs to one container at a time")
    func exclusive() async throws {
        let first = try await container()
        await #expect { try await self.container() } throws: { ($0 as? StoreError)?.code == .inUse }
        first.releaseMemory()
    }
}
