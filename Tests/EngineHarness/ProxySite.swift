// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import ContainerTesting
internal import HTTPTypes
internal import WebEngine
internal import WebKitGTKAdapter

/// A site behind proxies. Every host name leads to this server.
struct ProxySite {
    let origin: OriginServer
    /// The received requests.
    private let arrivals: AsyncStream<OriginRequest>

    /// Starts a server with TLS that responds with a page, and with a challenge for credentials at `/401` and `/407`.
    static func start() async throws -> ProxySite {
        guard let any = OriginPathPattern("/*") else { throw CheckFailure(description: "not a pattern") }
        let (arrivals, arrival) = AsyncStream<OriginRequest>.makeStream()
        let answer: @Sendable (OriginRequest) -> OriginResponse = { request in
            arrival.yield(request)
            let challenge = #"Basic realm="proxy""#
            switch request.path {
            case "/401":
                return OriginResponse(.unauthorized, headers: [.wwwAuthenticate: challenge])
            case "/407":
                return OriginResponse(.proxyAuthenticationRequired, headers: [.proxyAuthenticate: challenge])
            default:
                return .text("<title>the page</title>", type: "text/html")
            }
        }
        var configuration = OriginServer.Configuration(routes: [
            OriginRoute(.get, any) { answer($0) }, OriginRoute(.post, any) { answer($0) },
        ])
        configuration.usesTLS = true
        return try await ProxySite(origin: OriginServer.start(configuration), arrivals: arrivals)
    }

    /// The certificate of the server.
    var certificate: EngineCertificate { EngineCertificate(der: origin.certificate ?? []) }

    /// Returns the configuration of a proxy that forwards to the site and requires credentials.
    func configuration(_ credentials: TestProxyCredentials?) -> ForwardProxy.Configuration {
        var configuration = ForwardProxy.Configuration()
        configuration.credentials = credentials
        configuration.route = { [port = origin.port] _ in .loopback(port) }
        return configuration
    }

    @MainActor
    func trust(for hosts: [String], in engine: WebKitGTKEngine) async throws {
        for host in hosts { try await engine.trust(certificate, for: host) }
    }

    /// Waits until the site receives a request for a path.
    @MainActor
    func request(_ path: String) async throws -> OriginRequest {
        try await withLimit(.seconds(20), "the site received no request for \(path)") { [arrivals] in
            for await request in arrivals where request.path == path { return request }
            throw CancellationError()
        }
    }
}

extension EngineCheck {
    /// Expects that a page of ``ProxySite`` loads.
    @MainActor
    func expectPage(_ url: String, in view: WebKitGTKView) async throws {
        let load = ViewLoad(of: view)
        view.load(url)
        try await load.finished(within: .seconds(20))
        let title = try await view.evaluate("return document.title", in: .page)
        try expect(title == "\"the page\"", "\(url): \(title)")
    }

    /// Expects that a page cannot be loaded.
    @MainActor
    func expectFailure(_ code: EngineError.Code, _ url: String, in view: WebKitGTKView) async throws {
        let load = ViewLoad(of: view)
        view.load(url)
        try await expectError(code, url) { try await load.finished(within: .seconds(20)) }
    }
}
