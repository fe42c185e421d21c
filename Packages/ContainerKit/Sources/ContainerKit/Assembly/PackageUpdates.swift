// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
@_spi(Facade) public import OfflinePackage
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
    /// Verifies a package archive and activates it. Open pages use the version with which they opened. Files that
    /// neither a page nor a package needs are removed from disk.
    ///
    /// The version gets no trial. A version that failed a trial before can be installed this way.
    /// - Parameters:
    ///   - archive: the path of the zip archive, which is not moved or removed.
    ///   - manifest: the path of the manifest.
    /// - Throws: `PackageError` or `StoreError`; nothing has changed then.
    @discardableResult
    public func install(archive: String, manifest: String) async throws -> InstalledPackage {
        let package = try await core.packages.updater.install(archive: archive, manifest: manifest)
        hub.send(.packageInstalled(package))
        await core.packages.sweepRetired()
        return package
    }

    /// Installs the package that was shipped with the app, unless that version or a downloaded version is active. Call
    /// this method after every launch; it returns quickly if there is nothing to install.
    /// - Returns: the result, or `nil` if a downloaded version stays active or the catalogue has withdrawn the package.
    /// - Throws: `DeliveryError` if the version failed a trial before; `PackageError`, `StoreError` or
    ///   `CancellationError`.
    @discardableResult
    public func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        try await core.packages.installBaseline(archive: archive, manifest: manifest)
    }

    /// Checks for an update of a package, downloads the missing files, verifies them and activates the version at the
    /// given time.
    ///
    /// While the first version of a package is downloaded, each complete file is served to pages immediately.
    /// ``events`` reports the progress. If the update fails, the active version does not change.
    ///
    /// A server publishes one package for one scope, by default the origin of its manifest URL. A manifest that is
    /// older than the last manifest is rejected; see `PackageSource` and `docs/package-format.md`. An installed package
    /// keeps its source and scope until ``remove(_:)``.
    /// - Parameters:
    ///   - source: the URL of the manifest, and the package and scope that it may publish.
    ///   - timing: the time of activation. The host reports entry into the background by ``hostEnteredBackground()``.
    ///   - urgency: the device conditions that the update requires; see ``ContainerConfiguration/conditions``. If those
    ///     of `whenConvenient` do not hold, the update waits and is retried, also after a relaunch.
    /// - Returns: the result; the outcome `waiting` if the update waits. Events report its end.
    /// - Throws: `DeliveryError`, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        try await core.packages.update(from: source, timing: timing, urgency: urgency)
    }

    /// Checks the catalogue and all packages of ``ContainerConfiguration/Packages/automatic`` now. Returns when no
    /// check and no update is in progress; events report the results. Updates that wait do not count.
    public func checkForUpdates() async { await core.packages.schedule.checkNow() }

    /// Returns the releases of a package as of the last check, and the one that this device gets, with the reasons.
    /// - Returns: `nil` if the publisher does not sign releases: ``AutomaticUpdates/catalogue`` is no signed one.
    /// - Throws: the error of the catalogue, for example if its metadata has not been verified in this process.
    public func explainRelease(of package: PackageID) async throws -> ReleaseExplanation? {
        try await core.packages.updater.explainRelease(of: package)
    }

    /// Removes a package. Open pages use it until they close. After the removal, the package may be installed from
    /// another source and for another scope; the sequence number of its last manifest stays recorded.
    /// - Returns: `true` if the package was installed.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func remove(_ package: PackageID) async throws -> Bool {
        try await !core.packages.remove(package).isEmpty
    }

    /// The active packages, by identifier.
    public var installedPackages: [InstalledPackage] {
        core.packages.library.installed
    }

    /// The package changes that this launch applied: activated updates, and versions that were rolled back because
    /// their pages did not boot.
    public var changesAtLaunch: [PackageScopeChange] {
        core.packages.changesAtLaunch
    }

    /// Reports the boot state of a page. A new version is confirmed when a page that uses it is healthy. It is rolled
    /// back and quarantined if a page fails, or if a booting page does not report within the limit (10 s by default).
    ///
    /// If the host reports no boot state, no version is rolled back. Reports of pages on older generations have no
    /// effect.
    public func report(_ kind: BootReport.Kind, of page: Page<Engine.View>) {
        guard let session = pages.session(of: page.view.id), session.id == page.session.id else { return }
        if kind == .healthy { components.first(RecoveryComponent.self)?.monitor.recordHealthy(session.view) }
        components.first(PackagesComponent.self)?.report(kind, of: session)
    }

    /// The version of the active resource table, or `nil` if there is none.
    public var tableVersion: String? { components.first(ResourceTableService.self)?.library.table?.version }

    // MARK: Previews

    /// Serves a folder or a development server in place of a package until ``unmount(_:)``. A site can thus be tested
    /// in the app before it is packaged. Intended for debug builds: the files are not verified. Open pages get the
    /// preview, too. The provenance of a response names the preview.
    public func mount(_ preview: Preview) {
        core.previews.mount(preview)
        configuration.logger.notice("preview mounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewMounted(preview))
    }

    /// Unmounts a preview.
    public func unmount(_ preview: Preview) {
        guard core.previews.unmount(preview) else { return }
        configuration.logger.notice("preview unmounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewUnmounted(preview))
    }

    /// The mounted previews, newest first.
    public var previews: [Preview] { core.previews.mounted }
}

// MARK: - Assembly

extension ContainerCore {
    /// Opens the resource table, or returns `nil` if the configuration has none.
    func makeResourceTable() async throws -> ResourceTableService? {
        guard let table = configuration.packages.table else { return nil }
        return try await ResourceTableService(
            table, store: packages.store, network: network, conditions: configuration.hostConditions,
            feature: switches[.resourceTable], logger: logger
        ) { [hub] in hub.send(.tableChecked($0, $1)) }
    }

    /// Creates the component of the engine's caches.
    func makeEngineCaches(_ pipeline: ModePipeline, loopback: (any LoopbackTranslating)?) -> EngineCachesComponent {
        guard pipeline.mode.isOverLoopback, pipeline.traits.caches else {
            return EngineCachesComponent(
                nil, caching: engine.caching, cachesResources: modes.chains.contains(.document), logger: logger)
        }
        let adapter = EngineCacheAdapter(rules: rules, packages: switches[.packages], loopback: loopback, hub: hub)
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
        return EngineCachesComponent(
            invalidator, caching: engine.caching, cachesResources: true, logger: logger)
    }
}

// MARK: - Components

/// The component of the blob store.
///
/// Isolation: the main actor.
@MainActor
final class StoreComponent: ContainerComponent {
    private let packages: PackageService
    private let logger: Logger

    init(_ packages: PackageService, logger: Logger) {
        self.packages = packages
        self.logger = logger
    }

    func hostDidTransition(to state: HostState) async throws {
        switch state {
        case .background:
            // Checkpoint before the sweep: the system grants a few seconds, and a sweep may take longer.
            try await packages.checkpoint()
            await packages.sweepAll()
            try await packages.checkpoint()
        case .suspended: try await packages.suspend()
        case .resumed: try await packages.resume()
        }
    }

    func trimMemory(_ pressure: MemoryPressure) { packages.store.releaseMemory() }

    /// Closes the store. Requests that still run can look up what it has.
    func shutDown() async {
        do { try await packages.suspend() } catch { logger.warning("the store was not closed cleanly: \(error)") }
    }

    func addCounters(to counters: inout ContainerCounters) { counters.store = packages.store.counters }
}

/// The component of the packages and of the trials of new versions by open pages.
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

    func didStart() { service.schedule.recordLaunch() }

    // MARK: Pages

    func pageWillOpen(_ opening: PageOpening) { service.schedule.recordOpening(of: opening.url) }

    /// Reports the boot state of a page with its current generations.
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

    /// Records that a generation answered a request of a document. The response counts for the trial of the generation.
    /// Has no effect if the page is closed or shows another document.
    func record(_ generation: GenerationReference, answering document: String, of page: PageID) {
        if let session = pages.session(of: page) { record(generation, answering: document, in: session) }
    }

    /// Records that a generation answered a request of a page.
    /// - Parameter asked: the session at the time of the request.
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
            await service.pause(.background)
            try await service.updater.hostEnteredBackground()
        case .suspended: await service.pause(.suspension)
        case .resumed(let isStoreOpen):
            guard isStoreOpen else { return }
            await service.updater.retryRollbacks()
            service.resume(from: .suspension)
        }
    }

    func hostEnteredForeground() { service.resume(from: .background) }

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

