// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
internal import HTTPTypes
internal import HostLife
internal import OfflinePackage
internal import PackageFormat
internal import PackageUpdates
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceTable
@_spi(Facade) internal import SchemeRouter
internal import WebEngine

extension ContainerCore {
    /// Returns the interception policy of the container. Its content sources answer in this order: previews, installed
    /// packages, packages whose first version is being downloaded, the resource table. The sources of the app are at
    /// their places among them.
    func makePolicy(table: TableLibrary?, origins: OriginModeStore?) -> InterceptionPolicy {
        let semantics = configuration.packages.fileAnswers.semantics
        func content(at place: HostContent.Place) -> [any ContentSource] {
            configuration.network.hostContent.filter { $0.place == place }
                .map { HostContentSource(content: $0, outgoing: outgoing) }
        }
        var sources: [any ContentSource] = [
            PreviewSource(previews: previews, network: network, semantics: semantics)
        ]
        sources += content(at: .beforePackages)
        sources += [
            InstalledPackageSource(library: packages.library, feature: switches[.packages], semantics: semantics),
            PartialPackageSource(
                updater: packages.updater, feature: switches[.packages], semantics: semantics,
                sizeLimit: memory.partial),
        ]
        sources += content(at: .beforeResourceTable)
        if let table { sources.append(ResourceTableSource(table: table, feature: switches[.resourceTable])) }
        sources += content(at: .beforeCache)
        return InterceptionPolicy(
            rules: rules, hosts: configuration.network.coveredHosts, sources: ContentSources(sources), origins: origins,
            modes: modes)
    }
}

/// Folders and development servers that replace packages.
struct PreviewSource: ContentSource {
    let previews: PreviewList
    let network: any ResourceLoader
    let semantics: SemanticsLoader.Options

    var feature: FeatureSwitch? { nil }

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? { previews.makeLoader(network: network) }

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

    /// Returns `false`, because a package covers all URLs below its base URL but has files for only some of them.
    func lists(_ request: HTTPRequest) -> Bool { false }

    func covers(_ request: HTTPRequest, for page: PageReference) -> Bool { library.covers(request.urlText, for: page) }

    func holds(_ request: HTTPRequest, for page: PageReference) -> Bool { library.decides(request.urlText, for: page) }

    func mayServe(originOf request: HTTPRequest) -> Bool { library.serves(originOf: request) }
}

/// Packages whose first version is being downloaded.
struct PartialPackageSource: ContentSource {
    let updater: PackageUpdater
    let feature: FeatureSwitch?
    let semantics: SemanticsLoader.Options
    /// The maximum number of bytes of a file that is held in memory until it is verified.
    let sizeLimit: Int

    /// Returns the loader, or `nil` if the engine does not identify the page of a request. All files of a page must
    /// have the same version, even if a second version follows during the download.
    func loader(for traits: EngineTraits) -> (any ResourceLoader)? {
        traits.identifiesPage ? updater.makePartialLoader(sizeLimit: Int64(sizeLimit)) : nil
    }

    func covers(_ request: HTTPRequest) -> Bool { updater.covers(request.urlText) }

    func mayServe(originOf request: HTTPRequest) -> Bool { updater.serves(originOf: request) }
}

/// The files of a resource table.
struct ResourceTableSource: ContentSource {
    let table: TableLibrary
    let feature: FeatureSwitch?

    /// The options of responses from the table. They also apply to responses from the network, because the table
    /// downloads a complete file on first use.
    var semantics: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.sources.insert(.network)
        return options
    }

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? { table.makeLoader() }

    func covers(_ request: HTTPRequest) -> Bool { table.entry(answering: request.urlText) != nil }

    func mayServe(originOf request: HTTPRequest) -> Bool {
        request.webOrigin.map { table.table?.origins.contains($0) ?? false } ?? false
    }
}

/// A content source of the app.
struct HostContentSource: ContentSource {
    /// The loader of a source, which marks its requests because it may use a session that the container intercepts.
    private struct MarkingLoader: ResourceLoader {
        let content: HostContent
        let outgoing: OutgoingRequests

        nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            guard content.contains(request.head) else { return nil }
            return try await outgoing.marking(request.head) { try await content.load(request) }
        }

        func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
            content.immediateResponse(to: request)
        }
    }

    let content: HostContent
    /// The requests that code of the app sends for the container.
    let outgoing: OutgoingRequests

    var feature: FeatureSwitch? { nil }

    var semantics: SemanticsLoader.Options {
        var options = SemanticsLoader.Options()
        options.sources = [Provenance.Source(rawValue: content.name)]
        return options
    }

    func loader(for traits: EngineTraits) -> (any ResourceLoader)? {
        MarkingLoader(content: content, outgoing: outgoing)
    }

    func covers(_ request: HTTPRequest) -> Bool { content.coversHosts && content.contains(request) }

    func lists(_ request: HTTPRequest) -> Bool { content.contains(request) }

    func holds(_ request: HTTPRequest, for page: PageReference) -> Bool { content.contains(request) }

    func mayServe(originOf request: HTTPRequest) -> Bool { content.coversHosts && content.hasHost(of: request) }
}
