// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import Logging
internal import LoopbackServer
internal import OfflinePackage
internal import ResourceLoading
internal import WebEngine

/// The proxy of the mode `loopbackProxy`: made with the container, kept listening, and named to the engine, each time
/// that it listens anew.
///
/// Isolation: the main actor, where engines live.
@MainActor
final class ProxyController<Engine: WebEngineDriver> {
    private weak var engine: Engine?
    private let proxy: LazyListener<InterceptingProxy>
    private let events: LoopbackEventBatcher
    /// As the engine was told; `nil` while it is not.
    private var named: EngineProxy?
    /// What the engine had when it was told, and gets back.
    private var previous: EngineProxy?
    private var isOver = false
    /// Whether the engine goes by the proxy. Otherwise it goes as it did before there was a container, or as the host has
    /// had it go since.
    var isUsed: Bool {
        didSet {
            guard isUsed != oldValue else { return }
            waking?.cancel()
            guard isUsed else { return stepAside() }
            if let port = proxy.listener?.port { use(port) }
            // A system may have taken the listener away meanwhile, and does not say so.
            waking = Task { [weak self, logger] in
                do { try await self?.ready() } catch {
                    logger.warning("no proxy", metadata: ["error": "\(error)"])
                }
            }
        }
    }
    private var waking: Task<Void, Never>?
    private let logger: Logger

    /// News that did not get through.
    var lostReports: Int { events.lost }

    /// Begins to listen, and has the engine use it.
    /// - Parameter isUsed: where it is not, nothing listens until it is.
    /// - Throws: `LoopbackError`.
    init(
        _ engine: Engine, _ requests: LoopbackRequests, _ options: LoopbackOptions, isUsed: Bool, logger: Logger,
        send: @escaping @MainActor (ContainerEvent) -> Void, record: @escaping @MainActor (ExchangeReport) -> Void
    ) async throws {
        self.engine = engine
        self.logger = logger
        self.isUsed = isUsed
        let relay = Relay<Engine>()
        let batcher = LoopbackEventBatcher(of: "proxy", logger: logger, send: send, record: record) {
            relay.controller?.receive($0)
        }
        self.events = batcher
        var configuration = InterceptingProxy.Configuration(
            loader: requests, policy: requests, trusting: CertificateTrust(engine))
        configuration.observer = batcher
        configuration.upstreamProxy = options.upstreamProxy
        configuration.trustRoots = options.trustRoots
        configuration.limits = options.limits
        proxy = LazyListener { [configuration] in try await InterceptingProxy.start(configuration) }
        relay.controller = self
        if isUsed, let port = try await proxy.begun().port { use(port) }
    }

    isolated deinit {
        stepAside()
    }

    /// Hears what may change which hosts are opened, which connections were made without.
    func listen(to hub: EventHub) {
        hub.observePermanently { [weak self] event in
            switch event {
            case .packageInstalled, .package(.scopeChanged), .rulesChanged, .interceptionSwitched, .remoteConfigChanged,
                .previewMounted, .previewUnmounted, .tableChecked:
                self?.proxy.listener?.policyChanged()
            default: break
            }
        }
    }

    /// Sees to it that the proxy listens, and that the engine knows where: before a page opens, and when the app comes back
    /// from a suspension. Where it cannot listen the engine goes without it.
    /// - Throws: `LoopbackError`.
    func ready() async throws {
        guard isUsed else { return }
        do {
            use(try await proxy.begun().resume())
        } catch {
            stepAside()
            throw error
        }
    }

    /// Whether the engine goes by the proxy, for certain, and has no connection to a host in whose place that stands.
    func lacksConnection(to host: HostPort) -> Bool {
        guard !isOver, isUsed, let named, engine?.networking.proxy == named, let listener = proxy.listener else {
            return false
        }
        return listener.port == named.port && !listener.isConnected(to: host)
    }

    /// Has the engine go without it, lets requests in flight finish, and ends it.
    func shutDown() async {
        isOver = true
        waking?.cancel()
        stepAside()
        await proxy.end()?.stop()
        events.close()
    }

    private func receive(_ event: LoopbackEvent) {
        if case .listening(let port) = event, proxy.listener?.port == port { use(port) }
    }

    private func use(_ port: Int) {
        guard !isOver, isUsed, let listener = proxy.listener else { return }
        let credentials = EngineProxy.Credentials(
            username: listener.credentials.username, password: listener.credentials.password)
        // SOCKS5 and not HTTP: engines keep its credentials to themselves.
        let proxy = EngineProxy(.socks5, host: "127.0.0.1", port: port, credentials: credentials)
        // Whoever took the engine meanwhile keeps it.
        guard proxy != named, named == nil || engine?.networking.proxy == named else { return }
        if named == nil { previous = engine?.networking.proxy }
        named = proxy
        engine?.networking.setProxy(proxy)
    }

    /// Gives the engine back the proxy that it had before, unless somebody has set another one meanwhile.
    private func stepAside() {
        guard let engine, let named, engine.networking.proxy == named else { return }
        self.named = nil
        engine.networking.setProxy(previous)
    }
}

/// The way back from the news to who cares, without keeping it.
@MainActor
private final class Relay<Engine: WebEngineDriver> {
    weak var controller: ProxyController<Engine>?
}
