// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
internal import WebSyntax

/// Resources: files under keys, outside of any generation, such as the files of a resource table.
///
/// Resources have their own budget, ``Configuration/resourceBudget``. If a put exceeds it, the store first evicts
/// resources with damaged records. It then evicts the least recently used resources, down to nine tenths of the budget.
/// Eviction removes references. A blob is removed with its last reference, so that blobs of staged, active or pinned
/// generations stay. The size of each key counts in full, even if two keys share a blob, and includes its
/// ``StoredResource/overhead``.
///
/// The day of the last use is recorded in memory, and written with the next change. Reads therefore never write. A kill
/// loses the days that were not written yet.
extension BlobStore {
    /// Returns the record of a key, and records its use. Get the bytes with ``blob(_:size:)``.
    /// - Returns: `nil` if the key does not exist or its record is damaged. Damaged records are counted.
    /// - Throws: ``StoreError``.
    public func resource(for key: String) throws -> StoredResource? {
        do {
            guard let resource = try index.resource(key) else { return nil }
            if resource.lastUse < configuration.today() {
                state.withLock { _ = $0.usedResources.insert(ByteText(key)) }
            }
            return resource
        } catch let error as StoreError where error.code == .damaged {
            state.withLock { $0.counters.damagedResources += 1 }
            return nil
        }
    }

    /// Returns the records of all keys, sorted by key. Damaged records are omitted and counted. No use is recorded.
    /// - Parameter prefix: the prefix of the keys, compared byte by byte. Default: any.
    /// - Throws: ``StoreError``.
    public func resources(withPrefix prefix: String = "") throws -> [StoredResource] {
        let (sound, damaged) = try index.allResources(withPrefix: prefix)
        state.withLock { $0.counters.damagedResources += damaged.count }
        return sound
    }

    /// Stores resources whose blobs are all in `batch`, in one transaction. They replace the resources with the same
    /// keys.
    ///
    /// Blocks until the bytes are on the device.
    /// - Parameters:
    ///   - resources: the resources, without duplicate keys. The store sets their last use to today.
    ///   - batch: a batch of this store with the blobs of all resources.
    /// - Returns: the number of resources that were evicted.
    /// - Throws: ``StoreError``, with code `conflict` for a duplicate key or a blob that is not in the batch; with code
    ///   `overBudget` if these resources alone exceed the budget. With these codes, nothing has changed.
    @discardableResult
    public func putResources(_ resources: [StoredResource], from batch: BlobBatch) throws -> Int {
        let bytes = try Self.sum(resources.map(\.size) + resources.map(\.overhead), at: directory)
        guard bytes <= configuration.resourceBudget else {
            throw StoreError(
                .overBudget, "the resources have \(bytes) bytes, the budget is \(configuration.resourceBudget)",
                at: directory)
        }
        return try putResources(resources, from: batch, budget: configuration.resourceBudget)
    }

    /// Stores resources as ``putResources(_:from:)`` does, and evicts none. The caller removes other keys of the same
    /// blobs at once, because the budget counts each key.
    /// - Throws: ``StoreError``, with code `conflict` for a duplicate key or a blob that is not in the batch.
    @_spi(Facade) public func putCopies(_ resources: [StoredResource], from batch: BlobBatch) throws {
        _ = try putResources(resources, from: batch, budget: nil)
    }

    private func putResources(_ resources: [StoredResource], from batch: BlobBatch, budget: Int64?) throws -> Int {
        let blobs = batch.blobs
        guard batch.store === self else {
            throw StoreError(.conflict, "the batch belongs to another store", at: directory)
        }
        guard Set(resources.map { ByteText($0.key) }).count == resources.count else {
            throw StoreError(.conflict, "two resources have the same key", at: directory)
        }
        if let resource = resources.first(where: { !blobs.contains($0.blob) }) {
            throw StoreError(.conflict, "blob \(resource.blob) is not in the batch", at: resource.key)
        }
        return try writing {
            try batch.finishWriting()
            try sync(batch, blobs)
            return try changeResources(adding: resources, budget: budget)
        }
    }

    /// Stores one resource whose bytes are in memory.
    /// - Throws: the errors of ``putResources(_:from:)``.
    public func putResource(_ bytes: Data, for key: String, mediaType: String, validator: String) throws {
        let batch = makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(bytes)
        let resource = StoredResource(
            key: key, blob: try writer.finish(), size: Int64(bytes.count), mediaType: mediaType, validator: validator)
        try putResources([resource], from: batch)
    }

    /// Removes resources, and those of their blobs that have no other reference. Missing keys are ignored.
    /// - Returns: the number of removed resources.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func removeResources(_ keys: some Sequence<String>) throws -> Int {
        try writing { try changeResources(removing: Array(keys), budget: nil) }
    }

    /// Evicts the least recently used resources until at most the given number of bytes remains.
    /// - Returns: the number of evicted resources.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func evictResources(to bytes: Int64) throws -> Int {
        try writing { try changeResources(budget: bytes, low: bytes) }
    }

    /// Writes the recorded uses of resources.
    func flushUses() throws {
        guard !state.withLock(\.usedResources.isEmpty) else { return }
        _ = try writing { try changeResources(budget: nil) }
    }

    /// Changes resources in one transaction, and removes blobs without a reference.
    /// - Parameters:
    ///   - budget: the size in bytes above which resources are evicted; `nil` for no eviction.
    ///   - low: the size in bytes to evict down to; nine tenths of the budget by default.
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
