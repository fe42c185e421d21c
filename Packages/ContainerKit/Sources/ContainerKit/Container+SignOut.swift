// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import CookieJar
internal import Logging
internal import WebEngine

// A user goes.
extension Container {
    /// Signs an account out, wherever something of it lies: the cookies of these domains and of all hosts below them, as
    /// ``clearAccount(domains:)`` does, what was fetched ahead, what pages have handed over to be sent, the HTTP cache and
    /// the engine's own, and the views that were used, with what their processes have in memory. Caches do not say whose
    /// an answer is, so they go for all sites. What pages have stored by scripts stays, in `localStorage`, databases and `caches`, and so do packages, and
    /// ``ContainerConfiguration/Pages/initialData``. All downloads that are under way are cancelled, and none begins
    /// meanwhile.
    ///
    /// Close the account's pages first: one that is open may bring new cookies. The call goes on to its end also where
    /// the task that made it is cancelled; each part has a limit in time.
    /// - Parameter domains: names of hosts, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`, before anything is done, where one of them is no name of a
    ///   host, or there is none; with code `signOut`, where something is not cleared, which it names; all else is.
    public func signOut(of domains: some Sequence<String>) async throws {
        try await signOut(try .domains(of: domains))
    }

    /// Signs all accounts out, as ``signOut(of:)`` does one.
    public func signOut() async throws {
        try await signOut(.all)
    }

    private func signOut(_ scope: CookieScope) async throws {
        let removal = AccountDataRemoval(scope: scope, contents: [.cookies, .httpCache, .session])
        let began = await components.removeData(removal, in: .began)
        // In a task of its own, so that nothing is left half-done if the caller is cancelled.
        let cleared = await Task { [components] in
            await components.removeData(removal, in: .clearing) + components.removeData(removal, in: .ended)
        }.value
        let failures = (began + cleared).map { "\($0)" }
        hub.send(.signedOut(isComplete: failures.isEmpty))
        _ = await components.removeData(removal, in: .finished)
        guard !failures.isEmpty else { return }
        configuration.logger.error("signed out in part", metadata: ["left": "\(failures.joined(separator: "; "))"])
        throw ContainerError(.signOut, "not all is cleared: \(failures.joined(separator: "; "))")
    }

    /// Removes the responses in the HTTP cache and those that were prefetched, as when a user signs out. Requests in
    /// progress store nothing either, and web processes show no other page after the open one. In modes in which the
    /// engine stores responses itself, its cache is cleared, too, for all sites; if it is not, the log has the reason.
    public func clearHTTPCache() async {
        _ = await components.removeData(AccountDataRemoval(scope: .all, contents: [.httpCache, .engineCopies]))
    }
}

extension CookieScope {
    /// - Parameter names: of hosts, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`: what names no host would clear nothing, and nobody would
    ///   know.
    static func domains(of names: some Sequence<String>) throws -> CookieScope {
        let domains = try names.map { given in
            let name = (given.hasPrefix(".") ? String(given.dropFirst()) : given).lowercased()
            guard let url = CookieURL("https://\(name)/"), url.host == name,
                !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
            else {
                throw ContainerError(.invalidDomain, "not the name of a host", at: given)
            }
            return name
        }
        guard !domains.isEmpty else { throw ContainerError(.invalidDomain, "no domain is named") }
        return .domains(Set(domains))
    }
}
