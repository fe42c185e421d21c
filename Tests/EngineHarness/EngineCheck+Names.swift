// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import ContainerTesting
internal import HTTPTransport
internal import HTTPTypes
internal import NIOTransport
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

// Pages whose host names only a server for DNS over HTTPS knows.
extension EngineCheck {
    /// Checks that a page opens by a name that only the server knows, that its listed hosts are resolved ahead, and
    /// that a certificate for another name is refused.
    @MainActor
    func checkNameResolution(_ name: String?, in folder: String) async throws {
        guard let mode = name.flatMap({ CheckedMode(rawValue: $0) }), [.scheme, .document, .proxy].contains(mode) else {
            throw CheckFailure(description: "specify scheme, document or proxy")
        }
        let site = try await NameSite.start()
        try await checkUnknownName(mode, site, in: folder + "/off")
        let engine = try WebKitGTKEngine()
        let container = try await site.container(engine, mode, resolves: true, in: folder + "/on")
        try await checkKnownName(mode, site, engine, container)
        try await checkForeignCertificate(mode, site, container)
        await container.shutDown()
        await site.stop()
    }

    /// Checks that nothing but the server knows the name.
    @MainActor
    private func checkUnknownName(_ mode: CheckedMode, _ site: NameSite, in folder: String) async throws {
        let container = try await site.container(WebKitGTKEngine(), mode, resolves: false, in: folder)
        let page = try await container.open(site.url)
        try await expectError(.unknownHost, "without the server") {
            try await page.load.finished(within: .seconds(20))
        }
        try expect(site.zone.questions == [] && site.origin.requestCount == 0, "without the server, it was asked")
        await container.shutDown()
    }

