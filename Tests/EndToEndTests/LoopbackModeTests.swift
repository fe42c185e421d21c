// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import PackageFormat
import PackagePublisher
import ProgramTesting
import Testing

extension RealEngine {
    /// Pages in the modes `proxy` and `server`. They behave as without a container, except for the local origin in mode
    /// `server`.
    @Suite("Pages of the loopback proxy and the local server", .timeLimit(.minutes(5)))
    struct LoopbackModeTests {
        /// Packs a site whose https URL has no server.
        private func pack(_ files: [String: String], in folder: TemporaryFolder) throws -> String {
            for (name, text) in files { try folder.write("site/\(name)", text.utf8) }
            return try PackageBuilder().build(
                folder.path + "/site", id: PackageID("shop"), version: PackageVersion("1"),
                baseURL: PackageBaseURL("https://shop.example/"), output: folder.path + "/packages"
            ).archive
        }

        @Test(
            "A packaged page opens at its true origin, or at its local name, with the network cut",
            arguments: [("proxy", "https://shop.example"), ("server", "https://shop-example.localhost")])
        func offline(mode: String, origin: String) async throws {
            let folder = try TemporaryFolder()
            let package = try pack(Shop.files, in: folder)
            let browser = Browser(folder: folder.path)
            let page = "https://shop.example/index.html"
            let value = try await browser.value(
                of: "[`https://${location.hostname}`, isSecureContext, document.querySelectorAll('li').length]",
                in: page, until: Shop.ready, "--mode", mode, "--package", package)
            #expect(value == #"["\#(origin)",true,2]"#)
            let report = try await browser.open(page, "--mode", mode, "--package", package, "--network", "offline")
            let run = try #require(report.runs.first)
            #expect(run.requests.package == 6 && run.requests.network == 0 && run.requests.failed == 0, "\(run)")
            #expect(run.consoleErrors == [])
            #expect(run.firstContentfulPaintMs != nil)
        }

        @Test(
            "A server with an untrusted certificate is refused as in the plain engine, before any request",
            arguments: ["plain", "scheme", "proxy", "server"])
        func untrusted(mode: String) async throws {
            let folder = try TemporaryFolder()
            var configuration = OriginServer.Configuration(folder: folder.path)
            configuration.usesTLS = true
            let origin = try await OriginServer.start(configuration)
            let outcome = try await Program("container-browser").run(
                ["run", origin.url + "/", "--mode", mode, "--print", "document.title"], in: folder.path)
            let asked = origin.requestCount
            await origin.stop()
            #expect(outcome.status == 69 && outcome.errors.contains("error: tls: "), "\(outcome.errors)")
            #expect(asked == 0)
        }

