// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPCache
internal import Logging
internal import OfflinePackage
internal import Prefetch
public import RemoteConfig
internal import ResourceLoading
internal import ResourceStore
internal import SchemeRouter
internal import WebViewPool

// What is on and off, from afar.
extension Container {
    /// What remote config says now; `nil` where the configuration has none.
    public var remoteConfig: RemoteConfigState? {
        remoteConfigService?.state
    }

    /// Puts a document in force that came by a channel of the host's own, as one of the server would be: it is kept for the
    /// next launches, and no older one takes its place.
    /// - Throws: ``ContainerError`` with code `unsupported` where the configuration has no remote config;
    ///   `RemoteConfigError` with code `older`, and nothing has changed; `StoreError` where it applies, but could not
    ///   be kept for the next launch.
    public func apply(_ document: RemoteConfigDocument) async throws {
        guard let remoteConfigService else {
            throw ContainerError(.unsupported, "the configuration has no remote config")
        }
        try await remoteConfigService.apply(document)
    }

    /// Begins to listen to remote config, and asks for its document.
    func beginRemoteConfig() {
        remoteConfigService?.onChange = { [weak self] state in
            guard let self else { return }
            proxy?.isUsed = liveRules.isOn
            hub.send(.remoteConfigChanged(state))
            reportMissingModes(of: state.isExpired ? nil : state.document)
        }
        reportMissingModes(of: remoteConfigService?.state.documentAtStart)
        remoteConfigService?.onCheck = { [hub] in hub.send(.remoteConfigChecked($0)) }
        remoteConfigService?.check()
    }

    /// Tells which of a document's modes have no effect, since this container has them not in use.
    private func reportMissingModes(of document: RemoteConfigDocument?) {
        guard let missing = document.map(modes.missing), !missing.isEmpty else { return }
        configuration.logger.warning(
            "remote config names modes that are not in use",
            metadata: ["modes": "\(missing.map(\.rawValue).joined(separator: ", "))"])
        hub.send(.remoteConfigModesIgnored(missing))
    }

    static func openRemoteConfig(
        _ configuration: Configuration, _ store: BlobStore, _ network: any ResourceLoader, _ rules: ActiveRules,
        _ switches: FeatureSwitches
    ) async -> RemoteConfigService? {
        guard let options = configuration.remoteConfig else { return nil }
        let service = RemoteConfigService(
            options, network: network, store: store, conditions: configuration.updates.conditions,
            logger: configuration.logger, rules: rules, switches: switches)
        await service.open(store)
        return service
    }
}

extension Container.Configuration {
    /// With these numbers in place of its own, where it uses what they are about: what the host has set to nothing stays so.
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
