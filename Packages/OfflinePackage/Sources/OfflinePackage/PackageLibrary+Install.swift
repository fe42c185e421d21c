// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

extension PackageLibrary {
    /// Verifies a package, brings it into the store and makes it the active version of its id.
    ///
    /// All or nothing: the archive must hold exactly the manifest's files, each with its size and digest, else
    /// nothing changes. Every file is hashed while it is written; no file is written that the store has. When
    /// this returns the package survives a power cut. A package that is active already, with the same version,
    /// base URL and files, is returned as it is. The archive stays where it is; it belongs to the caller.
    ///
    /// Runs off the caller's actor, one install at a time. Cancelling the task stops between two chunks.
    /// - Parameters:
    ///   - archive: the path of a zip, tar.gz or tar.zst.
    ///   - manifest: the path of the manifest.
    ///   - progress: called after each file, on the install's thread.
    /// - Throws: `PackageError` for what is wrong with the package, `StoreError` where the store cannot take
    ///   it, or `CancellationError`.
    @discardableResult
    public func install(
        archive: String, manifest: String, progress: (@Sendable (InstallProgress) -> Void)? = nil
    ) async throws -> InstalledPackage {
        try await withTaskExecutorPreference(executor) { [self] in
            try Task.checkCancellation()
            let manifest = try PackageManifest(
                decoding: ManifestFile.read(manifest, upTo: configuration.manifestLimits.maxBytes),
                limits: configuration.manifestLimits)
            return try install(archive, as: manifest, progress: progress)
        }
    }

    private func install(
        _ archive: String, as manifest: PackageManifest, progress: (@Sendable (InstallProgress) -> Void)?
    ) throws -> InstalledPackage {
        let entries = try manifest.files.map { file in
            StoredEntry(
                path: file.path.description, blob: try BlobID(file.sha256), size: file.size, mediaType: file.mediaType)
        }
        let batch = store.makeBatch()
        let wanted = Dictionary(entries.map { ($0.blob, $0.size) }, uniquingKeysWith: { first, _ in first })
        let held = try batch.reuse(wanted)
        if held.count == wanted.count, let active = activePackage(equalTo: manifest, entries) { return active }
        try store.ensureRoom(for: wanted.reduce(0) { held.contains($1.key) ? $0 : $0 + $1.value })

        var unpacking = PackageUnpacking(entries, into: batch, holding: held)
        try archives.read(archive, limits: configuration.archiveLimits) { entry, content in
            try unpacking.add(entry, &content)
            progress?(unpacking.progress)
        }
        try unpacking.finish()
        try Task.checkCancellation()

        let metadata = try GenerationRecord(of: manifest).encoded()
        let stored = try store.stage(
            package: manifest.id.description, version: manifest.version.description, metadata: metadata,
            entries: entries, from: batch)
        do {
            let generation = try PackageGeneration(
                InstalledPackage(
                    id: manifest.id, version: manifest.version, baseURL: manifest.baseURL,
                    isComplete: manifest.isComplete,
                    generation: GenerationReference(package: stored.package, number: stored.number)),
                table: entries)
            try store.activate(stored.number)
            adopt(generation)
            return generation.package
        } catch {
            // Where this fails too, the next library on this store gives the generation up.
            try? store.retire(stored.number)
            throw error
        }
    }

    func activePackage(equalTo manifest: PackageManifest, _ entries: [StoredEntry]) -> InstalledPackage? {
        guard let active = activeGeneration(of: manifest.id), active.package.version == manifest.version,
            active.package.baseURL == manifest.baseURL, active.package.isComplete == manifest.isComplete
        else { return nil }
        // A table that cannot be read is mended by installing again.
        guard let table = try? active.entries(in: store) else { return nil }
        return table.count == entries.count && entries.allSatisfy { table[$0.path] == $0 } ? active.package : nil
    }
}

extension BlobID {
    init(_ digest: SHA256Digest) throws {
        guard let id = BlobID(bytes: digest.bytes) else {
            throw PackageError(.badManifest, "not a SHA-256", at: digest.description)
        }
        self = id
    }
}
