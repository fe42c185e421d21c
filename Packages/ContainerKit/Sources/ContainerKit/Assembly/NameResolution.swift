// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTransport
internal import Logging
internal import NameResolution
internal import OfflinePackage
internal import PagePrefetch
internal import Prefetch
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

#if Network
    internal import NIOTransport
#endif

// MARK: - Assembly

extension ContainerConfiguration {
    /// Creates the service of name resolution, and gives its resolver to the transport of the container. Returns `nil`
    /// if the configuration has no servers, or if no connection would use them.
    @MainActor
    func makeNameResolution(
        _ modes: PageModes, _ proxies: SystemProxies?, _ feature: FeatureSwitch
    ) -> NameResolutionService? {
        guard let options = network.nameResolution, !options.servers.isEmpty else { return nil }
        let transport = network.transport
        if !transport.capabilities.contains(.ownAddresses) {
            logger.warning("the transport does not use the servers that resolve names")
            guard modes.started.contains(where: \.isOverLoopback) else { return nil }
        }
        let servers = ServerTransport.make(for: options.servers.map(\.server), trusting: transport.authorities)
        if let proxies { servers.useSystemProxies(proxies) }
        let service = NameResolutionService(
            options, loader: NetworkLoader(DecodingTransport(servers)), feature: feature, conditions: hostConditions,
            proxies: proxies, logger: logger)
        transport.useAddresses(service.resolver)
        return service
    }
}

/// The transport of the requests to the servers that resolve names.
private enum ServerTransport {
    /// Creates a transport that reaches servers by their known addresses. Without the trait `Network` the system
    /// resolves their names.
    static func make(
        for servers: [ResolverServer], trusting authorities: [CertificateAuthority]
    ) -> any HTTPTransporting {
        #if Network
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.addresses = ServerAddresses(of: servers)
            configuration.authorities = authorities
            configuration.pingInterval = .seconds(2)
            return AsyncHTTPTransport(configuration)
        #else
            return URLSessionTransport()
        #endif
    }
}

extension ContainerCore {
    func makeNameResolution(_ policy: InterceptionPolicy, prefetch: Prefetchers?) -> NameResolutionComponent? {
        nameResolution.map { NameResolutionComponent($0, packages.library, policy, prefetch, configuration, hub) }
    }
}

// MARK: - Component

/// The component of name resolution. It resolves the hosts of packages and pages ahead.
///
/// Isolation: the main actor.
@MainActor
final class NameResolutionComponent: ContainerComponent {
    private let service: NameResolutionService
    private let library: PackageLibrary
    private let policy: InterceptionPolicy
    private let prefetch: Prefetchers?
    private let configuration: ContainerConfiguration
    private let hub: EventHub

    init(
        _ service: NameResolutionService, _ library: PackageLibrary, _ policy: InterceptionPolicy,
        _ prefetch: Prefetchers?, _ configuration: ContainerConfiguration, _ hub: EventHub
    ) {
        self.service = service
        self.library = library
        self.policy = policy
        self.prefetch = prefetch
        self.configuration = configuration
        self.hub = hub
    }

    func start() {
        service.onEvent = { [hub] in hub.send(.nameResolution($0)) }
    }

    func didStart() { prepareServers() }

    /// Resolves the hosts of packages and of the container's own requests.
    private func prepareServers() {
        let network = configuration.network
        let own = [configuration.remote?.source?.url, network.prefetch?.tableSource?.url].compactMap(\.self)
        service.prepare(library.installed.map { "\($0.baseURL)" } + own)
    }

    func pageWillOpen(_ opening: PageOpening) {
        // The engine resolves the names of plain pages.
        guard policy.mode(ofPageAt: opening.url) != .plain else { return }
        service.prepare(page: opening.url, prefetch?.table?.requests(for: opening.url).map(\.url) ?? [])
    }

    func hostEnteredForeground() {
        service.checkNetwork()
        prepareServers()
    }

    func hostDidTransition(to state: HostState) async {
        if state.isAway { await service.save() } else { service.checkNetwork() }
    }

    func removeData(_ removal: AccountDataRemoval) async throws {
        if removal.contents.contains(.httpCache), removal.stage != .finished { try await service.removeAll() }
    }

    func shutDown() async { await service.shutDown() }

    func addCounters(to counters: inout ContainerCounters) { counters.nameResolution = service.counters }
}
