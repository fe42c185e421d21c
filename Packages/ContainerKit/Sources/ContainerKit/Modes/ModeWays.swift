// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import HTTPTransport
internal import Logging
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable

/// What a container has once for each of its modes: the chain of its requests, by the engine's traits, and what is
/// asked with ahead of its pages.
struct ModeWay: Sendable {
    let mode: InterceptionMode
    let traits: EngineTraits
    let path: RequestPath
    /// What the engine adds to requests in this mode; `nil` where nothing is fetched ahead.
    let fields: EngineFields?
    let ahead: PrefetchCare.Setup?
}

/// The ways of all modes of a container, over one store, cache, transport, and jar.
struct ModeWays: Sendable {
    /// At least one.
    let all: [ModeWay]
    /// That of requests by the custom scheme.
    let byName: ModeWay

    init(all: [ModeWay]) {
        self.all = all
        byName = all.first { $0.mode == .customScheme } ?? all[0]
    }

    /// That of the app's own requests, and of all that is the same in each mode.
    var primary: ModeWay { all[0] }
    /// That of requests over loopback.
    var overLoopback: ModeWay { all.first(where: \.mode.isOverLoopback) ?? primary }

    subscript(mode: InterceptionMode) -> ModeWay? { all.first { $0.mode == mode } }

    /// Forgets what was noted for a page that is closed.
    func forget(_ page: PageID) {
        for way in all { way.path.forget(page) }
    }
}

extension Container {
    var path: RequestPath { ways.primary.path }

    /// What all chains have in common.
    struct Shared {
        let store: ResourceStore
        let coverage: Coverage
        let network: NetworkLoader
        let cache: CachingLoader?
        let cookies: PageCookies?
        let memory: MemoryShares
    }

    static func openWays(
        _ configuration: Configuration, _ engine: Engine, _ modes: PageModes, over shared: Shared
    ) async -> ModeWays {
        var ways: [ModeWay] = []
        for mode in modes.chains {
            let traits = engine.traits(in: mode)
            let fields: EngineFields? =
                configuration.prefetch == nil
                ? nil
                : await EngineFields.open(
                    shared.store, of: ways.isEmpty ? nil : mode, logger: configuration.logger)
            let ahead = PrefetchCare.Setup(
                configuration, traits, fields: fields, library: shared.coverage.library,
                switches: shared.coverage.switches, among: modes.chains.count)
            let path = RequestPath(
                names: configuration.names, traits: traits, coverage: shared.coverage,
                network: traits.decodes ? NetworkLoader(configuration.transport) : shared.network,
                cache: shared.cache,
                // What another mode's cookies go into is no way for those of an engine that has its own.
                isCacheOfOthers: shared.cookies != nil && traits.keepsCookies, fileAnswers: configuration.fileAnswers,
                cookies: traits.keepsCookies ? nil : shared.cookies,
                handOverField: configuration.cookies.handOverField, memory: shared.memory, ahead: ahead)
            ways.append(ModeWay(mode: mode, traits: traits, path: path, fields: fields, ahead: ahead))
        }
        return ModeWays(all: ways)
    }
}
