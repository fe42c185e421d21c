// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

/// What an engine that keeps files itself is asked to forget, and when.
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

    /// Waits until the engine has forgotten something, and says where.
    private func cleared(_ events: AsyncStream<ContainerEvent>) async -> [String] {
        for await case .engineCachesCleared(let urls) in events { return urls.map(\.description) }
        return []
    }

    private func kept(_ events: AsyncStream<ContainerEvent>) async -> EngineError? {
        for await case .engineCachesKept(_, let error) in events { return error }
        return nil
    }

    @Test("An update is followed by it while no page is open, and once: a page that is open keeps what it has")
    func update() async throws {
        let container = try await container()
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        // The server's own files may be there.
        #expect(await cleared(events) == [shop])
        let first = try await container.open(page)
        events = container.events
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        for await case .package(.scopeChanged) in events { break }
        let second = try await container.open(page)
        #expect(second.session.generations == first.session.generations)
        await container.close(first)
        #expect(fixture.engine.forgotten == [[shop]])
        await container.close(second)
        #expect(await cleared(events) == [shop])
        let third = try await container.open(page)
        #expect(third.session.generations != first.session.generations)
        #expect(fixture.engine.forgotten == [[shop], [shop]])
        await container.shutDown()
    }

    @Test("So is a rollback, and a removal")
    func rollback() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let bad = try await container.open(page)
        var events = container.events
        let before = fixture.engine.forgotten.count
        container.report(.began, of: bad)
        container.report(.failed("white"), of: bad)
        for await case .package(.scopeChanged) in events { break }
        #expect(fixture.engine.forgotten.count == before)
        await container.close(bad)
        #expect(await cleared(events) == [shop])
        let good = try await container.open(page)
        #expect(good.session.generations != bad.session.generations)
        #expect(fixture.engine.forgotten.count == before + 1)
        await container.close(good)
        events = container.events
        try await container.remove(PackageID("shop"))
        #expect(await cleared(events) == [shop])
        await container.shutDown()
    }

    @Test("A page that opens meanwhile waits for it")
    func waiting() async throws {
        let container = try await container()
        let (calls, call) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        fixture.engine.forgetting = { call.yield($0) }
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        var ends = calls.makeAsyncIterator()
        let end = try #require(await ends.next())
        let events = container.events
        let opening = Task { try await container.open(page) }
        for await case .pageOpened in events { break }
        // The view is there, and loads nothing.
        let view = try #require(fixture.engine.views.last)
        #expect(view.loads == [])
        end.resume()
        #expect(try await opening.value.view.loads == [page])
        await container.shutDown()
    }

    @Test("It does not wait for ever, and the next one tries again")
    func limit() async throws {
        fixture.engine.hangs = true
        let container = try await container { $0.pages.engineCacheLimit = .seconds(1) }
        let events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await kept(events)?.code == .timedOut)
        let first = try await container.open(page)
        #expect(first.view.loads == [page])
        // The page waits no longer, and the engine is given more time.
        #expect(await kept(events)?.code == .timedOut)
        fixture.engine.hangs = false
        let calls = fixture.engine.forgotten.count
        // Although one is open: it came when the engine had not forgotten.
        let second = try await container.open(page)
        #expect(fixture.engine.forgotten.count == calls + 1)
        _ = try await container.open(page)
        #expect(fixture.engine.forgotten.count == calls + 1)
        await container.close(first)
        await container.close(second)
        await container.shutDown()
    }

    @Test("Switched off, packages answer nothing, and what came of them is forgotten, too")
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

    @Test("What a rule passed to the server meanwhile is forgotten, too, whatever page was open")
    func rules() async throws {
        let container = try await container()
        var events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(await cleared(events) == [shop])
        let first = try await container.open(page)
        container.isEnabled = false
        container.isEnabled = true
        container.setRules(.none)
        #expect(fixture.engine.forgotten == [[shop]])
        events = container.events
        await container.close(first)
        #expect(await cleared(events) == [shop])
        _ = try await container.open(page)
        #expect(fixture.engine.forgotten == [[shop], [shop]])
        await container.shutDown()
    }

    @Test("What the server answered while remote config forbade packages is forgotten, too")
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
        #expect(fixture.engine.forgotten == [[shop]])
        events = container.events
        await container.close(first)
        #expect(await cleared(events) == [shop])
        await container.shutDown()
    }

    @Test("At the local server a page past the container changes nothing, and another port is another place")
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
            ports = try #require(fixture.engine.forgotten.last)
            #expect(ports.count == 1 && ports[0].hasPrefix("https://shop-example.localhost:"))
            await container.shutDown()
        }
        #expect(fixture.engine.forgotten == [ports])
        // Another program has the port in this launch.
        let port = try #require(URLComponents(string: ports[0])?.port)
        let taking = try await other.container {
            $0.pages.mode = .loopbackServer
            $0.network.loopback.port = port
        }
        let container = try await container { $0.pages.mode = .loopbackServer }
        _ = try await container.open(page)
        // Both: what lies at the old place would be there again in the launch after.
        #expect(fixture.engine.forgotten.last?.count == 2 && fixture.engine.forgotten.last?.contains(ports[0]) == true)
        await container.shutDown()
        await taking.shutDown()
    }

    @Test("An engine that keeps nothing itself is asked nothing; another's HTTP cache is cleared with ours")
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
        #expect(other.engine.forgotten.isEmpty && other.engine.httpCacheClears == 0)
        await container.shutDown()
    }

    @Test("What happened before the host listens is still told to the host")
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
