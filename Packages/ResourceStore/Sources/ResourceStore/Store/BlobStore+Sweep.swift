// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import SystemSupport

extension BlobStore {
    /// Sweeps if a retired generation is not pinned. Otherwise this method only reads the index, in a few microseconds.
    /// Blobs of a crash or a failed install require a full ``sweep()``. Call it when no user waits.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func sweepRetired() throws -> SweepResult {
        let retired = try index.retiredNumbers()
        guard state.withLock({ state in retired.contains { state.pins[$0] == nil } }) else { return SweepResult() }
        return try sweep()
    }

    /// Removes the retired generations that are not pinned. Then removes the blobs that have no reference and are not
    /// claimed by a batch, including those that a crash left. Other writes wait in the meantime; lookups continue.
    /// - Throws: ``StoreError``. Items that were removed before the error stay removed, and the next sweep continues.
    @discardableResult
    public func sweep() throws -> SweepResult {
        var result = SweepResult()
        var isCommitted = false
        return try writing {
            do {
                try index.sweep { retired in
                    result.generations = state.withLock { state in
                        let doomed = retired.filter { state.pins[$0] == nil }
                        state.swept.formUnion(doomed)
                        return doomed
                    }
                    return result.generations
                } committed: {
                    isCommitted = true
                } removeBlobs: { named in
                    try onStep(.generationsRemoved)
                    // Files are removed first, because on a full device they free the space that the log of the rows
                    // needs.
                    for id in try fileBlobs() where !named.contains(id) { try removeFile(id, counting: &result) }
                    try removeRows(rows.all().lazy.map(\.id).filter { !named.contains($0) }, counting: &result)
                }
            } catch {
                if !isCommitted { state.withLock { $0.swept.subtract(result.generations) } }
                throw error
            }
            if result.blobs > 0 { try rows.shrink() }
            return result
        }
    }

    /// Removes unreferenced blobs unless a batch has claimed them. Call this only while no other write to the index
    /// can begin.
    func removeBlobs(_ blobs: Set<SHA256Digest>) throws {
        var result = SweepResult()
        // Files are removed first, as in a sweep.
        for blob in blobs { try removeFile(blob, counting: &result) }
        try removeRows(Array(blobs), counting: &result)
    }

    private func removeRows(_ blobs: [SHA256Digest], counting result: inout SweepResult) throws {
        guard !blobs.isEmpty else { return }
        let sizes = try rows.sizes(of: blobs)
        try rows.remove(Array(sizes.keys)) { part in
            // The claims are checked in the transaction, because a batch claims a blob before it writes the blob.
            state.withLock { state in part.filter { state.claims[$0] == nil } }
        } afterCommit: { removed in
            memory.remove(removed)
            for blob in removed { result.add(sizes[blob] ?? 0) }
            try onStep(.rowsRemoved)
        }
    }

    private func removeFile(_ id: SHA256Digest, counting result: inout SweepResult) throws {
        try suspension.check()
        let size: Int64? = try state.withLock { state in
            guard state.claims[id] == nil else { return nil }
            let name = Self.fileName(of: id)
            guard let folder = try blobFolder(of: id), let size = try folder.status(of: name)?.size else { return nil }
            try folder.remove(name)
            state.checked.remove(id)
            return size
        }
        guard let size else { return }
        result.add(size)
        try onStep(.blobRemoved)
    }
}
