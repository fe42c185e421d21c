// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackInterception
public import OfflinePackage
public import PackageFormat
internal import PackageUpdates
internal import PageRecovery
internal import RemoteConfig
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
        let package = try await packages.updater.install(archive: archive, manifest: manifest)
        hub.send(.packageInstalled(package))
        await packages.sweepRetired()
        return package
    }

    /// Installs the package that came with the app, unless a version of it that was downloaded is active, or it is
    /// itself. Call it after every launch; it costs little where there is nothing to do.
    /// - Returns: what came of it; `nil` where a downloaded version stays.
    /// - Throws: `DeliveryError` where the version failed before, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        try await packages.updater.installBaseline(archive: archive, manifest: manifest)
    }

    /// Looks for an update of a package, fetches of it what is missing, verifies it and applies it when the host wants.
    ///
    /// While the first version of a package arrives, its files answer pages as soon as their bytes are there. Progress
    /// is told by ``events()``. All or nothing: on an error, what was active is active.
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
        try await packages.updater.update(from: source, timing: timing, urgency: urgency)
    }

    /// Takes a package out of use. Pages that are open keep it until they close. It may come from another source and for
    /// another scope afterwards; the number of its last manifest is not forgotten.
    /// - Returns: whether it was there.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func remove(_ package: PackageID) async throws -> Bool {
        try await !packages.updater.remove(package).isEmpty
    }

    /// The packages that answer now, by identifier.
    public var installedPackages: [InstalledPackage] {
        packages.library.installed
    }

    /// What answers differently from when the last process ended: updates that waited for this launch, and versions
    /// that were taken back because their pages did not boot.
    public var changesAtLaunch: [PackageScopeChange] {
        packages.changesAtLaunch
    }

    /// Tells how a page is doing. A version that was just updated is kept once one page on it is healthy, and taken
    /// back and never tried again when one fails, or began to boot and did not report in time (10 s by default).
    ///
    /// A host that reports nothing keeps every version. Reports of pages on older generations change nothing.
    public func report(_ kind: BootReport.Kind, of page: Page<Engine.View>) {
        guard let session = sessions[page.view.id], session.id == page.session.id else { return }
        if kind == .healthy { blankPages?.recordHealthy(session.view) }
        report(kind, of: session)
    }
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

extension Container: EngineCacheHost {
    /// Makes the invalidator of the engine's caches; `nil` if no mode in use lets the engine keep files of packages.
    func startEngineCaches() -> EngineCacheInvalidator? {
        guard pipelines.loopback.mode.isOverLoopback, pipelines.loopback.traits.caches else { return nil }
        let invalidator = EngineCacheInvalidator(
            engine, packages.library, directory: configuration.directory, limit: configuration.pages.engineCacheLimit,
            isByProxy: usesProxy, logger: configuration.logger, host: self)
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
        invalidator.start()
        return invalidator
    }

    package var arePackagesInUse: Bool { liveRules.isOn && switches.isOn(.packages) }

    package func engineURL(of url: String) -> String? {
        loopback?.place(of: url)
    }

    package func engineDidForgetFiles(under urls: [PackageBaseURL]) {
        hub.send(.engineCachesCleared(urls))
    }

    package func engineDidKeepFiles(under urls: [PackageBaseURL], because error: EngineError) {
        hub.send(.engineCachesKept(urls, error))
    }
}

// MARK: - Resource table

extension Container {
    /// The version of the resource table that answers now; `nil` if there is none.
    public var tableVersion: String? { table?.library.table?.version }

    /// Opens the resource table; `nil` if the configuration has none.
    static func openTable(
        _ configuration: ContainerConfiguration, _ store: BlobStore, _ network: any ResourceLoader, _ hub: EventHub,
        _ switches: FeatureSwitches
    ) async throws -> ResourceTableService? {
        guard let table = configuration.packages.table else { return nil }
        return try await ResourceTableService(
            table, store: store, network: network, conditions: configuration.conditions,
            feature: switches[.resourceTable], logger: configuration.logger
        ) { hub.send(.tableChecked($0, $1)) }
    }
}
