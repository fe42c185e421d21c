// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The steps of the store that reach the disk, in the order in which they are taken.
///
/// A test stops, or takes a picture of the directory, at each: what is on disk between any two of them is
/// what a kill at that instant leaves.
enum StoreStep: String, Sendable, Hashable, CaseIterable {
    /// The bytes of a large blob are whole in `staging/`.
    case blobWritten
    /// A large blob is in `blobs/`; nothing names it.
    case blobPlaced
    /// Small blobs are written as rows, their transaction is open.
    case rowsWritten
    /// Small blobs are committed; nothing names them.
    case rowsCommitted
    /// Every blob of the batch is safe from a power cut.
    case bytesSynced
    /// The rows of the staged generation are written, their transaction is open.
    case generationWritten
    /// The staged generation is committed.
    case generationStaged
    /// The former generation is retired and no other active, the transaction is open.
    case formerRetired
    /// The new generation is active and committed.
    case generationActivated
    /// Resources are put, and others evicted for them; the transaction is open.
    case resourcesWritten
    /// Resources are put or removed, and committed; the blobs of those removed are still there.
    case resourcesCommitted
    /// A document is whole in `staging/` and synced.
    case documentWritten
    /// A document has taken the place of the one before.
    case documentPlaced
    /// A sweep committed the removal of generations; their blobs are still there.
    case generationsRemoved
    /// A large blob that nothing names any more was removed.
    case blobRemoved
    /// Small blobs that nothing names any more were removed and committed.
    case rowsRemoved
}
