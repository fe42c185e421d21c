// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
@_spi(Facade) public import HTTPCache
internal import PublicSuffixList
internal import ResourceLoading
internal import WebEngine

extension SitePartitioning where Self == RegistrableDomainPartitioning {
    /// The partitioning by scheme and registrable domain, according to the compiled-in Public Suffix List.
    public static var registrableDomain: RegistrableDomainPartitioning { RegistrableDomainPartitioning(SuffixList()) }
}

extension HTTPCacheOptions {
    /// Creates the default options: pages with the same scheme and registrable domain share entries, as in browsers.
    public init() {
        self.init(rules: CachingLoader.Configuration(partitioning: .registrableDomain))
    }
}

extension ContainerCore {
    /// Creates the HTTP cache in front of the network, or returns `nil` if the configuration has none.
    /// - Parameter cookies: the cookie jar of pages whose cookies the engine does not store.
    func makeHTTPCache(cookies: PageCookies?) async -> HTTPCacheService? {
        guard let options = configuration.network.httpCache else { return nil }
        return await HTTPCacheService(
            options, directory: configuration.directory,
            network: cookies.map { CookieStoringLoader(network, cookies: $0) } ?? network, logger: logger)
    }
}

// MARK: - Component

extension HTTPCacheService: ContainerComponent {
    func hostDidTransition(to state: HostState) async {
        switch state {
        case .background: await checkpoint()
        case .suspended: await suspend()
        case .resumed: await resume()
        }
    }

    func trimMemory(_ pressure: MemoryPressure) { releaseMemory() }

    func removeData(_ removal: AccountDataRemoval) async {
        if removal.stage == .clearing, removal.contents.contains(.httpCache) { await removeAll() }
    }

    func addCounters(to counters: inout ContainerCounters) { counters.httpCache = self.counters }
}
