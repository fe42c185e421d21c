// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import HTTPTransport
internal import HTTPTypes
internal import Logging
internal import LoopbackServer
internal import Metrics
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import SchemeMode
internal import SchemeRouter
internal import WebViewPool

/// Opens web pages at once: from verified packages first, then from the HTTP cache, then from the network.
///
/// The facade assembles the rooms and keeps the page sessions; the algorithms live in the rooms.
/// Isolation: the main actor, where engines live. Loading, unpacking and hashing happen elsewhere.
@MainActor
public final class Container<Engine: WebEngine> {
    /// The engine that the container drives; hosts reach its cookies and proxy through it.
    public let engine: Engine
    let configuration: Configuration
    let packages: PackageCare
    let table: TableCare?
    let cache: CacheCare?
    let cookies: CookieCare?
    let previewList = PreviewList()
    let liveRules: LiveRules
    let switches = FeatureSwitches()
    let switchboardCare: SwitchboardCare?
    let modes: PageModes
    let ways: ModeWays
    let appRequests: AppRequests
    let pool: WebViewPool<Engine.View, ViewKey>
    let sharedPages: OpenPages
    let documentFailures = DocumentFailures()
    let preconnecting = PreconnectCare()
    private(set) var proxy: ProxyCare<Engine>?
    private(set) var server: ServerCare<Engine>?
    private(set) var engineCaches: EngineCacheCare<Engine>?
    let hub = EventHub()
    var sessions: [ViewID: PageSession] = [:]
    var loads: [ViewID: ViewLoad] = [:]
    var lastPageID: UInt64 = 0
    private(set) var bridges: BridgeCare?
    /// `nil` if no page can have a name.
    let sites: SiteController?
    let legacy: LegacyCare?
    let posts = OpeningPosts()
    let whitePages: WhitePageCare?
    /// What the bodies of all pages are taken from.
    let bodyBudget: ByteBudget
    let origins: OriginModeCare?
    private(set) var idle: IdleCare?
    private(set) var timelineCare: TimelineCare?
    let pageRequests: PageRequestCare
    let downloadCare: DownloadCare
    /// What pages are asked, and what they call themselves.
    var askers: [PageID: Asker] = [:]
    var agents: [PageID: String] = [:]
    private(set) var prefetch: PrefetchCares?
    private(set) var prefetchTable: PrefetchTableCare?
    var reclaiming: Task<Void, Never>?
    private var memory: MemoryCare?

    /// Opens the container's folder and routes its schemes.
    /// - Throws: `StoreError`, with code `inUse` where another process has the folder; `TableError`; ``EngineError``;
    ///   ``ContainerError`` with code `unsupported` where modes do not go together; or `LoopbackError` where one needs
    ///   a proxy or a server that cannot listen.
    public init(engine: Engine, configuration given: Configuration) async throws {
        let given = given.sharedOut
        let shares = MemoryShares(ceiling: given.memoryCeiling)
        self.engine = engine
        bodyBudget = ByteBudget(limit: shares.bodies)
        var modes = try PageModes(given.mode, given.pageModes)
        let network = NetworkLoader(DecodingTransport(given.transport))
        packages = try await PackageCare(
            directory: given.directory, budgets: given.store, packages: given.packages,
            updates: given.updates, network: network, logger: given.logger)
        liveRules = LiveRules(given.rules)
        switchboardCare = await Self.openSwitchboard(
            given, packages.store, RedirectedLoader(network), liveRules, switches)
        let configuration = given.with(switchboardCare?.numbers ?? SwitchboardNumbers()).sharedOut
        self.configuration = configuration
        sharedPages = OpenPages(names: modes.started.contains(.customScheme) ? configuration.names : nil)
        if let document = switchboardCare?.state.documentAtStart { try modes.take(document) }
        self.modes = modes
        table = try await Self.openTable(configuration, packages.store, network, hub, switches)
        cookies =
            modes.chains.allSatisfy { engine.traits(in: $0).keepsCookies }
            ? nil
            : CookieCare(configuration, besides: modes.started.contains(.customScheme) ? engine.cookies : nil) {
                [hub] in hub.send($0)
            }
        let pageCookies = cookies?.pages
        cache = await Self.openCache(
            configuration, pageCookies.map { CookieStoringLoader(network, cookies: $0) } ?? network)
        origins = await .open(
            modes.movingOrigins, configuration.originModes, packages.store, logger: configuration.logger)
        let coverage = Coverage(
            rules: liveRules, hosts: configuration.coveredHosts, library: packages.library, updater: packages.updater,
            table: table?.library, previews: previewList, origins: origins, switches: switches, modes: modes)
        ways = await Self.openWays(
            configuration, engine, modes,
            over: Shared(
                store: packages.store, coverage: coverage, network: network, cache: cache?.loader,
                cookies: pageCookies, memory: shares))
        appRequests = AppRequests(path: ways.primary.path, hub: hub)
        legacy = configuration.legacyMessages.map { [bodyBudget] in
            LegacyCare($0, names: configuration.names, budget: bodyBudget)
        }
        let rehearsal = BridgeCare.rehearsal(in: configuration.mode, by: ways.byName.traits)
        pool = WebViewPool(.init(capacity: configuration.pool, reuseLimit: configuration.viewReuseLimit)) { _ in
            try engine.makeView()
        } prepare: {
            try await $0.rehearse(rehearsal)
        }
        whitePages = configuration.whitePages.map { WhitePageCare($0) }
        pageRequests = PageRequestCare(configuration.pageRequests) { [hub] in hub.send(.pageRequest($0, $1)) }
        downloadCare = DownloadCare(
            configuration.downloads, requests: pageRequests, journal: await .open(directory: given.directory)
        ) { [hub] in hub.send(.download($0, $1)) }
        sites = modes.started.contains(.customScheme) ? SiteController(names: configuration.names) : nil
        let schemes = [
            CustomScheme(name: configuration.names.secure, isSecure: true),
            CustomScheme(name: configuration.names.insecure, isSecure: false),
        ]
        for scheme in schemes {
            try engine.register(scheme) { [weak self] request, sink in
                self?.answer(request, to: sink) ?? .refusal(to: sink, "the container is closed")
            }
        }
        if ways.byName.traits.bodies == .plain || !configuration.forcedBridges.isEmpty {
            bridges = BridgeCare(
                names: configuration.names, hasCookies: cookies != nil, budget: bodyBudget,
                host: BridgeHost(path: ways.byName.path, names: configuration.names, cookies: pageCookies))
        }
        legacy?.realURL = { [weak self] in self?.realURL(of: $0) ?? $0 }
        legacy?.prefetched = { [weak self] in try await self?.prefetched(for: $0, from: $1, in: $2) }
        try await cookies?.start()
        try await beginLoopback()
        beginEngineCaches()
        hub.accompany { [weak whitePages] in
            if case .request(let record) = $0 { whitePages?.hear(record) }
        }
        let metrics = MetricsCare.isOf(configuration.metrics) ? beginMetrics(configuration.metrics) : nil
        if let options = configuration.timelines {
            let care = TimelineCare(options, logger: configuration.logger) { [weak self] page in
                self?.sessions.values.first { $0.id == page }?.documentURL
            }
            if let metrics { care.listen { metrics.hear($0) } }
            hub.accompany { care.hear($0) }
            timelineCare = care
        }
        prefetch = PrefetchCares(ways, configuration.prefetch) { [weak self] url, mode in
            guard let self else { throw CancellationError() }
            return try await cookies(ofPageAt: url, in: mode)
        }
        await openPrefetchTable(RedirectedLoader(network))
        packages.forward { [hub] in hub.send(.package($0)) }
        memory = MemoryCare(configuration.updates.conditions) { [weak self] in self?.releaseMemory($0) }
        table?.note(.launch)
        beginSwitchboard()
        beginIdleCare()
    }

