// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import LoopbackServer
internal import OfflinePackage
internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Pages in proxy mode, with a network in memory.
extension EngineCheck {
    /// Checks 200 simultaneous requests to new hosts: each is intercepted, and the engine trusts the certificate of its
    /// host before it needs it.
    @MainActor
    func checkProxyHosts(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder) { _ in .page("<title>all</title>") }
        let page = try await container.open("https://shop.example/")
        try await page.load.finished(within: .seconds(20))
        let loaded = try await page.view.evaluate(
            """
            const hosts = Array.from({ length: 200 }, (_, n) => `https://h${n}.shop.example/`);
            const answers = await Promise.allSettled(hosts.map(async url => (await fetch(url)).text()));
            return answers.filter(answer => answer.status === 'fulfilled').length;
            """, in: .page)
        try expect(loaded == "200", "hosts that loaded: \(loaded) of 200")
        await container.shutDown()
    }

    /// Checks that a page that opens after the warm-up reuses the connection of the warm-up.
    @MainActor
    func checkProxyConnections(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder) { _ in throw ResourceError(.offline, "cut") }
        _ = try await install("1", into: container, folder)
        var connections: [String] = []
        let (requests, request) = AsyncStream<Void>.makeStream()
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        container.observe { event in
            switch event {
            case .loopback(.connected(let host)):
                connections.append("\(host)")
                arrive.yield()
            case .request: request.yield()
            default: break
            }
        }
        try await container.warmUp()
        // On a busy machine the connection may be ready only after `warmUp()` has returned.
        for await _ in arrivals { break }
        try expect(connections == ["shop.example:443"], "preconnected: \(connections)")
        let page = try await container.open("https://shop.example/data.txt")
        try await page.load.finished(within: .seconds(20))
        // Earlier events are delivered before the request's event.
        for await _ in requests { break }
        try expect(connections.count == 1, "the page made a connection of its own: \(connections)")
        // No further connection is made while one exists.
        try await container.warmUp()
        try expect(connections.count == 1, "unnecessary connections: \(connections)")
        await container.shutDown()
    }

    /// Checks failures of the container's transport, such as an untrusted certificate. The page must observe the same
    /// failure as without a container, and the events must contain the reason.
    @MainActor
    func checkProxyFailures(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder) { request in
            guard request.path != "/refused" else {
                throw ResourceError(.tls, "the certificate is not trusted", at: request.urlText)
            }
            return .page("<title>home</title>")
        }
        var failures: [String] = []
        let (signals, receive) = AsyncStream<Void>.makeStream()
        container.observe { event in
            guard case .request(let record) = event, case .failed(let error) = record.outcome else { return }
            failures.append("\(error.code) \(record.url) \(record.page.map(\.rawValue) ?? 0)")
            receive.yield()
        }
        let page = try await container.open("https://shop.example/")
        try await page.load.finished(within: .seconds(20))
        let seen = try await page.view.evaluate(
            "return await fetch('/refused').then(answer => answer.status, error => error.name)", in: .page)
        try expect(seen == "\"TypeError\"", seen)
        for await _ in signals { break }
        try expect(failures == ["tls https://shop.example/refused 1"], "\(failures)")
        await container.close(page)
        let refused = try await container.open("https://shop.example/refused")
        do {
            try await refused.load.finished(within: .seconds(20))
            try expect(false, "an unavailable page has loaded")
        } catch let error as EngineError {
            // The error is that of the transport. The engine itself observes only a lost connection.
            try expect(error.code == .tls, "\(error)")
        }
        await container.shutDown()
    }

    /// Checks that a page with a service worker keeps its version during an update. The next page gets the new
    /// version from the package, the engine's cache and the worker.
    @MainActor
    func checkProxyUpdate(_ engine: WebKitGTKEngine, in folder: String) async throws {
        let container = try await container(engine, in: folder) { _ in throw ResourceError(.offline, "cut") }
        let first = try await install("1", into: container, folder)
        let page = try await container.open("https://shop.example/index.html")
        try await page.load.finished(within: .seconds(20))
        // The worker forwards all requests with `fetch`, so that they pass through the worker and the engine's cache.
        let texts = """
            await navigator.serviceWorker.ready;
            if (!navigator.serviceWorker.controller)
                await new Promise(done => navigator.serviceWorker.addEventListener('controllerchange', done));
            const texts = [];
            for (const cache of ['default', 'no-store', 'force-cache', 'default'])
                texts.push(await (await fetch('data.txt', { cache })).text());
            return [document.title, ...new Set(texts)].join(' ');
            """
        var seen = try await page.view.evaluate(texts, in: .page)
        try expect(seen == "\"1 1\"", "before the update: \(seen)")
        let second = try await install("2", into: container, folder)
        try expect(first != second, "no new generation")
        seen = try await page.view.evaluate(texts, in: .page)
        try expect(seen == "\"1 1\"", "after the update, a page that was open: \(seen)")
        await container.close(page)
        let next = try await container.open("https://shop.example/index.html")
        try await next.load.finished(within: .seconds(20))
        seen = try await next.view.evaluate(texts, in: .page)
        try expect(seen == "\"2 2\"", "after the update, the next page: \(seen)")
        await container.shutDown()
    }

    @MainActor
    private func install(
        _ version: String, into container: Container<WebKitGTKEngine>, _ folder: String
    ) async throws -> Int64 {
        let site = "\(folder)/site-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        let files = [
            "index.html": """
            <!doctype html><title>\(version)</title><script>navigator.serviceWorker.register('worker.js')</script>
            """,
            "worker.js": """
            addEventListener('install', () => skipWaiting());
            addEventListener('activate', event => event.waitUntil(clients.claim()));
            addEventListener('fetch', event => event.respondWith(fetch(event.request)));
            """,
            "data.txt": version,
        ]
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(site)/\(name)")) }
        let package = try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/"), output: "\(folder)/packages")
        let installed = try await container.install(archive: package.archive, manifest: package.manifest)
        return installed.generation.number
    }

    @MainActor
    func container(
        _ engine: WebKitGTKEngine, _ mode: InterceptionMode = .loopbackProxy, in folder: String,
        answering answer: @escaping @Sendable (HTTPRequest) async throws -> TransportResponse
    ) async throws -> Container<WebKitGTKEngine> {
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport(answer: answer)
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "*.shop.example"].compactMap { HostPattern($0) }
        return try await Container(engine: engine, configuration: configuration)
    }
}
