// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Packaging) internal import PackageFormat
internal import WebSyntax

/// A package whose archive is being downloaded.
///
/// Isolation: any.
final class PartialPackage: Sendable {
    let manifest: PackageManifest
    let base: PackageURL
    /// The path of the growing archive.
    let path: String
    private let files: [ByteText: PackageManifest.File]
    private let received = Mutex<Int64>(0)

    init?(_ manifest: PackageManifest, at path: String) {
        guard let base = PackageURL(manifest.baseURL.description) else { return nil }
        self.manifest = manifest
        self.base = base
        self.path = path
        files = Dictionary(
            manifest.files.map { (ByteText($0.path.description), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Records the number of bytes that have arrived from the start of the archive.
    func record(_ bytes: Int64) {
        received.withLock { $0 = bytes }
    }

    func contains(_ url: PackageURL) -> Bool {
        base.isPrefix(of: url)
    }

    /// Returns the file for a URL below the base URL if all its bytes have arrived.
    func file(at url: PackageURL) -> PackageManifest.File? {
        guard let file = files[ByteText(url.filePath(below: base))], let slice = file.slice,
            slice.end <= received.withLock({ $0 })
        else {
            return nil
        }
        return file
    }
}

/// The packages that are downloaded for the first time.
///
/// Isolation: any.
final class PartialPackages: Sendable {
    let library: PackageLibrary
    private let state = Mutex<[ObjectIdentifier: PartialPackage]>([:])

    init(library: PackageLibrary) {
        self.library = library
    }

    /// Registers a package so that its files are served during the download. Returns `nil` if the manifest has no
    /// slices.
    func begin(_ manifest: PackageManifest, at path: String) -> PartialPackage? {
        guard manifest.archive != nil, let package = PartialPackage(manifest, at: path) else { return nil }
        state.withLock { $0[ObjectIdentifier(package)] = package }
        return package
    }

    func end(_ package: PartialPackage) {
        state.withLock { $0[ObjectIdentifier(package)] = nil }
    }

    /// Returns a Boolean value that indicates whether one of the packages has an origin.
    func serve(_ origin: String) -> Bool {
        state.withLock { $0.values.contains { $0.base.origin == origin } }
    }

    /// Returns the packages that cover a URL, ordered by descending length of the base path.
    func candidates(for url: PackageURL) -> [PartialPackage] {
        state.withLock { Array($0.values) }.filter { $0.contains(url) }
            .sorted { $0.base.path.utf8.count > $1.base.path.utf8.count }
    }
}
