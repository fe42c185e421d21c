// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) public import HTTPCache
internal import PublicSuffixList
internal import ResourceLoading

extension SitePartitioning where Self == RegistrableDomainPartitioning {
    /// The scheme and the registrable domain, by the list of public suffixes that is compiled in.
    public static var registrableDomain: RegistrableDomainPartitioning { RegistrableDomainPartitioning(SuffixList()) }
}

extension HTTPCacheOptions {
    /// Makes the default options: pages of one scheme and registrable domain share entries, as in browsers.
    public init() {
        self.init(rules: CachingLoader.Configuration(partitioning: .registrableDomain))
    }
}

extension Container {
    /// Opens the HTTP cache before a network; `nil` if the configuration has none.
    static func openCache(
        _ configuration: ContainerConfiguration, _ network: any ResourceLoader
    ) async -> HTTPCacheService? {
        guard let options = configuration.network.httpCache else { return nil }
        return await HTTPCacheService(
            options, directory: configuration.directory, network: network, logger: configuration.logger)
    }
}
