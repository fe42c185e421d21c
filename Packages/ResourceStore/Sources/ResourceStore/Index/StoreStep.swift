// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The steps of the store that reach the disk, in order.
///
/// A test stops or copies the directory at each step. The content of the disk between two steps is the state after a
/// kill at that time.
enum StoreStep: String, Sendable, Hashable, CaseIterable {
    /// The bytes of a large blob are complete in `staging/`.
    case blobWritten
    /// A large blob is in `blobs/`, without a reference.
    case blobPlaced
    /// Small blobs are written as rows in an open transaction.
    case rowsWritten
    /// Small blobs are committed, without a reference.
    case rowsCommitted
    /// Every blob of the batch is on the device.
    case bytesSynced
    /// The rows of the staged generation are written in an open transaction.
    case generationWritten
    /// The staged generation is committed.
    case generationStaged
    /// The previous generation is retired and no other is active, in an open transaction.
    case formerRetired
    /// The new generation is active and committed.
    case generationActivated
    /// Resources are written and others evicted, in an open transaction.
    case resourcesWritten
    /// A change of resources is committed. The blobs of removed resources still exist.
    case resourcesCommitted
    /// A document is complete in `staging/` and synced.
    case documentWritten
    /// A document has replaced the previous version.
    case documentPlaced
    /// A sweep has committed the removal of generations. Their blobs still exist.
    case generationsRemoved
    /// A large blob without a reference was removed.
    case blobRemoved
    /// Small blobs without a reference were removed and committed.
    case rowsRemoved
}
