// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieBridge
internal import CookieJar
internal import PagePrefetch
internal import WebEngine

// The cookies of a user, wherever they lie.
extension Container {
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
    public func cookieCounters() async -> CookieReconciler.Counters? {
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

    /// How long the engine's store may take for all of it.
    private static var clearLimit: Duration { .seconds(10) }

    /// Where the engine's store is the only one. The local server's token stays, as it is no user's.
    private func clearEngine(_ scope: CookieScope) async throws {
        try await withLimit(Self.clearLimit, "the engine does not clear its cookies in time") { [self] in
            let store = engine.cookies
            var failure: (any Error)?
            for cookie in try await store.all() where server?.isToken(cookie) != true {
                let site = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
                let url = server?.port.flatMap { server?.realURL(of: "https://\(site):\($0)/") }
                guard scope.reaches(url.flatMap { CookieURL($0)?.host } ?? site.lowercased()) else { continue }
                do {
                    try await store.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
                } catch {
                    failure = failure ?? error
                }
            }
            if let failure { throw failure }
        }
    }
}
