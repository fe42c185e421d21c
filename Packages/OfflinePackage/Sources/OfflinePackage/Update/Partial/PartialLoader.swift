// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import HTTPTypes
@_spi(Packaging) internal import PackageFormat
public import ResourceLoading

/// A loader that serves GET and HEAD requests from packages that are downloaded for the first time.
///
/// It serves files whose bytes have arrived. Each file is decoded from its slice and must have the SHA-256 of the
/// manifest; the headers of the zip are ignored. Requests for files that have not arrived, are too large for memory or
/// are damaged are passed to the next loader, so no request waits. HEAD has the same response as GET, including the
/// body. The loader follows ``PackageLoader``, which serves the package after its installation.
struct PartialLoader: ResourceLoader {
    /// The maximum number of bytes of a file that is served.
    private let sizeLimit: Int64
    private let packages: PartialPackages
    private let executor = SerialQueue("container.arrivals")

    /// Creates a loader for the downloads of an updater.
    /// - Parameters:
    ///   - updater: the updater that downloads the packages.
    ///   - sizeLimit: the maximum number of bytes of a file that is served, at most 8 MiB.
    init(_ updater: PackageUpdater, sizeLimit: Int64 = .max) {
        packages = updater.arrivals
        self.sizeLimit = min(sizeLimit, 8 << 20)
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head, let url = PackageURL(request.head) else {
            return nil
        }
        for package in packages.candidates(for: url) {
            guard packages.library.activeGeneration(of: package.manifest.id) == nil else { continue }
            // The package with the longest base path decides, even if it has no such file.
            guard let file = package.file(at: url), file.size <= sizeLimit else { return nil }
            guard let content = try await read(file, of: package) else { return nil }
            if let page = request.page, page.confidence == .exact,
                !packages.library.admit(page.page.id, to: package.manifest)
            {
                return nil
            }
            return respond(with: content, of: file, in: package.manifest)
        }
        return nil
    }

    /// Returns the bytes of a file, or `nil` if they do not match the manifest.
    private func read(_ file: PackageManifest.File, of package: PartialPackage) async throws -> Data? {
        try await executor.withPreference {
            do {
                var content = Data()
                try SliceFile.read(file, in: package.path) { content.append($0) }
                return SHA256Digest(of: content) == file.sha256 ? content : nil
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return nil
            }
        }
    }

    private func respond(
        with content: Data, of file: PackageManifest.File, in manifest: PackageManifest
    ) -> ResourceResponse {
        let fields = PackageFields.fields(
            of: file.path.description, mediaType: file.mediaType, digest: file.sha256, rules: manifest.fieldRules)
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(content),
            provenance: Provenance(
                .package, reason: "package \(manifest.id) \(manifest.version), still arriving: \(file.path)"))
    }
}

extension PackageUpdater {
    /// Returns a loader that serves GET and HEAD requests from the packages that the updater downloads for the first
    /// time. It follows ``PackageLoader``.
    ///
    /// It serves files whose bytes have arrived and have the SHA-256 of the manifest. Other requests are passed to the
    /// next loader, so no request waits.
    /// - Parameter sizeLimit: the maximum number of bytes of a file that is served, at most 8 MiB.
    public nonisolated func makePartialLoader(sizeLimit: Int64 = .max) -> any ResourceLoader {
        PartialLoader(self, sizeLimit: sizeLimit)
    }
}
