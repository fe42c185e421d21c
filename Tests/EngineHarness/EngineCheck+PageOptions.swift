// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// The user agent and the initial data of pages.
extension EngineCheck {
    /// The values that the first script of a page and its same-origin frame see, and that the server receives.
    private struct Finding: Decodable, Equatable {
        var token: String?
        var global: String?
        var prototype: String?
        var agent: String
        var sent: String
        var frame: String?
        var worker: String
    }

    private static let odd = "a\u{2028}b</script>\\\"'${1}`\u{1F600}\u{0}é"

    /// Checks the page options.
    /// - Parameter mode: The mode of the pages.
    @MainActor
    func checkPageOptions(_ engine: WebKitGTKEngine, _ mode: String?, in folder: String) async throws {
        guard let mode = mode.flatMap({ InterceptionMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify a mode")
        }
        let own = try await page("<p>own", in: engine).evaluate("return navigator.userAgent", in: .page)
        let agent = try JSONDecoder().decode(String.self, from: Data(own.utf8))
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = MemoryTransport(answer: Self.answer)
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = ["shop.example", "other.example"].compactMap { HostPattern($0) }
        configuration.pages.userAgent = try UserAgent.appending("Shop/2.1 (test)")
        configuration.pages.initialData = [
            try InitialPageData(
                origin: "https://shop.example", localStorage: ["token": "one"],
                global: .init("shop", ["__proto__": ["a": 1], "odd": .string(Self.odd), "n": .integer(163)]))
        ]
        let container = try await Container(engine: engine, configuration: configuration)

        let all = try await finding(in: container, PageOptions())
        let members = #"{"__proto__":{"a":1},"n":163,"odd":\#(try Self.json(Self.odd))}"#
        try expect(all.token == "one" && all.frame == "one,undefined", "\(all)")
        try expect(all.global == members && all.prototype == "true", "\(all.global ?? "-") is not \(members)")
        let named = agent + " Shop/2.1 (test)"
        try expect(all.agent == named && all.sent == named && all.worker == named, "\(all)")

        // The options of one page take precedence and do not apply to the next page in the same process. Stored data
        // stays.
        let special = PageOptions(
            userAgent: try UserAgent.text("Special/1"),
            initialData: [
                try InitialPageData(
                    origin: "https://shop.example/", localStorage: ["token": "two"], global: .init("own", [:]))
            ])
        let one = try await finding(in: container, special)
        try expect(one.agent == "Special/1" && one.sent == "Special/1" && one.token == "two", "\(one)")
        try expect(one.global == members, "\(one)")
        let next = try await finding(in: container, PageOptions())
        try expect(next == all, "\(next) is not \(all)")

        // Another origin has no initial data.
        let other = try await finding(at: "https://other.example/", in: container, PageOptions())
        try expect(other.token == nil && other.global == nil && other.frame == "null,undefined", "\(other)")
        // A sandboxed document of the origin has no initial data either.
        let boxed = try await finding(at: "https://shop.example/boxed", in: container, PageOptions())
        try expect(boxed.token == nil && boxed.global == nil, "\(boxed)")
        await container.shutDown()
    }

    @MainActor
    private func finding(
        at url: String = "https://shop.example/", in container: Container<WebKitGTKEngine>, _ options: PageOptions
    ) async throws -> Finding {
        let page = try await container.open(url, options: options)
        try await page.load.finished(within: .seconds(20))
        let text = try await withLimit(.seconds(20), "the page did not finish its checks") {
            try await page.view.evaluate("return await found", in: .page)
        }
        await container.close(page)
        return try JSONDecoder().decode(Finding.self, from: Data(text.utf8))
    }

    private static func json(_ text: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(text), as: UTF8.self)
    }

    @Sendable
    private static func answer(_ request: HTTPRequest) -> TransportResponse {
        switch request.path {
        case "/agent": return .page(request.headerFields[.userAgent] ?? "", type: "text/plain")
        case "/worker.js": return .page("postMessage(navigator.userAgent)", type: "text/javascript")
        case "/frame":
            return .page("<script>parent.frame(localStorage.getItem('token') + ',' + typeof shop)</script>")
        default: break
        }
        var response = TransportResponse.page(
            """
            <!doctype html><title>options</title><script>
            const stored = () => { try { return localStorage.getItem('token') } catch { return null } };
            const sorted = value => JSON.stringify(Object.fromEntries(Object.entries(value).sort()));
            const finding = {
                token: stored(), global: typeof shop === 'object' ? sorted(shop) : null,
                prototype: typeof shop === 'object' ? String(Object.getPrototypeOf(shop) === Object.prototype) : null,
                agent: navigator.userAgent,
            };
            const isBoxed = self.origin === 'null';
            const framed = isBoxed ? null : new Promise(done => { self.frame = done });
            const worked = isBoxed ? '' : new Promise(done => {
                new Worker('/worker.js').onmessage = event => done(event.data);
            });
            const found = (async () => ({
                ...finding, sent: isBoxed ? '' : await (await fetch('/agent')).text(), frame: await framed,
                worker: await worked,
            }))();
            </script>
            """ + (request.path == "/boxed" ? "" : "<iframe src=/frame></iframe>"))
        if request.path == "/boxed", let policy = HTTPField.Name("Content-Security-Policy") {
            response.head.headerFields[policy] = "sandbox allow-scripts"
        }
        return response
    }
}
