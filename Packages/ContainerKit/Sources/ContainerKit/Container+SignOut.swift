// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import CookieJar
@_spi(Facade) internal import HTTPCache
internal import Logging
internal import PageDownloads

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
        downloadManager.beginSignOut()
        defer { downloadManager.endSignOut() }
        // Of its own, so that nothing is half-done where nobody waits any more.
        let failures = await Task {
            var failures: [String] = []
            do { try await clear(scope) } catch { failures.append("\(error)") }
            await cache?.removeAll()
            // Pages that are not intercepted have theirs there, in all modes.
            do { try await engine.caching.clearHTTPCache() } catch {
                failures.append("the engine's HTTP cache: \(error)")
            }
            // What came meanwhile may have been asked for before.
            forgetHeld(scope)
            return failures
        }.value
        hub.send(.signedOut(isComplete: failures.isEmpty))
        guard !failures.isEmpty else { return }
        configuration.logger.error("signed out in part", metadata: ["left": "\(failures.joined(separator: "; "))"])
        throw ContainerError(.signOut, "not all is cleared: \(failures.joined(separator: "; "))")
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
