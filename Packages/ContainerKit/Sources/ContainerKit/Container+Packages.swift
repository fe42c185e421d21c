// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import OfflinePackage
public import PackageFormat
internal import ResourceStore
internal import ResourceTable

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
    /// - Parameters:
    ///   - timing: when it takes effect; ``hostEnteredBackground()`` and the next launch are told by the host's calls.
    ///   - urgency: what the device must allow, by `Configuration.updates.conditions`.
    /// - Throws: `DeliveryError`, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        try await packages.updater.update(from: source, timing: timing, urgency: urgency)
    }

    /// Takes a package out of use. Pages that are open keep it until they close.
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
        if kind == .healthy { whitePages?.noteHealthy(session.view) }
        report(kind, of: session)
    }

    // MARK: Life of the app

    /// The app goes to the background: applies the updates that waited for it, leaves the folder as after a proper close,
    /// so that a kill costs nothing, and removes what crashes left.
    ///
    /// Until ``hostEnteredForeground()`` no page is too late with its report, and a kill says nothing of the version that
    /// it boots.
    /// - Throws: `StoreError` or `CancellationError`.
    public func hostEnteredBackground() async throws {
        idle?.handle(.away(.background))
        whitePages?.leave(.background)
        await packages.leave(.background)
        var failure: (any Error)?
        do { try await packages.updater.hostEnteredBackground() } catch { failure = error }
        // Before the sweep: the system gives a few seconds, and that may take longer. And whatever failed before.
        await cookies?.flushQuietly()
        await cache?.settle()
        try await packages.settle()
        await packages.sweepAll()
        try await packages.settle()
        if let failure { throw failure }
    }

    /// The app comes to the foreground: pages that boot have their whole time again, and a new resource table is asked
    /// for, where there is one, as is one of what is fetched ahead.
    public func hostEnteredForeground() {
        idle?.handle(.back(.background))
        whitePages?.comeBack(from: .background)
        packages.comeBack(from: .background)
        table?.note(.foreground)
        checkPrefetchTable()
        switchboardCare?.check()
    }

    /// The system is about to suspend the app: lets go of every lock. Pages are still answered; installs fail until
    /// ``hostResumed()``, the HTTP cache takes in nothing new on disk, and no page is too late with its
    /// report. On Linux there is no need for it.
    /// - Throws: `StoreError`; locks are let go all the same.
    public func hostWillSuspend() async throws {
        idle?.handle(.away(.suspension))
        whitePages?.leave(.suspension)
        // First: what it has to write down it can write now.
        await packages.leave(.suspension)
        await origins?.settle()
        await cookies?.flushQuietly()
        await cache?.suspend()
        try await packages.suspend()
    }

    /// The app goes on after ``hostWillSuspend()``.
    /// - Throws: `StoreError`, with code `inUse` where another process has taken the folder meanwhile.
    public func hostResumed() async throws {
        // A listener may not have outlived the suspension; what it cannot do now it tries again when a page opens.
        try? await proxy?.ready()
        try? await server?.ready()
        await cache?.resume()
        try await packages.resume()
        origins?.resume()
        await packages.updater.retryRollbacks()
        packages.comeBack(from: .suspension)
        idle?.handle(.back(.suspension))
        whitePages?.comeBack(from: .suspension)
    }

    /// Ends what goes on by itself and waits for it, for a host that ends a container and opens another on its folder.
    ///
    /// Pages that are open count as closed for the trials of their packages. The folder is free once the last reference
    /// to this container goes after that, and the last request that is under way has ended. Without this call, reports
    /// and sweeps that are under way may hold the folder for a moment longer. Nothing is lost either way.
    public func shutDown() async {
        for session in sessions.values { report(.closed, of: session) }
        await proxy?.shutDown()
        await server?.shutDown()
        await engineCaches?.shutDown()
        await table?.shutDown()
        await prefetchTable?.shutDown()
        await idle?.shutDown()
        await origins?.settle()
        await switchboardCare?.shutDown()
        await cookies?.shutDown()
        await cache?.shutDown()
        await packages.shutDown()
    }
}
