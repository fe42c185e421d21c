// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
internal import LoopbackServer
internal import ResourceLoading
internal import WebEngine
internal import WebSyntax

/// The controller of the proxy of the mode `loopbackProxy`. It restarts the listener after a suspension, and updates
/// the engine's proxy setting when the port changes.
///
/// If the engine requires a proof of the proxy, only a proof sets the proxy in the engine. A page that opens does not
/// depend on an unproven proxy. Requests of pages that are already open use the proxy during the proof.
///
/// Isolation: the main actor, because engines are confined to it.
@MainActor
final class ProxyController<Engine: WebEngineDriver> {
    private let setting: ProxySetting<Engine>
    let proxy: LazyListener<InterceptingProxy>
    private let events: LoopbackEventBatcher
    private let preconnector = Preconnector()
    private let proof: ProxyProof
    private let host: any LoopbackHost
    /// The result of the last proof and the setting that it concerns; `nil` without a result for the current setting.
    private var conclusion: (proxy: EngineProxy, isProven: Bool)?
    /// A Boolean value that indicates whether the last proof succeeded. Open pages of the mode then need the next
    /// setting too.
    private var wasProven = false
    private var proving: Task<Void, Never>?
    /// A Boolean value that indicates whether the app is suspended. A proof would then fail because of the suspension.
    private var isSuspended = false
    private var isOver = false
    /// A Boolean value that indicates whether the engine uses the proxy. If `false`, the engine uses its previous
    /// proxy, or a proxy that the app has set in the meantime.
    var isUsed: Bool {
        didSet {
            guard isUsed != oldValue else { return }
            waking?.cancel()
            guard isUsed else { return restore() }
            use()
            // The system may have closed the listener in the meantime, without a signal.
            waking = Task { [weak self, logger] in
                do { try await self?.ready() } catch {
                    logger.warning("the proxy cannot listen", metadata: ["error": "\(error)"])
                }
            }
        }
    }
    private var waking: Task<Void, Never>?
    private let logger: Logger

    /// The number of events and reports that were dropped.
    var lostReports: Int { events.lost }

    /// Creates the controller. If the proxy is in use, starts to listen and sets the engine's proxy, unless the engine
    /// requires a proof.
    /// - Parameters:
    ///   - engine: the engine, which is not retained.
    ///   - requests: the loader and the policy of the proxy.
    ///   - options: the options of the proxy.
    ///   - proxies: the proxies of the system for connections to hosts; `nil` for none.
    ///   - addresses: the resolver of host names; `nil` for the system's.
    ///   - trusted: the certificates that upgraded requests trust in addition to those of the system.
    ///   - isUsed: a Boolean value that indicates whether the proxy starts now. If `false`, it starts on first use.
    ///   - logger: the logger.
    ///   - clock: the clock of the time limit for the proof.
    ///   - host: the receiver of events.
    /// - Throws: `LoopbackError`.
    init(
        _ engine: Engine, _ requests: LoopbackRequests, _ options: LoopbackOptions,
        proxies: SystemProxies?, addresses: (any AddressResolving)?, trusted: @escaping TrustedCertificates,
        isUsed: Bool, logger: Logger, clock: any Clock<Duration>, host: any LoopbackHost
    ) async throws {
        setting = ProxySetting(engine)
        let arrivals = ProofArrivals()
        proof = ProxyProof(arrivals: arrivals, clock: clock)
        self.host = host
        self.logger = logger
        self.isUsed = isUsed
        let relay = Relay<Engine>()
        let batcher = LoopbackEventBatcher(of: "proxy", logger: logger, to: host) { relay.controller?.receive($0) }
        self.events = batcher
        var configuration = InterceptingProxy.Configuration(
            loader: requests, policy: requests, trusting: CertificateTrust(engine))
        configuration.observer = ProofObserver(arrivals: arrivals, next: batcher)
        configuration.upstreamProxy = options.upstreamProxy
        configuration.systemProxies = proxies
        configuration.addresses = addresses
        configuration.trusted = trusted
        configuration.limits = options.limits
        proxy = LazyListener { [configuration] in try await InterceptingProxy.start(configuration) }
        relay.controller = self
        if isUsed {
            _ = try await proxy.started()
            use()
        }
    }

