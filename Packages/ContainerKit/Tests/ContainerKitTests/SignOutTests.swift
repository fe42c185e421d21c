// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import CookieBridge
import CookieJar
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting
import WebViewPool

@testable import ContainerKit

@MainActor
@Suite("Sign-out", .timeLimit(.minutes(1)))
struct SignOutTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/a.js"
    private let real = "https://shop.example/a.js"

    private func container() async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example", "other.example"]) {
            $0.views.pool = PoolCapacity(fixed: 2)
        }
    }

    @Test("A sign-out clears an account's cookies, both HTTP caches, and the used views")
    func account() async throws {
        fixture.network.put(.bytes(Data("mine".utf8)), at: real, [.cacheControl: "max-age=600"])
        let container = try await container()
        let events = container.events
        for (host, value) in [("shop.example", "1"), ("a.shop.example", "2"), ("other.example", "3")] {
            try await fixture.engine.jar.set(EngineCookie(name: "id", value: value, domain: host))
        }
        let page = try await container.open("https://shop.example/")
        #expect(try await fixture.text(url, of: container) == "mine")
        await container.close(page)
        #expect(page.view.isAlive, "the view is kept for the next page of its site")
        try await container.signOut(of: [".Shop.Example"])
        #expect(fixture.engine.jar.cookies.map(\.value) == ["3"])
        #expect(container.cookies?.jar?.cookies.map(\.value) == ["3"])
        #expect(fixture.engine.httpCacheClears == 1)
        #expect(!page.view.isAlive)
        let asked = fixture.network.urls.count
        #expect(try await fixture.text(url, of: container) == "mine")
        #expect(fixture.network.urls.count == asked + 1, "no response comes from the cache")
        for await case .signedOut(let isComplete) in events {
            #expect(isComplete)
            break
        }
        await container.shutDown()
    }

    @Test(
        "Used views end, unused views remain, and the pool is refilled to its former size",
        arguments: ["sign-out", "account", "all", "cache"])
    func views(_ how: String) async throws {
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.views.pool = .standard
            $0.views.warmsUpWhenIdle = true
            $0.views.idleDelay = .zero
        }
        while container.pool.warmCount < 3 { await Task.yield() }
        let page = try await container.open("https://shop.example/")
        page.view.onSignal?(.finished(url: "https://shop.example/"))
        await container.close(page)
        while container.pool.warmCount < 3 { await Task.yield() }
        let before = Set(fixture.engine.views.filter(\.isAlive).map(\.id))
        switch how {
        case "account": try await container.clearAccount(domains: ["shop.example"])
        case "all": try await container.clearAllCookies()
        case "cache": await container.clearHTTPCache()
        default: try await container.signOut()
        }
        #expect(!page.view.isAlive)
        while container.pool.warmCount < 3 { await Task.yield() }
        let after = Set(fixture.engine.views.filter(\.isAlive).map(\.id))
        #expect(before.subtracting(after) == [page.view.id])
        #expect(container.pool.capacity.current == 3 && container.counters.pool.quarantined == 0)
        await container.shutDown()
    }

    @Test(
        "Domains that are not hosts are refused before anything is removed",
        arguments: [
            [], [""], ["."], [".."], ["shop..example"], ["https://shop.example/"], ["shop.example/"],
            ["shop.example:443"],
            ["a@shop.example"], ["shop.example", "b c"], ["bücher.example"],
        ])
    func nonsense(_ domains: [String]) async throws {
        let container = try await container()
        try await fixture.engine.jar.set(EngineCookie(name: "id", value: "1", domain: "shop.example"))
        let refuses = { (error: any Error) in (error as? ContainerError)?.code == .invalidDomain }
        await #expect(performing: { try await container.signOut(of: domains) }, throws: refuses)
        await #expect(performing: { try await container.clearAccount(domains: domains) }, throws: refuses)
        #expect(fixture.engine.jar.cookies.map(\.value) == ["1"] && fixture.engine.httpCacheClears == 0)
        await container.shutDown()
    }

    @Test("A cookie that cannot be removed does not prevent the removal of others")
    func cookies() async throws {
        let container = try await fixture.container { $0.pages.mode = .plain }
        for name in ["first", "stubborn", "last"] {
            try await fixture.engine.jar.set(EngineCookie(name: name, value: "1", domain: "shop.example"))
        }
        fixture.engine.jar.stubborn = "stubborn"
        await #expect(throws: ContainerError.self) { try await container.signOut() }
        #expect(fixture.engine.jar.cookies.map(\.name) == ["stubborn"])
        #expect(fixture.engine.httpCacheClears == 1)
        await container.shutDown()
    }

    @Test("Failures are reported, and everything else is cleared, even if the caller no longer waits")
    func failure() async throws {
        let container = try await container()
        let events = container.events
        try await fixture.engine.jar.set(EngineCookie(name: "id", value: "1", domain: "shop.example"))
        fixture.engine.clearError = EngineError(.storage, "the disk is away")
        let error = await #expect(throws: ContainerError.self) { try await container.signOut() }
        #expect(error?.code == .signOut)
        #expect(error?.message.contains("the disk is away") == true)
        #expect(fixture.engine.jar.cookies.isEmpty)
        for await case .signedOut(let isComplete) in events {
            #expect(!isComplete)
            break
        }
        fixture.engine.clearError = nil
        try await fixture.engine.jar.set(EngineCookie(name: "id", value: "2", domain: "shop.example"))
        let leaving = Task { try await container.signOut(of: ["shop.example"]) }
        leaving.cancel()
        try await leaving.value
        #expect(fixture.engine.jar.cookies.isEmpty)
        await container.shutDown()
    }
}
