// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebEngine
internal import WebEngineTesting

/// A mock engine without pages. It records the proxy, and writes the trusted certificate to a file.
@MainActor
final class StandInEngine: WebEngineDriver, EngineNetworking, EngineCaching {
    nonisolated static let standardMode = InterceptionMode.customScheme
    var networking: any EngineNetworking { self }
    var caching: any EngineCaching { self }
    let name = "none"
    let cookies: any EngineCookieStore = FakeCookies()
    let conditions: (any HostConditioning)? = nil
    private(set) var proxy: EngineProxy?
    let proxyKind = EngineProxy.Kind.socks5
    let isProxyReliable = true
    let systemProxies: (any ProxyResolving)? = nil
    private let certificate: URL

    init(certificate: URL) {
        self.certificate = certificate
    }

    /// Returns the traits of WebKitGTK in `loopbackProxy` mode.
    func traits(in mode: InterceptionMode) -> EngineTraits {
        EngineTraits(
            bodies: .all, keepsCookies: true, followsRedirects: true, preflights: true, decodes: true,
            caches: true, identifiesPage: false, acceptLanguage: nil)
    }

    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) {}
    func makeView() -> FakeView { FakeView(id: ViewID(rawValue: 1)) }
    func setProxy(_ proxy: EngineProxy?) { self.proxy = proxy }
    func clearHTTPCache() async throws {}
    func removeFiles(under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?) async throws {}

    func trust(_ certificate: EngineCertificate, for host: String) async throws {
        try Data(certificate.der).write(to: self.certificate, options: .atomic)
    }
}
