// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import Logging
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
    /// The current state of remote config, or `nil` if the configuration has none.
    public var remoteConfig: RemoteConfigState? {
        core.remoteConfig?.state
    }

    /// Applies a document that the host received through its own channel. Like a document of the server, it is stored
    /// for the next launches, and older documents are rejected.
    /// - Parameter document: the document.
    /// - Throws: ``ContainerError`` with code `unsupported` if the configuration has no remote config;
    ///   `RemoteConfigError` with code `older` if a newer document is active, and nothing changes; `StoreError` if the
    ///   document was applied but could not be stored for the next launch.
    public func apply(_ document: RemoteConfigDocument) async throws {
        guard let service = core.remoteConfig else {
            throw ContainerError(.unsupported, "the configuration has no remote config")
        }
        try await service.apply(document)
    }
}

// MARK: - Assembly

extension RemoteConfigService {
    /// Creates the service and applies the stored document. Returns `nil` if the configuration has no remote config.
    static func open(
        _ configuration: ContainerConfiguration, _ store: BlobStore, _ network: any ResourceLoader,
        _ rules: ActiveRules, _ switches: FeatureSwitches
    ) async -> RemoteConfigService? {
        guard let options = configuration.remote else { return nil }
        let service = RemoteConfigService(
            options, network: network, store: store, conditions: configuration.hostConditions,
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

/// The component of remote config. It requests the document when pages open, and sends the events.
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

    /// Reports the modes of a document that have no effect, because the container does not use them.
    private func reportMissingModes(of document: RemoteConfigDocument?) {
        guard let missing = document.map(modes.missing), !missing.isEmpty else { return }
        logger.warning(
            "remote config names modes that are not in use",
            metadata: ["modes": "\(missing.map(\.rawValue).joined(separator: ", "))"])
        hub.send(.remoteConfigModesIgnored(missing))
    }
}

extension ContainerConfiguration {
    /// Returns a copy with the limits of remote config. A limit does not change if the host has set it to zero or does
    /// not use its feature.
    func with(_ numbers: RemoteConfigNumbers) -> Self {
        var changed = self
        if let seconds = numbers.prefetchSeconds { changed.network.prefetch?.loader.maxAge = .seconds(seconds) }
        if let capacity = numbers.poolCapacity, views.pool.most > 0 {
            changed.views.pool = PoolCapacity(fixed: capacity)
        }
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
    /// Applies the page modes of a remote config document.
    /// - Throws: ``ContainerError`` with code `unsupported` if the document has more patterns than route rules allow.
    mutating func apply(_ document: RemoteConfigDocument) throws(ContainerError) {
        do {
            try apply(document.pageModes.map { (pages: $0.pages, mode: $0.mode.named) })
        } catch {
            throw ContainerError(.unsupported, error.message, at: error.location)
        }
    }

    /// Returns the modes that a document names but that are not in use.
    func missing(in document: RemoteConfigDocument) -> [InterceptionMode] {
        InterceptionMode.allCases.filter { mode in
            !started.contains(mode) && document.pageModes.contains { $0.mode.named == mode }
        }
    }
}

extension RemoteConfigMode {
    /// The intercepting mode, or `nil` if the value names none.
    fileprivate var named: InterceptionMode? {
        switch self {
        case .plain, .configured: nil
        case .customScheme: .customScheme
        case .document: .document
        case .loopbackProxy: .loopbackProxy
        case .loopbackServer: .loopbackServer
        }
    }
}