    private func beginMetrics(_ factory: any MetricsFactory) -> MetricsCare {
        let metrics = MetricsCare(factory) { [weak self] in self?.counters.totals ?? [:] }
        hub.accompany { metrics.hear($0) }
        return metrics
    }

    private func beginIdleCare() {
        guard configuration.warmsUpWhenIdle else { return }
        idle = IdleCare(configuration.updates.conditions, delay: configuration.idleDelay) { [weak self] isWanted in
            await self?.warmUpQuietly(while: isWanted)
        }
        idle?.listen(to: hub)
    }

    private func beginLoopback() async throws {
        let way = ways.overLoopback
        let requests = LoopbackRequests(
            path: way.path, pages: sharedPages, legacy: legacy, engineFields: way.fields, failures: documentFailures
        ) { [weak self] in
            guard let self else { return }
            whitePages?.noteDocument($0, realURL: realURL(of:))
        }
        let tell = { @MainActor [hub] (event: ContainerEvent) in hub.send(event) }
        let note = { @MainActor [weak self] (report: ExchangeReport) -> Void in self?.noteAnswer(report) }
        switch way.mode {
        case .plain, .customScheme: break
        case .loopbackProxy:
            proxy = try await ProxyCare(
                engine, requests, configuration.loopback, isUsed: liveRules.isOn, logger: configuration.logger,
                tell: tell, note: note)
            proxy?.listen(to: hub)
            preconnecting.listen(to: hub)
        case .loopbackServer:
            server = try await ServerCare(
                engine, requests, configuration.loopback, directory: configuration.directory,
                isUsed: liveRules.isOn, logger: configuration.logger, tell: tell, note: note)
        }
    }

    private func beginEngineCaches() {
        guard ways.overLoopback.mode.isOverLoopback, ways.overLoopback.traits.caches else { return }
        let care = EngineCacheCare(engine, packages.library, configuration, isByProxy: proxy != nil) {
            [liveRules, switches] in
            liveRules.isOn && switches.isOn(.packages)
        } place: { [weak server, isByProxy = proxy != nil] url in
            isByProxy ? url : server?.place(of: url)
        }
        care.listen(to: hub)
        engineCaches = care
    }

    private func openPrefetchTable(_ network: any ResourceLoading) async {
        guard prefetch != nil, let source = configuration.prefetch?.tableSource else { return }
        let care = PrefetchTableCare(
            source, network: network, store: packages.store, conditions: configuration.updates.conditions,
            logger: configuration.logger
        ) { [weak prefetch] table in
            prefetch?.table = table
        } hear: { [hub] check in
            hub.send(.prefetchTableChecked(check))
        }
        await care.open()
        prefetchTable = care
        checkPrefetchTable()
    }

    private static func openTable(
        _ configuration: Configuration, _ store: ResourceStore, _ network: any ResourceLoading, _ hub: EventHub,
        _ switches: FeatureSwitches
    ) async throws -> TableCare? {
        guard let table = configuration.table else { return nil }
        return try await TableCare(
            table, store: store, network: network, conditions: configuration.updates.conditions, switches: switches,
            logger: configuration.logger
        ) { hub.send(.tableChecked($0, $1)) }
    }

    private static func openCache(
        _ configuration: Configuration, _ network: any ResourceLoading
    ) async -> CacheCare? {
        guard let options = configuration.httpCache else { return nil }
        return await CacheCare(
            options, directory: configuration.directory, network: network, logger: configuration.logger)
    }
}
