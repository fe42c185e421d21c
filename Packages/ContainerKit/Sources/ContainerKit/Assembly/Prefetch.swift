// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
package import Foundation
internal import HTTPTypes
internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
package import PagePrefetch
public import Prefetch
internal import PublicSuffixList
internal import RemoteConfig
package import RequestPipeline
package import ResourceLoading
internal import SchemeMode
package import WebEngine

// MARK: - API

extension Container {
    /// Replaces the table of the requests that are made when a page is opened, for pages that are opened from now on.
    /// Without effect if the configuration has no `prefetch`.
    /// - Parameter table: the table; `nil` for none.
    public func setPrefetchTable(_ table: PrefetchTable?) {
        prefetch?.table = table
    }
}

// MARK: - Assembly

extension ModePipeline {
    /// The header fields that the engine adds to requests in this mode; `nil` if no requests are made ahead.
    var fields: EngineFields? { prefetch?.fields }
}

extension Container {
    /// Creates the prefetch of a mode; returns `nil` if the configuration has none.
    /// - Parameters:
    ///   - mode: the mode; `nil` for the first one.
    ///   - modeCount: the number of modes.
    static func openPrefetch(
        _ configuration: ContainerConfiguration, _ traits: EngineTraits, in mode: InterceptionMode?, of modeCount: Int,
        over shared: Shared
    ) async -> Prefetcher.Setup? {
        guard let options = configuration.network.prefetch else { return nil }
        return Prefetcher.Setup(
            options, fields: await EngineFields.open(shared.store, of: mode, logger: configuration.logger),
            names: configuration.pages.schemeNames, acceptLanguage: traits.acceptLanguage,
            packages: SwitchedLoader(shared.switches[.packages], on: PackageLoader(shared.library)),
            modeCount: modeCount)
    }

    /// Creates the prefetchers of all modes; returns `nil` if the configuration has none.
    func makePrefetchers() -> Prefetchers? {
        Prefetchers(
            pipelines.all.compactMap { pipeline in
                guard let setup = pipeline.prefetch, let loader = pipeline.path.prefetch else { return nil }
                return Prefetcher(setup, in: pipeline.mode, loader: loader, routing: pipeline.path, cookies: self)
            })
    }

    /// Creates the service of the prefetch table, applies the stored table, and requests the table; returns `nil` if
    /// the configuration has no server for it.
    func openPrefetchTable(_ network: any ResourceLoader) async -> PrefetchTableService? {
        guard let prefetch, let source = configuration.network.prefetch?.tableSource else { return nil }
        let service = PrefetchTableService(
            source, for: prefetch, network: network, store: packages.store,
            conditions: configuration.conditions, logger: configuration.logger
        ) { [hub] in hub.send(.prefetchTableChecked($0)) }
        await service.open()
        return service
    }

    /// Requests the table if the interval is over and remote config allows prefetching.
    func checkPrefetchTable() {
        if switches.isOn(.prefetch) { prefetchTable?.check() }
    }

    /// Makes the requests of a page that is being opened, and starts to read its cookies.
    func beginPrefetch(for page: PageID, at url: String, isPosted: Bool, as agent: UserAgent) {
        for pipeline in pipelines.all { pipeline.fields?.use(agent) }
        guard let prefetch, switches.isOn(.prefetch) else { return }
        let mode = mode(ofPageAt: url)
        guard mode != .plain else { return }
        prefetch.begin(page, at: url, in: mode, isPosted: isPosted, as: agent)
    }

    /// Returns the response to a page's message as JSON; `nil` if there is none.
    /// - Throws: `PrefetchError` if the message is invalid; `CancellationError`.
    package func prefetched(for message: Data, from origin: WebOrigin, in view: ViewID) async throws -> Data? {
        let call = try PrefetchCall(json: message)
        guard let session = sessions[view], switches.isOn(.prefetch) else { return nil }
        return try await prefetch?.answer(call, of: session.reference, in: session.mode, from: origin)
    }
}

// MARK: - Ports

extension RequestHandler: PrefetchRouting {
    package func opens(_ url: String) -> Bool { policy.intercepts(documentAt: url) }
}

extension Prefetcher.Setup: PrefetchLoading {}

extension Container: PrefetchCookieReading {
    package func prefetchCookies(
        ofPageAt url: String, in mode: InterceptionMode
    ) async throws -> any PrefetchCookieSource {
        if let cookies {
            // The engine's store must have the cookies that pages by the scheme have received.
            await cookies.waitUntilSynchronized()
            if pipelines[mode]?.traits.keepsCookies == false { return cookies.pages }
        }
        return try await PageCookies(of: engine.cookies) { [loopback] cookie in
            guard let loopback else { return cookie }
            return loopback.cookie(cookie, ofPageAt: url)
        }
    }
}
