// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebEngine

/// The transfer of changes in the app's storage to the other stores, before a request is sent.
final class NativeRefresh: Sendable {
    private let native: NativeCookies
    private let reconciler: CookieReconciler
    /// The number of transfers in progress.
    private let transfers = Mutex(0)

    init(_ native: NativeCookies, _ reconciler: CookieReconciler) {
        self.native = native
        self.reconciler = reconciler
    }

    /// A Boolean value that indicates whether the other stores may lack a change of the storage.
    var isNeeded: Bool { transfers.withLock { $0 > 0 } || native.hasChanged }

    /// Waits until the other stores have the changes, at most for the limit of a response. Returns at once if the
    /// storage has not changed.
    func wait() async {
        guard isNeeded else { return }
        transfers.withLock { $0 += 1 }
        _ = await reconciler.waitForTransfer(from: .native)
        transfers.withLock { $0 -= 1 }
    }
}

/// The store of an engine whose reads include the changes of the app's storage.
///
/// Isolation: the main actor.
@MainActor
final class RefreshedCookieStore: EngineCookieStore {
    private let base: any EngineCookieStore
    private let refresh: NativeRefresh

    init(_ base: any EngineCookieStore, _ refresh: NativeRefresh) {
        self.base = base
        self.refresh = refresh
    }

    var losses: Int { base.losses }
    var isEphemeral: Bool { base.isEphemeral }

    func all() async throws -> [EngineCookie] {
        await refresh.wait()
        return try await base.all()
    }

    func set(_ cookie: EngineCookie) async throws { try await base.set(cookie) }

    func remove(name: String, domain: String, path: String) async throws {
        try await base.remove(name: name, domain: domain, path: path)
    }

    func changes() -> AsyncStream<Void> { base.changes() }
}
