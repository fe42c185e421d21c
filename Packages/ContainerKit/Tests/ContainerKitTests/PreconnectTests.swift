// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebEngineTesting
import WebViewPool

@testable import ContainerKit

@MainActor
@Suite("Work ahead of page loads", .timeLimit(.minutes(2)))
struct PreconnectTests {
    @Test("A container preconnects if pages use the proxy, and precompiles if pages have a script")
    func container() async throws {
        let fixture = Fixture()
        fixture.engine.traits = EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true, caches: true,
            identifiesPage: false, acceptLanguage: nil)
        let container = try await fixture.container(covering: ["a.example"]) {
            $0.pages.mode = .loopbackProxy
            $0.views.pool = 1
        }
        try await fixture.install(["index.html": "shop"], version: "1", into: container)
        try await container.warmUp()
        let warm = try #require(container.pool.idleView)
        #expect(warm.preconnections == [["https://shop.example"]] && warm.precompiledSources.isEmpty)
        // No connection is made for a page that is not covered, whose engine uses another proxy, or that is plain.
        for url in ["https://unknown.example/", "https://a.example/x"] {
            await container.close(try await container.open(url))
        }
        try await container.warmUp()
        let next = try #require(container.pool.idleView)
        #expect(next.preconnections.last == ["https://a.example", "https://shop.example"])
        let count = next.preconnections.count
        let named = fixture.engine.proxy
        fixture.engine.setProxy(EngineProxy(host: "proxy.example", port: 3_128))
        try await container.warmUp()
        fixture.engine.setProxy(named)
        container.isEnabled = false
        try await container.warmUp()
        container.isEnabled = true
        await container.shutDown()
        try await container.warmUp()
        #expect(container.pool.idleView === next && next.preconnections.count == count)
    }

    @Test("In custom-scheme mode the page script is precompiled in each new view, and no connection is made")
    func precompiledSources() async throws {
        let fixture = Fixture()
        fixture.engine.traits = EngineTraits(
            bodies: .plain, keepsCookies: false, followsRedirects: false, preflights: false, decodes: false,
            caches: false, identifiesPage: true, acceptLanguage: nil)
        let container = try await fixture.container(covering: ["a.example"]) { $0.views.pool = 1 }
        try await container.warmUp()
        let page = try await container.open("https://a.example/")
        let scripts = page.view.scripts.filter { $0.world == .page }.map(\.source)
        #expect(page.view.precompiledSources.count == 3 && scripts.contains(page.view.precompiledSources[1]))
        #expect(page.view.preconnections.isEmpty)
        await container.shutDown()
    }
}

extension FakeView {
    /// The origins of the preconnect scripts, in order.
    fileprivate var preconnections: [[String]] {
        evaluatedScripts.filter { $0.contains("preconnect") }.map(Self.origins)
    }

    fileprivate static func origins(in script: String) -> [String] {
        script.matches(of: /"(https:[^"]*)"/).map { String($0.1) }
    }
}
