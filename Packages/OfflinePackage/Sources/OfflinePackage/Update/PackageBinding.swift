// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import PackageFormat
internal import ResourceStore

/// What an installed package keeps from one version to the next.
struct PackageBinding: Sendable {
    let package: String
    /// The URL that the package's base URL must lie under.
    let scope: PackageBaseURL
    /// The address of the source that alone may update it; `nil` if it came with the app or from the host, and no source
    /// has updated it yet.
    let source: String?
    /// The number of its manifest.
    let sequence: Int64?

    /// - Throws: an error if the store's record makes no sense.
    init(_ stored: StoredGeneration) throws {
        let record = try GenerationRecord(decoding: stored.metadata)
        package = stored.package
        scope = record.keptScope
        source = record.keptSource
        sequence = record.sequence
    }
}

extension PackageLibrary {
    /// The bindings of the packages that are installed or wait to be; of each package the active generation's comes first.
    /// To be called on the library's thread.
    private func bindings() throws -> [PackageBinding] {
        let waiting = try store.generations(in: .staged).filter { stored in
            (try? GenerationRecord(decoding: stored.metadata))?.timing != nil
        }
        return try (store.activeGenerations() + waiting).compactMap { try? PackageBinding($0) }
    }

    /// Returns what an installed package keeps; `nil` if it is not installed. To be called on the library's thread.
    func binding(of id: PackageID) throws -> PackageBinding? {
        try bindings().first { $0.package == id.description }
    }

    /// Checks that a manifest may become the next version of its package.
    /// - Parameters:
    ///   - digest: the digest of the manifest's bytes.
    ///   - source: the source that it was fetched from.
    /// - Returns: the scope that the package keeps from now on.
    /// - Throws: ``DeliveryError``, ``StoreError`` or `CancellationError`.
    func authorise(
        _ manifest: PackageManifest, _ digest: SHA256Digest, from source: PackageSource
    ) async throws -> PackageBaseURL {
        if !configuration.allowsInsecure {
            for url in [source.manifestURL, source.archive(of: manifest)] { try SecureURL.check(url) }
        }
        return try await onThread { library in
            let bindings = try library.bindings()
            let name = manifest.id.description
            // A source that names its package may differ from another one in its query alone.
            if source.package?.description != name,
                let other = bindings.first(where: { $0.source == source.address && $0.package != name })
            {
                throw DeliveryError(
                    .outOfScope, "the manifest is of \(name), and \(other.package) is installed from there",
                    at: source.manifestURL)
            }
            let kept = bindings.first { $0.package == name }
            let scope = try source.check(manifest, against: kept)
            try SequenceDocument(library.store).load().mark(of: name, orOf: kept)?
                .check(manifest, digest, at: source.manifestURL)
            return scope
        }
    }
}
