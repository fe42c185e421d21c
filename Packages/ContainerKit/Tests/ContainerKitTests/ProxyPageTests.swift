// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ResourceLoading
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

/// Pages of the mode `loopbackProxy`, without a web engine.
@MainActor
@Suite("Pages in loopbackProxy mode", .timeLimit(.minutes(1)))
struct ProxyPageTests {
    private let fixture = Fixture()

    init() {
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true,
            identifiesPage: false, acceptLanguage: nil)
    }

    @Test("The engine gets a proxy with credentials, and loses it when the container ends")
    func life() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let proxy = try #require(fixture.engine.proxy)
        #expect(proxy.kind == .socks5 && proxy.host == "127.0.0.1" && proxy.port > 0 && proxy.exceptions == [])
        #expect(proxy.credentials?.password.count == 64)
        await container.shutDown()
        #expect(fixture.engine.proxy == nil)
    }

    @Test("A covered page opens at its real URL in the mode; another page opens in plain mode")
    func pages() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let covered = try await container.open("https://a.example/x#y")
        #expect(covered.session.mode == .loopbackProxy && covered.view.loads == ["https://a.example/x#y"])
        let other = try await container.open("https://b.example/")
        #expect(other.session.mode == .plain && other.view.loads == ["https://b.example/"])
        await container.shutDown()
    }

    @Test("Resources that the proxy loads are not reported by the engine as well")
    func resources() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let page = try await container.open("https://a.example/")
        var received: [String] = []
        page.load.observe { if case .resource(let resource) = $0 { received.append(resource.url) } }
        for url in ["https://a.example/x", "https://b.example/x", "http://a.example/x"] {
            page.view.onSignal?(.resource(EngineResource(url: url, status: 200, length: 1, failure: nil)))
        }
        #expect(received == ["https://b.example/x"])
        await container.shutDown()
    }

    @Test("Two containers have separate proxies")
    func apart() async throws {
        let other = Fixture()
        let one = try await fixture.container { $0.pages.mode = .loopbackProxy }
        let two = try await other.container { $0.pages.mode = .loopbackProxy }
        let (first, second) = (try #require(fixture.engine.proxy), try #require(other.engine.proxy))
        #expect(first.port != second.port && first.credentials != second.credentials)
        await one.shutDown()
        await two.shutDown()
    }

    @Test("An engine that two containers use in turn has the proxy of the current container")
    func inTurn() async throws {
        let own = EngineProxy(host: "proxy.example", port: 3_128)
        fixture.engine.setProxy(own)
        var first: Container<FakeEngine>? = try await fixture.container { $0.pages.mode = .loopbackProxy }
        let firstProxy = try #require(fixture.engine.proxy)
        #expect(firstProxy != own)
        await first?.shutDown()
        #expect(fixture.engine.proxy == own)
        let other = Fixture()
        let second = try await other.container(on: fixture.engine) { $0.pages.mode = .loopbackProxy }
        let secondProxy = try #require(fixture.engine.proxy)
        #expect(secondProxy != firstProxy && secondProxy != own)
        // A release of the last reference, and a second shutdown, have no effect.
        await first?.shutDown()
        first = nil
        #expect(fixture.engine.proxy == secondProxy)
        _ = try await second.open("https://a.example/")
        #expect(fixture.engine.proxy == secondProxy)
        await second.shutDown()
        #expect(fixture.engine.proxy == own)
    }

    @Test("While the host or the rules disable the container, the engine has its former proxy")
    func switched() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let proxy = try #require(fixture.engine.proxy)
        container.isEnabled = false
        #expect(fixture.engine.proxy == nil)
        let page = try await container.open("https://a.example/")
        #expect(page.session.mode == .plain && fixture.engine.proxy == nil)
        container.isEnabled = true
        #expect(fixture.engine.proxy == proxy)
        var rules = RouteRules.none
        rules.isEnabled = false
        container.setRules(rules)
        #expect(fixture.engine.proxy == nil)
        container.setRules(.none)
        #expect(fixture.engine.proxy == proxy)
        await container.shutDown()
    }

    @Test("An initially disabled container has no listener, and its shutdown restores the proxy of the host")
    func late() async throws {
        let off = try RouteRules([], isEnabled: false)
        let container = try await fixture.container(covering: ["a.example"]) {
            $0.pages.mode = .loopbackProxy
            $0.network.rules = off
        }
        #expect(fixture.engine.proxy == nil)
        let own = EngineProxy(.http, host: "proxy.example", port: 8_080)
        fixture.engine.setProxy(own)
        let plain = try await container.open("https://a.example/")
        #expect(plain.session.mode == .plain && fixture.engine.proxy == own)
        container.setRules(.none)
        let page = try await container.open("https://a.example/")
        #expect(page.session.mode == .loopbackProxy && fixture.engine.proxy?.kind == .socks5)
        await container.shutDown()
        #expect(fixture.engine.proxy == own)
    }

    @Test("All pages, covered or not, share their generations, because any of them may request covered URLs")
    func shared() async throws {
        let container = try await fixture.container { $0.pages.mode = .loopbackProxy }
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://login.example/")
        #expect(page.session.mode == .plain && page.session.generations.count == 1)
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        let other = try await container.open("https://shop.example/index.html")
        #expect(other.session.generations == page.session.generations)
        await container.close(page)
        await container.close(other)
        let later = try await container.open("https://shop.example/index.html")
        #expect(later.session.generations.count == 1 && later.session.generations != page.session.generations)
        await container.shutDown()
    }

    @Test("After a suspension the listener is new, and the engine has its port")
    func suspension() async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.mode = .loopbackProxy }
        let page = try await container.open("https://a.example/")
        let events = container.events
        try await container.hostWillSuspend()
        try await container.hostResumed()
        let proxy = try #require(fixture.engine.proxy)
        #expect(try await TunnelRequest.send(to: "a.example", by: proxy) == true)
        #expect(page.view.loads == ["https://a.example/"])
        await container.shutDown()
        var ports: [Int] = []
        for await case .loopback(.listening(let port)) in events { ports.append(port) }
        #expect(ports.last == proxy.port)
    }

    @Test("A container that is released restores the engine's proxy, and its listener closes")
    func dropped() async throws {
        var container: Container<FakeEngine>? = try await fixture.container { $0.pages.mode = .loopbackProxy }
        #expect(container != nil && fixture.engine.proxy != nil)
        container = nil
        #expect(fixture.engine.proxy == nil)
    }
}
