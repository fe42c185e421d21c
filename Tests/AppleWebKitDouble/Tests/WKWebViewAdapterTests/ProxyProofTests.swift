// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
@_spi(Driver) import Network
import Testing
import WebEngine
@_spi(Driver) import WebKit
import WebSyntax

@testable import WKWebViewAdapter

/// The proof of ContainerKit over the adapter. Its source file is a symbolic link.
@MainActor
@Suite("Proof of the proxy in WKWebView", .timeLimit(.minutes(1)))
struct ProxyProofTests {
    private let engine = WKWebViewEngine()
    private let arrivals = ProofArrivals()
    private let clock = ManualClock()
    private let proxy = EngineProxy(
        .socks5, host: "127.0.0.1", port: 1080, credentials: .init(username: "app", password: "secret"))

    init() { engine.networking.setProxy(proxy) }

    private var store: WKWebsiteDataStore { engine.dataStore }

    /// Runs a proof. Each load reaches the proxy of its store, if there is one with the credentials, and then fails.
    /// - Parameter change: a closure that is called before each connection, with the number of the load from 1.
    private func failure(
        before change: @MainActor (Int) -> Void = { _ in }
    ) async throws -> (failure: ProxyProof.Failure?, view: WKWebViewView?) {
        let proof = Task { await ProxyProof(arrivals: arrivals, clock: clock).failure(of: engine) }
        var view: WKWebViewView?
        var isOver = false
        Task {
            _ = await proof.value
            isOver = true
        }
        var loads = 0
        while !isOver {
            try Task.checkCancellation()
            await Task.yield()
            view = view ?? engine.openViews.last
            guard let page = view?.webView?.page, let navigation = page.navigation,
                await navigation.decide() == .allow
            else { continue }
            loads += 1
            change(loads)
            navigation.start()
            if let proxy = page.proxy, let credential = proxy.credential, credential.password == "secret",
                let host = navigation.request.url?.host
            {
                arrivals.record(host)
            }
            navigation.fail(URLError(.cannotFindHost))
        }
        return (await proof.value, view)
    }

    @Test("WKWebView needs a proof, and prefers SOCKS5")
    func requirement() {
        #expect(!engine.networking.isProxyReliable && engine.networking.proxyKind == .socks5)
    }

    @Test("A store that uses its proxy with the credentials is proven; the hidden view is released")
    func proven() async throws {
        weak var web: WKWebView?
        do {
            let result = try await failure { _ in web = engine.openViews.last?.webView }
            #expect(result.failure == nil && result.view?.hasEnded == true)
        }
        #expect(web == nil && engine.openViews.isEmpty && clock.sleeperCount == 0)
    }

    @Test("A store that ignores its proxy, at once or after the first load, is not proven", arguments: 1...2)
    func ignored(first: Int) async throws {
        let result = try await failure { load in
            if load == first { store.ignoresProxies = true }
        }
        #expect(result.failure == (first == 1 ? .noRequest : .noSecondRequest) && result.view?.hasEnded == true)
    }

    @Test("A proxy without its credentials is not proven")
    func withoutCredentials() async throws {
        engine.networking.setProxy(EngineProxy(.socks5, host: "127.0.0.1", port: 1080))
        #expect(try await failure().failure == .noRequest)
    }
}