// MARK: - Engine caches

/// The component of the engine's caches.
///
/// Isolation: the main actor.
@MainActor
final class EngineCachesComponent: ContainerComponent {
    /// The invalidator, or `nil` if no mode in use lets the engine cache package files.
    let invalidator: EngineCacheInvalidator?
    private let caching: any EngineCaching
    private let cachesResources: Bool
    private let logger: Logger

    /// - Parameter cachesResources: a Boolean value that indicates whether the engine caches resources of intercepted
    ///   pages.
    init(
        _ invalidator: EngineCacheInvalidator?, caching: any EngineCaching, cachesResources: Bool, logger: Logger
    ) {
        self.invalidator = invalidator
        self.caching = caching
        self.cachesResources = cachesResources
        self.logger = logger
    }

    func start() { invalidator?.start() }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async {
        await invalidator?.invalidateStaleFiles(for: page)
    }

    /// - Throws: ``EngineCacheFailure`` if the engine fails to clear its HTTP cache. In all modes this cache stores the
    ///   responses to pages that are not intercepted.
    func removeData(_ removal: AccountDataRemoval) async throws {
        guard removal.stage == .clearing else { return }
        let isSession = removal.contents.contains(.session)
        guard isSession || cachesResources && removal.contents.contains(.engineCopies) else { return }
        do {
            try await caching.clearHTTPCache()
        } catch {
            guard isSession else {
                return logger.warning("cannot clear the engine's HTTP cache", metadata: ["error": "\(error)"])
            }
            throw EngineCacheFailure(error: error)
        }
    }

    func shutDown() async { await invalidator?.shutDown() }
}

/// The error for an engine that failed to clear its HTTP cache.
struct EngineCacheFailure: Error, CustomStringConvertible {
    let error: any Error
    var description: String { "the engine's HTTP cache: \(error)" }
}

/// The adapter between the engine cache invalidator and the interception state.
///
/// Isolation: the main actor.
@MainActor
private struct EngineCacheAdapter: EngineCacheHost {
    let rules: ActiveRules
    let packages: FeatureSwitch
    let loopback: (any LoopbackTranslating)?
    let hub: EventHub

    var arePackagesInUse: Bool { rules.isOn && packages.isOn }

    func engineURL(of url: String) -> String? { loopback?.place(of: url) }

    func engineDidRemoveFiles(under urls: [PackageBaseURL]) { hub.send(.engineCachesCleared(urls)) }

    func engineDidFailToRemoveFiles(under urls: [PackageBaseURL], because error: EngineError) {
        hub.send(.engineCachesKept(urls, error))
    }
}
