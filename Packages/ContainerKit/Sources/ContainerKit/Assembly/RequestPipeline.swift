// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import CookieJar
internal import DocumentInterception
@_spi(Facade) internal import HTTPCache
internal import HTTPTransport
internal import HTTPTypes
internal import HostLife
internal import Logging
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import PageRecovery
@_spi(Facade) internal import Prefetch
internal import RemoteConfig
@_spi(Testing) internal import RequestPipeline
internal import ResourceLoading
@_spi(Facade) internal import SchemeMode
@_spi(Facade) internal import WebEngine

#if canImport(FoundationNetworking)
    internal import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

// MARK: - API

extension Container {
    /// Adds the container's request handling to a session configuration of the app. The container answers the requests
    /// that the rules intercept; the session sends all others.
    ///
    /// Call this method before you create the session, after you have set the cookies, header fields and timeouts of
    /// the configuration. The method has effect until the container is released. `URLProtocolFace` lists limitations on
    /// Linux.
    public func intercept(_ configuration: URLSessionConfiguration) {
        pipeline.appRequests.face.install(in: configuration)
    }
}

// MARK: - Assembly

/// The request pipeline of one mode.
struct ModePipeline: Sendable {
    let mode: InterceptionMode
    let traits: EngineTraits
    /// The handler of the requests of the mode.
    let path: RequestHandler
    /// The prefetch setup, or `nil` if prefetching is not in use.
    let prefetch: Prefetcher.Setup?
}

/// The request pipelines of all modes of a container. They share the store, the cache, the transport and the cookie
/// jar.
struct ModePipelines: Sendable {
    /// All pipelines; at least one.
    let all: [ModePipeline]
    /// The pipeline of custom-scheme requests.
    let customScheme: ModePipeline

    init(all: [ModePipeline]) {
        self.all = all
        customScheme = all.first { $0.mode == .customScheme } ?? all[0]
    }

    /// The pipeline of the app's own requests.
    var primary: ModePipeline { all[0] }
    /// The pipeline of requests over loopback; the primary pipeline if no mode in use is a loopback mode.
    var loopback: ModePipeline { all.first(where: \.mode.isOverLoopback) ?? primary }

    subscript(mode: InterceptionMode) -> ModePipeline? { all.first { $0.mode == mode } }
}

extension ContainerCore {
    /// Returns the page modes of the configuration.
    /// - Throws: ``ContainerError`` with code `unsupported` if the modes cannot be combined, or if a mode needs the
    ///   package trait `Loopback` and the trait is off.
    static func pageModes(
        _ configuration: ContainerConfiguration, for engine: Engine
    ) throws(ContainerError) -> PageModes {
        var standard = Engine.standardMode
        #if !Loopback
            if standard.isOverLoopback { standard = .document }
            let modes = [configuration.pages.mode ?? standard] + configuration.pages.modes.map(\.mode)
            if let mode = modes.first(where: \.isOverLoopback) {
                throw ContainerError(
                    .unsupported, "the mode \(mode) needs the trait Loopback of the package ContainerKit")
            }
        #endif
        do {
            return try PageModes(
                configuration.pages.mode ?? standard, configuration.pages.modes,
                provingProxyOr: engine.networking.isProxyReliable ? nil : standard)
        } catch {
            throw ContainerError(.unsupported, error.message, at: error.location)
        }
    }

    /// Opens the store of the modes of origins, or returns `nil` if no mode changes the origin of pages.
    func makeOriginModes() async -> OriginModeStore? {
        await .open(modes.movingOrigins, configuration.pages.originModes, packages.store, logger: logger)
    }

    func makePipelines(
        _ policy: InterceptionPolicy, cache: CachingLoader?, cookies: CookieSynchronizer?
    ) async -> ModePipelines {
        var pipelines: [ModePipeline] = []
        for mode in modes.chains {
            let traits = engine.traits(in: mode)
            let prefetch = await makePrefetchSetup(traits, in: pipelines.isEmpty ? nil : mode)
            let loaders = LoaderStack.Parts(
                names: names, traits: traits, sources: policy.sources,
                network: traits.decodes ? NetworkLoader(configuration.network.transport) : network,
                cache: cache, cacheSwitch: switches[.httpCache],
                // An engine that stores cookies does not use the cookie jar of another mode.
                isCacheOfOthers: cookies?.pages != nil && traits.keepsCookies,
                cookies: traits.keepsCookies ? nil : cookies?.pages,
                engineCookies: [.document, .httpsTakeover].contains(mode)
                    ? cookies?.refreshed(engine.cookies) ?? engine.cookies : nil, prefetch: prefetch)
            let path = RequestHandler(
                loaders, policy: policy, checkedBytes: memory.checked,
                transferField: configuration.network.cookies.transferField)
            pipelines.append(ModePipeline(mode: mode, traits: traits, path: path, prefetch: prefetch))
        }
        return ModePipelines(all: pipelines)
    }

