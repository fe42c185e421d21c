// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Foundation
internal import HTTPTypes
@_spi(Facade) internal import OfflinePackage
internal import PackageUpdates
internal import PagePrefetch
@_spi(Facade) public import Prefetch
internal import PublicSuffixList
internal import RemoteConfig
package import RequestPipeline
@_spi(Facade) internal import ResourceLoading
internal import SchemeMode
internal import WebEngine

// MARK: - API

extension Container {
    /// Replaces the prefetch table for pages that are opened from now on. Has no effect if the configuration has no
    /// `prefetch`.
    /// - Parameter table: the table, or `nil` for no prefetching.
    public func setPrefetchTable(_ table: PrefetchTable?) {
        components.first(PrefetchComponent.self)?.prefetchers.table = table
    }
}

// MARK: - Assembly

extension ModePipeline {
    /// The recorder of the engine's header fields in this mode, or `nil` if prefetching is not in use.
    var fields: EngineFields? { prefetch?.fields }
}

extension ContainerCore {
    /// Creates the prefetch setup of a mode, or returns `nil` if the configuration has no prefetch.
    /// - Parameter mode: the mode; `nil` for the first mode of the container.
    func makePrefetchSetup(_ traits: EngineTraits, in mode: InterceptionMode?) async -> Prefetcher.Setup? {
        guard let options = configuration.network.prefetch else { return nil }
        return Prefetcher.Setup(
            options, fields: await EngineFields.open(packages.store, of: mode, logger: logger), names: names,
            acceptLanguage: traits.acceptLanguage,
            packages: SwitchedLoader(switches[.packages], on: PackageLoader(packages.library)),
            modeCount: modes.chains.count)
    }

    /// Creates the prefetchers of all modes and the service of the prefetch table, and applies the stored table.
    /// Returns `nil` if the configuration has no prefetch.
    func makePrefetch(
        _ pipelines: ModePipelines, _ policy: InterceptionPolicy, cookies: PrefetchCookieReader<Engine>
    ) async -> PrefetchComponent? {
        let prefetchers = Prefetchers(
            pipelines.all.compactMap { pipeline in
                guard let setup = pipeline.prefetch, let loader = pipeline.path.prefetch else { return nil }
                return Prefetcher(setup, in: pipeline.mode, loader: loader, routing: pipeline.path, cookies: cookies)
            })
        guard let prefetchers else { return nil }
        var table: PrefetchTableService?
        if let source = configuration.network.prefetch?.tableSource {
            let service = PrefetchTableService(
                source, for: prefetchers, network: RedirectedLoader(network), store: packages.store,
                conditions: configuration.hostConditions, logger: logger
            ) { [hub] in hub.send(.prefetchTableChecked($0)) }
            await service.open()
            table = service
        }
        return PrefetchComponent(
            prefetchers, table: table, fields: pipelines.all.compactMap(\.fields), policy: policy,
            feature: switches[.prefetch], cookies: cookies, pages: pages)
    }
}

// MARK: - Component

/// The component of prefetching.
///
/// Isolation: the main actor.
@MainActor
final class PrefetchComponent: ContainerComponent {
    let prefetchers: Prefetchers
    /// The service of the prefetch table, or `nil` if the configuration has no server for it.
    let table: PrefetchTableService?
    private let fields: [EngineFields]
    private let policy: InterceptionPolicy
    private let feature: FeatureSwitch
    /// The reader of cookies, retained here because the prefetchers do not retain it.
    private let cookies: any PrefetchCookieReading
    private let pages: PageRegistry

    init(
        _ prefetchers: Prefetchers, table: PrefetchTableService?, fields: [EngineFields], policy: InterceptionPolicy,
        feature: FeatureSwitch, cookies: any PrefetchCookieReading, pages: PageRegistry
    ) {
        self.prefetchers = prefetchers
        self.table = table
        self.fields = fields
        self.policy = policy
        self.feature = feature
        self.cookies = cookies
        self.pages = pages
    }

    func didStart() { checkTable() }

    func hostEnteredForeground() { checkTable() }

    /// Requests the table if the interval has passed and prefetching is switched on.
    private func checkTable() {
        if feature.isOn { table?.check() }
    }

    // MARK: Pages

    /// Starts the prefetches of the page and reads the page's cookies.
    func pageWillOpen(_ opening: PageOpening) {
        for fields in fields { fields.use(opening.userAgent) }
        guard feature.isOn else { return }
        let mode = policy.mode(ofPageAt: opening.url)
        guard mode != .plain else { return }
        prefetchers.begin(
            opening.id, at: opening.url, in: mode, isPosted: opening.post != nil, as: opening.userAgent)
    }

    func pageDidFail(_ page: PageID, because error: any Error) { prefetchers.removePage(page) }

    func pageDidClose(_ page: PageSession) { prefetchers.removePage(page.id) }

    /// Returns the response to a page's message as JSON, or `nil` if there is none.
    /// - Throws: `PrefetchError` if the message is invalid; `CancellationError`.
    func response(to message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data? {
        let call = try PrefetchCall(json: message)
        guard let session = pages.session(of: view), feature.isOn else { return nil }
        return try await prefetchers.answer(call, of: session.reference, in: session.mode, from: origin)
    }

    // MARK: Life

    func trimMemory(_ pressure: MemoryPressure) { prefetchers.removeAll() }

    func removeData(_ removal: AccountDataRemoval) {
        if removal.stage == .began || removal.stage == .ended { prefetchers.removeAll() }
    }

    func shutDown() async {
        prefetchers.removeAll()
        await table?.shutDown()
    }

    func addCounters(to counters: inout ContainerCounters) {
        counters.prefetch = prefetchers.counters
        counters.prefetchTable = table?.counters
    }
}

// MARK: - Ports

extension RequestHandler: PrefetchRouting {
    package func opens(_ url: String) -> Bool { policy.intercepts(documentAt: url) }
}

extension Prefetcher.Setup: PrefetchLoading {}

/// The reader of the cookies of pages, according to their mode.
///
/// Isolation: the main actor.
@MainActor
final class PrefetchCookieReader<Engine: WebEngineDriver>: PrefetchCookieReading {
    private let engine: Engine
    private let pipelines: ModePipelines
    private let cookies: CookieSynchronizer?
    private let loopback: (any LoopbackTranslating)?

    init(
        _ engine: Engine, _ pipelines: ModePipelines, _ cookies: CookieSynchronizer?,
        _ loopback: (any LoopbackTranslating)?
    ) {
        self.engine = engine
        self.pipelines = pipelines
        self.cookies = cookies
        self.loopback = loopback
    }

    func prefetchCookies(
        ofPageAt url: String, in mode: InterceptionMode
    ) async throws -> any PrefetchCookieSource {
        if let cookies {
            // All stores must have the cookies that the app and pages in custom-scheme mode have received.
            await cookies.waitUntilSynchronized()
            if pipelines[mode]?.traits.keepsCookies == false, let pages = cookies.pages { return pages }
            if mode == .loopbackServer, let pages = try await cookies.serverPages() { return pages }
        }
        return try await PageCookies(of: engine.cookies) { [loopback] cookie in
            guard let loopback else { return cookie }
            return loopback.cookie(cookie, ofPageAt: url)
        }
    }
}
