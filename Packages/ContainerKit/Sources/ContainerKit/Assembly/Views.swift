// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine
internal import WebViewPool

// MARK: - API

extension Container {
    /// Prepares views, so that the next pages open in warm views. In the mode `loopbackProxy` the engine also connects to
    /// the proxy ahead, which may take another second. The container does so by itself when the app is idle, unless
    /// `ContainerConfiguration.Views.warmsUpWhenIdle` is `false`.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp() async throws {
        try await views.warmUp { true }
    }

    /// Ends the views that no page uses and drops caches in memory, as on a memory warning. The container does so by
    /// itself when ``ContainerConfiguration/conditions`` report that memory is short.
    public func releaseMemory() {
        components.trimMemory(.critical)
    }
}

// MARK: - Assembly

extension ContainerCore {
    /// - Parameter traits: the traits of the engine in the mode `customScheme`.
    func makeViews(
        _ traits: EngineTraits, preconnector: (any ViewPreconnecting)?
    ) -> PageViews<Engine> {
        PageViews(
            engine, configuration, mode: modes.standard,
            precompiling: BodyBridgeHost.sourcesToPrecompile(in: modes.standard, by: traits), feature: switches[.pool],
            hub: hub, preconnector: preconnector)
    }
}

// MARK: - Component

/// The views of a container: checks them out, prepares them when the app is idle, and takes them back.
///
/// Isolation: the main actor.
@MainActor
final class PageViews<Engine: WebEngineDriver>: ContainerComponent {
    let pool: ViewPool<Engine.View, ViewKey>
    private let configuration: ContainerConfiguration.Views
    private let mode: InterceptionMode
    private let feature: FeatureSwitch
    private let logger: Logger
    private let hub: EventHub
    private let preconnector: (any ViewPreconnecting)?
    private let conditions: any HostConditioning
    private var idle: IdleScheduler?
    private var reclaiming: Task<Void, Never>?

    /// - Parameters:
    ///   - engine: the engine that makes the views.
    ///   - configuration: the options of the container.
    ///   - mode: the mode of the views that are prepared.
    ///   - sources: the scripts that are compiled in each view ahead.
    ///   - feature: the switch of the preparation.
    ///   - hub: the events that show when the app is idle.
    ///   - preconnector: connects to the proxy ahead; `nil` if there is none.
    init(
        _ engine: Engine, _ configuration: ContainerConfiguration, mode: InterceptionMode,
        precompiling sources: [String],
        feature: FeatureSwitch, hub: EventHub, preconnector: (any ViewPreconnecting)?
    ) {
        self.configuration = configuration.views
        self.mode = mode
        self.feature = feature
        self.hub = hub
        self.preconnector = preconnector
        logger = configuration.logger
        conditions = configuration.conditions
        pool = ViewPool(
            .init(capacity: configuration.views.pool, reuseLimit: configuration.views.reuseLimit)
        ) { _ in
            try engine.makeView()
        } prepare: {
            try await $0.scripting.precompile(sources)
        }
    }

    // MARK: Preparation

    /// Prepares views while it is wanted.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    func warmUp(while isWanted: @MainActor () -> Bool) async throws {
        guard feature.isOn else { return }
        // A view that was never checked out serves all pages.
        try await pool.warmUp(for: ViewKey(mode: mode, url: ""), while: isWanted)
        if isWanted(), let view = pool.idleView { await preconnector?.preconnect(in: view) }
        try Task.checkCancellation()
    }

    func start() {
        guard configuration.warmsUpWhenIdle else { return }
        let idle = IdleScheduler(conditions, delay: configuration.idleDelay) { [weak self] isWanted in
            guard let self else { return }
            do {
                try await warmUp(while: isWanted)
            } catch {
                // It is tried again when the app is idle the next time.
                logger.warning("no view is prepared", metadata: ["error": "\(error)"])
            }
        }
        idle.listen(to: hub)
        self.idle = idle
    }

    // MARK: Pages

    /// Returns a view for a page.
    /// - Parameters:
    ///   - url: the real URL of the page.
    ///   - mode: the mode of the page.
    ///   - holder: the object whose release returns the view.
    /// - Throws: `EngineError` if the engine makes no view.
    func checkOut(
        at url: String, in mode: InterceptionMode, for holder: PageHolder
    ) throws -> (view: Engine.View, isWarm: Bool) {
        let before = pool.counters.warmCheckOuts
        let view = try pool.checkOut(ViewKey(mode: mode, url: url), for: holder)
        return (view, pool.counters.warmCheckOuts > before)
    }

    /// Returns the views whose pages were dropped to the pool, without waiting: the process of one may hang.
    func reclaimSoon() {
        guard reclaiming == nil else { return }
        reclaiming = Task { [weak self, pool] in
            self?.reclaiming = nil
            await pool.reclaim()
        }
    }

    /// A view that also showed a page of another site ends with its page.
    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        guard case .committed = signal, RealURL(page.documentURL) != nil else { return }
        let key = ViewKey(mode: page.mode, url: page.documentURL)
        pool.retire(because: .severalSites) { $0.id == page.view && $1 != key }
    }

    // MARK: Life

    func hostDidTransition(to state: HostState) {
        switch state {
        case .background: idle?.handle(.away(.background))
        case .suspended: idle?.handle(.away(.suspension))
        case .resumed(let isStoreOpen): if isStoreOpen { idle?.handle(.back(.suspension)) }
        }
    }

    func hostEnteredForeground() { idle?.handle(.back(.background)) }

    func trimMemory(_ pressure: MemoryPressure) {
        idle?.handle(.released)
        pool.trim(pressure)
    }

    /// The memory of a web process has what its pages have loaded: none that was used continues, and others are prepared
    /// instead. A view that was never checked out has a process of its own (decision 0028).
    func removeData(_ removal: AccountDataRemoval) {
        guard removal.stage == .began || removal.stage == .ended else { return }
        pool.retire(because: .cleared) { _, _ in true }
        idle?.handle(.lost)
    }

    func shutDown() async { await idle?.shutDown() }

    func addCounters(to counters: inout ContainerCounters) { counters.pool = pool.counters }
}

/// Connects to the origins of the next pages before they open.
@MainActor
protocol ViewPreconnecting: AnyObject {
    /// Connects in a view that shows a blank page, and returns when the connections are there, at most after a second.
    func preconnect(in view: any EngineView) async
}