    func makeRequests(
        _ path: RequestHandler, cookies: CookieSynchronizer?, _ delivery: RequestDeliveryAdapter<Engine>
    ) -> SchemeRequestHandler {
        SchemeRequestHandler(
            path, cookies: cookies?.pages == nil ? nil : cookies, isOfPages: modes.started.contains(.customScheme),
            forcedBridges: configuration.pages.forcedBridges, legacyMessages: configuration.pages.legacyMessages,
            bodyBudget: bodyBudget, host: delivery)
    }

    /// Registers handlers for the custom schemes of the container. The engine does not retain them.
    /// - Parameters:
    ///   - requests: the handler of pages in all modes but `document`.
    ///   - resources: the handler of pages in the mode `document`; `nil` if the mode is not in use.
    /// - Throws: `EngineError` if the engine already has a handler for one of the schemes; ``ContainerError`` with code
    ///   `unsupported` if it permits no handler on https.
    func register(_ requests: SchemeRequestHandler, _ resources: HeldResourceHandler?) throws {
        var schemes = ([names.secure] + names.aliases.sorted()).map { CustomScheme(name: $0, isSecure: true) }
        if !names.areRealURLs { schemes.append(CustomScheme(name: names.insecure, isSecure: false)) }
        for scheme in schemes {
            do {
                try engine.register(scheme) { [weak requests, weak resources, weak pages] request, sink in
                    if let resources, let page = request.view.flatMap({ pages?.session(of: $0) }),
                        page.mode == .document
                    {
                        return resources.answer(request, of: page, to: sink)
                    }
                    return requests?.answer(request, to: sink) ?? .refusal(to: sink, "the container is closed")
                }
            } catch let error as EngineError where names.areRealURLs {
                throw ContainerError(
                    .unsupported, "the engine permits no mode httpsTakeover: \(error.message)", at: engine.name)
            }
        }
    }

    func makePipeline(
        _ pipelines: ModePipelines, _ requests: SchemeRequestHandler, locator: PageLocator<Engine>,
        origins: OriginModeStore?
    ) -> PipelineComponent<Engine> {
        let path = pipelines.primary.path
        let appRequests = AppRequests(path: path, outgoing: outgoing) { [hub] in hub.send(.request($0)) }
        return PipelineComponent(
            pipelines, requests, appRequests, locator, origins, pages: pages, bodyBudget: bodyBudget)
    }
}

// MARK: - Component

/// The component of the request pipelines. It sets up the bridges of pages and records their documents.
///
/// Isolation: the main actor.
@MainActor
final class PipelineComponent<Engine: WebEngineDriver>: ContainerComponent {
    let pipelines: ModePipelines
    let requests: SchemeRequestHandler
    let appRequests: AppRequests
    /// The store of the modes of origins, or `nil` if no mode changes the origin of pages.
    let origins: OriginModeStore?
    private let locator: PageLocator<Engine>
    private let pages: PageRegistry
    private let bodyBudget: ByteBudget
    private var prefetch: PrefetchComponent?

    init(
        _ pipelines: ModePipelines, _ requests: SchemeRequestHandler, _ appRequests: AppRequests,
        _ locator: PageLocator<Engine>, _ origins: OriginModeStore?, pages: PageRegistry, bodyBudget: ByteBudget
    ) {
        self.pipelines = pipelines
        self.requests = requests
        self.appRequests = appRequests
        self.locator = locator
        self.origins = origins
        self.pages = pages
        self.bodyBudget = bodyBudget
    }

    /// Connects the legacy bridge to prefetch, which is created after the pipeline.
    func connect(prefetch: PrefetchComponent?, logger: Logger) {
        self.prefetch = prefetch
        requests.legacy?.pages = self
        requests.legacy?.onRefusal = {
            logger.notice("a message is refused", metadata: ["kind": "\($0)", "error": "\($1)", "page": "\($2)"])
        }
    }

