// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import PackageFormat
internal import ResourceStore

/// A generation in preparation: its table, and the batch that protects its blobs from sweeps.
struct PackageDraft: Sendable {
    let manifest: PackageManifest
    let entries: [StoredEntry]
    let batch: BlobBatch
    /// The blobs that need no transfer, because the store already had them or they are empty.
    private(set) var held: Set<SHA256Digest>
    /// The files whose bytes are missing, each digest once.
    private(set) var missing: [PackageManifest.File]

    /// Creates a draft and determines which files of a manifest are in the store. Blocks while it reads.
    /// - Throws: `PackageError` with code `PackageError.Code.badManifest` if two files with one digest have different
    ///   sizes, or `StoreError`.
    init(of manifest: PackageManifest, in store: BlobStore) throws {
        self.manifest = manifest
        entries = manifest.files.map { file in
            StoredEntry(
                path: file.path.description, blob: file.sha256, size: file.size, mediaType: file.mediaType)
        }
        var requiredSizes: [SHA256Digest: Int64] = [:]
        requiredSizes.reserveCapacity(entries.count)
        for entry in entries {
            // Of files with equal digests only one is read, so the size of the others would not be verified.
            if let size = requiredSizes.updateValue(entry.size, forKey: entry.blob), size != entry.size {
                throw PackageError(
                    .badManifest, "the file has \(entry.size) bytes, another file with the same digest has \(size)",
                    at: entry.path)
            }
        }
        batch = store.makeBatch()
        held = try batch.reuse(requiredSizes)
        var seen = held
        missing = zip(manifest.files, entries).compactMap { file, entry in
            seen.insert(entry.blob).inserted ? file : nil
        }
    }

    /// Returns the draft with its empty files added to the batch. Blocks while it writes.
    /// - Throws: `PackageError` with code `PackageError.Code.digestMismatch` if an empty file has another digest than
    ///   that of no bytes, or `StoreError`.
    func addingEmptyFiles() throws -> PackageDraft {
        var draft = self
        draft.missing.removeAll { $0.size == 0 }
        for file in missing where file.size == 0 {
            guard file.sha256 == SHA256Digest(of: Data()) else {
                throw PackageError(
                    .digestMismatch, "the manifest declares an empty file with SHA-256 \(file.sha256)",
                    at: file.path.description)
            }
            draft.held.insert(try batch.add(Data()))
        }
        return draft
    }

    /// The number of uncompressed bytes of the missing files.
    var missingBytes: Int64 { missing.reduce(0) { $0 + $1.size } }
}