    @MainActor
    private func checkKnownName(
        _ mode: CheckedMode, _ site: NameSite, _ engine: WebKitGTKEngine, _ container: Container<WebKitGTKEngine>
    ) async throws {
        let page = try await open(site.url, in: container)
        let seen = try await page.view.evaluate("return [document.title, packaged]", in: .page)
        try expect(seen == #"["shop.test","packaged"]"#, "the page: \(seen)")
        // In document mode the engine sends this request, and resolves the name by the system.
        let data = try await page.view.evaluate(
            "return await fetch('/data').then(answer => answer.text(), error => error.name)", in: .page)
        try expect(data == (mode == .document ? "\"TypeError\"" : "\"data\""), "a request of the page: \(data)")
        if mode == .proxy { try await checkTunnel(site, engine, page) }

        // Nothing has requested the host that is listed for the page.
        try await withLimit(.seconds(20), "the listed host is not resolved ahead") {
            while site.questions(for: "ahead.test") < 2 {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        let next = try await open("https://ahead.test:\(site.origin.port)/", in: container)
        let title = try await next.view.evaluate("return document.title", in: .page)
        try expect(title == "\"ahead.test\"", "the page of the listed host: \(title)")
        try expect(site.questions(for: "ahead.test") == 2, "the listed host was resolved again")
        await container.close(next)
        await container.close(page)
    }

    /// Checks the names of hosts that the container does not answer for, and whose certificates the engine verifies.
    @MainActor
    private func checkTunnel(_ site: NameSite, _ engine: WebKitGTKEngine, _ page: Page<WebKitGTKView>) async throws {
        try await engine.trust(EngineCertificate(der: site.origin.certificate ?? []), for: "cdn.test")
        for (port, expected) in [(site.origin.port, "cdn.test"), (site.foreign.port, "failed")] {
            let loaded = try await page.view.evaluate(
                """
                return await new Promise(done => document.head.append(Object.assign(
                    document.createElement('script'), {
                        src: 'https://cdn.test:\(port)/script.js', onload: () => done(globalThis.host),
                        onerror: () => done('failed') })));
                """, in: .page)
            try expect(loaded == "\"\(expected)\"", "a script of another host: \(loaded), and not \(expected)")
        }
        try expect(site.questions(for: "cdn.test") > 0, "the name of the other host did not come from the server")
        try expect(site.foreign.requestCount == 0, "a request was sent to a host with a foreign certificate")
    }

    /// Checks a server at the right address whose certificate is for another name.
    @MainActor
    private func checkForeignCertificate(
        _ mode: CheckedMode, _ site: NameSite, _ container: Container<WebKitGTKEngine>
    ) async throws {
        let url = "https://shop.test:\(site.foreign.port)/"
        var failures: [ResourceError.Code] = []
        let observation = container.observe { event in
            guard case .request(let record) = event, record.url == url, case .failed(let error) = record.outcome else {
                return
            }
            failures.append(error.code)
        }
        let page = try await container.open(url)
        // In document mode the engine tries the document itself, and does not know the name.
        try await expectError(mode == .document ? .unknownHost : .tls, "a foreign certificate") {
            try await page.load.finished(within: .seconds(20))
        }
        try await withLimit(.seconds(20), "no record of the refused certificate") {
            while failures.isEmpty {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
        observation.end()
        try expect(Set(failures) == [.tls], "a foreign certificate: \(failures)")
        try expect(site.foreign.requestCount == 0, "a request was sent to a host with a foreign certificate")
        await container.close(page)
        // The certificate and its authority are valid for their own name.
        let own = try await open("https://other.test:\(site.foreign.port)/", in: container)
        let title = try await own.view.evaluate("return document.title", in: .page)
        try expect(title == "\"other.test\"", "the right name: \(title)")
        await container.close(own)
    }
}

/// Two servers on this computer, and the server that alone knows their names.
private struct NameSite {
    /// The server for the names of the site.
    let origin: OriginServer
    /// A server whose certificate is for another name.
    let foreign: OriginServer
    /// The names that the resolver knows.
    let zone: NameZone
    private let resolver: OriginServer

    /// The URL of the page.
    var url: String { "https://shop.test:\(origin.port)/" }

    static func start() async throws -> NameSite {
        guard let any = OriginPathPattern("/*"), let path = OriginPathPattern("/dns-query") else {
            throw CheckFailure(description: "not a pattern")
        }
        func server(_ names: [String], _ routes: [OriginRoute], http2: Bool = false) async throws -> OriginServer {
            var configuration = OriginServer.Configuration(routes: routes)
            configuration.usesTLS = true
            configuration.certificateNames = names
            configuration.offersHTTP2 = http2
            return try await OriginServer.start(configuration)
        }
        let names = ["shop.test", "cdn.test", "ahead.test", "other.test"]
        let zone = NameZone(Dictionary(uniqueKeysWithValues: names.map { ($0, .addresses("127.0.0.1")) }))
        let site = OriginRoute(.get, any) { response(to: $0) }
        return NameSite(
            origin: try await server(["shop.test", "cdn.test", "ahead.test"], [site]),
            foreign: try await server(["other.test"], [site]), zone: zone,
            resolver: try await server(["dns.test"], OriginRoute.names(at: path, zone), http2: true))
    }

    private static func response(to request: OriginRequest) -> OriginResponse {
        switch request.path {
        case "/data": return .text("data", type: "text/plain")
        case "/script.js":
            return .text("globalThis.host = new URL(document.currentScript.src).hostname", type: "text/javascript")
        default:
            let html = """
                <!doctype html><script>document.title = location.hostname</script>
                <script src="/app/packaged.js"></script>
                """
            return .text(html, type: "text/html; charset=utf-8")
        }
    }

    /// Returns the number of questions for a name, of any type.
    func questions(for name: String) -> Int { zone.questions.count { $0.name == name } }

    /// Returns a container that covers the names of pages, with a package below `/app/` of the first page.
    /// - Parameter resolves: a Boolean value that indicates whether the container uses the server of the names.
    @MainActor
    func container(
        _ engine: WebKitGTKEngine, _ mode: CheckedMode, resolves: Bool, in folder: String
    ) async throws -> Container<WebKitGTKEngine> {
        var settings = AsyncHTTPTransport.Configuration()
        for server in [origin, foreign, resolver] {
            settings.authorities.append(try CertificateAuthority(pem: server.authorityPEM ?? ""))
        }
        var configuration = mode.configuration(ContainerConfiguration(directory: folder + "/store"))
        configuration.network.transport = AsyncHTTPTransport(settings)
        configuration.network.cookies.native = .none
        // A proxy of the environment would resolve the names, and a change of the network would remove them.
        configuration.network.proxies = .none
        configuration.conditions = .favourable
        configuration.views.warmsUpWhenIdle = false
        configuration.network.coveredHosts = [
            "shop.test:\(origin.port)", "shop.test:\(foreign.port)", "ahead.test:\(origin.port)",
            "other.test:\(foreign.port)",
        ].compactMap { HostPattern($0) }
        if resolves {
            let server = try ResolverServer(
                url: "https://dns.test:\(resolver.port)/dns-query", addresses: ["127.0.0.1"])
            var options = NameResolutionOptions(servers: [.doh(server)])
            options.rules.defaultOrder = .secureFirst
            options.network = nil
            options.pages = [PageHosts(page: url, hosts: ["ahead.test"])]
            configuration.network.nameResolution = options
        }
        let container = try await Container(engine: engine, configuration: configuration)
        try await DocumentSite.install(
            ["packaged.js": "globalThis.packaged = 'packaged';"], at: url + "app/", isComplete: false,
            into: container, folder)
        return container
    }

    func stop() async {
        for server in [origin, foreign, resolver] { await server.stop() }
    }
}
