// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import PackageFormat
internal import ResourceStore

/// The source, scope and sequence number that an installed package keeps across versions.
struct PackageBinding: Sendable {
    let package: String
    /// The URL that the package's base URL must lie below.
    let scope: PackageBaseURL
    /// The address of the only source that may update the package.
    ///
    /// It is `nil` if the package came with the app or from the host and no source has updated it yet.
    let source: String?
    /// The sequence number of the package's manifest.
    let sequence: Int64?

    /// Creates the binding of a generation in the store.
    /// - Throws: an error if the store's record is not valid.
    init(_ stored: StoredGeneration) throws {
        let record = try GenerationRecord(decoding: stored.metadata)
        package = stored.package
        scope = record.effectiveScope
        source = record.effectiveSource
        sequence = record.sequence
    }
}

extension PackageLibrary {
    /// Returns the bindings of active and staged packages. For each package the active generation comes first.
    ///
    /// Call it on the library's thread.
    private func bindings() throws -> [PackageBinding] {
        let waiting = try store.generations(in: .staged).filter { stored in
            (try? GenerationRecord(decoding: stored.metadata))?.timing != nil
        }
        return try (store.activeGenerations() + waiting).compactMap { try? PackageBinding($0) }
    }

    /// Returns the binding of a package, or `nil` if it is not installed. Call it on the library's thread.
    func binding(of id: PackageID) throws -> PackageBinding? {
        try bindings().first { $0.package == id.description }
    }

    /// Checks that a manifest may become the next version of its package.
    /// - Parameters:
    ///   - manifest: the manifest to check.
    ///   - digest: the digest of the manifest's bytes.
    ///   - source: the source that the manifest was fetched from.
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
            // An address has no query, so several sources may have one address. Each must then name its package.
            if source.package?.description != name,
                let other = bindings.first(where: { $0.source == source.address && $0.package != name })
            {
                throw DeliveryError(
                    .outOfScope, "the manifest describes \(name), but this source belongs to \(other.package)",
                    at: source.manifestURL)
            }
            let storedBinding = bindings.first { $0.package == name }
            let scope = try source.check(manifest, against: storedBinding)
            // A signed catalogue itself refuses older releases, and allows one after a failed trial.
            guard source.signedVersion == nil else { return scope }
            try SequenceDocument(library.store).load().mark(of: name, orOf: storedBinding)?
                .check(manifest, digest, at: source.manifestURL)
            return scope
        }
    }
}
