// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HostLife
internal import Logging
internal import RemoteConfig
internal import RequestPipeline
@_spi(Facade) internal import ResourceLoading
internal import WebEngine
internal import WebViewPool

// MARK: - API

extension Container {
    /// Prepares views, so that the next pages open in warm views. In the mode `loopbackProxy` an engine that uses the
    /// proxy also connects to it in advance, for at most one more second. The container does this automatically when
    /// the app is idle, unless `ContainerConfiguration.Views.warmsUpWhenIdle` is `false`.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp() async throws {
        try await views.warmUp { true }
    }

    /// Destroys the views that no page uses and drops in-memory caches, as after a memory warning. The container does
    /// this automatically when ``ContainerConfiguration/conditions`` report memory pressure.
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

/// The component of the views: it checks them out, prepares them when the app is idle, and returns them to the pool.
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
    ///   - engine: the engine that creates the views.
    ///   - configuration: the options of the container.
    ///   - mode: the mode of the prepared views.
    ///   - sources: the scripts that are compiled in each view in advance.
    ///   - feature: the switch of the preparation.
    ///   - hub: the events that determine when the app is idle.
    ///   - preconnector: the object that connects to the proxy in advance; `nil` if there is no proxy.
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
        conditions = configuration.hostConditions
        pool = ViewPool(
            .init(capacity: configuration.views.pool, reuseLimit: configuration.views.reuseLimit)
        ) { _ in
            try engine.makeView()
        } prepare: {
            try await $0.scripting.precompile(sources)
        }
    }

    // MARK: Preparation

    /// Prepares views while `isWanted` returns `true`.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    func warmUp(while isWanted: @MainActor () -> Bool) async throws {
        guard feature.isOn else { return }
        // A view that was never checked out can show any page.
        try await pool.warmUp(for: ViewKey(mode: mode, url: ""), while: isWanted)
        if isWanted(), let view = pool.idleView { await preconnector?.preconnect(in: view) }
        try Task.checkCancellation()
    }

    func start() {
        let container = conditions as? ContainerConditions
        guard configuration.warmsUpWhenIdle || container != nil else { return }
        let idle = IdleScheduler(container?.device ?? conditions, delay: configuration.idleDelay) {
            container?.setIdle($0)
        } work: { [weak self] isWanted in
            guard let self, configuration.warmsUpWhenIdle else { return }
            do {
                try await warmUp(while: isWanted)
            } catch {
                // The next idle period tries again.
                logger.warning("views could not be prepared", metadata: ["error": "\(error)"])
            }
        }
        idle.listen(to: hub)
        self.idle = idle
    }

    // MARK: Pages

    /// Checks a view out for a page.
    /// - Parameters:
    ///   - url: the real URL of the page.
    ///   - mode: the mode of the page.
    ///   - holder: the object whose release returns the view.
    /// - Throws: `EngineError` if the engine cannot create a view.
    func checkOut(
        at url: String, in mode: InterceptionMode, for holder: PageHolder
    ) throws -> (view: Engine.View, isWarm: Bool) {
        let before = pool.counters.warmCheckOuts
        let view = try pool.checkOut(ViewKey(mode: mode, url: url), for: holder)
        return (view, pool.counters.warmCheckOuts > before)
    }

    /// Returns the views of released pages to the pool in a separate task, because the web process of a view may hang.
    func reclaimSoon() {
        guard reclaiming == nil else { return }
        reclaiming = Task { [weak self, pool] in
            self?.reclaiming = nil
            await pool.reclaim()
        }
    }

    /// Retires the view of a page that has navigated to another site. The view is discarded when the page ends.
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

    /// Retires all used views, because the memory of a web process contains data that its pages have loaded. New views
    /// are prepared instead. Views that were never checked out remain, because each has a process of its own
    /// (docs/decisions/0028).
    func removeData(_ removal: AccountDataRemoval) {
        guard removal.stage == .began || removal.stage == .ended else { return }
        pool.retire(because: .cleared) { _, _ in true }
        idle?.handle(.lost)
    }

    func shutDown() async { await idle?.shutDown() }

    func addCounters(to counters: inout ContainerCounters) { counters.pool = pool.counters }
}

/// The port that connects to the origins of the next pages before they open.
@MainActor
protocol ViewPreconnecting: AnyObject {
    /// Connects in a view that shows a blank page. Returns when the connections exist, after at most one second.
    func preconnect(in view: any EngineView) async
}

extension IdleScheduler {
    /// Observes the events of pages.
    fileprivate func listen(to hub: EventHub) {
        hub.observePermanently { [weak self] event in
            switch event {
            case .pageOpened(let session): self?.handle(.loading(session.id))
            case .page(let page, .started): self?.handle(.loading(page))
            case .page(let page, .finished), .page(let page, .stopped), .page(let page, .failed),
                .page(let page, .processEnded):
                self?.handle(.loadingEnded(page))
            case .pageClosed(let page): self?.handle(.loadingEnded(page))
            default: break
            }
        }
    }
}
