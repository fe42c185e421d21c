// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import HTTPTypes
internal import WebEngine
internal import WebKitGTKAdapter

// Proxies that require credentials.
extension EngineCheck {
    private static let right = TestProxyCredentials(username: "user", password: "a%b:c@/d")
    private static let wrong = TestProxyCredentials(username: "user", password: "wrong")

    /// Checks that an HTTP proxy gets the credentials once and then serves all connections, including those of later
    /// views.
    @MainActor
    func checkProxyCredentials(_ engine: WebKitGTKEngine) async throws {
        let site = try await ProxySite.start()
        let proxy = try await ForwardProxy.start(site.configuration(Self.right))
        try await site.trust(for: ["shop.example", "cdn.example"], in: engine)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port, credentials: .init(Self.right)))
        let view = try engine.makeView()
        try await expectPage("https://shop.example/", in: view)
        // The proxy may refuse the engine's preconnection and the connection of the request, once each.
        try expect(proxy.refusals <= 2, "refusals: \(proxy.refusals)")
        let refusals = proxy.refusals
        let loaded = try await view.evaluate(
            """
            const posts = Array.from({ length: 20 }, (_, n) => fetch('/' + n, { method: 'POST', body: 'x' }));
            const foreign = await fetch('https://cdn.example/', { mode: 'no-cors', credentials: 'omit' });
            return [(await Promise.all(posts)).filter(answer => answer.ok).length, foreign.type];
            """, in: .page)
        try expect(loaded == #"[20,"opaque"]"#, loaded)
        try await expectPage("https://cdn.example/", in: engine.makeView())
        try expect(proxy.refusals == refusals, "refused again: \(proxy.refusals - refusals)")
        // The engine does not send the credentials of the proxy in response to a challenge of a site.
        view.load("https://shop.example/401")
        let asked = try await site.request("/401")
        try expect(asked.headers[.authorization] == nil, "credentials for the site: \(asked.headers)")
        view.stopLoading()
        await proxy.stop()
        await site.origin.stop()
    }

    /// Checks that refused credentials end a load, both if the proxy continues to use the connection (http) and if it
    /// closes the connection (https).
    @MainActor
    func checkWrongCredentials() async throws {
        let site = try await ProxySite.start()
        let proxy = try await ForwardProxy.start(site.configuration(Self.right))
        for (url, codes) in [
            ("http://shop.example/", [.cannotConnect]), ("https://shop.example/", [.cannotConnect, .loadFailed]),
        ] as [(String, Set<EngineError.Code>)] {
            // After a stopped load, an engine may not request credentials again.
            let engine = try WebKitGTKEngine()
            engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port, credentials: .init(Self.wrong)))
            let refusals = proxy.refusals
            let view = try engine.makeView()
            let load = ViewLoad(of: view)
            view.load(url)
            do {
                try await load.finished(within: .seconds(20))
                throw CheckFailure(description: "\(url): loaded")
            } catch let error as EngineError where codes.contains(error.code) {
                let count = proxy.refusals - refusals
                try expect(2...200 ~= count, "\(url): refused \(count) times")
            }
        }
        try expect(site.origin.requestCount == 0, "requests: \(site.origin.requests)")
        await proxy.stop()
        await site.origin.stop()
    }

    /// Checks that a replacement proxy gets its own credentials, even if a subresource is the first request.
    @MainActor
    func checkOtherCredentials(_ engine: WebKitGTKEngine) async throws {
        let site = try await ProxySite.start()
        let first = try await ForwardProxy.start(site.configuration(Self.right))
        let other = TestProxyCredentials(username: "other", password: "second")
        let second = try await ForwardProxy.start(site.configuration(other))
        try await site.trust(for: ["shop.example", "cdn.example"], in: engine)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: first.port, credentials: .init(Self.right)))
        let view = try engine.makeView()
        try await expectPage("https://shop.example/", in: view)
        await first.stop()
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: second.port, credentials: .init(other)))
        // The page's request reaches the network process on another channel. When this call returns, the process has
        // the new proxy.
        _ = try await engine.cookies.all()
        let type = try await view.evaluate(
            "return (await fetch('https://cdn.example/', { mode: 'no-cors' })).type", in: .page)
        try expect(type == "\"opaque\"", type)
        try await expectPage("https://shop.example/", in: view)
        await second.stop()
        await site.origin.stop()
    }

    /// Checks that SOCKS5 credentials are sent with each connection, and that no server behind the proxy receives
    /// them.
    @MainActor
    func checkSocksCredentials(_ engine: WebKitGTKEngine) async throws {
        let site = try await ProxySite.start()
        let proxy = try await SocksProxy.start(site.configuration(Self.right))
        try await site.trust(for: ["shop.example"], in: engine)
        let view = try engine.makeView()
        engine.setProxy(EngineProxy(.socks5, host: "127.0.0.1", port: proxy.port, credentials: .init(Self.wrong)))
        try await expectFailure(.cannotConnect, "https://shop.example/", in: view)
        try expect(site.origin.connectionCount == 0 && proxy.refusals > 0, "refusals: \(proxy.refusals)")
        let refusals = proxy.refusals
        engine.setProxy(EngineProxy(.socks5, host: "127.0.0.1", port: proxy.port, credentials: .init(Self.right)))
        try await expectPage("https://shop.example/", in: view)
        // A 407 from a server is not a proxy challenge.
        view.load("https://shop.example/407")
        _ = try await site.request("/407")
        view.load("https://shop.example/401")
        _ = try await site.request("/401")
        try await expectPage("https://shop.example/", in: view)
        for request in site.origin.requests {
            try expect(
                request.headers[.proxyAuthorization] == nil && request.headers[.authorization] == nil,
                "credentials for \(request.path): \(request.headers)")
        }
        try expect(proxy.refusals == refusals, "refused again: \(proxy.refusals - refusals)")
        await proxy.stop()
        await site.origin.stop()
    }
}

extension EngineProxy.Credentials {
    fileprivate init(_ credentials: TestProxyCredentials) {
        self.init(username: credentials.username, password: credentials.password)
    }
}
