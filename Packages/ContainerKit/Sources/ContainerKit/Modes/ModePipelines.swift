// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import HTTPCache
internal import HTTPTransport
internal import Logging
internal import OfflinePackage
internal import PagePrefetch
internal import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import WebEngine

/// What a container has once for each of its modes: the chain of its requests, by the engine's traits, and what is
/// asked with ahead of its pages.
struct ModePipeline: Sendable {
    let mode: InterceptionMode
    let traits: EngineTraits
    let path: RequestHandler
    let prefetch: Prefetcher.Setup?
}

/// The ways of all modes of a container, over one store, cache, transport, and jar.
struct ModePipelines: Sendable {
    /// At least one.
    let all: [ModePipeline]
    /// That of requests by the custom scheme.
    let customScheme: ModePipeline

    init(all: [ModePipeline]) {
        self.all = all
        customScheme = all.first { $0.mode == .customScheme } ?? all[0]
    }

    /// That of the app's own requests, and of all that is the same in each mode.
    var primary: ModePipeline { all[0] }
    /// That of requests over loopback.
    var loopback: ModePipeline { all.first(where: \.mode.isOverLoopback) ?? primary }

    subscript(mode: InterceptionMode) -> ModePipeline? { all.first { $0.mode == mode } }

    /// Forgets what was noted for a page that is closed.
    func forget(_ page: PageID) {
        for pipeline in all { pipeline.path.forget(page) }
    }
}

extension Container {
    var path: RequestHandler { pipelines.primary.path }

    /// What all chains have in common.
    struct Shared {
        let store: BlobStore
        let library: PackageLibrary
        let switches: FeatureSwitches
        let policy: InterceptionPolicy
        let network: NetworkLoader
        let cache: CachingLoader?
        let cookies: PageCookies?
        let memory: MemoryBudget
    }

    static func openPipelines(
        _ configuration: Configuration, _ engine: Engine, _ modes: PageModes, over shared: Shared
    ) async -> ModePipelines {
        var pipelines: [ModePipeline] = []
        for mode in modes.chains {
            let traits = engine.traits(in: mode)
            let prefetchSetup = await openPrefetch(
                configuration, traits, in: pipelines.isEmpty ? nil : mode, of: modes.chains.count, over: shared)
            let loaders = LoaderStack.Parts(
                names: configuration.names, traits: traits, sources: shared.policy.sources,
                network: traits.decodes ? NetworkLoader(configuration.transport) : shared.network,
                cache: shared.cache, cacheSwitch: shared.switches[.httpCache],
                // What another mode's cookies go into is no way for those of an engine that has its own.
                isCacheOfOthers: shared.cookies != nil && traits.keepsCookies,
                cookies: traits.keepsCookies ? nil : shared.cookies, prefetchSetup: prefetchSetup)
            let path = RequestHandler(
                RequestHandler.Parts(
                    loaders: loaders, policy: shared.policy, memory: shared.memory,
                    handOverField: configuration.cookies.handOverField))
            pipelines.append(
                ModePipeline(mode: mode, traits: traits, path: path, prefetch: prefetchSetup))
        }
        return ModePipelines(all: pipelines)
    }
}
