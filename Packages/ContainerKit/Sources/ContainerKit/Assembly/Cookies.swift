// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) public import CookieBridge
internal import CookieJar
internal import Logging
internal import PagePrefetch
internal import WebEngine

// The cookies of the pages, in the container's jar and in the engine's store.
extension Container {
    /// Opens the jar of pages whose engine has no cookies for them.
    /// - Returns: `nil` if the engine stores the cookies of all pages.
    static func openCookies(
        _ configuration: Configuration, _ engine: Engine, _ modes: PageModes, _ hub: EventHub
    ) -> CookieSynchronizer? {
        guard !modes.chains.allSatisfy({ engine.traits(in: $0).keepsCookies }) else { return nil }
        return CookieSynchronizer(
            configuration.cookies, directory: configuration.directory,
            engine: modes.started.contains(.customScheme) ? engine.cookies : nil,
            delegate: CookieEventRecorder(logger: configuration.logger, hub: hub))
    }

    /// Clears an account: the cookies of these domains and of all hosts below them, in the container's jar and its file and in
    /// the engine's store, changes that were on their way from one to the other, and what the pages of these domains have
    /// handed over to be sent. What was fetched ahead goes for all pages.
    ///
    /// Answers to requests that began before in custom-scheme mode bring nothing back. A page that is open can set new
    /// cookies, and so can what the engine itself has under way, so close the account's pages first. The HTTP cache is
    /// cleared by ``clearHTTPCache()``, and all of it at once by ``signOut(of:)``.
    /// - Parameter domains: names of hosts, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`, before anything is done, where one of them is no name of a
    ///   host, or there is none; with code `cookies`, where a store does not do it in time: all the others are clear;
    ///   `CancellationError`.
    public func clearAccount(domains: some Sequence<String>) async throws {
        try await clear(try .domains(of: domains))
    }

    /// Clears all accounts, as ``clearAccount(domains:)`` does one.
    public func clearAllCookies() async throws {
        try await clear(.all)
    }

    /// What was done so far to keep the engine's store and the container's the same; `nil` in modes in which there is nothing
    /// to do.
    public func cookieCounters() async -> CookieCounters? {
        await cookies?.counters
    }

    /// All is tried, whatever fails.
    func clear(_ scope: CookieScope) async throws {
        forgetHeld(scope)
        // What began meanwhile may have had the old ones.
        defer {
            endUsedProcesses()
            prefetch?.removeAll()
        }
        var failure: (any Error)?
        do { try await cookies?.clear(scope) } catch { failure = error }
        if cookies?.coversEngine != true {
            do { try await clearEngine(scope) } catch { failure = failure ?? error }
        }
        guard let failure else { return }
        if failure is CancellationError { throw failure }
        throw ContainerError(.cookies, "not all cookies are cleared: \(failure)")
    }

    /// Forgets what pages of these hosts have handed over, what was fetched ahead, and what used processes have in memory.
    func forgetHeld(_ scope: CookieScope) {
        let isMeant = { [sessions] (view: ViewID) in
            guard let url = sessions[view].flatMap({ CookieURL($0.documentURL) }) else { return scope == .all }
            return scope.reaches(url.host)
        }
        bridges?.removeAll(where: isMeant)
        legacy?.removeAll(where: isMeant)
        for view in sessions.keys where isMeant(view) { posts.forget(view) }
        endUsedProcesses()
        prefetch?.removeAll()
    }

    /// Clears the engine's store where it is the only one. The token of the local server stays, because it is no user's.
    private func clearEngine(_ scope: CookieScope) async throws {
        try await engine.cookies.clear(scope) { [server] cookie in
            guard let server, let port = server.port else { return cookie }
            guard !server.isToken(cookie) else { return nil }
            var cookie = cookie
            let site = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
            let url = server.realURL(of: "https://\(site):\(port)/")
            if let host = url.flatMap({ CookieURL($0)?.host }) { cookie.domain = host }
            return cookie
        }
    }
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
