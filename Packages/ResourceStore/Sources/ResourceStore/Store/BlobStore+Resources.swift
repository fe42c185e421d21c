// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation

/// Resources: files under keys, outside of any generation, such as those of a resource table.
///
/// They have a budget of their own, ``Configuration/resourceBudget``. A put that leaves more bytes than that evicts those
/// whose records are damaged, then the least recently used until nine tenths of it are left. Eviction takes away names;
/// a blob goes with its last name, so one that a staged, active or pinned generation names too stays. The bytes of each
/// key count in full, also where two share a blob, and with them what a record says of its ``StoredResource/overhead``.
///
/// Use is noted by the day, in memory, and written with the next change: a read never writes. What a kill loses is a
/// day's order among the files to evict.
extension BlobStore {
    /// The record of a key, and notes its use. The bytes are found with ``blob(_:size:)``.
    /// - Returns: `nil` where the key is not there, or its record is damaged, which is counted.
    /// - Throws: ``StoreError``.
    public func resource(for key: String) throws -> StoredResource? {
        do {
            guard let resource = try index.resource(key) else { return nil }
            if resource.lastUse < configuration.today() {
                state.withLock { _ = $0.usedResources.insert(key) }
            }
            return resource
        } catch let error as StoreError where error.code == .damaged {
            state.withLock { $0.counters.damagedResources += 1 }
            return nil
        }
    }

    /// The records of all keys, by key. Those that are damaged are left out and counted. Notes no use.
    /// - Parameter prefix: what the keys begin with, byte by byte. Default: any.
    /// - Throws: ``StoreError``.
    public func resources(withPrefix prefix: String = "") throws -> [StoredResource] {
        let (sound, damaged) = try index.allResources(withPrefix: prefix)
        state.withLock { $0.counters.damagedResources += damaged.count }
        return sound
    }

    /// The bytes of all resources together, as the budget counts them.
    /// - Throws: ``StoreError``.
    public func resourceBytes() throws -> Int64 {
        try index.resourceBytes()
    }

    /// Puts resources whose blobs are all in `batch`, in place of those with the same keys, in one transaction.
    ///
    /// Blocks until the bytes are safe from a power cut.
    /// - Parameters:
    ///   - resources: the resources to put, with no key twice. Their last use is today.
    ///   - batch: a batch of this store that has the blobs of all resources.
    /// - Returns: how many others were evicted for them.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for a key that is there twice or a
    ///   blob that is not in the batch, and ``StoreError/Code-swift.struct/overBudget`` where they alone have more bytes
    ///   than the budget; nothing has changed then.
    @discardableResult
    public func putResources(_ resources: [StoredResource], from batch: BlobBatch) throws -> Int {
        let blobs = batch.blobs
        guard batch.store === self else { throw StoreError(.conflict, "a batch of another store", at: directory) }
        guard Set(resources.map(\.key)).count == resources.count else {
            throw StoreError(.conflict, "a key comes twice", at: directory)
        }
        if let resource = resources.first(where: { !blobs.contains($0.blob) }) {
            throw StoreError(.conflict, "blob \(resource.blob) was not brought in", at: resource.key)
        }
        let bytes = try Self.sum(resources.map(\.size) + resources.map(\.overhead), at: directory)
        guard bytes <= configuration.resourceBudget else {
            throw StoreError(
                .overBudget, "resources of \(bytes) bytes, the budget is \(configuration.resourceBudget)",
                at: directory)
        }
        return try writing {
            try batch.finishWriting()
            try sync(batch, blobs)
            return try changeResources(adding: resources, budget: configuration.resourceBudget)
        }
    }

    /// Puts one resource whose bytes are in memory.
    /// - Throws: as ``putResources(_:from:)`` does.
    public func putResource(_ bytes: Data, for key: String, mediaType: String, validator: String) throws {
        let batch = makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(bytes)
        let resource = StoredResource(
            key: key, blob: try writer.finish(), size: Int64(bytes.count), mediaType: mediaType, validator: validator)
        try putResources([resource], from: batch)
    }

    /// Removes resources, with the blobs that nothing else names. Keys that are not there are fine.
    /// - Returns: how many were there.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func removeResources(_ keys: some Sequence<String>) throws -> Int {
        try writing { try changeResources(removing: Array(keys), budget: nil) }
    }

    /// Evicts the least recently used resources until at most so many bytes are left.
    /// - Returns: how many were evicted.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func evictResources(to bytes: Int64) throws -> Int {
        try writing { try changeResources(budget: bytes, low: bytes) }
    }

    /// Writes down which resources were used.
    func flushUses() throws {
        guard !state.withLock(\.usedResources.isEmpty) else { return }
        _ = try writing { try changeResources(budget: nil) }
    }

    /// - Parameters:
    ///   - budget: the bytes above which to evict, `nil` for no eviction.
    ///   - low: the bytes to evict down to; nine tenths of the budget where it is not given.
    private func changeResources(
        adding added: [StoredResource] = [], removing removed: [String] = [], budget: Int64?, low: Int64? = nil
    ) throws -> Int {
        let used = state.withLock { state in
            defer { state.usedResources = [] }
            return state.usedResources
        }
        var count = 0
        try index.changeResources(
            used: used, on: configuration.today(), adding: added, removing: removed,
            budget: budget.map { (high: $0, low: low ?? $0 / 10 * 9) }
        ) { removal in
            count = removal.keys
            if budget != nil { state.withLock { $0.counters.evictedResources += removal.keys } }
            try removeBlobs(removal.blobs)
        }
        return count
    }
}