    // MARK: Pages

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async throws {
        if page.mode != .plain {
            opening.load?.explain = { [failures = requests.failures, weak locator] place, error in
                failures.explained(error, of: locator?.realURL(of: place) ?? place)
            }
        }
        try await requests.begin(page, in: view, at: opening.place, posting: opening.post)
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        switch signal {
        case .committed(let place):
            pipelines.primary.path.recordDocument(page.documentURL, isIntercepted: locator.isMoved(place))
            requests.documentChanged(of: page)
        // A handler on https also loads frames.
        case .frameLoaded(let url) where page.mode != .httpsTakeover:
            pipelines.customScheme.path.recordFrame(of: url, in: page)
        default: break
        }
    }

    func pageDidClose(_ page: PageSession) {
        for pipeline in pipelines.all { pipeline.path.removePage(page.id) }
        requests.end(in: page.view)
    }

    // MARK: Life

    func hostDidTransition(to state: HostState) async {
        if state == .suspended { await origins?.waitUntilSaved() }
        if state == .resumed(isStoreOpen: true) { origins?.resume() }
    }

    /// Drops the request bodies that pages of the account have passed through the bridge.
    func removeData(_ removal: AccountDataRemoval) {
        guard removal.contents.contains(.cookies) else { return }
        guard removal.stage == .began || removal.stage == .ended && removal.contents.contains(.session) else { return }
        requests.removeAll { [pages] view in
            guard let url = pages.session(of: view).flatMap({ CookieURL($0.documentURL) }) else {
                return removal.scope == .all
            }
            return removal.scope.reaches(url.host)
        }
    }

    func shutDown() async { await origins?.waitUntilSaved() }

    func addCounters(to counters: inout ContainerCounters) {
        counters.bodyBytes = bodyBudget.used
        counters.droppedEvents += appRequests.lostReports
        counters.returnedRequests = appRequests.returnedRequests
    }
}

// MARK: - Ports

/// The adapter between the requests of pages and the features that observe them. The features are not retained, because
/// a request can outlive its container.
///
/// Isolation: the main actor.
@MainActor
final class RequestDeliveryAdapter<Engine: WebEngineDriver>: RequestDeliveryHost {
    private weak var pages: PageRegistry?
    private weak var packages: PackagesComponent?
    private weak var downloads: DownloadManager?
    private let fields: EngineFields?
    private let hub: EventHub
    private weak var recovery: BlankPageMonitor?
    private weak var loopback: (any LoopbackIntercepting)?

    init(
        _ pages: PageRegistry, packages: PackagesComponent, downloads: DownloadManager, fields: EngineFields?,
        hub: EventHub
    ) {
        self.pages = pages
        self.packages = packages
        self.downloads = downloads
        self.fields = fields
        self.hub = hub
    }

    /// Connects the adapter to features that are created later.
    func connect(recovery: BlankPageMonitor?, loopback: (any LoopbackIntercepting)?) {
        self.recovery = recovery
        self.loopback = loopback
    }

    var downloadEpoch: Int { downloads?.epoch ?? 0 }

    func session(of view: ViewID) -> PageSession? { pages?.session(of: view) }

    func documentRequested(by request: EngineRequest, of page: PageSession?) {
        fields?.record(request.head)
        if let page { downloads?.recordUserAgent(request.head.headerFields[.userAgent], of: page.id) }
        recovery?.recordDocument(request.head.method, of: request.view)
    }

    func requestBegan(in view: ViewID?) -> PageID? { recovery?.began(of: view) }

    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession?) {
        // Only subresources count for the page's generations: the page does not show a requested document yet.
        guard request.isMainDocument else {
            if let page, let generation = response.provenance.generation {
                packages?.record(generation, answering: page)
            }
            return
        }
        recovery?.recordDocument(response.head, of: request.view)
        guard response.isInterim, let view = request.view else { return }
        pages?.load(of: view)?.ignoreDocument()
    }

    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?) {
        recovery?.ended(of: page)
        hub.send(.request(record))
    }

    func prepare(_ page: PageSession?, for response: ResourceResponse) async {
        await loopback?.prepare(page, for: response)
    }

    func divert(
        _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse? {
        downloads?.divert(response, to: request, isDocument: isDocument, of: page, askedIn: epoch)
    }
}

// The legacy bridge and the pages of a container.
extension PipelineComponent: LegacyPageHost {
    func realURL(of place: String) -> String { locator.realURL(of: place) }

    func prefetched(for message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data? {
        if prefetch == nil { _ = try PrefetchCall(json: message) }
        return try await prefetch?.response(to: message, from: origin, in: view)
    }
}
