// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A loader that sends CORS preflight requests, for engines that do not send them.
///
/// It wraps the network loader, because responses of packages need no preflight. Each redirect is a separate request
/// with its own preflight. `ResourceRequest.mode` identifies CORS requests.
@_spi(Facade) public struct PreflightLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let names: SchemeNames
    private let cache: PreflightCache

    /// Creates a loader.
    /// - Parameters:
    ///   - base: The network loader, which also sends the preflight requests.
    ///   - names: The custom schemes of pages. A server may permit a page's origin in its custom-scheme form.
    ///   - cache: The cache of permissions, shared by all loaders of the same pages.
    public init(
        _ base: any ResourceLoader, names: SchemeNames = .standard, cache: PreflightCache = PreflightCache()
    ) {
        self.base = base
        self.names = names
        self.cache = cache
    }

    /// Sends the preflight that a request may require, and then loads the request.
    /// - Throws: `ResourceError` with code `blocked` if the server does not permit the request, which is then not
    ///   sent; or the error of the base loader.
    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        if let preflight = Preflight(for: request), !cache.permits(preflight) {
            // The body of the preflight response is dropped unread, which closes its connection.
            guard let head = try await base.load(preflight.request)?.head else { return nil }
            do {
                cache.insert(try preflight.permission(in: head, by: names), for: preflight.key)
            } catch {
                cache.remove(preflight.key)
                throw error
            }
        }
        return try await base.load(request)
    }
}
