// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading

@testable import OfflinePackage
@testable import ResourceStore

/// Files by path.
typealias Site = [String: String]

/// A library with its own store, archives in memory and manifests on disk.
struct Fixture {
    let directory: TemporaryFolder
    let store: BlobStore
    let archives = MemoryArchives()
    let library: PackageLibrary

    init(onStep: @escaping @Sendable (StoreStep) throws -> Void = { _ in }) throws {
        directory = try TemporaryFolder()
        store = try BlobStore(directory: directory.path + "/store", onStep: onStep)
        library = try PackageLibrary(store: store, archives: archives)
    }

    var loader: PackageLoader { .package(library) }

    /// Writes a manifest that matches `site` and returns its path.
    func manifest(
        _ site: Site, id: String = "shop", version: String, base: String = "https://shop.example/",
        edit: (inout PackageManifest) throws -> Void = { _ in }
    ) throws -> String {
        var manifest = try PackageManifest(
            id: PackageID(id), version: PackageVersion(version), baseURL: PackageBaseURL(base),
            files: site.map { path, text in
                PackageManifest.File(
                    path: try ArchivePath(path), size: Int64(text.utf8.count),
                    sha256: SHA256Digest(of: Data(text.utf8)),
                    mediaType: path.hasSuffix(".html") ? "text/html;charset=utf-8" : "text/javascript")
            })
        try edit(&manifest)
        let path = "\(directory.path)/\(id)-\(version)-\(UUID().uuidString).json"
        try manifest.encoded().write(to: URL(filePath: path))
        return path
    }

    /// Installs `site` with a matching manifest.
    @discardableResult
    func install(
        _ site: Site, id: String = "shop", version: String, base: String = "https://shop.example/",
        isComplete: Bool = false
    ) async throws -> InstalledPackage {
        archives.add(id, site.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
        return try await library.install(
            archive: id,
            manifest: manifest(site, id: id, version: version, base: base) { $0.isComplete = isComplete })
    }

    /// Returns the loader's response as text.
    func get(_ url: String, page: PageAttribution? = nil) async throws -> String? {
        guard let response = try await response(to: url, page: page) else { return nil }
        return String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
    }

    func response(
        to url: String, _ method: HTTPRequest.Method = .get, page: PageAttribution? = nil
    ) async throws -> ResourceResponse? {
        try await loader.load(ResourceRequest(request(url, method), page: page))
    }
}

/// Returns a request for a URL that is split as an adapter does it, without corrections.
func request(_ url: String, _ method: HTTPRequest.Method = .get) -> HTTPRequest {
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return HTTPRequest(
        method: method, scheme: String(parts[0].dropLast()), authority: String(parts[2]),
        path: parts.count > 3 ? "/" + parts[3] : "")
}

func page(
    _ generations: [GenerationReference], _ confidence: PageAttribution.Confidence = .exact,
    of id: PageID = PageID(rawValue: 1)
) -> PageAttribution {
    PageAttribution(
        PageReference(id: id, documentURL: "https://shop.example/", generations: generations),
        confidence: confidence)
}
