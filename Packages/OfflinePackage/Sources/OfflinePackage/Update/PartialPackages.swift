// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat

/// The packages whose first download is under way.
///
/// Isolation: any.
final class PartialPackages: Sendable {
    let library: PackageLibrary
    private let state = Mutex<[ObjectIdentifier: PartialPackage]>([:])

    init(library: PackageLibrary) {
        self.library = library
    }

    /// Lets a package answer while it arrives; `nil` where its manifest does not say where its files lie.
    func begin(_ manifest: PackageManifest, at path: String) -> PartialPackage? {
        guard manifest.archive != nil, let package = PartialPackage(manifest, at: path) else { return nil }
        state.withLock { $0[ObjectIdentifier(package)] = package }
        return package
    }

    func end(_ package: PartialPackage) {
        state.withLock { $0[ObjectIdentifier(package)] = nil }
    }

    /// Whether one of them is for an origin.
    func serve(_ origin: String) -> Bool {
        state.withLock { $0.values.contains { $0.base.origin == origin } }
    }

    /// The packages that a URL lies under, the longest base path first.
    func candidates(for url: PackageURL) -> [PartialPackage] {
        state.withLock { Array($0.values) }.filter { $0.contains(url) }
            .sorted { $0.base.path.utf8.count > $1.base.path.utf8.count }
    }
}
