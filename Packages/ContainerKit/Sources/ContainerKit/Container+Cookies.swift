// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import CookieBridge
internal import CookieJar

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
    /// - Throws: ``ContainerError`` with code `cookies`, where a store does not do it in time: all the others are clear;
    ///   `CancellationError`.
    public func clearAccount(domains: some Sequence<String>) async throws {
        try await clear(.domains(of: domains))
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

    func clear(_ scope: CookieScope) async throws {
        let isMeant = { [sessions] (view: ViewID) in
            guard let url = sessions[view].flatMap({ CookieURL($0.documentURL) }) else { return scope == .all }
            return scope.reaches(url.host)
        }
        bridges?.removeAll(where: isMeant)
        legacy?.removeAll(where: isMeant)
        endUsedProcesses()
        prefetch?.removeAll()
        // What began meanwhile may have had the old ones.
        defer { prefetch?.removeAll() }
        do {
            if let cookies, configuration.mode == .customScheme {
                try await cookies.clear(scope)
            } else {
                try await cookies?.clear(scope)
                try await clearEngine(scope)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            throw ContainerError(.cookies, "not all cookies are cleared: \(error)")
        }
    }

    /// Where the engine's store is the only one. The local server's token stays, as it is no user's.
    private func clearEngine(_ scope: CookieScope) async throws {
        let store = engine.cookies
        for cookie in try await store.all() where server?.isToken(cookie) != true {
            let site = cookie.domain.hasPrefix(".") ? String(cookie.domain.dropFirst()) : cookie.domain
            let url = server?.port.flatMap { server?.realURL(of: "https://\(site):\($0)/") }
            guard scope.reaches(url.flatMap { CookieURL($0)?.host } ?? site.lowercased()) else { continue }
            try await store.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
        }
    }
}
