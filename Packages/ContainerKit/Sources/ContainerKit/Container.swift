// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import Diagnostics
@_spi(Facade) internal import HTTPCache
internal import HTTPTransport
internal import HTTPTypes
internal import Logging
internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import PagePrompts
internal import PageRecovery
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import SchemeMode
internal import SchemeRouter
public import WebEngine
internal import WebViewPool

/// Opens web pages at once: from verified packages first, then from the HTTP cache, then from the network.
///
/// The facade assembles the modules and keeps the page sessions; the algorithms live in the modules.
/// Isolation: the main actor, where engines live. Loading, unpacking and hashing happen elsewhere.
@MainActor
public final class Container<Engine: WebEngineDriver> {
    /// The engine that the container drives; hosts reach its cookies and proxy through it.
    public let engine: Engine
    /// The app's decisions about requests of pages; held weakly. Without a delegate each request gets its safe decision
    /// at once: no windows, no other schemes, no documents of hosts outside, no permissions, no downloads; dialogs are
    /// closed, and pages are left. ``ContainerEvent/pageRequest(_:_:)`` reports each request with its decision.
    public weak var pageDelegate: (any PageDelegate)?
    let configuration: ContainerConfiguration
    let packages: PackageService
    let table: ResourceTableService?
    let cache: HTTPCacheService?
    let cookies: CookieSynchronizer?
    let previewList = PreviewList()
    let liveRules: ActiveRules
    let switches = FeatureSwitches()
    let remoteConfigService: RemoteConfigService?
    let modes: PageModes
    let pipelines: ModePipelines
    let requests: SchemeRequestHandler
    let appRequests: AppRequests
    let pool: ViewPool<Engine.View, ViewKey>
    private(set) var loopback: LoopbackController<Engine>?
    private(set) var engineCaches: EngineCacheInvalidator?
    let hub = EventHub()
    var sessions: [ViewID: PageSession] = [:]
    var loads: [ViewID: ViewLoad] = [:]
    var lastPageID: UInt64 = 0
    private(set) var blankPages: BlankPageMonitor?
    /// What the bodies of all pages are taken from.
    let bodyBudget: ByteBudget
    let origins: OriginModeStore?
    private(set) var idle: IdleScheduler?
    private(set) var timelineRecorder: TimelineRecorder?
    let pageRequests: PagePromptController
    let downloadManager: DownloadManager
    private(set) var prefetch: Prefetchers?
    private(set) var prefetchTable: PrefetchTableService?
    var reclaiming: Task<Void, Never>?
    private var memory: MemoryPressureMonitor?

    /// Opens the container's folder and routes its schemes.
    /// - Throws: `StoreError`, with code `inUse` where another process has the folder; `TableError`; `EngineError`;
    ///   ``ContainerError`` with code `unsupported` where modes do not go together; or `LoopbackError` where one needs
    ///   a proxy or a server that cannot listen.
    public init(engine: Engine, configuration given: ContainerConfiguration) async throws {
        let given = given.sharedOut
        let shares = MemoryBudget(ceiling: given.storage.memoryCeiling)
        self.engine = engine
        bodyBudget = ByteBudget(limit: shares.bodies)
        var modes = try Self.pageModes(given)
        let network = NetworkLoader(DecodingTransport(given.network.transport))
        packages = try await PackageService(
            directory: given.directory, budgets: given.storage.budgets, packages: given.packages.library,
            updates: given.updaterOptions, network: network, logger: given.logger)
        liveRules = ActiveRules(given.network.rules)
        remoteConfigService = await Self.openRemoteConfig(
            given, packages.store, RedirectedLoader(network), liveRules, switches)
        let configuration = given.with(remoteConfigService?.numbers ?? RemoteConfigNumbers()).sharedOut
        self.configuration = configuration
        let names = configuration.pages.schemeNames
        if let document = remoteConfigService?.state.documentAtStart { try modes.apply(document) }
        self.modes = modes
        table = try await Self.openTable(configuration, packages.store, network, hub, switches)
        cookies = Self.openCookies(configuration, engine, modes, hub)
        let pageCookies = cookies?.pages
        cache = await Self.openCache(
            configuration, pageCookies.map { CookieStoringLoader(network, cookies: $0) } ?? network)
        origins = await .open(
            modes.movingOrigins, configuration.pages.originModes, packages.store, logger: configuration.logger)
        let policy = InterceptionPolicy(
            rules: liveRules, hosts: configuration.network.coveredHosts,
            sources: Self.contentSources(
                configuration, packages, table?.library, previewList, network, switches, memory: shares),
            origins: origins, modes: modes)
        pipelines = await Self.openPipelines(
            configuration, engine, modes,
            over: Shared(
                store: packages.store, library: packages.library, switches: switches, policy: policy, network: network,
                cache: cache?.loader, cookies: pageCookies, memory: shares))
        appRequests = AppRequests(path: pipelines.primary.path) { [hub] in hub.send(.request($0)) }
        let delivery = RequestDeliveryAdapter<Engine>(hub)
        requests = SchemeRequestHandler(
            pipelines.customScheme.path, cookies: cookies, isOfPages: modes.started.contains(.customScheme),
            forcedBridges: configuration.pages.forcedBridges, legacyMessages: configuration.pages.legacyMessages,
            bodyBudget: bodyBudget, host: delivery)
        let sourcesToPrecompile = BodyBridgeHost.sourcesToPrecompile(
            in: modes.standard, by: pipelines.customScheme.traits)
        pool = ViewPool(.init(capacity: configuration.views.pool, reuseLimit: configuration.views.reuseLimit)) { _ in
            try engine.makeView()
        } prepare: {
            try await $0.scripting.precompile(sourcesToPrecompile)
        }
        pageRequests = Self.makePagePrompts(configuration, hub)
        downloadManager = await Self.openDownloads(configuration, pipelines.customScheme.path, hub)
        delivery.container = self
        requests.legacy?.pages = self
        pageRequests.host = self
        downloadManager.host = self
        let schemes = [
            CustomScheme(name: names.secure, isSecure: true),
            CustomScheme(name: names.insecure, isSecure: false),
        ]
        for scheme in schemes {
            try engine.register(scheme) { [weak requests] request, sink in
                requests?.answer(request, to: sink) ?? .refusal(to: sink, "the container is closed")
            }
        }
        try await cookies?.start()
        loopback = try await openLoopback()
        engineCaches = startEngineCaches()
        blankPages = makePageRecovery()
        timelineRecorder = beginDiagnostics()
        prefetch = makePrefetchers()
        prefetchTable = await openPrefetchTable(RedirectedLoader(network))
        checkPrefetchTable()
        packages.forward { [hub] in hub.send(.package($0)) }
        memory = MemoryPressureMonitor(configuration.conditions) { [weak self] in self?.releaseMemory($0) }
        table?.record(.launch)
        beginRemoteConfig()
        startIdleScheduler()
    }

    private func startIdleScheduler() {
        guard configuration.views.warmsUpWhenIdle else { return }
        idle = IdleScheduler(configuration.conditions, delay: configuration.views.idleDelay) { [weak self] isWanted in
            await self?.warmUpQuietly(while: isWanted)
        }
        idle?.listen(to: hub)
    }
}
