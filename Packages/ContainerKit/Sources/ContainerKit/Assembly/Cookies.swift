// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) public import CookieBridge
internal import CookieJar
internal import Logging
internal import PagePrefetch
internal import RequestPipeline
internal import WebEngine

// MARK: - API

extension Container {
    /// Removes the cookies and pending request bodies of an account.
    ///
    /// The call removes the cookies of the domains and their subdomains, in the container's jar, its file, the engine's
    /// store and the app's storage. Changes that are being copied between the stores are dropped. Prefetched responses
    /// of all pages are dropped, too. Request bodies that pages of these domains have passed to the bridge are removed.
    ///
    /// In the mode `customScheme`, responses to earlier requests set no cookies afterwards. An open page can set new
    /// cookies, and so can requests of the engine itself: close the account's pages first. ``clearHTTPCache()`` clears
    /// the HTTP cache, and ``signOut(of:)`` removes all data of the account that the container can remove.
    /// - Parameter domains: host names, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`, before anything is removed, if `domains` is empty or
    ///   contains an invalid host name; with code `cookies` if a store is not cleared in time. The other stores are
    ///   cleared in this case, too. Also throws `CancellationError`.
    public func clearAccount(domains: some Sequence<String>) async throws {
        try await clearCookies(try .domains(of: domains))
    }

    /// Removes the cookies and pending request bodies of all accounts, like ``clearAccount(domains:)``.
    public func clearAllCookies() async throws {
        try await clearCookies(.all)
    }

    private func clearCookies(_ scope: CookieScope) async throws {
        let failures = await components.removeData(AccountDataRemoval(scope: scope, contents: .cookies))
        if let failure = failures.first { throw failure }
    }

    /// Waits until all cookie stores have the changes of each other, at most for `CookieOptions.openLimit`. Opening a
    /// page waits, too: call this after a login for open pages, or before the app sends the cookies of pages.
    public func synchronizeCookies() async {
        await components.first(CookiesComponent<Engine>.self)?.synchronizer?.synchronize()
    }

    /// Returns the counters of the synchronization of cookies, or `nil` if the engine's store is the only one.
    public func cookieCounters() async -> CookieCounters? {
        await components.first(CookiesComponent<Engine>.self)?.synchronizer?.counters
    }
}

// MARK: - Assembly

extension ContainerCore {
    /// Creates the synchronizer of the cookie stores, with a jar for pages whose cookies the engine does not store.
    /// Returns `nil` if the engine's store is the only one.
    func makeCookies() -> CookieSynchronizer? {
        let options = configuration.network.cookies
        let hasJar = modes.chains.contains { !engine.traits(in: $0).keepsCookies }
        guard hasJar || options.native.isUsed else { return nil }
        return CookieSynchronizer(
            options, directory: configuration.directory, hasJar: hasJar,
            engine: options.native.isUsed || modes.started.contains(.customScheme) ? engine.cookies : nil,
            localServerToken: localServerToken, delegate: CookieEventRecorder(logger: logger, hub: hub))
    }
}

// MARK: - Component

/// The component that synchronizes the cookies of the app's storage, the engine's store and the container's jar.
///
/// Isolation: the main actor.
@MainActor
final class CookiesComponent<Engine: WebEngineDriver>: ContainerComponent {
    /// The synchronizer, or `nil` if the engine's store is the only one.
    let synchronizer: CookieSynchronizer?
    private let prefetch: Prefetchers?
    private let engine: Engine
    private let loopback: (any LoopbackTranslating)?

    init(
        _ synchronizer: CookieSynchronizer?, prefetch: Prefetchers?, engine: Engine,
        loopback: (any LoopbackTranslating)?, hub: EventHub
    ) {
        self.synchronizer = synchronizer
        self.prefetch = prefetch
        self.engine = engine
        self.loopback = loopback
        hub.observePermanently { [weak synchronizer] event in
            if case .request = event { synchronizer?.checkNative() }
        }
    }

    func start() async throws { try await synchronizer?.start() }

    func pageWillOpen(_ opening: PageOpening) async {
        guard let synchronizer else { return }
        // The prefetch of the page may already wait for the cookies.
        if await prefetch?.waitForCookies(of: opening.id) != true { await synchronizer.waitUntilSynchronized() }
    }

    func page(_ page: PageSession, didReceive signal: ViewSignal) {
        if case .started = signal { synchronizer?.checkNative() }
    }

    func hostDidTransition(to state: HostState) async {
        if state.isAway { await synchronizer?.flush() }
    }

    /// - Throws: ``ContainerError`` with code `cookies`, or `CancellationError`, after all stores were tried.
    func removeData(_ removal: AccountDataRemoval) async throws {
        guard removal.stage == .clearing, removal.contents.contains(.cookies) else { return }
        var failure: (any Error)?
        do { try await synchronizer?.clear(removal.scope) } catch { failure = error }
        if synchronizer?.coversEngine != true {
            // The access token of the local server stays, because it belongs to no user.
            do {
                try await engine.cookies.clear(removal.scope) { [loopback] cookie in
                    guard let loopback else { return cookie }
                    return loopback.realCookie(cookie)
                }
            } catch { failure = failure ?? error }
        }
        guard let failure else { return }
        if failure is CancellationError { throw failure }
        throw ContainerError(.cookies, "some cookies could not be removed: \(failure)")
    }

    func shutDown() async { await synchronizer?.shutDown() }
}

/// The delegate that logs the events of the cookie synchronizer and reports the state of the engine's store to the app.
private struct CookieEventRecorder: CookieSynchronizerDelegate {
    let logger: Logger
    let hub: EventHub

    func record(_ event: CookieSynchronizer.Event) {
        logger.log(
            level: event.isFault ? .warning : .notice, "\(event.message)",
            metadata: event.details.mapValues { "\($0)" })
    }

    func engineStoreChanged(isBehind: Bool) {
        hub.send(.cookiesBehind(isBehind))
    }
}
