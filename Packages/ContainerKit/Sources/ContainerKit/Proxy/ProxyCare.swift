// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackServer
internal import ResourceLoading

/// The proxy of the mode `loopbackProxy`: made with the container, kept listening, and named to the engine, each time
/// that it listens anew.
///
/// Isolation: the main actor, where engines live.
@MainActor
final class ProxyCare<Engine: WebEngine> {
    private weak var engine: Engine?
    private let proxy: InterceptingProxy
    private let news: ProxyNews
    private var port: Int?

    /// News that did not get through.
    var lostReports: Int { news.lost }

    /// Begins to listen, and has the engine use it.
    /// - Throws: `LoopbackError`.
    init(
        _ engine: Engine, _ requests: ProxiedRequests, _ options: ProxyOptions, logger: Logger,
        tell: @escaping @MainActor (ContainerEvent) -> Void
    ) async throws {
        self.engine = engine
        let relay = Relay<Engine>()
        let news = ProxyNews { item in
            switch item {
            case .request(let report): tell(.request(RequestRecord(report)))
            case .event(let event):
                logger.debug("proxy", metadata: ["event": "\(event)"])
                relay.care?.hear(event)
                tell(.proxy(event))
            }
        }
        self.news = news
        let trust = EngineTrust { [weak engine] certificate, host in
            guard let engine else { throw EngineError(.processEnded, "the engine is gone") }
            try await engine.trust(certificate, for: host)
        }
        var configuration = InterceptingProxy.Configuration(loader: requests, policy: requests, trusting: trust)
        configuration.observer = news
        configuration.upstreamProxy = options.upstreamProxy
        configuration.trustRoots = options.trustRoots
        configuration.limits = options.limits
        proxy = try await InterceptingProxy.start(configuration)
        relay.care = self
        if let port = proxy.port { use(port) }
    }

    isolated deinit {
        engine?.setProxy(nil)
    }

    /// Sees to it that the proxy listens, and that the engine knows where: before a page opens, and when the app comes back
    /// from a suspension.
    /// - Throws: `LoopbackError`.
    func ready() async throws {
        use(try await proxy.resume())
    }

    /// Has the engine go without it, lets requests in flight finish, and ends it.
    func shutDown() async {
        engine?.setProxy(nil)
        port = nil
        await proxy.stop()
        news.close()
    }

    private func hear(_ event: ProxyEvent) {
        if case .listening(let port) = event, proxy.port == port { use(port) }
    }

    private func use(_ port: Int) {
        guard port != self.port else { return }
        self.port = port
        let credentials = EngineProxy.Credentials(
            username: proxy.credentials.username, password: proxy.credentials.password)
        // SOCKS5 and not HTTP: engines keep its credentials to themselves.
        engine?.setProxy(EngineProxy(.socks5, host: "127.0.0.1", port: port, credentials: credentials))
    }
}

/// The way back from the news to who cares, without keeping it.
@MainActor
private final class Relay<Engine: WebEngine> {
    weak var care: ProxyCare<Engine>?
}

/// Has the engine trust the proxy's certificates.
private struct EngineTrust: LeafTrusting {
    let trust: @MainActor @Sendable (EngineCertificate, String) async throws -> Void

    func trust(_ certificate: [UInt8], for host: String) async throws {
        try await trust(EngineCertificate(der: certificate), host)
    }
}