        @Test(
            "Every kind of body reaches the server completely, without a script",
            arguments: ["proxy", "server"])
        func bodies(mode: String) async throws {
            let shop = try await Shop(routes: [
                OriginRoute(.post, try #require(OriginPathPattern("/echo"))) { request in
                    let type = (request.headers[.contentType] ?? "none").prefix { $0 != ";" }
                    let sum = request.body.reduce(0 as UInt64) { ($0 &* 31) &+ UInt64($1) }
                    return .text("\(type) \(request.body.count) \(sum)")
                }
            ])
            let script = """
                const sum = async body => {
                    const bytes = new Uint8Array(await new Response(body).arrayBuffer());
                    let sum = 0n;
                    for (const byte of bytes) sum = BigInt.asUintN(64, sum * 31n + BigInt(byte));
                    return [bytes.length, sum];
                };
                (async () => {
                    const large = new Uint8Array(3 << 20).map((_, index) => index % 251);
                    const form = new FormData();
                    form.append('text', 'äöü');
                    form.append('file', new Blob([large]), 'large.bin');
                    const bodies = {
                        string: 'äöü', bytes: large, buffer: large.buffer, blob: new Blob([large], { type: 'x/y' }),
                        query: new URLSearchParams({ a: 'b c' }), form
                    };
                    const wrong = [];
                    for (const [name, body] of Object.entries(bodies)) {
                        const answer = (await (await fetch('/echo', { method: 'POST', body })).text()).split(' ');
                        // The boundary of a form differs each time.
                        if (name === 'form') {
                            if (answer[0] !== 'multipart/form-data' || answer[1] < 3 << 20) wrong.push(name, answer);
                            continue;
                        }
                        const [length, hash] = await sum(body);
                        if (+answer[1] !== length || BigInt(answer[2]) !== hash) wrong.push(name, answer);
                    }
                    window.wrong = JSON.stringify(wrong);
                })().catch(error => window.wrong = String(error));
                """
            let value = try await shop.browser.value(
                of: "window.wrong", in: shop.page, until: "window.wrong", "--mode", mode, "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            #expect(value == #""[]""#)
        }

        @Test(
            "Cookies, redirects and CORS are handled by the engine, and other hosts bypass the container",
            arguments: ["proxy", "server"])
        func web(mode: String) async throws {
            let other = try await OriginServer.start(
                .init(routes: [
                    OriginRoute(.get, try #require(OriginPathPattern("/open"))) { _ in
                        OriginResponse(
                            headers: [.accessControlAllowOrigin: "*", .contentType: "text/plain"],
                            body: .bytes(Data("other".utf8)))
                    },
                    OriginRoute(.get, try #require(OriginPathPattern("/shut"))) { _ in .text("other") },
                ]))
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/set"))) { _ in
                    var response = OriginResponse.text("set")
                    response.headers.append(HTTPField(name: .setCookie, value: "seen=1"))
                    response.headers.append(HTTPField(name: .setCookie, value: "hidden=2; HttpOnly"))
                    return response
                },
                OriginRoute(.get, try #require(OriginPathPattern("/cookies"))) { request in
                    .text(request.headers[.cookie] ?? "none")
                },
                OriginRoute(.get, try #require(OriginPathPattern("/moved"))) { _ in
                    OriginResponse(.found, headers: [.location: "/cookies"])
                },
            ])
            let script = """
                (async () => {
                    await fetch('/set');
                    const moved = await fetch('/moved');
                    const open = await fetch('\(other.url)/open').then(answer => answer.text(), error => error.name);
                    const shut = await fetch('\(other.url)/shut').then(() => 'read', error => error.name);
                    window.seen = JSON.stringify([
                        document.cookie, await moved.text(), moved.redirected,
                            new URL(moved.url).pathname, open, shut]);
                })().catch(error => window.seen = String(error));
                """
            let value = try await shop.browser.value(
                of: "JSON.parse(window.seen)", in: shop.page, until: "window.seen", "--mode", mode, "--user-script",
                try shop.folder.write("script.js", script.utf8))
            await shop.origin.stop()
            await other.stop()
            // On the local server, an http page has an https origin, so http requests to other hosts are mixed
            // content.
            let open = mode == "server" ? "TypeError" : "other"
            #expect(value == #"["seen=1","seen=1; hidden=2",true,"/cookies","\#(open)","TypeError"]"#)
        }

        @Test("A service worker of a packaged page runs and responds to the page", arguments: ["proxy", "server"])
        func serviceWorker(mode: String) async throws {
            let folder = try TemporaryFolder()
            let package = try pack(
                [
                    "index.html": """
                    <!doctype html><title>Worker</title><script>
                    navigator.serviceWorker.addEventListener('controllerchange', async () => {
                        window.answer = await (await fetch('made-up')).text() + await (await fetch('real.txt')).text();
                    });
                    navigator.serviceWorker.register('worker.js').catch(error => window.answer = String(error));
                    </script>
                    """,
                    "worker.js": """
                    addEventListener('install', () => skipWaiting());
                    addEventListener('activate', event => event.waitUntil(clients.claim()));
                    addEventListener('fetch', event => {
                        if (event.request.url.endsWith('made-up')) event.respondWith(new Response('made up, '));
                    });
                    """, "real.txt": "real",
                ], in: folder)
            let value = try await Browser(folder: folder.path).value(
                of: "window.answer", in: "https://shop.example/index.html", until: "window.answer", "--mode", mode,
                "--package", package)
            #expect(value == #""made up, real""#)
        }

        /// The checks cover 200 hosts at once, a refused certificate, updates and rollbacks with an open page, a lost
        /// listener, and pages that the app opens by POST.
        @Test(
            "The proxy and the local server of the container in the engine",
            arguments: [
                "proxyHosts", "proxyConnections", "proxyFailures", "proxyUpdate", "proxyRollback", "proxyLoss",
                "proxyNetworkProcess", "serverNetworkProcess", "serverRollback", "postNavigation",
            ])
        func engine(_ name: String) async throws {
            let folder = try TemporaryFolder()
            let outcome = try await Program("engine-harness").run(name, folder.path, in: folder.path)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }

        @Test("Sites of the local server are isolated, and stored data exists in the next launch")
        func localServer() async throws {
            let folder = try TemporaryFolder()
            for check in ["serverSites", "serverLaunch", "serverNextLaunch"] {
                let outcome = try await Program("engine-harness").run(check, folder.path, in: folder.path)
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
        }

        @Test("A network failure is a failure for the page, not a status from the proxy")
        func failures() async throws {
            let shop = try await Shop(faults: "reset:/reset.txt")
            let value = try await shop.browser.value(
                of: """
                    await Promise.all(['/reset.txt', 'http://nowhere.invalid/'].map(url => fetch(url).then(
                        answer => answer.status, error => error.name)))
                    """, in: shop.page, "--mode", "proxy")
            await shop.origin.stop()
            #expect(value == #"["TypeError","TypeError"]"#)
        }
    }
}
