// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import Logging
internal import LoopbackInterception
internal import OfflinePackage
internal import PagePrefetch
internal import Prefetch
public import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceStore
internal import SchemeRouter
internal import WebEngine
internal import WebViewPool

// MARK: - API

extension Container {
    /// The current state of remote config; `nil` if the configuration has none.
    public var remoteConfig: RemoteConfigState? {
        core.remoteConfig?.state
    }

    /// Applies a document that the host received by a channel of its own, like one of the server: it is stored for the
    /// next launches, and no older document replaces it.
    /// - Parameter document: the document.
    /// - Throws: ``ContainerError`` with code `unsupported` if the configuration has no remote config;
    ///   `RemoteConfigError` with code `older`, and nothing has changed; `StoreError` if the document applies but could
    ///   not be stored for the next launch.
    public func apply(_ document: RemoteConfigDocument) async throws {
        guard let service = core.remoteConfig else {
            throw ContainerError(.unsupported, "the configuration has no remote config")
        }
        try await service.apply(document)
    }
}

// MARK: - Assembly

extension RemoteConfigService {
    /// Creates the service and applies the stored document; returns `nil` if the configuration has no remote config.
    static func open(
        _ configuration: ContainerConfiguration, _ store: BlobStore, _ network: any ResourceLoader,
        _ rules: ActiveRules, _ switches: FeatureSwitches
    ) async -> RemoteConfigService? {
        guard let options = configuration.remote else { return nil }
        let service = RemoteConfigService(
            options, network: network, store: store, conditions: configuration.conditions,
            logger: configuration.logger, rules: rules, switches: switches)
        await service.open()
        return service
    }
}

extension ContainerCore {
    func makeRemoteConfig() -> RemoteConfigComponent? {
        remoteConfig.map { RemoteConfigComponent($0, modes: modes, hub: hub, logger: logger) }
    }
}

// MARK: - Component

/// Remote config as a part of a container: requests its document when pages open, and sends its events.
///
/// Isolation: the main actor.
@MainActor
final class RemoteConfigComponent: ContainerComponent {
    let service: RemoteConfigService
    private let modes: PageModes
    private let hub: EventHub
    private let logger: Logger

    init(_ service: RemoteConfigService, modes: PageModes, hub: EventHub, logger: Logger) {
        self.service = service
        self.modes = modes
        self.hub = hub
        self.logger = logger
    }

    func start() {
        reportMissingModes(of: service.state.documentAtStart)
        service.onEvent = { [weak self] event in
            switch event {
            case .changed(let state):
                self?.hub.send(.remoteConfigChanged(state))
                self?.reportMissingModes(of: state.isExpired ? nil : state.document)
            case .checked(let check): self?.hub.send(.remoteConfigChecked(check))
            }
        }
    }

    func didStart() { service.check() }

    func pageWillOpen(_ opening: PageOpening) { service.check() }

    func hostEnteredForeground() { service.check() }

    func shutDown() async { await service.shutDown() }

    func addCounters(to counters: inout ContainerCounters) { counters.remoteConfig = service.counters }

    /// Reports the modes of a document that have no effect, because this container does not use them.
    private func reportMissingModes(of document: RemoteConfigDocument?) {
        guard let missing = document.map(modes.missing), !missing.isEmpty else { return }
        logger.warning(
            "remote config names modes that are not in use",
            metadata: ["modes": "\(missing.map(\.rawValue).joined(separator: ", "))"])
        hub.send(.remoteConfigModesIgnored(missing))
    }
}

extension ContainerConfiguration {
    /// Returns a copy with the numbers of remote config. A number that the host has set to zero, or whose feature the
    /// host does not use, stays unchanged.
    func with(_ numbers: RemoteConfigNumbers) -> Self {
        var changed = self
        if let seconds = numbers.prefetchSeconds { changed.network.prefetch?.loader.maxAge = .seconds(seconds) }
        if let capacity = numbers.poolCapacity, views.pool.most > 0 { changed.views.poolCapacity = capacity }
        if let bytes = numbers.httpCacheMemoryBytes, network.httpCache?.memoryBytes != 0 {
            changed.network.httpCache?.memoryBytes = bytes
        }
        if let bytes = numbers.httpCacheDiskBytes, network.httpCache?.diskBytes != 0 {
            changed.network.httpCache?.diskBytes = Int64(bytes)
        }
        return changed
    }
}

extension PageModes {
    /// Applies the modes that remote config names for pages.
    /// - Throws: ``ContainerError`` with code `unsupported` if there are more patterns than rules may have.
    mutating func apply(_ document: RemoteConfigDocument) throws(ContainerError) {
        do {
            try apply(document.pageModes.map { (pages: $0.pages, mode: $0.mode.named) })
        } catch {
            throw ContainerError(error)
        }
    }

    /// Returns the modes that a document names and that are not in use here, so that they have no effect.
    func missing(in document: RemoteConfigDocument) -> [InterceptionMode] {
        InterceptionMode.allCases.filter { mode in
            !started.contains(mode) && document.pageModes.contains { $0.mode.named == mode }
        }
    }
}

extension RemoteConfigMode {
    /// The mode that intercepts; `nil` if none is named.
    fileprivate var named: InterceptionMode? {
        switch self {
        case .plain, .configured: nil
        case .customScheme: .customScheme
        case .loopbackProxy: .loopbackProxy
        case .loopbackServer: .loopbackServer
        }
    }
}
