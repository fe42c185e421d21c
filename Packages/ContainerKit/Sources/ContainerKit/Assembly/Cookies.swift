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
    /// The call removes the cookies of the domains and their subdomains, in the container's jar, its file and the
    /// engine's store. Changes that are being copied between the stores are dropped. Request bodies that pages of these
    /// domains have passed through the bridge are removed. Prefetched responses of all pages are dropped, too.
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

    /// Returns the counters of the synchronization between the engine's cookie store and the container's jar, or `nil`
    /// if no mode in use has a jar.
    public func cookieCounters() async -> CookieCounters? {
        await components.first(CookiesComponent<Engine>.self)?.synchronizer?.counters
    }
}

// MARK: - Assembly

extension ContainerCore {
    /// Creates the synchronizer of the jar for pages whose cookies the engine does not store. Returns `nil` if the
    /// engine stores the cookies of all pages.
    func makeCookies() -> CookieSynchronizer? {
        guard !modes.chains.allSatisfy({ engine.traits(in: $0).keepsCookies }) else { return nil }
        return CookieSynchronizer(
            configuration.network.cookies, directory: configuration.directory,
            engine: modes.started.contains(.customScheme) ? engine.cookies : nil,
            delegate: CookieEventRecorder(logger: logger, hub: hub))
    }
}

// MARK: - Component

/// The component that synchronizes the cookies of pages between the container's jar and the engine's store.
///
/// Isolation: the main actor.
@MainActor
final class CookiesComponent<Engine: WebEngineDriver>: ContainerComponent {
    /// The synchronizer, or `nil` if the engine stores the cookies of all pages.
    let synchronizer: CookieSynchronizer?
    private let prefetch: Prefetchers?
    private let engine: Engine
    private let loopback: (any LoopbackTranslating)?

    init(
        _ synchronizer: CookieSynchronizer?, prefetch: Prefetchers?, engine: Engine,
        loopback: (any LoopbackTranslating)?
    ) {
        self.synchronizer = synchronizer
        self.prefetch = prefetch
        self.engine = engine
        self.loopback = loopback
    }

    func start() async throws { try await synchronizer?.start() }

    func pageWillOpen(_ opening: PageOpening) async {
        guard let synchronizer else { return }
        // The prefetch of the page may already wait for the cookies.
        if await prefetch?.waitForCookies(of: opening.id) != true { await synchronizer.waitUntilSynchronized() }
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
            do { try await clearEngine(removal.scope) } catch { failure = failure ?? error }
        }
        guard let failure else { return }
        if failure is CancellationError { throw failure }
        throw ContainerError(.cookies, "some cookies could not be removed: \(failure)")
    }

    /// Clears the engine's store, for containers whose synchronizer does not include it. The access token of the local
    /// server is not removed, because it belongs to no user.
    private func clearEngine(_ scope: CookieScope) async throws {
        try await engine.cookies.clear(scope) { [loopback] cookie in
            guard let loopback else { return cookie }
            return loopback.realCookie(cookie)
        }
    }

    func shutDown() async { await synchronizer?.shutDown() }
}

/// The delegate that logs the events of the cookie synchronizer and reports the state of the engine's store to the app.
private struct CookieEventRecorder: CookieSynchronizerDelegate {
    let logger: Logger
    let hub: EventHub

    func record(_ event: CookieSynchronizer.Event) {
        switch event {
        case .storesDiffer(let fault):
            logger.warning(
                "cookies differ between stores",
                metadata: [
                    "reason": "\(fault.kind)", "store": "\(fault.store)",
                    "cookie": "\(fault.identity.map { "\($0.name) of \($0.domain)" } ?? "")",
                ])
        case .fileNotRead(let error): logger.warning("cookies cannot be read", metadata: ["error": "\(error)"])
        case .fileDamaged(let damage):
            logger.warning("cookies were lost", metadata: ["reason": "\(damage.reason)", "file": "\(damage.path)"])
        case .fileNotWritten(let error): logger.warning("cookies could not be saved", metadata: ["error": "\(error)"])
        case .pageNotSynchronized(let error):
            logger.warning("a page opens before its cookies are synchronized", metadata: ["error": "\(error)"])
        case .responseNotSynchronized: logger.warning("a response is delivered before the engine has its cookies")
        case .engineStoreAnswers: logger.notice("the engine's cookie store responds again")
        case .engineStoreSilent(let error):
            logger.warning("the engine's cookie store does not respond", metadata: ["error": "\(error)"])
        }
    }

    func engineStoreChanged(isBehind: Bool) {
        hub.send(.cookiesBehind(isBehind))
    }
}
