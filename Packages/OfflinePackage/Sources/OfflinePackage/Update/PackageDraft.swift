// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceStore

/// A generation that is being brought together: its table, and the batch that keeps its blobs from being swept.
struct PackageDraft: Sendable {
    let manifest: PackageManifest
    let entries: [StoredEntry]
    let batch: BlobBatch
    /// Blobs that the store has.
    let held: Set<BlobID>

    /// The files whose bytes must come, each digest once.
    var missing: [PackageManifest.File] {
        var seen = held
        return zip(manifest.files, entries).compactMap { file, entry in
            seen.insert(entry.blob).inserted ? file : nil
        }
    }

    /// The bytes that the missing files have when unpacked.
    var missingBytes: Int64 { missing.reduce(0) { $0 + $1.size } }
}
