// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The life of the app, reported by the host; docs/app-life.md has the calls in their order.
extension Container {
    /// Reports that the app went to the background: updates that waited for it are applied, the folder is left as after a
    /// close, so that a kill loses nothing, and files that crashes left are removed.
    ///
    /// Until ``hostEnteredForeground()`` no page is late with its report, and the end of the process is no evidence
    /// against a version.
    /// - Throws: `StoreError` or `CancellationError`.
    public func hostEnteredBackground() async throws {
        try await components.hostDidTransition(to: .background)
    }

    /// Reports that the app came to the foreground: pages that boot have their full time again, and the resource table,
    /// the prefetch table and remote config are requested where they are in use.
    public func hostEnteredForeground() {
        for component in components.inStartOrder { component.hostEnteredForeground() }
    }

    /// Reports that the system is about to suspend the app: all locks are released. Pages are still answered; installs
    /// fail until ``hostResumed()``, the HTTP cache stores nothing new on disk, and no page is late with its report. Not
    /// needed on Linux.
    /// - Throws: `StoreError`; the locks are released nevertheless.
    public func hostWillSuspend() async throws {
        try await components.hostDidTransition(to: .suspended)
    }

    /// Reports that the app continues after ``hostWillSuspend()``.
    /// - Throws: `StoreError`, with code `inUse` if another process has taken the folder in the meantime.
    public func hostResumed() async throws {
        try await components.hostDidTransition(to: .resumed(isStoreOpen: true))
    }

    /// Ends the work of the container and waits for it, for a host that opens another container on the same folder.
    ///
    /// Open pages count as closed for the trials of their packages. The folder is free when the last reference to this
    /// container is released after that, and the last request in progress has ended. Without this call, reports and
    /// sweeps in progress may hold the folder for a moment longer; nothing is lost either way.
    public func shutDown() async {
        for component in components.inCloseOrder { component.willShutDown() }
        for component in components.inCloseOrder { await component.shutDown() }
    }
}
