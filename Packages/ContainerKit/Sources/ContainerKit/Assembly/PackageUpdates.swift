// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import LoopbackInterception
public import OfflinePackage
public import PackageFormat
internal import PackageUpdates
internal import PageRecovery
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import SchemeRouter
public import WebEngine

extension Container {
    /// Verifies a package and makes it the active one of its name. Pages that are open stay on the one they have;
    /// what no page and no package needs any more is removed from disk.
    ///
    /// The host's own word: there is no trial, and a version that failed one may come back this way.
    /// - Parameters:
    ///   - archive: the path of the zip; it stays where it is.
    ///   - manifest: the path of its manifest.
    /// - Throws: `PackageError` or `StoreError`; nothing has changed then.
    @discardableResult
    public func install(archive: String, manifest: String) async throws -> InstalledPackage {
        let package = try await core.packages.updater.install(archive: archive, manifest: manifest)
        hub.send(.packageInstalled(package))
        await core.packages.sweepRetired()
        return package
    }

    /// Installs the package that came with the app, unless a version of it that was downloaded is active, or it is
    /// itself. Call it after every launch; it costs little where there is nothing to do.
    /// - Returns: what came of it; `nil` where a downloaded version stays.
    /// - Throws: `DeliveryError` where the version failed before, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        try await core.packages.updater.installBaseline(archive: archive, manifest: manifest)
    }

    /// Looks for an update of a package, fetches of it what is missing, verifies it and applies it when the host wants.
    ///
    /// While the first version of a package arrives, its files answer pages as soon as their bytes are there. Progress
    /// is reported by ``events``. All or nothing: on an error, what was active is active.
    ///
    /// A server publishes for one package and one scope, by default the origin of its manifest URL, and no manifest comes
    /// after a newer one; see `PackageSource` and `docs/package-format.md`. A package that is installed keeps its source
    /// and its scope: ``remove(_:)`` lets go of them.
    /// - Parameters:
    ///   - source: the URL of the manifest, and the package and scope that it may publish.
    ///   - timing: when it takes effect; ``hostEnteredBackground()`` and the next launch are told by the host's calls.
    ///   - urgency: what the device must allow, by ``ContainerConfiguration/conditions``.
    /// - Throws: `DeliveryError`, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        try await core.packages.updater.update(from: source, timing: timing, urgency: urgency)
    }

    /// Takes a package out of use. Pages that are open keep it until they close. It may come from another source and for
    /// another scope afterwards; the number of its last manifest is not forgotten.
    /// - Returns: whether it was there.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func remove(_ package: PackageID) async throws -> Bool {
        try await !core.packages.updater.remove(package).isEmpty
    }

    /// The packages that answer now, by identifier.
    public var installedPackages: [InstalledPackage] {
        core.packages.library.installed
    }

    /// What answers differently from when the last process ended: updates that waited for this launch, and versions
    /// that were taken back because their pages did not boot.
    public var changesAtLaunch: [PackageScopeChange] {
        core.packages.changesAtLaunch
    }

    /// Tells how a page is doing. A version that was just updated is kept once one page on it is healthy, and taken
    /// back and never tried again when one fails, or began to boot and did not report in time (10 s by default).
    ///
    /// A host that reports nothing keeps every version. Reports of pages on older generations change nothing.
    public func report(_ kind: BootReport.Kind, of page: Page<Engine.View>) {
        guard let session = pages.session(of: page.view.id), session.id == page.session.id else { return }
        if kind == .healthy { components.first(RecoveryComponent.self)?.monitor.recordHealthy(session.view) }
        components.first(PackagesComponent.self)?.report(kind, of: session)
    }

    /// The version of the resource table that answers now; `nil` if there is none.
    public var tableVersion: String? { components.first(ResourceTableService.self)?.library.table?.version }

    // MARK: Previews

    /// Serves a folder or a development server in place of a package until ``unmount(_:)``, so that a site can be tried in
    /// the app before it is packed. For debug builds: its files are not verified. The provenance of responses names it; pages
    /// that are open get it, too.
    public func mount(_ preview: Preview) {
        core.previews.mount(preview)
        configuration.logger.notice("mounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewMounted(preview))
    }

    /// Ends a preview.
    public func unmount(_ preview: Preview) {
        guard core.previews.unmount(preview) else { return }
        configuration.logger.notice("unmounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewUnmounted(preview))
    }

    /// The previews that are mounted, newest first.
    public var previews: [Preview] { core.previews.mounted }
}

// MARK: - Assembly

extension ContainerCore {
    /// Opens the resource table; returns `nil` if the configuration has none.
    func makeResourceTable() async throws -> ResourceTableService? {
        guard let table = configuration.packages.table else { return nil }
        return try await ResourceTableService(
            table, store: packages.store, network: network, conditions: configuration.conditions,
            feature: switches[.resourceTable], logger: logger
        ) { [hub] in hub.send(.tableChecked($0, $1)) }
    }

    /// Makes the control of the engine's caches.
    func makeEngineCaches(_ pipeline: ModePipeline, loopback: LoopbackController<Engine>?) -> EngineCachesComponent {
        guard pipeline.mode.isOverLoopback, pipeline.traits.caches else {
            return EngineCachesComponent(nil, caching: engine.caching)
        }
        let adapter = EngineCacheAdapter(rules, switches[.packages], loopback, hub)
        let invalidator = EngineCacheInvalidator(
            engine, packages.library, directory: configuration.directory,
            limit: configuration.pages.engineCacheLimit, isByProxy: loopback?.mode == .loopbackProxy, logger: logger,
            host: adapter)
        hub.observePermanently { [weak invalidator] event in
            switch event {
            case .pageOpened(let session): invalidator?.pageDidOpen(session)
            case .pageClosed(let page): invalidator?.pageDidClose(page)
            case .rulesChanged, .interceptionSwitched, .remoteConfigChanged: invalidator?.contentDidChange()
            case .package(.scopeChanged), .packageInstalled: invalidator?.packagesDidChange()
            case .request(let record): invalidator?.requestDidEnd(record)
            default: break
            }
        }
        return EngineCachesComponent(invalidator, caching: engine.caching)
    }
}

// MARK: - Components

/// The store of a container's files.
///
/// Isolation: the main actor.
@MainActor
final class StoreComponent: ContainerComponent {
    private let packages: PackageService

    init(_ packages: PackageService) {
        self.packages = packages
    }

    func hostDidTransition(to state: HostState) async throws {
        switch state {
        case .background:
            // Before the sweep: the system gives a few seconds, and a sweep may take longer.
            try await packages.checkpoint()
            await packages.sweepAll()
            try await packages.checkpoint()
        case .suspended: try await packages.suspend()
        case .resumed: try await packages.resume()
        }
    }

    func trimMemory(_ pressure: MemoryPressure) { packages.store.releaseMemory() }

    func addCounters(to counters: inout ContainerCounters) { counters.store = packages.store.counters }
}

/// The packages of a container, and the trials of new versions by open pages.
///
/// Isolation: the main actor.
@MainActor
final class PackagesComponent: ContainerComponent {
    let service: PackageService
    private let pages: PageRegistry
    private let hub: EventHub

    init(_ service: PackageService, pages: PageRegistry, hub: EventHub) {
        self.service = service
        self.pages = pages
        self.hub = hub
    }

    func start() {
        service.forward { [hub] in hub.send(.package($0)) }
    }

    // MARK: Pages

    /// Reports the state of a page, with the generations that it has now.
    func report(_ kind: BootReport.Kind, of session: PageSession) {
        service.report(BootReport(kind, of: pages.current(session).reference))
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        if case .committed = signal { report(.moved, of: page) }
    }

    func pageDidClose(_ page: PageSession) {
        report(.closed, of: page)
        service.sweepSoon()
    }

    /// Records that a generation has answered a request of a document, which tries the generation, unless the page is
    /// closed or shows another document.
    func record(_ generation: GenerationReference, answering document: String, of page: PageID) {
        if let session = pages.session(of: page) { record(generation, answering: document, in: session) }
    }

    /// Records that a generation has answered a request of a page, as it was at the time of the request.
    func record(_ generation: GenerationReference, answering asked: PageSession) {
        if let session = pages.session(for: asked) { record(generation, answering: asked.documentURL, in: session) }
    }

    private func record(_ generation: GenerationReference, answering document: String, in session: PageSession) {
        guard session.documentURL == document, !service.hasRecorded(generation, of: session.id) else { return }
        service.recordResponse(of: generation, to: pages.current(session).reference)
    }

    // MARK: Life

    func hostDidTransition(to state: HostState) async throws {
        switch state {
        case .background:
            await service.leave(.background)
            try await service.updater.hostEnteredBackground()
        case .suspended: await service.leave(.suspension)
        case .resumed(let isStoreOpen):
            guard isStoreOpen else { return }
            await service.updater.retryRollbacks()
            service.comeBack(from: .suspension)
        }
    }

    func hostEnteredForeground() { service.comeBack(from: .background) }

    func trimMemory(_ pressure: MemoryPressure) { service.library.releaseMemory() }

    func willShutDown() {
        for session in pages.open { report(.closed, of: session) }
    }

    func shutDown() async { await service.shutDown() }

    func addCounters(to counters: inout ContainerCounters) {
        counters.unreadableFiles = service.library.unreadableFiles
        counters.droppedEvents += service.updater.droppedEvents + service.lostReports
    }
}

extension ResourceTableService: ContainerComponent {
    func didStart() { record(.launch) }

    func pageWillOpen(_ opening: PageOpening) { record(.open) }

    func pageDidClose(_ page: PageSession) { record(.close) }

    func hostEnteredForeground() { record(.foreground) }

    func addCounters(to counters: inout ContainerCounters) { counters.table = library.counters }
}

extension ContainerConfiguration {
    /// The options of the updater, with the conditions of the container.
    var updaterOptions: PackageUpdater.Configuration {
        var updates = packages.updates
        updates.conditions = conditions
        return updates
    }
}

// MARK: - Engine caches

/// The caches of the engine as a part of a container.
///
/// Isolation: the main actor.
@MainActor
final class EngineCachesComponent: ContainerComponent {
    /// `nil` if no mode in use lets the engine keep files of packages.
    let invalidator: EngineCacheInvalidator?
    private let caching: any EngineCaching

    init(_ invalidator: EngineCacheInvalidator?, caching: any EngineCaching) {
        self.invalidator = invalidator
        self.caching = caching
    }

    func start() { invalidator?.start() }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async {
        await invalidator?.invalidateStaleFiles(for: page)
    }

    /// - Throws: ``EngineCacheFailure`` if the engine does not clear its HTTP cache, which has the responses to pages that
    ///   are not intercepted, in all modes.
    func removeData(_ removal: AccountDataRemoval) async throws {
        guard removal.stage == .clearing else { return }
        if removal.contents.contains(.engineCopies) { await invalidator?.clear() }
        guard removal.contents.contains(.session) else { return }
        do { try await caching.clearHTTPCache() } catch { throw EngineCacheFailure(error: error) }
    }

    func shutDown() async { await invalidator?.shutDown() }
}

/// The failure of the engine to clear its HTTP cache.
struct EngineCacheFailure: Error, CustomStringConvertible {
    let error: any Error
    var description: String { "the engine's HTTP cache: \(error)" }
}

/// Connects the invalidator of the engine's caches to what is intercepted.
///
/// Isolation: the main actor.
@MainActor
private final class EngineCacheAdapter<Engine: WebEngineDriver>: EngineCacheHost {
    private let rules: ActiveRules
    private let packages: FeatureSwitch
    private let loopback: LoopbackController<Engine>?
    private let hub: EventHub

    init(
        _ rules: ActiveRules, _ packages: FeatureSwitch, _ loopback: LoopbackController<Engine>?, _ hub: EventHub
    ) {
        self.rules = rules
        self.packages = packages
        self.loopback = loopback
        self.hub = hub
    }

    var arePackagesInUse: Bool { rules.isOn && packages.isOn }

    func engineURL(of url: String) -> String? { loopback?.place(of: url) }

    func engineDidForgetFiles(under urls: [PackageBaseURL]) { hub.send(.engineCachesCleared(urls)) }

    func engineDidKeepFiles(under urls: [PackageBaseURL], because error: EngineError) {
        hub.send(.engineCachesKept(urls, error))
    }
}
