// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import PackageFormat
internal import ResourceStore

/// A generation that is being brought together: its table, and the batch that keeps its blobs from being swept.
struct PackageDraft: Sendable {
    let manifest: PackageManifest
    let entries: [StoredEntry]
    let batch: BlobBatch
    /// Blobs that need not come: the store had them when the draft was begun, or they have no bytes.
    private(set) var held: Set<SHA256Digest>
    /// The files whose bytes must come, each digest once.
    private(set) var missing: [PackageManifest.File]

    /// Looks up what of a manifest's files the store has. Blocks while it does.
    /// - Throws: `PackageError` with code `PackageError.Code.badManifest` where two files of one digest have different
    ///   sizes, or `StoreError`.
    init(of manifest: PackageManifest, in store: BlobStore) throws {
        self.manifest = manifest
        entries = manifest.files.map { file in
            StoredEntry(
                path: file.path.description, blob: file.sha256, size: file.size, mediaType: file.mediaType)
        }
        var wanted: [SHA256Digest: Int64] = [:]
        wanted.reserveCapacity(entries.count)
        for entry in entries {
            // Else only one of them would be read, and the other's size believed.
            if let size = wanted.updateValue(entry.size, forKey: entry.blob), size != entry.size {
                throw PackageError(
                    .badManifest, "\(entry.size) bytes, and \(size) in another file of the same digest", at: entry.path)
            }
        }
        batch = store.makeBatch()
        held = try batch.reuse(wanted)
        var seen = held
        missing = zip(manifest.files, entries).compactMap { file, entry in
            seen.insert(entry.blob).inserted ? file : nil
        }
    }

    /// The draft with its empty files in the batch: no byte needs to come for them. Blocks while it writes.
    /// - Throws: `PackageError` with code `PackageError.Code.digestMismatch` where no bytes have another digest, or
    ///   `StoreError`.
    func addingEmptyFiles() throws -> PackageDraft {
        var draft = self
        draft.missing.removeAll { $0.size == 0 }
        for file in missing where file.size == 0 {
            guard file.sha256 == SHA256Digest(of: Data()) else {
                throw PackageError(
                    .digestMismatch, "empty file with SHA-256 \(file.sha256) in the manifest",
                    at: file.path.description)
            }
            draft.held.insert(try batch.add(Data()))
        }
        return draft
    }

    /// The bytes that the missing files have when unpacked.
    var missingBytes: Int64 { missing.reduce(0) { $0 + $1.size } }
}
