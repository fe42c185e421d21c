// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerKit
internal import ContainerTesting
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine
internal import WebKitGTKAdapter

/// The hosts of the checks of site isolation, all served by one server.
///
/// The query of a request describes its response as JSON: `status`, `fields` (pairs) and `body`. With
/// `{"echo": true}`, the response is the request's `Cookie` field.
private struct IsolationSite {
    /// The page's site and an embedded site.
    static let covered = ["www.shop.example", "shop.example", "ad.example"]
    /// Hosts that the container does not cover.
    static let bare = ["api.shop.example", "bare.example"]
    /// A request that the server received.
    struct Arrival: Encodable {
        /// The scheme and path.
        var url: String
        var method: String
        var cookie: String?
    }

    let secure: OriginServer
    let insecure: OriginServer
    let log: Log

    /// The log of received requests. Isolation: any.
    final class Log: Sendable {
        let arrivals = Mutex<[Arrival]>([])
    }

    static func start() async throws -> IsolationSite {
        let log = Log()
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let server = { (usesTLS: Bool) in
            let methods: [HTTPRequest.Method] = [.get, .post, .options]
            var configuration = OriginServer.Configuration(
                routes: methods.map { method in
                    OriginRoute(method, any) { request in
                        log.arrivals.withLock {
                            $0.append(
                                Arrival(
                                    url: "\(usesTLS ? "https" : "http"):\(request.path)",
                                    method: "\(method)", cookie: request.headers[.cookie]))
                        }
                        return try answer(to: request)
                    }
                })
            configuration.usesTLS = usesTLS
            return try await OriginServer.start(configuration)
        }
        return IsolationSite(secure: try await server(true), insecure: try await server(false), log: log)
    }

    private struct Wanted: Decodable {
        var status: Int?
        var fields: [[String]]?
        var body: String?
        var echo: Bool?
    }

    private static func answer(to request: OriginRequest) throws -> OriginResponse {
        let query = request.query?.removingPercentEncoding ?? ""
        let wanted = (try? JSONDecoder().decode(Wanted.self, from: Data(query.utf8))) ?? Wanted()
        var response = OriginResponse(
            .init(code: wanted.status ?? 200),
            headers: [.contentType: "text/html", .cacheControl: "no-store"],
            body: .bytes(Data((wanted.body ?? "").utf8)))
        for pair in wanted.fields ?? [] where pair.count == 2 {
            guard let name = HTTPField.Name(pair[0]) else { continue }
            if name == .contentType { response.headers[name] = nil }
            response.headers.append(HTTPField(name: name, value: pair[1]))
        }
        if wanted.echo == true {
            response.headers[.accessControlAllowOrigin] = request.headers[.origin] ?? "*"
            if let name = HTTPField.Name("Access-Control-Allow-Credentials") { response.headers[name] = "true" }
            response.body = .bytes(Data((request.headers[.cookie] ?? "none").utf8))
        }
        return response
    }

    /// Makes the engine connect to the server for every host.
    @MainActor
    func reach(by engine: WebKitGTKEngine) async throws -> ForwardProxy {
        var settings = ForwardProxy.Configuration()
        settings.route = { [secure = secure.port, insecure = insecure.port] target in
            .loopback(target.port == 443 ? secure : insecure)
        }
        let proxy = try await ForwardProxy.start(settings)
        engine.setProxy(EngineProxy(host: "127.0.0.1", port: proxy.port))
        for host in Self.covered + Self.bare {
            try await engine.trust(EngineCertificate(der: secure.certificate ?? []), for: host)
        }
        return proxy
    }
}

/// The container's network, which sends requests for every host to one of the servers.
private struct IsolatedTransport: HTTPTransporting {
    let secure: AddressedTransport
    let insecure: AddressedTransport

    var capabilities: TransportCapabilities { secure.capabilities }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await (request.scheme == "https" ? secure : insecure).send(request, body: body)
    }
}

// Site isolation: a page of the container has the same access to other sites as in the plain engine over https.
extension EngineCheck {
    /// Opens a page in a mode, runs scripts in the page one after the other, and prints their results and the received
    /// requests.
    /// - Parameter arguments: The mode, the page's URL, the initial cookies of the engine (JSON:
    ///   `[[host, name, SameSite]]`), and the scripts.
    @MainActor
    func runIsolation(_ engine: WebKitGTKEngine, _ arguments: ArraySlice<String>, in folder: String) async throws {
        let arguments = Array(arguments)
        guard arguments.count >= 3, let mode = CheckedMode(rawValue: arguments[0]) else {
            throw CheckFailure(description: "specify a mode, a URL, cookies and scripts")
        }
        let site = try await IsolationSite.start()
        let proxy = try await site.reach(by: engine)
        defer { withExtendedLifetime(proxy) {} }
        for cookie in try JSONDecoder().decode([[String]].self, from: Data(arguments[2].utf8)) {
            let sameSite: EngineCookie.SameSite = ["Strict": .strict, "Lax": .lax][cookie[2]] ?? .none
            try await engine.cookies.set(
                EngineCookie(
                    name: cookie[1], value: "1", domain: cookie[0], path: "/", expires: nil, isSecure: true,
                    isHTTPOnly: false, sameSite: sameSite))
        }
        var results: [String] = []
        if mode == .plain {
            let view = try engine.makeView()
            let load = ViewLoad(of: view)
            view.load(arguments[1])
            try await load.finished(within: .seconds(20))
            for script in arguments[3...] { results.append(try await view.evaluate(script, in: .page)) }
        } else {
            var configuration = ContainerConfiguration(directory: folder + "/store")
            configuration.network.cookies.native = .none
            configuration.network.transport = IsolatedTransport(
                secure: try AddressedTransport(to: site.secure),
                insecure: AddressedTransport(toPort: site.insecure.port))
            configuration = mode.configuration(configuration)
            configuration.network.coveredHosts = IsolationSite.covered.compactMap { HostPattern($0) }
            let container = try await Container(engine: engine, configuration: configuration)
            let page = try await open(arguments[1], in: container)
            for script in arguments[3...] { results.append(try await page.view.evaluate(script, in: .page)) }
            await container.shutDown()
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let arrivals = site.log.arrivals.withLock { $0 }
        let log = String(decoding: try encoder.encode(arrivals), as: UTF8.self)
        let report = "{\"results\":[\(results.joined(separator: ","))],\"log\":\(log)}\n"
        FileHandle.standardOutput.write(Data(report.utf8))
    }
}
