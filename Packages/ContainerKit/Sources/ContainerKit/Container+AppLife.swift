// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The life cycle of the app, as the host reports it. docs/app-life.md lists the calls in their order.
extension Container {
    /// Reports that the app entered the background. Updates with background timing are activated, and files without a
    /// reference are removed. The store is checkpointed, so that a kill of the process loses nothing.
    ///
    /// Until ``hostEnteredForeground()``, the boot time limit of pages is suspended, and the end of the process does
    /// not count against a version in its trial.
    /// - Throws: `StoreError` or `CancellationError`.
    public func hostEnteredBackground() async throws {
        try await components.hostDidTransition(to: .background)
    }

    /// Reports that the app entered the foreground. The boot time limit of pages that are booting starts again. The
    /// resource table, the prefetch table, remote config and updates with `onForeground` are requested if in use.
    public func hostEnteredForeground() {
        for component in components.inStartOrder { component.hostEnteredForeground() }
    }

    /// Reports that the system is about to suspend the app. All file locks are released. Until ``hostResumed()``, pages
    /// still get responses, installs fail, the HTTP cache writes nothing to disk, and the boot time limit of pages is
    /// suspended. Linux does not suspend apps, so the call is not needed there.
    /// - Throws: `StoreError`. The locks are released in this case, too.
    public func hostWillSuspend() async throws {
        try await components.hostDidTransition(to: .suspended)
    }

    /// Reports that the app resumed after ``hostWillSuspend()``. The loopback proxy or the local server gets a new
    /// listener, and pages without a web process are reloaded.
    /// - Throws: `StoreError` with code `inUse` if another process has locked the directory in the meantime.
    public func hostResumed() async throws {
        try await components.hostDidTransition(to: .resumed(isStoreOpen: true))
    }

    /// Stops the work of the container and waits for its end. Call this method before you open another container on the
    /// same directory.
    ///
    /// For the trials of packages, open pages count as closed. The directory is unlocked afterwards; requests in
    /// progress still get responses. Without this call, it is unlocked when the last reference to this container is
    /// released and the last work in progress has ended. No data is lost in either case.
    public func shutDown() async {
        await components.shutDown()
        hub.finish()
    }
}
