// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
internal import HTTPTypes
internal import OfflinePackage
internal import PackageFormat
internal import PackageUpdates
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceTable
internal import SchemeRouter
internal import WebEngine

extension ContainerCore {
    /// Returns the policy of interception over the content sources of the container, in the order in which they answer:
    /// previews, installed packages, packages that arrive, the resource table.
    func makePolicy(table: TableLibrary?, origins: OriginModeStore?) -> InterceptionPolicy {
        let semantics = configuration.packages.fileAnswers.semantics
        var sources: [any ContentSource] = [
            PreviewSource(previews: previews, network: network, semantics: semantics),
            InstalledPackageSource(library: packages.library, feature: switches[.packages], semantics: semantics),
            PartialPackageSource(
                updater: packages.updater, feature: switches[.packages], semantics: semantics,
                sizeLimit: memory.partial),
        ]
        if let table { sources.append(ResourceTableSource(table: table, feature: switches[.resourceTable])) }
        return InterceptionPolicy(
            rules: rules, hosts: configuration.network.coveredHosts, sources: ContentSources(sources), origins: origins,
            modes: modes)
    }
}

/// Folders and development servers that stand in for packages.
struct PreviewSource: ContentSource {
    let previews: PreviewList
    let network: any ResourceLoader
    let semantics: SemanticsLoader.Options

    var feature: FeatureSwitch? { nil }

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? { .previews(previews, network: network) }

    func covers(_ request: HTTPRequest) -> Bool { previews.covers(request.urlText) }

    func mayServe(originOf request: HTTPRequest) -> Bool {
        let origin = request.webOrigin
        return previews.mounted.contains { WebOrigin(url: $0.baseURL.description) == origin }
    }
}

/// Installed packages.
struct InstalledPackageSource: ContentSource {
    let library: PackageLibrary
    let feature: FeatureSwitch?
    let semantics: SemanticsLoader.Options

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? { .package(library) }

    func covers(_ request: HTTPRequest) -> Bool { library.covers(request) }

    /// A package covers all below its base URL, and has some of it.
    func lists(_ request: HTTPRequest) -> Bool { false }

    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { library.covers(request.urlText, for: page) }

    func mayServe(originOf request: HTTPRequest) -> Bool { library.serves(originOf: request) }
}

/// Packages whose first version is being downloaded.
struct PartialPackageSource: ContentSource {
    let updater: PackageUpdater
    let feature: FeatureSwitch?
    let semantics: SemanticsLoader.Options
    /// The most bytes of a file that is held in memory until it is verified.
    let sizeLimit: Int

    /// Of two versions that arrive one after the other a page gets files of one, for which the page has to be known.
    func loader(for traits: EngineTraits) -> (any ResourceLoader)? {
        traits.identifiesPage ? .partial(updater, sizeLimit: Int64(sizeLimit)) : nil
    }

    func covers(_ request: HTTPRequest) -> Bool { updater.covers(request.urlText) }

    func mayServe(originOf request: HTTPRequest) -> Bool { updater.serves(originOf: request) }
}

/// The files of a resource table.
struct ResourceTableSource: ContentSource {
    let table: TableLibrary
    let feature: FeatureSwitch?

    /// A table states the types of its files as its server would, and what is filled on first use is a whole file, too.
    var semantics: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.sources.insert(.network)
        return options
    }

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? { .resourceTable(table) }

    func covers(_ request: HTTPRequest) -> Bool { table.entry(answering: request.urlText) != nil }

    func mayServe(originOf request: HTTPRequest) -> Bool {
        request.webOrigin.map { table.table?.origins.contains($0) ?? false } ?? false
    }
}
