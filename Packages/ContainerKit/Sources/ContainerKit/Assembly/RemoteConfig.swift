// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import Logging
internal import LoopbackInterception
internal import OfflinePackage
internal import PagePrefetch
internal import Prefetch
public import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import SchemeRouter
internal import WebViewPool

// MARK: - API

extension Container {
    /// The current state of remote config; `nil` if the configuration has none.
    public var remoteConfig: RemoteConfigState? {
        remoteConfigService?.state
    }

    /// Applies a document that the host received by a channel of its own, like one of the server: it is stored for the
    /// next launches, and no older document replaces it.
    /// - Parameter document: the document.
    /// - Throws: ``ContainerError`` with code `unsupported` if the configuration has no remote config;
    ///   `RemoteConfigError` with code `older`, and nothing has changed; `StoreError` if the document applies but could
    ///   not be stored for the next launch.
    public func apply(_ document: RemoteConfigDocument) async throws {
        guard let remoteConfigService else {
            throw ContainerError(.unsupported, "the configuration has no remote config")
        }
        try await remoteConfigService.apply(document)
    }
}

// MARK: - Assembly

extension Container {
    /// Creates the service and applies the stored document; returns `nil` if the configuration has no remote config.
    static func openRemoteConfig(
        _ configuration: Configuration, _ store: BlobStore, _ network: any ResourceLoader, _ rules: ActiveRules,
        _ switches: FeatureSwitches
    ) async -> RemoteConfigService? {
        guard let options = configuration.remoteConfig else { return nil }
        let service = RemoteConfigService(
            options, network: network, store: store, conditions: configuration.updates.conditions,
            logger: configuration.logger, rules: rules, switches: switches)
        await service.open()
        return service
    }

    /// Sends the events of remote config from now on, and requests its document.
    func beginRemoteConfig() {
        guard let remoteConfigService else { return }
        reportMissingModes(of: remoteConfigService.state.documentAtStart)
        remoteConfigService.onEvent = { [weak self, hub] event in
            switch event {
            case .changed(let state): self?.remoteConfigChanged(to: state)
            case .checked(let check): hub.send(.remoteConfigChecked(check))
            }
        }
        remoteConfigService.check()
    }

    private func remoteConfigChanged(to state: RemoteConfigState) {
        loopback?.isUsed = liveRules.isOn
        hub.send(.remoteConfigChanged(state))
        reportMissingModes(of: state.isExpired ? nil : state.document)
    }

    /// Reports the modes of a document that have no effect, because this container does not use them.
    private func reportMissingModes(of document: RemoteConfigDocument?) {
        guard let missing = document.map(modes.missing), !missing.isEmpty else { return }
        configuration.logger.warning(
            "remote config names modes that are not in use",
            metadata: ["modes": "\(missing.map(\.rawValue).joined(separator: ", "))"])
        hub.send(.remoteConfigModesIgnored(missing))
    }
}

extension Container.Configuration {
    /// Returns a copy with the numbers of remote config. A number that the host has set to zero, or whose feature the
    /// host does not use, stays unchanged.
    func with(_ numbers: RemoteConfigNumbers) -> Self {
        var changed = self
        if let seconds = numbers.prefetchSeconds { changed.prefetch?.loader.maxAge = .seconds(seconds) }
        if let capacity = numbers.poolCapacity, pool.most > 0 { changed.poolCapacity = capacity }
        if let bytes = numbers.httpCacheMemoryBytes, httpCache?.memoryBytes != 0 {
            changed.httpCache?.memoryBytes = bytes
        }
        if let bytes = numbers.httpCacheDiskBytes, httpCache?.diskBytes != 0 {
            changed.httpCache?.diskBytes = Int64(bytes)
        }
        return changed
    }
}
