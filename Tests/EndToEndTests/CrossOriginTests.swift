// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import ProgramTesting
import Testing

extension RealEngine {
    /// A covered page that requests another covered origin.
    @Suite("Requests to another origin, in a page", .timeLimit(.minutes(2)))
    struct CrossOriginTests {
        @Test("The other origin receives a preflight with the real origin, and its permission applies to the page")
        func permissions() async throws {
            let permitted = OriginRoute(.options, try #require(OriginPathPattern("/open/*"))) { request in
                OriginResponse(
                    .noContent,
                    headers: [
                        .accessControlAllowOrigin: request.headers[.origin] ?? "", .accessControlAllowMethods: "DELETE",
                        .accessControlAllowHeaders: "x-key",
                    ])
            }
            let open: @Sendable (OriginRequest) -> OriginResponse = { request in
                OriginResponse(
                    .ok,
                    headers: [.accessControlAllowOrigin: request.headers[.origin] ?? "", .contentType: "text/plain"],
                    body: .bytes(Data("open".utf8)))
            }
            let closed: @Sendable (OriginRequest) -> OriginResponse = { _ in
                OriginResponse(.ok, body: .bytes(Data("closed".utf8)))
            }
            let other = try await Shop(routes: [
                permitted,
                OriginRoute(.get, try #require(OriginPathPattern("/open/*")), answer: open),
                OriginRoute(.delete, try #require(OriginPathPattern("/open/*")), answer: open),
                OriginRoute(.get, try #require(OriginPathPattern("/closed")), answer: closed),
                OriginRoute(.post, try #require(OriginPathPattern("/closed")), answer: closed),
            ])
            let style = "\(other.origin.url)/style.css"
            let shop = try await Shop(routes: [
                OriginRoute(.get, try #require(OriginPathPattern("/moved"))) { _ in
                    OriginResponse(.found, headers: [.location: style])
                }
            ])
            let script = """
                if (window === top && location.pathname === '/index.html') (async () => {
                    const other = 'containerkit-http://\(other.origin.url.dropFirst(7))'
                    const ask = (path, options) =>
                        fetch(other + path, options).then(answer => answer.text()).catch(error => error.name)
                    // The engine does not check the responses to synchronous requests of a document.
                    const sync = (path, fields = {}, method = 'GET') => {
                        const request = new XMLHttpRequest();
                        request.open(method, other + path, false);
                        for (const name in fields) request.setRequestHeader(name, fields[name]);
                        try { request.send() } catch (error) { return error.name }
                        return request.responseText;
                    };
                    const frames = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
                    window.value = [
                        sync('/open/simple'), sync('/closed'), sync('/closed', frames), sync('/closed', {}, 'POST'),
                        await ask('/open/simple'),
                        await ask('/open/field', { headers: { 'X-Key': '1' } }),
                        await ask('/open/delete', { method: 'DELETE' }),
                        await ask('/open/other-field', { headers: { 'X-Other': '1' } }),
                        await ask('/closed'),
                        await ask('/closed', { method: 'DELETE' }),
                        // Responses that are not read still arrive; a redirected style sheet is readable by elements
                        // only.
                        await fetch(other + '/closed', { method: 'POST', body: 'x', mode: 'no-cors' })
                            .then(answer => answer.type),
                        await fetch('/moved').then(answer => answer.text()).catch(error => error.name),
                        await fetch('/moved', { mode: 'no-cors' }).then(answer => answer.text()),
                    ]
                })()
                """
            let file = try shop.folder.write("script.js", script.utf8)
            // Both hosts are covered, because both are opened.
            let urls = try shop.folder.write("urls", "\(shop.page)\n\(other.origin.url)/style.css\n".utf8)
            let outcome = try await Program("container-browser").run(
                [
                    "run", "--urls", urls, "--print", "window.value || 0", "--until",
                    "window.value || !location.href.endsWith('index.html')", "--mode", "scheme", "--user-script", file,
                ], in: shop.folder.path)
            let asked = other.origin.requests.map { "\($0.method) \($0.path)" }
            let origins = Set(other.origin.requests.filter { $0.path.hasPrefix("/open") }.map { $0.headers[.origin] })
            await shop.origin.stop()
            await other.origin.stop()
            #expect(outcome.status == 0, "\(outcome.errors)")
            let value = [
                "open", "NetworkError", "NetworkError", "NetworkError", "open", "open", "open", "TypeError",
                "TypeError",
                "TypeError", "opaque", "TypeError", "",
            ].map { "\"\($0)\"" }.joined(separator: ",")
            #expect(outcome.output.contains("\"value\":[\(value)]"), "\(outcome.output)")
            #expect(origins == [shop.origin.url])
            #expect(
                asked.filter { !$0.hasSuffix("style.css") } == [
                    "GET /open/simple", "GET /closed", "GET /closed", "POST /closed",
                    "GET /open/simple", "OPTIONS /open/field", "GET /open/field", "OPTIONS /open/delete",
                    "DELETE /open/delete", "OPTIONS /open/other-field", "GET /closed", "OPTIONS /closed",
                    "POST /closed",
                ])
        }
    }
}
