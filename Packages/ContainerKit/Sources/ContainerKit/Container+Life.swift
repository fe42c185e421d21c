// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Diagnostics
@_spi(Facade) internal import HTTPCache
internal import OfflinePackage
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import WebViewPool

// What the host hears of the container, and tells it.
extension Container {
    /// A new stream of the events of the container. Each access subscribes: hold the stream, and iterate over it once.
    ///
    /// The first stream begins with the events of packages since the container began to open: at most 256, without the
    /// progress of downloads. A stream whose reader does not keep up loses its oldest events: it buffers 4,096.
    /// ``droppedEvents`` counts the lost ones. A stream ends when the container is released.
    public var events: AsyncStream<ContainerEvent> {
        hub.subscribe()
    }

    /// Calls `observer` with the same events as ``events``, within the call that causes them, until the observation
    /// ends.
    ///
    /// For tests that compare the order of events with calls of the engine. The engine may wait for the observer,
    /// which therefore must not open, close or discard a page.
    @_spi(Testing) @discardableResult
    public func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        hub.observe(observer)
    }

    /// How many events have been lost so far: by slow subscribers, all of them together, and on the way to them; and
    /// how many reports and timelines of pages.
    public var droppedEvents: Int {
        hub.dropped + packages.updater.droppedEvents + packages.lostReports + appRequests.lostReports
            + (proxy?.lostReports ?? server?.lostReports ?? 0) + (timelineRecorder?.dropped ?? 0)
    }

    /// What was counted since the container was opened: damage, use of memory, losses.
    public var counters: ContainerCounters {
        ContainerCounters(
            unreadableFiles: packages.library.unreadableFiles, store: packages.store.counters,
            table: table?.library.counters, httpCache: cache?.counters, prefetch: prefetch?.counters,
            prefetchTable: prefetchTable?.counters, remoteConfig: remoteConfigService?.counters,
            downloads: downloadManager.counters, droppedEvents: droppedEvents, bodyBytes: bodyBudget.used,
            pool: pool.counters)
    }

    /// Ends the views that nobody uses and forgets what is in memory to be read again, as on a memory warning. The
    /// container does so by itself when the host's conditions, `Configuration.updates.conditions`, say that memory has
    /// become short.
    public func releaseMemory() {
        releaseMemory(.critical)
    }

    /// - Parameter memory: how short it is: at a warning some of the warm views stay.
    func releaseMemory(_ memory: HostConditions.Memory) {
        idle?.handle(.released)
        pool.trim(memory == .critical ? .critical : .warning)
        packages.library.releaseMemory()
        packages.store.releaseMemory()
        cache?.releaseMemory()
        prefetch?.removeAll()
    }

    /// Forgets what the HTTP cache holds, and what was fetched ahead, as when a user signs out. What is on its way is
    /// not kept either, and web processes show no other page after the one that is open. In modes where the engine
    /// keeps answers itself, its cache is cleared, too, for all sites; where it fails to, the log has the reason.
    public func clearHTTPCache() async {
        endUsedProcesses()
        prefetch?.removeAll()
        await cache?.removeAll()
        await engineCaches?.clear()
        // Those of pages that have come and gone meanwhile.
        endUsedProcesses()
    }

    /// A web process keeps in memory what its pages have loaded, whoever was signed in: none that was used goes on, and
    /// others are prepared in their place. A view that was never checked out has a process of its own (decision 0028).
    func endUsedProcesses() {
        pool.retire(because: .cleared) { _, _ in true }
        idle?.handle(.lost)
    }
}
