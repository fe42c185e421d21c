// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// The removal of outdated files from the caches of an engine.
@MainActor
@Suite("Engine caches", .timeLimit(.minutes(1)))
struct EngineCacheTests {
    private let fixture = Fixture()
    private let shop = "https://shop.example/"
    private let page = "https://shop.example/index.html"

    init() {
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true, identifiesPage: false, acceptLanguage: nil)
    }

    private func container(
        change: (inout ContainerConfiguration) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        try await fixture.container { configuration in
            configuration.pages.mode = .loopbackProxy
            change(&configuration)
        }
    }

    /// Waits until the engine has removed files, and returns their base URLs.
    private func cleared(_ events: AsyncStream<ContainerEvent>) async -> [String] {
        for await case .engineCachesCleared(let urls) in events { return urls.map(\.description) }
        return []
    }

    private func kept(_ events: AsyncStream<ContainerEvent>) async -> EngineError? {
        for await case .engineCachesKept(_, let error) in events { return error }
        return nil
    }

    @Test("An update removes old files once, while no page is open: an open page keeps its files")
    func update() async throws {
        let container = try await container()
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        // The engine may have cached files of the server.
        #expect(await cleared(events) == [shop])
        let first = try await container.open(page)
        events = container.events
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        for await case .package(.scopeChanged) in events { break }
        let second = try await container.open(page)
        #expect(second.session.generations == first.session.generations)
        await container.close(first)
        #expect(fixture.engine.removedFiles == [[shop]])
        await container.close(second)
        #expect(await cleared(events) == [shop])
        let third = try await container.open(page)
        #expect(third.session.generations != first.session.generations)
        #expect(fixture.engine.removedFiles == [[shop], [shop]])
        await container.shutDown()
    }

    @Test("A rollback and a removal of a package remove files, too")
    func rollback() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let bad = try await container.open(page)
        var events = container.events
        let before = fixture.engine.removedFiles.count
        container.report(.began, of: bad)
        container.report(.failed("white"), of: bad)
        for await case .package(.scopeChanged) in events { break }
        #expect(fixture.engine.removedFiles.count == before)
        await container.close(bad)
        #expect(await cleared(events) == [shop])
        let good = try await container.open(page)
        #expect(good.session.generations != bad.session.generations)
        #expect(fixture.engine.removedFiles.count == before + 1)
        await container.close(good)
        events = container.events
        try await container.remove(PackageID("shop"))
        #expect(await cleared(events) == [shop])
        await container.shutDown()
    }

    @Test("A page that opens during a removal waits for its end")
    func waiting() async throws {
        let container = try await container()
        let (calls, call) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        fixture.engine.onRemoveFiles = { call.yield($0) }
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        var ends = calls.makeAsyncIterator()
        let end = try #require(await ends.next())
        let events = container.events
        let opening = Task { try await container.open(page) }
        for await case .pageOpened in events { break }
        // The view exists and has loaded nothing.
        let view = try #require(fixture.engine.views.last)
        #expect(view.loads == [])
        end.resume()
        #expect(try await opening.value.view.loads == [page])
        await container.shutDown()
    }

    @Test("A page waits for a removal up to the limit, and the next page repeats the removal")
    func limit() async throws {
        fixture.engine.hangs = true
        let container = try await container { $0.pages.engineCacheLimit = .seconds(1) }
        let events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await kept(events)?.code == .timedOut)
        let first = try await container.open(page)
        #expect(first.view.loads == [page])
        // The page no longer waits, and the engine gets more time.
        #expect(await kept(events)?.code == .timedOut)
        fixture.engine.hangs = false
        let calls = fixture.engine.removedFiles.count
        // The removal is repeated although a page is open, because that page opened after the failure.
        let second = try await container.open(page)
        #expect(fixture.engine.removedFiles.count == calls + 1)
        _ = try await container.open(page)
        #expect(fixture.engine.removedFiles.count == calls + 1)
        await container.close(first)
        await container.close(second)
        await container.shutDown()
    }

    @Test("While packages are off they serve nothing, and their files are removed from the engine")
    func switchedOff() async throws {
        let container = try await container()
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await cleared(events) == [shop])
        events = container.events
        container.isEnabled = false
        #expect(await cleared(events) == [shop])
        events = container.events
        container.isEnabled = true
        #expect(await cleared(events) == [shop])
        await container.shutDown()
    }

    @Test("Responses of the server for bypassed URLs are removed, too, whatever page was open")
    func rules() async throws {
        let container = try await container()
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await cleared(events) == [shop])
        let first = try await container.open(page)
        container.isEnabled = false
        container.isEnabled = true
        container.setRules(.none)
        #expect(fixture.engine.removedFiles == [[shop]])
        events = container.events
        await container.close(first)
        #expect(await cleared(events) == [shop])
        _ = try await container.open(page)
        #expect(fixture.engine.removedFiles == [[shop], [shop]])
        await container.shutDown()
    }

    @Test("Server responses that were cached while remote config disabled packages are removed, too")
    func remoteConfig() async throws {
        let container = try await container { $0.remote = RemoteConfigOptions() }
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await cleared(events) == [shop])
        let first = try await container.open(page)
        for text in [
            #"{"format":1,"version":1,"features":{"packages":false}}"#, #"{"format":1,"version":2}"#,
        ] {
            try await container.apply(try RemoteConfigDocument(json: Data(text.utf8)))
        }
        #expect(fixture.engine.removedFiles == [[shop]])
        events = container.events
        await container.close(first)
        #expect(await cleared(events) == [shop])
        await container.shutDown()
    }

    @Test("With the loopback server, plain pages delay no removal, and a change of the port adds URLs")
    func server() async throws {
        let other = Fixture()
        var ports: [String] = []
        for launch in 0..<3 {
            let container = try await container { $0.pages.mode = .loopbackServer }
            let shopPage = try await container.open(page)
            let plain = try await container.open("https://elsewhere.example/")
            #expect(plain.session.mode == .plain)
            await container.close(shopPage)
            await container.close(plain)
            if launch == 0 {
                let events = container.events
                try await fixture.install(["index.html": "one"], version: "1", into: container)
                #expect(await cleared(events) == [shop])
            }
            ports = try #require(fixture.engine.removedFiles.last)
            #expect(ports.count == 1 && ports[0].hasPrefix("https://shop-example.localhost:"))
            await container.shutDown()
        }
        #expect(fixture.engine.removedFiles == [ports])
        // Another program uses the port in this launch.
        let port = try #require(URLComponents(string: ports[0])?.port)
        let taking = try await other.container {
            $0.pages.mode = .loopbackServer
            $0.network.loopback.port = port
        }
        let container = try await container { $0.pages.mode = .loopbackServer }
        _ = try await container.open(page)
        // Files are removed at both URLs, because the next launch may use the old URL again.
        #expect(
            fixture.engine.removedFiles.last?.count == 2 && fixture.engine.removedFiles.last?.contains(ports[0]) == true
        )
        await container.shutDown()
        await taking.shutDown()
    }

    @Test("An engine without caches is not called; another engine's HTTP cache is cleared with the container's cache")
    func others() async throws {
        let proxied = try await container()
        await proxied.clearHTTPCache()
        #expect(fixture.engine.httpCacheClears == 1)
        await proxied.shutDown()
        let other = Fixture()
        let container = try await other.container()
        try await other.install(["index.html": "one"], version: "1", into: container)
        _ = try await container.open(page)
        await container.clearHTTPCache()
        #expect(other.engine.removedFiles.isEmpty && other.engine.httpCacheClears == 0)
        await container.shutDown()
    }

    @Test("Events from before the first subscription are delivered")
    func early() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        _ = try await container.open(page)
        for await case .package(.scopeChanged(let change)) in container.events {
            #expect(change.reason == .activated)
            break
        }
        await container.shutDown()
    }
}
