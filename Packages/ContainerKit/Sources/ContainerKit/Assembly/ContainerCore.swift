// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
@_spi(Facade) internal import HTTPTransport
internal import HostLife
internal import Logging
internal import NameResolution
@_spi(Facade) internal import OfflinePackage
internal import PackageUpdates
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceStore
@_spi(Facade) internal import SchemeMode
internal import SchemeRouter
internal import WebEngine
internal import WebSyntax

/// The parts of a container that several features use. Most files of this folder create a feature from these parts.
///
/// Isolation: the main actor.
@MainActor
final class ContainerCore<Engine: WebEngineDriver> {
    let engine: Engine
    /// The configuration after remote config and the memory budget were applied to its limits.
    let configuration: ContainerConfiguration
    let hub = EventHub()
    let switches: FeatureSwitches
    let rules: ActiveRules
    let modes: PageModes
    /// The requests that code of the app sends for the container.
    let outgoing: OutgoingRequests
    let network: NetworkLoader
    /// The proxies of the container's connections; `nil` for none.
    let proxies: SystemProxies?
    /// The resolution of host names by servers, or `nil` if the configuration has none.
    let nameResolution: NameResolutionService?
    let packages: PackageService
    let previews = PreviewList()
    let pages: PageRegistry
    let memory: MemoryBudget
    /// The memory budget of the request bodies of all pages.
    let bodyBudget: ByteBudget
    /// The remote config service, or `nil` if the configuration has none.
    let remoteConfig: RemoteConfigService?

    /// Opens the container's directory and applies the stored remote config document.
    /// - Throws: `StoreError`; ``ContainerError`` with code `unsupported` if the modes cannot be combined.
    init(_ engine: Engine, _ given: ContainerConfiguration) async throws {
        var given = given.sharedOut
        given.conditions =
            given.conditions
            ?? ContainerConditions(engine.conditions ?? .favourable, unknownNetwork: given.unknownNetwork)
        outgoing = OutgoingRequests { [logger = given.logger] request in
            logger.warning("a request of the container came back", metadata: ["url": "\(request.urlText)"])
        }
        given.network.transport = given.network.transport.marking(in: outgoing)
        var modes = try Self.pageModes(given, for: engine)
        proxies = given.selectedProxies(engine.networking)
        let (rules, switches) = (ActiveRules(given.network.rules), FeatureSwitches())
        nameResolution = given.makeNameResolution(modes, proxies, switches[.nameResolution])
        let network = NetworkLoader(DecodingTransport(given.network.transport))
        let packages = try await PackageService(
            directory: given.directory, budgets: given.storage.budgets, packages: given.packages.library,
            updates: given.packages.updates, automatic: given.packages.automatic, reports: given.packages.reports,
            conditions: given.hostConditions, network: network, logger: given.logger)
        await NameResolutionService.open(nameResolution, in: packages.store)
        let remoteConfig = await RemoteConfigService.open(
            given, packages.store, RedirectedLoader(network), rules, switches)
        if let document = remoteConfig?.state.documentAtStart { try modes.apply(document) }
        self.engine = engine
        self.network = network
        self.packages = packages
        self.rules = rules
        self.switches = switches
        self.remoteConfig = remoteConfig
        self.modes = modes
        var configuration = given.with(remoteConfig?.numbers ?? RemoteConfigNumbers()).sharedOut
        if modes.standard == .httpsTakeover { configuration.pages.schemeNames = .realURLs }
        self.configuration = configuration
        pages = PageRegistry(packages.library)
        memory = MemoryBudget(ceiling: configuration.storage.memoryCeiling)
        bodyBudget = ByteBudget(limit: memory.bodies)
    }

    /// The logger of the app.
    var logger: Logger { configuration.logger }
    /// The names of the custom schemes.
    var names: SchemeNames { configuration.pages.schemeNames }
}

extension ContainerConfiguration {
    /// The conditions of the app, or those that `ContainerCore` has set.
    var hostConditions: any HostConditioning { conditions ?? .favourable }

    /// Returns the proxies of the container's connections, after the transport has received them.
    @MainActor
    fileprivate func selectedProxies(_ networking: any EngineNetworking) -> SystemProxies? {
        let selected: (any ProxyResolving)? =
            switch network.proxies {
            case .system: networking.systemProxies
            case .none: nil
            case .resolver(let resolver): resolver
            }
        guard let resolver = selected else { return nil }
        let proxies = SystemProxies(resolver) { [logger] reason, host in
            logger.warning("no proxy is known: direct", metadata: ["host": "\(host)", "error": "\(reason)"])
        }
        network.transport.useSystemProxies(proxies)
        return proxies
    }
}
