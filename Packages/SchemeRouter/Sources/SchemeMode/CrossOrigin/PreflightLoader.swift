// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// Asks servers of other origins before requests that are not safelisted go there, for engines that do not.
///
/// Belongs around the network: what a package answers is asked of nobody. A redirect on the way is another request, and
/// asks again. Which requests are of CORS is read from `ResourceRequest.mode`.
@_spi(Facade) public struct PreflightLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let names: SchemeNames
    private let cache: PreflightCache

    /// - Parameters:
    ///   - base: the loader of the network, which sends the preflight requests too.
    ///   - names: by which pages know origins; a server may have a page's from there.
    ///   - cache: one for all loaders that ask for the same pages.
    public init(
        _ base: any ResourceLoader, names: SchemeNames = .standard, cache: PreflightCache = PreflightCache()
    ) {
        self.base = base
        self.names = names
        self.cache = cache
    }

    /// - Throws: `ResourceError` with code `blocked` where the server does not permit the request, which is not
    ///   sent then; or what the loader beneath throws.
    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        if let preflight = Preflight(for: request), !cache.permits(preflight) {
            // The body, if there is one, is dropped unread, which closes its connection.
            guard let head = try await base.load(preflight.request)?.head else { return nil }
            do {
                cache.keep(try preflight.permission(in: head, by: names), for: preflight.key)
            } catch {
                cache.forget(preflight.key)
                throw error
            }
        }
        return try await base.load(request)
    }
}
