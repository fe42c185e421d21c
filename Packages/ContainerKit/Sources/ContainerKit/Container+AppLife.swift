// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
@_spi(Facade) internal import HTTPCache
internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import PageRecovery
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceTable

// What the host tells of the app's own life, from background to end; `docs/app-life.md` has it call by call.
extension Container {
    /// The app goes to the background: applies the updates that waited for it, leaves the folder as after a proper close,
    /// so that a kill costs nothing, and removes what crashes left.
    ///
    /// Until ``hostEnteredForeground()`` no page is too late with its report, and a kill says nothing of the version that
    /// it boots.
    /// - Throws: `StoreError` or `CancellationError`.
    public func hostEnteredBackground() async throws {
        idle?.handle(.away(.background))
        blankPages?.leave(.background)
        await packages.leave(.background)
        var failure: (any Error)?
        do { try await packages.updater.hostEnteredBackground() } catch { failure = error }
        // Before the sweep: the system gives a few seconds, and that may take longer. And whatever failed before.
        await cookies?.flush()
        await cache?.checkpoint()
        try await packages.checkpoint()
        await packages.sweepAll()
        try await packages.checkpoint()
        if let failure { throw failure }
    }

    /// The app comes to the foreground: pages that boot have their whole time again, and a new resource table is asked
    /// for, where there is one, as is one of what is fetched ahead.
    public func hostEnteredForeground() {
        idle?.handle(.back(.background))
        packages.comeBack(from: .background)
        // After that: what has waited for this may report on packages.
        blankPages?.comeBack(from: .background)
        table?.record(.foreground)
        checkPrefetchTable()
        remoteConfigService?.check()
    }

    /// The system is about to suspend the app: lets go of every lock. Pages are still answered; installs fail until
    /// ``hostResumed()``, the HTTP cache takes in nothing new on disk, and no page is too late with its
    /// report. On Linux there is no need for it.
    /// - Throws: `StoreError`; locks are let go all the same.
    public func hostWillSuspend() async throws {
        idle?.handle(.away(.suspension))
        downloadManager.suspend()
        blankPages?.leave(.suspension)
        // First: what it has to write down it can write now.
        await packages.leave(.suspension)
        await origins?.waitUntilSaved()
        await cookies?.flush()
        await cache?.suspend()
        try await packages.suspend()
    }

    /// The app goes on after ``hostWillSuspend()``.
    /// - Throws: `StoreError`, with code `inUse` where another process has taken the folder meanwhile.
    public func hostResumed() async throws {
        // Last, and whatever fails: a page may be loaded anew then.
        defer { blankPages?.comeBack(from: .suspension) }
        downloadManager.resume()
        // A listener may not have outlived the suspension; what it cannot do now it tries again when a page opens.
        await loopback?.resume()
        await cache?.resume()
        try await packages.resume()
        origins?.resume()
        await packages.updater.retryRollbacks()
        packages.comeBack(from: .suspension)
        idle?.handle(.back(.suspension))
    }

    /// Ends what goes on by itself and waits for it, for a host that ends a container and opens another on its folder.
    ///
    /// Pages that are open count as closed for the trials of their packages. The folder is free once the last reference
    /// to this container goes after that, and the last request that is under way has ended. Without this call, reports
    /// and sweeps that are under way may hold the folder for a moment longer. Nothing is lost either way.
    public func shutDown() async {
        for session in sessions.values { report(.closed, of: session) }
        blankPages?.shutDown()
        prefetch?.removeAll()
        await downloadManager.shutDown()
        // It may have the engine connect to the proxy.
        await idle?.shutDown()
        await loopback?.shutDown()
        await engineCaches?.shutDown()
        await table?.shutDown()
        await prefetchTable?.shutDown()
        await origins?.waitUntilSaved()
        await remoteConfigService?.shutDown()
        await cookies?.shutDown()
        await cache?.shutDown()
        await packages.shutDown()
    }
}
