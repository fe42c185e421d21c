// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The steps of the store that reach the disk, in the order in which they are taken.
///
/// A test stops, or takes a picture of the directory, at each: what is on disk between any two of them is
/// what a kill at that instant leaves.
enum StoreStep: String, Sendable, Hashable, CaseIterable {
    /// The bytes of a blob are whole in `staging/`.
    case blobWritten
    /// The blob is in `blobs/`; no row names it.
    case blobPlaced
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
    /// A sweep committed the removal of generations; their blobs are still there.
    case generationsRemoved
    /// A sweep removed a blob.
    case blobRemoved
}
