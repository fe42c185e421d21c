// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebEngine

/// The transfer of changes in the app's storage to the store that a request reads, before the request is sent.
final class NativeRefresh: Sendable {
    private let native: NativeCookies
    private let reconciler: CookieReconciler
    private let store: CookieStoreID
    /// A Boolean value that indicates whether requests do not wait, because the store does not respond.
    let isBehind = Mutex(false)
    /// The transfer in progress, which returns `false` if it ended without the changes.
    private let transfer = Mutex<Task<Bool, Never>?>(nil)
    /// A Boolean value that indicates whether the last transfer ended without the changes. Requests do not wait for
    /// these changes again.
    private let isLate = Mutex(false)

    /// Creates a transfer.
    /// - Parameters:
    ///   - native: the app's storage.
    ///   - reconciler: the reconciler of the stores.
    ///   - store: the store that requests read.
    init(_ native: NativeCookies, _ reconciler: CookieReconciler, to store: CookieStoreID) {
        self.native = native
        self.reconciler = reconciler
        self.store = store
    }

    /// A Boolean value that indicates whether the store may lack a change of the storage.
    ///
    /// The order matters: a read that hides the change from the comparison has begun before, and the reconciler then
    /// reports it until the store has the change.
    var isNeeded: Bool {
        transfer.withLock { $0 != nil } || native.hasChanged
            || !isLate.withLock { $0 } && reconciler.mayBeAhead(.native)
    }

    /// Waits until the store has the changes, at most for the limit of a response. Returns at once if the storage has
    /// not changed and the store has all changes that were read. Concurrent calls share a transfer and its limit.
    func wait() async {
        guard !isBehind.withLock({ $0 }) else {
            native.check()
            return
        }
        if let running = transfer.withLock({ $0 }) {
            // A change may be newer than the transfer in progress. The next one includes it.
            guard await running.value else { return }
        } else if !native.hasChanged {
            guard await lacksReadChanges() else { return }
        }
        _ = await current().value
    }

    /// Returns a Boolean value that indicates whether the store lacks a change that a read has shown, for example the
    /// read of another transfer, and that a request waits for.
    private func lacksReadChanges() async -> Bool {
        guard reconciler.mayBeAhead(.native), await reconciler.mayLackChanges(of: .native, in: store) else {
            isLate.withLock { $0 = false }
            return false
        }
        return !isLate.withLock { $0 }
    }

    /// Returns the transfer in progress, or starts one.
    private func current() -> Task<Bool, Never> {
        transfer.withLock { current in
            if let current { return current }
            let task = Task { [self] in
                let isDone = await reconciler.waitForTransfer(from: .native, to: store)
                isLate.withLock { $0 = !isDone }
                transfer.withLock { $0 = nil }
                return isDone
            }
            current = task
            return task
        }
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
