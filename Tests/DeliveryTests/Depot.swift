// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import PackagePublisher
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// A folder from which a server serves packages, and a separate store.
struct Depot: Sendable {
    let folder: TemporaryFolder
    let store: BlobStore
    let library: PackageLibrary

    var www: String { folder.path + "/www" }

    /// Creates a depot.
    /// - Parameters:
    ///   - directory: The directory of the store, or `nil` for a directory in the folder.
    ///   - onStep: A closure that is called before each step of the store that reaches the disk. It may throw.
    init(
        store directory: String? = nil, onStep: @escaping @Sendable (StoreStep) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        store = try BlobStore(directory: directory ?? folder.path + "/store", onStep: onStep)
        library = try PackageLibrary(store: store)
        try FileManager.default.createDirectory(atPath: folder.path + "/www", withIntermediateDirectories: true)
    }

    /// Packs a site as `ID-VERSION.zip` and writes its manifest to `ID.json`.
    @discardableResult
    func publish(
        _ site: [String: Data], id: String = "shop", version: String, base: String = "https://shop.example/",
        edit: (inout PackageManifest) -> Void = { _ in }
    ) throws -> PackageManifest {
        let site = site.map { ("\(id)-\(version)/\($0)", $1) }
        for (name, content) in site { try folder.write("sites/\(name)", content) }
        let result = try PackageBuilder().build(
            "\(folder.path)/sites/\(id)-\(version)", id: PackageID(id), version: PackageVersion(version),
            baseURL: PackageBaseURL(base), output: www)
        var manifest = try PackageManifest(path: result.manifest)
        edit(&manifest)
        try manifest.encoded().write(to: URL(filePath: "\(www)/\(id).json"))
        // A server's `Last-Modified` is a strong validator only if it is old enough (RFC 9110, section 8.8.2.2).
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: result.archive)
        return manifest
    }

    /// Returns the configuration of a server of the folder. A relay with a high rate counts every byte, including
    /// headers.
    func configuration() throws -> OriginServer.Configuration {
        var configuration = OriginServer.Configuration(folder: www)
        configuration.profile = try NetworkProfile(downKilobits: 10_000_000)
        return configuration
    }

    func updater(
        _ network: Network, library: PackageLibrary? = nil, holding held: (suffix: String, gate: Gate?)? = nil,
        edit: (inout PackageUpdater.Configuration) -> Void = { _ in }
    ) -> PackageUpdater {
        var configuration = PackageUpdater.Configuration()
        configuration.downloads = promptly()
        edit(&configuration)
        var loader = network.loader
        if let held, let gate = held.gate { loader = HeldLoader(next: loader, suffix: held.suffix, gate: gate) }
        return PackageUpdater(library: library ?? self.library, loader: loader, configuration: configuration)
    }

    /// Waits until the only current download has the given number of bytes on disk.
    func downloaded(_ bytes: Int) async throws {
        func size() throws -> Int? {
            let folder = store.directory + "/downloads"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            guard let part = names.first(where: { $0.hasSuffix(".part") }) else { return nil }
            return try FileManager.default.attributesOfItem(atPath: "\(folder)/\(part)")[.size] as? Int
        }
        while try size() != bytes {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    func get(_ path: String, by loader: (any ResourceLoader)? = nil) async throws -> Data? {
        let head = try #require(HTTPRequest(urlText: "https://shop.example/\(path)"))
        return try await (loader ?? .package(library)).load(ResourceRequest(head))?.body.collect(upTo: 64 << 20)
    }

    /// Returns a Boolean value that indicates whether the store serves all files with the given content.
    func serves(_ site: [String: Data]) async throws -> Bool {
        for (path, content) in site where try await get(path) != content { return false }
        return library.unreadableFiles == 0
    }
}

extension Network {
    /// Returns the source of a package that is published for `https://ID.example/`.
    func source(_ id: String = "shop") -> PackageSource {
        PackageSource("\(server.url)/\(id).json", scope: try? PackageBaseURL("https://\(id).example/"))
    }

    /// The requests for archives.
    var archiveRequests: [OriginRequest] { server.requests.filter { $0.path.hasSuffix(".zip") } }
}

/// Returns fifty files, 49 of about 100 KB and one of 20 KB.
func largeSite() -> [String: Data] {
    var site: [String: Data] = [:]
    for index in 0..<49 { site["js/\(index).js"] = text(102_000, seed: UInt64(index) + 100) }
    site["index.html"] = text(20_480, seed: 1)
    return site
}

/// A loader that delays requests whose URL has the suffix until the gate opens.
private struct HeldLoader: ResourceLoader {
    let next: any ResourceLoader
    let suffix: String
    let gate: Gate

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        if request.head.urlText.hasSuffix(suffix) { await gate.pass() }
        return try await next.load(request)
    }
}
