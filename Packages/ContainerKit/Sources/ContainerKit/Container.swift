// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
@_spi(Facade) internal import HTTPCache
internal import HostLife
internal import Logging
internal import PackageUpdates
internal import PageDownloads
internal import PagePrompts
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import SchemeMode
public import WebEngine

/// The entry point of ContainerKit. It opens pages in an engine and answers their requests from content sources such as
/// verified packages, then from prefetched responses, the HTTP cache and the network.
///
/// Isolation: the main actor, as for engines. Loading, decompression and hashing run on other threads.
@MainActor
public final class Container<Engine: WebEngineDriver> {
    /// The engine. Hosts access its cookie store and its proxy through this property.
    public var engine: Engine { core.engine }
    let core: ContainerCore<Engine>
    let locator: PageLocator<Engine>
    let views: PageViews<Engine>
    let pipeline: PipelineComponent<Engine>
    let components: ComponentList
    private let monitor: HostConditionsMonitor

    var configuration: ContainerConfiguration { core.configuration }
    var pages: PageRegistry { core.pages }
    var hub: EventHub { core.hub }

    /// The delegate that decides about requests of pages; not retained.
    ///
    /// Without a delegate, each request gets its safe decision immediately: windows, other schemes, documents of other
    /// hosts, permissions and downloads are denied. Dialogs are dismissed, and `beforeunload` dialogs are accepted.
    /// ``ContainerEvent/pageRequest(_:_:)`` reports each request with its decision.
    public var pageDelegate: (any PageDelegate)? {
        get { pages.delegate }
        set { pages.delegate = newValue }
    }

    /// Opens the container's directory and registers its custom schemes.
    ///
    /// The initializer creates the features from `ContainerCore`, lower layers first, and connects their ports. Each
    /// `make` function is in the file of its feature in `Assembly/`.
    /// - Parameters:
    ///   - engine: the engine, which is retained.
    ///   - configuration: the options.
    /// - Throws: `StoreError`, with code `inUse` if another process has locked the directory; `TableError`;
    ///   `EngineError`; ``ContainerError`` with code `unsupported` if the modes cannot be combined, or if the engine
    ///   permits no mode `httpsTakeover`; `LoopbackError` if the proxy or the local server of a mode cannot listen.
    public init(engine: Engine, configuration: ContainerConfiguration) async throws {
        let core = try await ContainerCore(engine, configuration)
        let packages = PackagesComponent(core.packages, pages: core.pages, hub: core.hub)
        let diagnostics = core.makeDiagnostics()
        let table = try await core.makeResourceTable()
        let cookies = core.makeCookies()
        let cache = await core.makeHTTPCache(cookies: cookies?.pages)
        let origins = await core.makeOriginModes()
        let policy = core.makePolicy(table: table?.library, origins: origins)
        let pipelines = await core.makePipelines(policy, cache: cache?.loader, cookies: cookies)
        let prompts = core.makePrompts()
        let downloads = await core.makeDownloads(pipelines.customScheme.path)
        let delivery = RequestDeliveryAdapter<Engine>(
            core.pages, packages: packages, downloads: downloads, fields: pipelines.customScheme.fields, hub: core.hub)
        let requests = core.makeRequests(pipelines.customScheme.path, cookies: cookies, delivery)
        let documents = core.makeDocuments(pipelines, delivery, packages)
        try core.register(requests, documents?.resources)
        let loopback = try await core.makeLoopback(pipelines.loopback, requests, packages, cookies: cookies)
        let locator = PageLocator<Engine>(core.configuration, policy: policy, loopback: loopback?.translation)
        let engineCaches = core.makeEngineCaches(pipelines.loopback, loopback: loopback?.translation)
        let recovery = core.makeRecovery(
            locator: locator, loopback: loopback, prompts: prompts, packages: packages,
            engineCaches: engineCaches.invalidator)
        let prefetch = await core.makePrefetch(
            pipelines, policy, cookies: PrefetchCookieReader<Engine>(engine, pipelines, cookies, loopback?.translation))
        let pipeline = core.makePipeline(pipelines, requests, locator: locator, origins: origins)
        let views = core.makeViews(pipelines.customScheme.traits, preconnector: loopback)

        delivery.connect(recovery: recovery?.monitor, loopback: loopback)
        loopback?.connect(recovery: recovery?.monitor, engineCaches: engineCaches.invalidator)
        pipeline.connect(prefetch: prefetch, logger: core.logger)
        prompts.host = PagePromptAdapter<Engine>(core.pages, locator, pool: views.pool)
        downloads.host = PageDownloadAdapter<Engine>(core.pages, locator, prompts.questions, core.hub)

        components = ComponentList([
            .store: StoreComponent(core.packages, logger: core.logger), .packages: packages, .resourceTable: table,
            .remoteConfig: core.makeRemoteConfig(), .diagnostics: diagnostics, .prefetch: prefetch,
            .nameResolution: core.makeNameResolution(policy, prefetch: prefetch?.prefetchers), .loopback: loopback,
            .cookies: CookiesComponent<Engine>(
                cookies, prefetch: prefetch?.prefetchers, engine: engine, loopback: loopback?.translation,
                hub: core.hub),
            .httpCache: cache,
            .pipeline: pipeline, .documents: documents, .prompts: prompts, .downloads: downloads,
            .engineCaches: engineCaches, .recovery: recovery, .views: views,
            .interface: core.makePageInterface(
                locator: locator, recovery: recovery, engineCaches: engineCaches.invalidator),
        ])
        diagnostics.components = components
        monitor = HostConditionsMonitor(core.configuration.hostConditions) { [weak components] in
            components?.trimMemory($0)
        } networkChanged: { [proxies = core.proxies, names = core.nameResolution] in
            proxies?.networkChanged()
            names?.networkChanged()
        }
        self.core = core
        self.pipeline = pipeline
        self.locator = locator
        self.views = views
        try await components.start()
    }
}

// Events and counters of a container.
extension Container {
    /// A new stream of the container's events. Each access subscribes, so keep the stream and iterate over it once.
    ///
    /// The first stream begins with the stored events since the container began to open, at most 256. The stored events
    /// are package events except download progress, `LoopbackEvent.portTaken`, `LoopbackEvent.unproven(reason:)`,
    /// `NameLookupEvent.switchedOff`, and ``ContainerEvent/remoteConfigModesIgnored(_:)``. A stream buffers 4,096
    /// events and then drops the oldest; ``droppedEvents`` counts them. A stream ends when ``shutDown()`` returns or
    /// the container is released.
    public var events: AsyncStream<ContainerEvent> {
        hub.subscribe()
    }

    /// Registers an observer that is called synchronously with the events of ``events``, until the observation ends.
    ///
    /// Intended for tests that compare the order of events with calls of the engine. The engine may wait for the
    /// observer, so the observer must not open, close or release a page.
    @_spi(Testing) @discardableResult
    public func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        hub.observe(observer)
    }

    /// The number of events, reports and timelines that were dropped, because a subscriber was too slow or a buffer was
    /// full.
    public var droppedEvents: Int { counters.droppedEvents }

    /// The counters since the container was opened.
    public var counters: ContainerCounters { components.counters }
}
