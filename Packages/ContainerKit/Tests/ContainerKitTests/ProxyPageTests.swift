// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Testing

/// Pages of the mode `loopbackProxy`, as far as they can be seen without a web.
@MainActor
@Suite("Pages by a proxy", .timeLimit(.minutes(1)))
struct ProxyPageTests {
    private let fixture = Fixture()

    init() {
        fixture.engine.traits = EngineTraits(
            keepsBodies: true, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true,
            identifiesPage: false)
    }

    @Test("The engine is told a proxy with credentials, and that it is gone when the container ends")
    func life() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.mode = .loopbackProxy }
        let proxy = try #require(fixture.engine.proxy)
        #expect(proxy.kind == .socks5 && proxy.host == "127.0.0.1" && proxy.port > 0 && proxy.exceptions == [])
        #expect(proxy.credentials?.password.count == 64)
        await container.shutDown()
        #expect(fixture.engine.proxy == nil)
    }

    @Test("A page that is covered opens at its own URL, in the mode; another one does so past the container")
    func pages() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.mode = .loopbackProxy }
        let covered = try await container.open("https://a.example/x#y")
        #expect(covered.session.mode == .loopbackProxy && covered.view.loads == ["https://a.example/x#y"])
        let other = try await container.open("https://b.example/")
        #expect(other.session.mode == .plain && other.view.loads == ["https://b.example/"])
        await container.shutDown()
    }

    @Test("What comes by the proxy is told by it alone: the engine's own word of it is not heard")
    func resources() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.mode = .loopbackProxy }
        let page = try await container.open("https://a.example/")
        var heard: [String] = []
        page.load.observe { if case .resource(let resource) = $0 { heard.append(resource.url) } }
        for url in ["https://a.example/x", "https://b.example/x", "http://a.example/x"] {
            page.view.onSignal?(.resource(EngineResource(url: url, status: 200, length: 1, failure: nil)))
        }
        #expect(heard == ["https://b.example/x"])
        await container.shutDown()
    }

    @Test("Two containers have proxies of their own")
    func apart() async throws {
        let other = Fixture()
        let one = try await fixture.container { $0.mode = .loopbackProxy }
        let two = try await other.container { $0.mode = .loopbackProxy }
        let (first, second) = (try #require(fixture.engine.proxy), try #require(other.engine.proxy))
        #expect(first.port != second.port && first.credentials != second.credentials)
        await one.shutDown()
        await two.shutDown()
    }
}
