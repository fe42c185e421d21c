// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
public import ResourceLoading

/// Answers from packages whose first download is under way: GET and HEAD of files whose bytes have arrived.
///
/// Each answer is unpacked from its place in the archive, as the manifest says, and has the manifest's SHA-256; the order
/// and the headers of the zip are not looked at. What has not arrived, is too large to be held in memory, or is wrong is
/// left to the next loader: no request waits. HEAD is answered as GET is, body included. It comes after ``PackageLoader``, which takes over as soon as the package
/// is installed.
public struct PartialLoader: ResourceLoader {
    /// The most bytes of a file that is answered. Default: 8 MiB.
    public var sizeLimit: Int64 = 8 << 20
    private let packages: PartialPackages
    private let executor = SerialQueue("container.arrivals")

    public init(_ updater: PackageUpdater) {
        packages = updater.arrivals
    }

    nonisolated(nonsending) public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head, let url = PackageURL(request.head) else {
            return nil
        }
        for package in packages.candidates(for: url) {
            guard packages.library.activeGeneration(of: package.manifest.id) == nil else { continue }
            // The longest base path decides, also by having no such file.
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

    /// The bytes of a file; `nil` where they are not what the manifest says.
    private func read(_ file: PackageManifest.File, of package: PartialPackage) async throws -> Data? {
        try await withTaskExecutorPreference(executor) {
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
        // The same fields as of the installed package, so that the engine's copy stays good.
        let fields: HTTPFields = [
            .contentType: file.mediaType, .eTag: "\"\(file.sha256)\"", .cacheControl: "no-cache",
        ]
        return ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .bytes(content),
            provenance: Provenance(
                .package, reason: "package \(manifest.id) \(manifest.version), still arriving: \(file.path)"))
    }
}

extension ResourceLoader where Self == PartialLoader {
    /// Answers from the packages that an updater is fetching for the first time.
    /// - Parameters:
    ///   - updater: the updater that fetches the packages.
    ///   - sizeLimit: the most bytes of a file that is answered, where that is less than the loader's own.
    public static func partial(_ updater: PackageUpdater, sizeLimit: Int64 = .max) -> Self {
        var loader = PartialLoader(updater)
        loader.sizeLimit = min(loader.sizeLimit, sizeLimit)
        return loader
    }
}
