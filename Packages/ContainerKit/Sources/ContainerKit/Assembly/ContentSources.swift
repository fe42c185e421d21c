// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
internal import OfflinePackage
internal import PackageUpdates
internal import RemoteConfig
internal import ResourceLoading
internal import ResourceTable

extension Container {
    /// Lists the content sources of a container, in the order in which they answer: previews, installed packages, packages
    /// that arrive, the resource table.
    static func contentSources(
        _ configuration: ContainerConfiguration, _ packages: PackageService, _ table: TableLibrary?,
        _ previews: PreviewList,
        _ network: any ResourceLoader, _ switches: FeatureSwitches, memory: MemoryBudget
    ) -> ContentSources {
        let semantics = configuration.packages.fileAnswers.semantics
        var sources: [any ContentSource] = [
            PreviewSource(previews: previews, network: network, semantics: semantics),
            InstalledPackageSource(library: packages.library, feature: switches[.packages], semantics: semantics),
            ArrivingPackageSource(
                updater: packages.updater, feature: switches[.packages], semantics: semantics,
                sizeLimit: memory.partial),
        ]
        if let table { sources.append(ResourceTableSource(table: table, feature: switches[.resourceTable])) }
        return ContentSources(sources)
    }
}