    deinit {
        MainActor.runInDeinit { [setting] in setting.restore() }
    }

    /// Applies a change of the policy to existing connections.
    func policyChanged() { proxy.listener?.policyChanged() }

    /// Makes the proxy listen and sets it in the engine, if the proxy is in use. If the proxy cannot listen, the
    /// engine's previous proxy is restored. If the engine requires a proof, the last one has succeeded, and the setting
    /// has changed, proves the new setting.
    /// - Throws: `LoopbackError`.
    func ready() async throws {
        guard isUsed else { return }
        do {
            try await proxy.started().resume()
            use()
        } catch {
            restore()
            throw error
        }
        if wasProven { await prove() }
    }

    /// Cancels a running proof without a result and waits for its end. Until ``resume()`` no proof starts.
    func suspend() async {
        isSuspended = true
        proving?.cancel()
        await proving?.value
    }

    /// Replaces the listener, if there is one, and then acts like ``ready()``.
    /// - Throws: `LoopbackError`.
    func resume() async throws {
        isSuspended = false
        _ = try? await proxy.listener?.renewListener()
        try await ready()
    }

    /// Stops the proxy after its requests in progress have finished, and restores the engine's previous proxy.
    func shutDown() async {
        isOver = true
        waking?.cancel()
        restore()
        await proving?.value
        await proxy.end()?.stop()
        events.close()
    }

    private func receive(_ event: LoopbackEvent) {
        switch event {
        case .listening(let port) where proxy.listener?.port == port:
            use()
            // Open pages of the mode need the new port.
            if wasProven { Task { [weak self] in await self?.prove() } }
        case .connected(let host): preconnector.engineDidConnect(to: host)
        default: break
        }
    }

    /// The setting for the present listener; `nil` if the proxy does not listen or is not in use.
    private var wanted: EngineProxy? {
        guard !isOver, isUsed, let listener = proxy.listener, let port = listener.port else { return nil }
        let credentials = EngineProxy.Credentials(
            username: listener.credentials.username, password: listener.credentials.password)
        return EngineProxy(setting.kind, host: "127.0.0.1", port: port, credentials: credentials)
    }

    /// Sets the proxy in the engine. If the engine requires a proof, removes a setting with a former port instead.
    private func use() {
        guard let wanted else { return }
        guard setting.requiresProof else { return setting.apply(wanted) }
        if setting.current != wanted, conclusion?.proxy != wanted { restore() }
    }

    /// Restores the engine's previous proxy, and cancels a proof. A later use of the proxy needs another proof.
    private func restore() {
        proving?.cancel()
        setting.restore()
        discardConclusion()
    }

    // MARK: Proof

    /// Sets the proxy in the engine and proves that the engine sends its requests through it, if the engine requires
    /// that and there is no conclusion about the current setting. If the proof fails, restores the engine's previous
    /// proxy. Does nothing during a suspension.
    func prove() async {
        while !isSuspended, setting.requiresProof, setting.isReplaceable, let wanted, conclusion?.proxy != wanted {
            let task = proving ?? Task { [weak self] in await self?.conclude(wanted) }
            proving = task
            await task.value
        }
    }

    /// Waits until no proof is running, so that a page that loads next does not use an unproven proxy.
    func waitForProof() async {
        while let proving { await proving.value }
    }

