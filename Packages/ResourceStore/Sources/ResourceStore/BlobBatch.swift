// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// Blobs that are being brought in together, before a generation names them.
///
/// While a batch lives, a sweep leaves its blobs alone. When it goes, what no generation names by then is
/// an orphan, and the next sweep takes it.
///
/// Isolation: any; several writers of a batch may run at the same time.
public final class BlobBatch: Sendable {
    let store: ResourceStore
    // Every blob of this batch. Each is claimed in the store exactly once until `deinit`.
    private let claimed = Mutex<Set<BlobID>>([])

    init(_ store: ResourceStore) {
        self.store = store
    }

    deinit {
        store.release(claimed.withLock { $0 })
    }

    /// Takes in blobs that the store holds already.
    /// - Parameter wanted: blobs and their sizes in bytes.
    /// - Returns: those that a generation names and whose files have these sizes. The others must be written.
    /// - Throws: ``StoreError``.
    public func reuse(_ wanted: [BlobID: Int64]) throws -> Set<BlobID> {
        for id in wanted.keys { claim(id) }
        return try store.intact(wanted)
    }

    /// Begins a new blob.
    /// - Throws: ``StoreError``.
    public func makeWriter() throws -> BlobWriter {
        BlobWriter(self, file: try store.makeStagedFile())
    }

    /// The blobs of this batch, written or reused.
    var blobs: Set<BlobID> { claimed.withLock { $0 } }

    /// Keeps a blob from being swept while this batch lives.
    func claim(_ id: BlobID) {
        if claimed.withLock({ $0.insert(id).inserted }) { store.claim(id) }
    }
}
