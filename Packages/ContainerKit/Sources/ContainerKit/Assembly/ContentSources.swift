// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
internal import OfflinePackage
internal import PackageUpdates
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceTable

extension ContainerCore {
    /// Returns the policy of interception over the content sources of the container, in the order in which they answer:
    /// previews, installed packages, packages that arrive, the resource table.
    func makePolicy(table: TableLibrary?, origins: OriginModeStore?) -> InterceptionPolicy {
        let semantics = configuration.packages.fileAnswers.semantics
        var sources: [any ContentSource] = [
            PreviewSource(previews: previews, network: network, semantics: semantics),
            InstalledPackageSource(library: packages.library, feature: switches[.packages], semantics: semantics),
            ArrivingPackageSource(
                updater: packages.updater, feature: switches[.packages], semantics: semantics,
                sizeLimit: memory.partial),
        ]
        if let table { sources.append(ResourceTableSource(table: table, feature: switches[.resourceTable])) }
        return InterceptionPolicy(
            rules: rules, hosts: configuration.network.coveredHosts, sources: ContentSources(sources), origins: origins,
            modes: modes)
    }
}
