// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) public import CookieBridge
internal import CookieJar
internal import Logging
internal import LoopbackInterception
internal import PagePrefetch
internal import RequestPipeline
internal import WebEngine

// MARK: - API

extension Container {
    /// Clears an account: the cookies of these domains and of all hosts below them, in the container's jar and its file and
    /// in the engine's store, changes that were on their way from one to the other, and bodies that the pages of these
    /// domains have handed over. Prefetched responses are dropped for all pages.
    ///
    /// In the mode `customScheme`, responses to earlier requests bring nothing back. A page that is open can set new
    /// cookies, and so can requests of the engine itself, so close the account's pages first. The HTTP cache is cleared by
    /// ``clearHTTPCache()``, and everything at once by ``signOut(of:)``.
    /// - Parameter domains: names of hosts, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`, before anything is cleared, if one of them is not the name of
    ///   a host, or there is none; with code `cookies` if a store is not cleared in time: all others are; or
    ///   `CancellationError`.
    public func clearAccount(domains: some Sequence<String>) async throws {
        try await clearCookies(try .domains(of: domains))
    }

    /// Clears all accounts, as ``clearAccount(domains:)`` does one.
    public func clearAllCookies() async throws {
        try await clearCookies(.all)
    }

    private func clearCookies(_ scope: CookieScope) async throws {
        let failures = await components.removeData(AccountDataRemoval(scope: scope, contents: .cookies))
        if let failure = failures.first { throw failure }
    }

    /// The counts of the changes that keep the engine's cookie store and the container's equal; `nil` in modes in which the
    /// engine has the only store.
    public func cookieCounters() async -> CookieCounters? {
        await components.first(CookiesComponent<Engine>.self)?.synchronizer?.counters
    }
}

// MARK: - Assembly

extension ContainerCore {
    /// Opens the jar of pages whose engine has no cookies for them; returns `nil` if the engine stores the cookies of all
    /// pages.
    func makeCookies() -> CookieSynchronizer? {
        guard !modes.chains.allSatisfy({ engine.traits(in: $0).keepsCookies }) else { return nil }
        return CookieSynchronizer(
            configuration.network.cookies, directory: configuration.directory,
            engine: modes.started.contains(.customScheme) ? engine.cookies : nil,
            delegate: CookieEventRecorder(logger: logger, hub: hub))
    }
}

// MARK: - Component

/// The cookies of the pages as a part of a container, in its jar and in the engine's store.
///
/// Isolation: the main actor.
@MainActor
final class CookiesComponent<Engine: WebEngineDriver>: ContainerComponent {
    /// `nil` if the engine stores the cookies of all pages.
    let synchronizer: CookieSynchronizer?
    private let prefetch: Prefetchers?
    private let engine: Engine
    private let loopback: LoopbackController<Engine>?

    init(
        _ synchronizer: CookieSynchronizer?, prefetch: Prefetchers?, engine: Engine,
        loopback: LoopbackController<Engine>?
    ) {
        self.synchronizer = synchronizer
        self.prefetch = prefetch
        self.engine = engine
        self.loopback = loopback
    }

    func start() async throws { try await synchronizer?.start() }

    func pageWillOpen(_ opening: PageOpening) async {
        guard let synchronizer else { return }
        // The prefetch of the page may be reading the cookies already.
        if await prefetch?.waitForCookies(of: opening.id) != true { await synchronizer.waitUntilSynchronized() }
    }

    func hostDidTransition(to state: HostState) async {
        if state.isAway { await synchronizer?.flush() }
    }

    /// - Throws: ``ContainerError`` with code `cookies`, or `CancellationError`; all stores were tried.
    func removeData(_ removal: AccountDataRemoval) async throws {
        guard removal.stage == .clearing, removal.contents.contains(.cookies) else { return }
        var failure: (any Error)?
        do { try await synchronizer?.clear(removal.scope) } catch { failure = error }
        if synchronizer?.coversEngine != true {
            do { try await clearEngine(removal.scope) } catch { failure = failure ?? error }
        }
        guard let failure else { return }
        if failure is CancellationError { throw failure }
        throw ContainerError(.cookies, "not all cookies are cleared: \(failure)")
    }

    /// Clears the engine's store if it is the only one. The token of the local server stays, because it belongs to no user.
    private func clearEngine(_ scope: CookieScope) async throws {
        try await engine.cookies.clear(scope) { [loopback] cookie in
            guard let loopback, let port = loopback.port else { return cookie }
            guard !loopback.isToken(cookie) else { return nil }
            var cookie = cookie
            let site = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
            let url = loopback.realURL(of: "https://\(site):\(port)/")
            if let host = url.flatMap({ CookieURL($0)?.host }) { cookie.domain = host }
            return cookie
        }
    }

    func shutDown() async { await synchronizer?.shutDown() }
}

/// A recorder that logs the events of the cookies, and sends those that the app observes.
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
        case .fileNotWritten(let error): logger.warning("cookies are not kept", metadata: ["error": "\(error)"])
        case .pageNotSynchronized(let error):
            logger.warning("a page opens before all its cookies are there", metadata: ["error": "\(error)"])
        case .responseNotSynchronized: logger.warning("an answer comes before its cookies are in the engine")
        case .engineStoreAnswers: logger.notice("the engine's cookie store answers again")
        case .engineStoreSilent(let error):
            logger.warning("the engine's cookie store does not answer", metadata: ["error": "\(error)"])
        }
    }

    func engineStoreChanged(isBehind: Bool) {
        hub.send(.cookiesBehind(isBehind))
    }
}
