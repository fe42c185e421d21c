// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import NIOTransport
internal import Prefetch
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Prefetch requests when a page is opened.
extension EngineCheck {
    /// The header fields that are not compared, because they also differ between a page's own requests in the container
    /// and in the engine. The test sets `Host`, the engine sends no codings to a custom scheme, and the transport sets
    /// the connection.
    private static let transports: Set<String> = ["accept-encoding", "connection", "host"]

    /// Checks prefetching.
    /// - Parameter arguments: The mode.
    @MainActor
    func checkPrefetch(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let mode = arguments.first.flatMap({ InterceptionMode(rawValue: $0) }) else {
            throw CheckFailure(description: "specify a mode")
        }
        let site = PrefetchSite()
        let origin = try await site.start()
        // With the local server, requests of a page to other origins bypass the container.
        let script = Self.script(asksOthers: mode != .loopbackServer)
        let plain = try await plainSent(origin, site, script)
        let transport = try AddressedTransport(to: origin)
        var configuration = ContainerConfiguration(directory: folder + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = transport
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.mode = mode
        configuration.network.coveredHosts = PrefetchSite.hosts.compactMap { HostPattern($0) }
        configuration.network.prefetch = PrefetchOptions()
        configuration.network.prefetch?.fetchesDocument = true
        configuration.pages.legacyMessages = LegacyMessages(prefix: "shop")
        // The limits exceed the test on any machine.
        configuration.network.prefetch?.loader.maxAge = .seconds(600)
        configuration.network.prefetch?.loader.joinLimit = .seconds(600)
        let container = try await Container(engine: engine, configuration: configuration)
        // The first page sets the cookie. In this launch, its document shows the fields that the engine adds.
        let first = try await open(PrefetchSite.page, in: container)
        await container.close(first)
        try expect(
            container.counters.prefetch?.joins == 1, "the first: \(String(describing: container.counters.prefetch))")
        site.reset()
        container.setPrefetchTable(try Self.table(asksOthers: mode != .loopbackServer))
        let page = try await open(PrefetchSite.page, in: container)
        let seen = try await run(script, in: page.view)
        let sent = site.sent
        let counters = container.counters.prefetch ?? PrefetchCounters()
        await container.close(page)
        await container.shutDown()
        try await transport.base.shutDown()
        await origin.stop()
        try check(seen, sent, counters, in: mode)
        var passedOver = Self.transports
        if mode == .customScheme, sent.last(where: { $0.name == "GET /api/get" })?.fields["accept-language"] == nil {
            // The page's own requests also lack this field: the engine sends no languages to a custom scheme.
            passedOver.insert("accept-language")
        }
        try check(sent, beside: plain, but: passedOver)
    }

    /// Checks the responses that the page received, and the number of requests that the server received.
    private func check(
        _ seen: [String: String], _ sent: [PrefetchSite.Sent], _ counters: PrefetchCounters, in mode: InterceptionMode
    ) throws {
        let body = #"{"visitRecord":{},"id":7}"#
        var expected = [
            "get": "200 1 id=7 ", "again": "200 2 id=7 ", "post": "200 1 id=7 \(body)", "held": "200 1 - ",
            "fails": "200 2 - ", "cookie": "200 2 - ", "message": "200 text/plain 1 - ", "nothing": "null",
        ]
        var counts = [
            "GET /page": 1, "GET /api/get": 2, "POST /api/post": 1, "GET /api/held": 1, "GET /api/fails": 2,
            "GET /api/cookie": 2, "GET /api/message": 1, "GET /ping": 1, "GET /release": 1,
        ]
        var made = PrefetchCounters()
        (made.started, made.failures, made.mismatches) = (7, 1, 1)
        if mode != .loopbackServer {
            expected["corsGet"] = "200 1 - "
            expected["corsPost"] = "200 1 - {}"
            counts["GET /cors/get"] = 1
            counts["POST /cors/post"] = 1
            // In proxy mode the engine also sends a preflight, because the container sent the earlier preflight.
            counts["OPTIONS /cors/post"] = mode == .loopbackProxy ? 2 : 1
            made.started = 9
        }
        try expect(seen == expected, "the page got \(seen), and not \(expected)\n\(counters)")
        let asked = Dictionary(sent.map { ($0.name, 1) }, uniquingKeysWith: +)
        try expect(asked == counts, "requests \(asked), and not \(counts)\n\(counters)")
        let got = counters.hits + counters.joins
        // The container also prefetched the document of the first page.
        try expect(
            counters.started == made.started + 1 && counters.failures == made.failures
                && counters.mismatches == made.mismatches && got == made.started + 1 - 2 && counters.joins >= 1,
            "\(counters)")
    }

    /// Checks that prefetch requests equal the engine's own requests, in body and fields.
    private func check(
        _ sent: [PrefetchSite.Sent], beside plain: [PrefetchSite.Sent], but passedOver: Set<String>
    ) throws {
        var differing: [String] = []
        for name in ["GET /page", "GET /api/get", "POST /api/post", "GET /cors/get", "POST /cors/post"] {
            let pair = (plain.first { $0.name == name }, sent.first { $0.name == name })
            guard let one = pair.0, let other = pair.1 else {
                // With the local server, pages send no requests to other origins, with or without a container.
                try expect(pair.0 == nil && pair.1 == nil && name.contains("/cors/"), "\(name) is missing")
                continue
            }
            if one.request.query != other.request.query || one.request.body != other.request.body {
                differing.append("\(name): \(other.request)")
            }
            let (its, ours) = (one.fields, other.fields)
            for field in Set(its.keys).union(ours.keys).subtracting(passedOver).sorted()
            where its[field] != ours[field] {
                differing.append("\(name): \(field): \(ours[field] ?? "-"), and by the engine \(its[field] ?? "-")")
            }
        }
        try expect(differing.isEmpty, differing.joined(separator: "\n"))
    }

    /// Returns the requests of an engine without a container.
    @MainActor
    private func plainSent(
        _ origin: OriginServer, _ site: PrefetchSite, _ script: String
    ) async throws -> [PrefetchSite.Sent] {
        let engine = try WebKitGTKEngine()
        let proxy = try await ForwardProxy.leading(to: origin)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        for host in PrefetchSite.hosts {
            try await engine.trust(EngineCertificate(der: origin.certificate ?? []), for: host)
        }
        for _ in 0..<2 {
            site.reset()
            let view = try engine.makeView()
            let load = ViewLoad(of: view)
            view.load(PrefetchSite.page)
            try await load.finished(within: .seconds(20))
            _ = try await run(script, in: view)
            let expired = ["late=; Max-Age=0", "session=; Max-Age=0; Path=/api/post"]
            for cookie in expired { _ = try await view.evaluate("document.cookie = '\(cookie)'; return 1", in: .page) }
            view.discard()
        }
        await proxy.stop()
        defer { site.reset() }
        return site.sent
    }

    @MainActor
    private func run(_ script: String, in view: WebKitGTKView) async throws -> [String: String] {
        let seen = try await view.evaluate(script, in: .page)
        return try JSONDecoder().decode([String: String].self, from: Data(seen.utf8))
    }

    private static func script(asksOthers: Bool) -> String {
        let others = """
            seen.corsGet = await text('https://api.example/cors/get');
            seen.corsPost = await text('https://api.example/cors/post', json('{}'));
            """
        return """
            const text = (url, options) => fetch(url, options).then(
                async answer => `${answer.status} ${await answer.text()}`, error => error.name);
            const json = body => ({ method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
            const seen = {};
            seen.get = await text('/api/get?id=7');
            seen.again = await text('/api/get?id=7');
            seen.post = await text('/api/post?id=7', json('{"visitRecord":{},"id":7}'));
            const held = text('/api/held');
            await text('/ping');
            await text('/release');
            seen.held = await held;
            const older = window.webkit?.messageHandlers?.PREFETCHCALL;
            if (older) {
                const { status, headers, body } = await older.postMessage({ url: 'https://m.example/api/message' });
                seen.message = `${status} ${headers['content-type']} ${body}`;
                seen.nothing = String(await older.postMessage({ url: 'https://m.example/api/message' }));
            }
            seen.fails = await text('/api/fails');
            document.cookie = 'late=1';
            seen.cookie = await text('/api/cookie');
            \(asksOthers ? others : "")
            return seen;
            """
    }

    private static func table(asksOthers: Bool) throws -> PrefetchTable {
        let others = """
            ,{"api":"https://api.example/cors/get"},{"api":"https://api.example/cors/post","method":"POST","body":{}}
            """
        let json = """
            {"code":200,"data":{"version":"1","config":[{"url":"https://m.example/page","interfaces":[
            {"api":"https://m.example/api/get","urlParam":true},
            {"api":"https://m.example/api/post","method":"POST","urlParam":true,"bodyParam":true,
            "body":{"visitRecord":{}}},
            {"api":"https://m.example/api/held"},{"api":"https://m.example/api/fails"},
            {"api":"https://m.example/api/cookie"},{"api":"https://m.example/api/message"}\(asksOthers ? others : "")]}]}}
            """
        return try PrefetchTable(json: Data(json.utf8))
    }
}
