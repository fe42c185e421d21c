// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import ResourceLoading
internal import WebEngine
internal import WebKitGTKAdapter

// Package files in the engine's caches must not survive their generation.
extension EngineCheck {
    /// Checks an update and a rollback of an open site whose service worker responds from its cache. The open page
    /// continues with its version. The next page gets the new version from the package, the engine's cache and the
    /// worker. Data that does not belong to the package stays.
    @MainActor
    func checkRollback(_ mode: InterceptionMode, in folder: String) async throws {
        try await checkGenerations(WebKitGTKEngine(), mode, in: folder + "/memory", keepsCaches: false)
        var configuration = WebKitGTKEngine.Configuration()
        configuration.storage = .directory(path: folder + "/disk/engine")
        try await checkGenerations(WebKitGTKEngine(configuration), mode, in: folder + "/disk", keepsCaches: true)
    }

    /// Runs the check.
    /// - Parameter keepsCaches: A Boolean value that indicates whether the Cache API of the engine is persistent. An
    ///   engine in memory discards `caches` with the last page of the origin, with or without a container.
    @MainActor
    private func checkGenerations(
        _ engine: WebKitGTKEngine, _ mode: InterceptionMode, in folder: String, keepsCaches: Bool
    ) async throws {
        let packages = folder + "/packages"
        let container = try await container(engine, mode, in: folder) { request in
            switch request.authority {
            case "packages.example":
                let name = request.path.flatMap { $0.split(separator: "/").last } ?? ""
                return TransportResponse(
                    head: HTTPResponse(status: .ok),
                    body: .bytes(try Data(contentsOf: URL(fileURLWithPath: "\(packages)/\(name)"))))
            case "other.shop.example":
                let name = request.path.flatMap { $0.split(separator: "/").last }.map(String.init)
                guard let text = Self.site("other")[name ?? "index.html"] else { throw ResourceError(.offline, "cut") }
                var answer = TransportResponse.page(text)
                if name == "worker.js" { answer.head.headerFields[.contentType] = "text/javascript" }
                return answer
            default: throw ResourceError(.offline, "cut")
            }
        }
        var cleared = 0
        container.observe { if case .engineCachesCleared = $0 { cleared += 1 } }
        let url = "https://shop.example/app/index.html"

        let sibling = try await open("https://other.shop.example/index.html", in: container)
        try await see(sibling, "other", "another host")
        await container.close(sibling)

        try await installShop(Self.site("1"), "1", into: container, folder)
        let one = try await open(url, in: container)
        try await see(one, "1", "before the update")
        _ = try await one.view.evaluate(
            """
            localStorage.own = 'kept';
            document.cookie = 'own=kept; max-age=1000';
            await (await caches.open('own')).put('/elsewhere', new Response('kept'));
            """, in: .page)
        try await installShop(Self.site("2"), "2", into: container, folder)
        try await see(one, "1", "after the update, a page that was open")
        await container.close(one)

        let two = try await open(url, in: container)
        try await see(two, "2", "after the update, the next page")
        try await seeKept(two, keepsCaches)
        await container.close(two)

        _ = try buildShop(Self.site("3"), "3", folder)
        let update = try await container.update(
            from: PackageSource(
                "https://packages.example/shop-3.json", scope: PackageBaseURL("https://shop.example/")))
        try expect(update.outcome == .activated, "the update: \(update.outcome)")
        let three = try await open(url, in: container)
        try await see(three, "3", "an update on trial")
        let events = container.events
        container.report(.began, of: three)
        container.report(.failed("white"), of: three)
        for await case .package(.scopeChanged) in events { break }
        try await see(three, "3", "after the rollback, a page that was open")
        await container.close(three)

        let back = try await open(url, in: container)
        try await see(back, "2", "after the rollback, the next page")
        try await seeKept(back, keepsCaches)
        await container.close(back)
        try expect(cleared >= 4, "the engine cleared its caches \(cleared) times")

        let siblingAgain = try await open("https://other.shop.example/index.html", in: container)
        let state = try await siblingAgain.view.evaluate(
            "return [!!navigator.serviceWorker.controller, (await caches.keys()).join()]", in: .page)
        try expect(state == #"[true,"files"]"#, "another host, in the end: \(state)")
        await container.shutDown()
    }

    /// Expects that all content of a page has the given version.
    @MainActor
    private func see(_ page: Page<WebKitGTKView>, _ version: String, _ when: String) async throws {
        let seen = try await page.view.evaluate(
            """
            const seen = [document.title];
            for (const cache of ['force-cache', 'default', 'no-store'])
                seen.push(await (await fetch('data.txt', { cache })).text());
            await navigator.serviceWorker.ready;
            if (!navigator.serviceWorker.controller)
                await new Promise(done => navigator.serviceWorker.addEventListener('controllerchange', done));
            const answer = new Promise(done => navigator.serviceWorker.addEventListener('message', e => done(e.data)));
            navigator.serviceWorker.startMessages();
            navigator.serviceWorker.controller.postMessage('');
            seen.push(await answer);
            seen.push(await (await fetch('data.txt', { cache: 'force-cache' })).text());
            return [...new Set(seen)].join(' ');
            """, in: .page)
        try expect(seen == "\"\(version)\"", "\(when): \(seen)")
    }

    @MainActor
    private func seeKept(_ page: Page<WebKitGTKView>, _ keepsCaches: Bool) async throws {
        let kept = try await page.view.evaluate(
            """
            return [localStorage.own, document.cookie, await (await caches.match('/elsewhere'))?.text()].join(' ');
            """, in: .page)
        let expected = keepsCaches ? "kept own=kept kept" : "kept own=kept "
        try expect(kept == "\"\(expected)\"", "data outside the package: \(kept)")
    }

    /// Returns a site whose worker requests each file only once.
    private static func site(_ version: String) -> [String: String] {
        [
            "index.html": """
            <!doctype html><title>\(version)</title><script>navigator.serviceWorker.register('worker.js')</script>
            """,
            "worker.js": """
            addEventListener('install', event => {
                skipWaiting();
                event.waitUntil(caches.open('files').then(cache => cache.addAll(['index.html', 'data.txt'])));
            });
            addEventListener('activate', event => event.waitUntil(clients.claim()));
            addEventListener('message', event => event.source.postMessage('\(version)'));
            addEventListener('fetch', event => event.respondWith(
                caches.match(event.request).then(held => held ?? fetch(event.request))));
            """,
            "data.txt": version,
        ]
    }
}
