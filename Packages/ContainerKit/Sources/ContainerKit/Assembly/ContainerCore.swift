// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import HTTPTransport
internal import Logging
internal import OfflinePackage
internal import PackageUpdates
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceStore
internal import SchemeMode
internal import SchemeRouter
internal import WebEngine

/// The parts of a container that several features use. The files of this folder make the features from it, one each.
///
/// Isolation: the main actor.
@MainActor
final class ContainerCore<Engine: WebEngineDriver> {
    let engine: Engine
    /// The configuration with the numbers of remote config, and with no limit above its share of memory.
    let configuration: ContainerConfiguration
    let hub = EventHub()
    let switches: FeatureSwitches
    let rules: ActiveRules
    let modes: PageModes
    let network: NetworkLoader
    let packages: PackageService
    let previews = PreviewList()
    let pages: PageRegistry
    let memory: MemoryBudget
    /// The memory of the bodies of all pages.
    let bodyBudget: ByteBudget
    /// `nil` if the configuration has no remote config.
    let remoteConfig: RemoteConfigService?

    /// Opens the container's folder, and applies the stored document of remote config.
    /// - Throws: `StoreError`; ``ContainerError`` with code `unsupported` if modes do not go together.
    init(_ engine: Engine, _ given: ContainerConfiguration) async throws {
        let given = given.sharedOut
        var modes = try Self.pageModes(given)
        let network = NetworkLoader(DecodingTransport(given.network.transport))
        let packages = try await PackageService(
            directory: given.directory, budgets: given.storage.budgets, packages: given.packages.library,
            updates: given.updaterOptions, network: network, logger: given.logger)
        let (rules, switches) = (ActiveRules(given.network.rules), FeatureSwitches())
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
        configuration = given.with(remoteConfig?.numbers ?? RemoteConfigNumbers()).sharedOut
        pages = PageRegistry(packages.library)
        memory = MemoryBudget(ceiling: configuration.storage.memoryCeiling)
        bodyBudget = ByteBudget(limit: memory.bodies)
    }

    /// The logger of the app.
    var logger: Logger { configuration.logger }
    /// The names of pages in the mode `customScheme`.
    var names: SchemeNames { configuration.pages.schemeNames }
}
