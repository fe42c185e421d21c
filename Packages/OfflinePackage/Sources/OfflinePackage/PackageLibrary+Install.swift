// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
public import PackageFormat
public import ResourceLoading
internal import ResourceStore

extension PackageLibrary {
    /// Verifies a package, brings it into the store and makes it the active version of its id.
    ///
    /// All or nothing: every file of the manifest must come out of the archive with its size and digest, or be in the
    /// store already, else nothing changes. Where the manifest says where files lie in the archive, just those places
    /// are read, on two threads, and the archive's own headers are not; else the archive must hold the manifest's files
    /// and no others. Room is made, or refused, before anything is written. When this returns the package survives a
    /// power cut. A package that is active already, with the same version, base URL and files, is returned as it is.
    /// The archive stays where it is; it belongs to the caller.
    ///
    /// Runs off the caller's actor, one install at a time. Cancelling the task stops between two chunks.
    /// - Parameters:
    ///   - archive: the path of a zip, tar.gz or tar.zst.
    ///   - location: the path of the manifest.
    ///   - progress: called after each file, on the install's threads, one call after another.
    /// - Throws: `PackageError` for what is wrong with the package, `StoreError` where the store cannot take
    ///   it, ``DeliveryError`` with code `queueFull` where too many installs wait and
    ///   `hostTooOld` where the package asks for a later host,
    ///   `insecure` for a base URL of `http`, or `CancellationError`.
    @discardableResult
    public func install(
        archive: String, manifest location: String, progress: (@Sendable (InstallProgress) -> Void)? = nil
    ) async throws -> InstalledPackage {
        try await inTurn {
            let (manifest, digest) = try await readManifest(location)
            try manifest.check(host: configuration.hostVersion, at: location)
            let draft = try await draft(of: manifest)
            if let active = try await active(equalTo: draft) {
                try await raiseSequence(to: manifest, digest)
                return active
            }
            try await extractFiles(of: draft, from: archive, progress: progress)
            try await raiseSequence(to: manifest, digest)
            let generation = try await stage(draft, timing: nil, isBaseline: false)
            do {
                try await activate(generation)
            } catch {
                // Where this fails too, the next library on this store gives the generation up.
                try? store.retire(generation.number)
                throw error
            }
            return generation.package
        }
    }

    /// Reads a manifest from the file system, with the digest of its bytes.
    /// - Throws: ``PackageError`` or `CancellationError`.
    func readManifest(_ path: String) async throws -> (PackageManifest, SHA256Digest) {
        try await onThread { library in
            let limits = library.configuration.manifestLimits
            let bytes = try ManifestFile.read(path, upTo: limits.maxBytes)
            return try (PackageManifest(decoding: bytes, limits: limits), SHA256Digest(of: bytes))
        }
    }

    func activePackage(equalTo manifest: PackageManifest, _ entries: [StoredEntry]) -> InstalledPackage? {
        guard let active = activeGeneration(of: manifest.id), active.package.version == manifest.version,
            active.package.baseURL == manifest.baseURL, active.package.isComplete == manifest.isComplete
        else { return nil }
        // A table that cannot be read is repaired by installing again.
        guard let table = try? active.entries(in: store) else { return nil }
        return table.count == entries.count && entries.allSatisfy { table[$0.path] == $0 } ? active.package : nil
    }
}

/// A package that answers requests.
public struct InstalledPackage: Sendable, Hashable {
    public let id: PackageID
    public let version: PackageVersion
    /// What its files lie under.
    public let baseURL: PackageBaseURL
    /// Whether its files are all there is under the base URL.
    public let isComplete: Bool
    /// The generation that is active.
    public let generation: GenerationReference
}