    private func conclude(_ proxy: EngineProxy) async {
        defer { proving = nil }
        guard let engine = setting.engine, wanted == proxy, !Task.isCancelled else { return }
        setting.apply(proxy)
        let failure = await proof.failure(of: engine)
        let isCurrent = wanted == proxy && setting.current == proxy && !Task.isCancelled
        if failure != nil || !isCurrent { setting.restore() }
        // The result does not concern a later setting.
        guard isCurrent else { return }
        wasProven = failure == nil
        conclusion = (proxy, wasProven)
        host.proxyProofDidChange(isProven: wasProven)
        guard let failure else { return }
        logger.warning("the engine does not use the proxy", metadata: ["reason": "\(failure.rawValue)"])
        host.loopbackDidSend(.unproven(reason: failure.rawValue))
    }

    private func discardConclusion() {
        guard conclusion != nil else { return }
        conclusion = nil
        host.proxyProofDidChange(isProven: false)
    }

    // MARK: Preconnect

    /// Records a page that opens.
    func pageDidOpen(_ session: PageSession) { preconnector.pageDidOpen(session) }

    /// Makes the engine connect to the proxy for the probable origins of the next pages.
    /// - Parameters:
    ///   - view: a view that shows a blank page.
    ///   - places: URLs whose origins follow those of the last pages.
    ///   - isWanted: a predicate that returns `true` if the proxy intercepts the host of a page at the URL.
    func preconnect(in view: some EngineView, besides places: [String], where isWanted: (String) -> Bool) async {
        await preconnector.connect(in: view, besides: places) { isWanted($0) && lacksConnection(to: $1) }
    }

    /// Returns a Boolean value that indicates whether the engine uses the proxy, outside a proof, and has no connection
    /// to it for a host.
    private func lacksConnection(to host: HostPort) -> Bool {
        guard !isOver, isUsed, proving == nil, let current = setting.current, let listener = proxy.listener
        else { return false }
        return listener.port == current.port && !listener.isConnected(to: host)
    }
}

/// The proxy setting of an engine that the controller changes and restores.
@MainActor
private final class ProxySetting<Engine: WebEngineDriver> {
    private(set) weak var engine: Engine?
    /// The proxy setting that the controller has made, or `nil` if it has made none.
    private var named: EngineProxy?
    /// The engine's previous proxy, which is restored at the end.
    private var previous: EngineProxy?

    init(_ engine: Engine) {
        self.engine = engine
    }

    /// The protocol that the engine prefers.
    var kind: EngineProxy.Kind { engine?.networking.proxyKind ?? .socks5 }

    /// A Boolean value that indicates whether the engine may ignore its proxy setting.
    var requiresProof: Bool { engine?.networking.isProxyReliable == false }

    /// A Boolean value that indicates whether no other proxy was set since the controller has made its setting.
    var isReplaceable: Bool { named == nil || engine?.networking.proxy == named }

    /// The proxy setting that the controller has made, if the engine uses it.
    var current: EngineProxy? { isReplaceable ? named : nil }

    /// Changes the engine's proxy. Does not replace a proxy that the app or another container has set in the meantime.
    func apply(_ proxy: EngineProxy) {
        guard proxy != named, isReplaceable else { return }
        if named == nil { previous = engine?.networking.proxy }
        named = proxy
        engine?.networking.setProxy(proxy)
    }

    /// Restores the engine's previous proxy, unless another proxy was set in the meantime.
    func restore() {
        guard let engine, let named, engine.networking.proxy == named else { return }
        self.named = nil
        engine.networking.setProxy(previous)
    }
}

/// A weak reference from the events of a proxy to its controller.
@MainActor
private final class Relay<Engine: WebEngineDriver> {
    weak var controller: ProxyController<Engine>?
}

/// The observer that records the names of proofs and forwards all other events. A name arrives as a host that cannot be
/// reached, after the credentials were checked.
private struct ProofObserver: LoopbackObserving {
    let arrivals: ProofArrivals
    let next: LoopbackEventBatcher

    func happened(_ event: LoopbackEvent) {
        guard case .unreachable(let host, _) = event, ProofArrivals.isName(host.host) else {
            return next.happened(event)
        }
        arrivals.record(host.host)
    }

    func ended(_ exchange: ExchangeReport) { next.ended(exchange) }
}
