// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import CookieJar
internal import Logging
internal import WebEngine
internal import WebSyntax

// Sign-out of accounts.
extension Container {
    /// Signs an account out. Removes these data:
    ///
    /// - the cookies of the given domains and their subdomains, as ``clearAccount(domains:)`` does
    /// - prefetched responses, and request bodies that pages have passed through the bridge
    /// - the HTTP caches of the container and of the engine, for all sites, because they are not separated by account
    /// - all used views, with the memory of their web processes
    /// - all downloads in progress; no download starts during the call
    ///
    /// `localStorage`, IndexedDB and Cache Storage of pages are not removed, nor are packages and
    /// ``ContainerConfiguration/Pages/initialData``.
    ///
    /// Close the account's pages first, because an open page can set new cookies. The call completes even if the
    /// calling task is cancelled; each step has a time limit.
    /// - Parameter domains: host names, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain`, before anything is removed, if `domains` is empty or
    ///   contains an invalid host name; with code `signOut` if some data could not be removed. The message names this
    ///   data; all other data is removed.
    public func signOut(of domains: some Sequence<String>) async throws {
        try await signOut(try .domains(of: domains))
    }

    /// Signs all accounts out, like ``signOut(of:)``.
    public func signOut() async throws {
        try await signOut(.all)
    }

    private func signOut(_ scope: CookieScope) async throws {
        let removal = AccountDataRemoval(scope: scope, contents: [.cookies, .httpCache, .session])
        let began = await components.removeData(removal, in: .began)
        // A separate task, so that a cancellation of the caller does not stop the removal.
        let cleared = await Task { [components] in
            await components.removeData(removal, in: .clearing) + components.removeData(removal, in: .ended)
        }.value
        let failures = (began + cleared).map { "\($0)" }
        hub.send(.signedOut(isComplete: failures.isEmpty))
        _ = await components.removeData(removal, in: .finished)
        guard !failures.isEmpty else { return }
        configuration.logger.error("sign-out incomplete", metadata: ["left": "\(failures.joined(separator: "; "))"])
        throw ContainerError(.signOut, "some data could not be removed: \(failures.joined(separator: "; "))")
    }

    /// Removes the responses in the HTTP cache and the prefetched responses. Requests in progress store no responses
    /// afterwards, and used web processes show no further pages. In modes in which the engine caches responses, the
    /// cache of the engine is cleared for all sites, too. If the engine fails to clear it, the error is logged.
    public func clearHTTPCache() async {
        _ = await components.removeData(AccountDataRemoval(scope: .all, contents: [.httpCache, .engineCopies]))
    }
}

extension CookieScope {
    /// Creates the scope of the named domains.
    /// - Parameter names: host names, with or without a leading dot.
    /// - Throws: ``ContainerError`` with code `invalidDomain` if there is no name, or if a name is not a host name. A
    ///   scope with an invalid name would silently remove nothing.
    static func domains(of names: some Sequence<String>) throws -> CookieScope {
        let domains = try names.map { given in
            let name = (given.hasPrefix(".") ? String(given.dropFirst()) : given).asciiLowercased
            guard let url = CookieURL("https://\(name)/"), url.host == name,
                !name.split(separator: ".", omittingEmptySubsequences: false).contains("")
            else {
                throw ContainerError(.invalidDomain, "not a host name", at: given)
            }
            return name
        }
        guard !domains.isEmpty else { throw ContainerError(.invalidDomain, "the list of domains is empty") }
        return .domains(Set(domains))
    }
}
