// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport

extension BlobStore {
    /// Returns the generations in a state, sorted by number.
    public func generations(in state: StoredGeneration.State) throws -> [StoredGeneration] {
        try index.generations(in: state)
    }

    /// Returns the active generations, at most one per package, sorted by number.
    public func activeGenerations() throws -> [StoredGeneration] {
        try generations(in: .active)
    }

    /// Returns the table of a generation, sorted by path.
    /// - Throws: ``StoreError``, with code `notFound`, or with code
    ///   `damaged` if the table does not match its seal.
    public func entries(of generation: Int64) throws -> [StoredEntry] {
        guard let entries = try index.entries(of: generation) else {
            throw StoreError(.notFound, "no generation \(generation)", at: directory)
        }
        return entries
    }

    /// Returns one entry of a generation's table. The seal is not checked, because that requires the whole table.
    public func entry(generation: Int64, path: String) throws -> StoredEntry? {
        try index.entry(generation: generation, path: path)
    }

    /// Adds a generation whose blobs are all in `batch`. The generation is not in use until it is activated.
    ///
    /// Blocks until the bytes are on the device.
    /// - Parameters:
    ///   - package: the identifier of the package.
    ///   - version: the version of the package. Several generations may have the same version.
    ///   - metadata: see ``StoredGeneration/metadata``.
    ///   - entries: the table of the generation in any order, without duplicate paths.
    ///   - batch: a batch of this store with the blobs of all entries.
    /// - Throws: ``StoreError``, with code `conflict` for a duplicate path or a blob that is not in the batch; with
    ///   code `overBudget` if the generation does not fit into the budget in addition to the generations in use. With
    ///   these codes, nothing was added.
    public func stage(
        package: String, version: String, metadata: Data, entries: [StoredEntry], from batch: BlobBatch
    ) throws -> StoredGeneration {
        let blobs = batch.blobs
        guard batch.store === self else {
            throw StoreError(.conflict, "the batch belongs to another store", at: directory)
        }
        if let entry = entries.first(where: { !blobs.contains($0.blob) }) {
            throw StoreError(.conflict, "blob \(entry.blob) of \(entry.path) is not in the batch", at: directory)
        }
        return try writing {
            try batch.finishWriting()
            try makeSpace(for: entries)
            try sync(batch, blobs)
            let sorted = entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            let generation = try index.stage(package: package, version: version, metadata: metadata, entries: sorted)
            try onStep(.generationStaged)
            // The log of the small blobs can be as long as the package, and the next opening of the store would have to
            // read it. It is therefore checkpointed, asynchronously.
            rowQueue.enqueue { [rows, suspension] in
                if !suspension.isOn { try? rows.checkpoint() }
            }
            return generation
        }
    }

    /// Stores the blobs of a batch to replace missing blobs of existing generations. These generations are then
    /// complete again, without a new generation. The batch's unreferenced blobs are swept after it is released.
    ///
    /// Blocks until the bytes are on the device.
    /// - Throws: ``StoreError``.
    public func restore(from batch: BlobBatch) throws {
        guard batch.store === self else {
            throw StoreError(.conflict, "the batch belongs to another store", at: directory)
        }
        try writing {
            try batch.finishWriting()
            try sync(batch, batch.blobs)
        }
    }

    /// Flushes a batch's blobs to the device.
    func sync(_ batch: BlobBatch, _ blobs: Set<SHA256Digest>) throws {
        // Reused files are flushed too, because another batch may have placed them without a sync. Committed rows are
        // durable already.
        if batch.hasFiles {
            #if canImport(Darwin)
                try syncFiles(among: blobs)
            #endif
            // One call syncs the whole file system: 7,000 files with an fsync each take about 1.8 s, one file of the
            // same total size 0.26 s. Each fsync is a journal commit and a flush of the device's cache, and a batch
            // needs both only once. Bytes of other programs on this file system are flushed too. The descriptor is open
            // while the store is open, so that write errors are reported to it.
            try StoreError.mappingSystem(at: directory) { try FileIO.syncFileSystem(of: root.descriptor) }
        }
        try onStep(.bytesSynced)
    }

    #if canImport(Darwin)
        /// Flushes those blobs that are stored as files, and the folders of these files, to the device's cache.
        private func syncFiles(among blobs: Set<SHA256Digest>) throws {
            var folders: Set<String> = []
            for id in blobs {
                guard let file = try file(of: id) else { continue }
                try file.sync(isThrough: false)
                guard folders.insert(String(id.description.prefix(2))).inserted, let folder = try blobFolder(of: id)
                else { continue }
                try folder.sync(isThrough: false)
            }
            guard !folders.isEmpty, let parent = self.blobs else { return }
            for folder in [parent, root] { try folder.sync(isThrough: false) }
        }
    #endif

    /// Activates a generation and retires the previously active generation of its package, in one transaction. A
    /// retired generation that was not swept yet can be activated again.
    /// - Throws: ``StoreError``, with code `notFound`.
    public func activate(_ generation: Int64) throws {
        try writing {
            try index.activate(generation)
            try onStep(.generationActivated)
        }
    }

    /// Retires an active or staged generation. A sweep removes the generation when it is not pinned any more.
    /// - Throws: ``StoreError``, with code `notFound`.
    public func retire(_ generation: Int64) throws {
        try writing { try index.retire(generation) }
    }

    /// Protects a generation from sweeps until ``unpin(_:)`` was called once for each pin. Pins end with the store
    /// object.
    /// - Returns: `true` if the generation is pinned; `false` if a sweep has removed it.
    @discardableResult
    public func pin(_ generation: Int64) -> Bool {
        state.withLock { state in
            guard !state.swept.contains(generation) else { return false }
            state.pins[generation, default: 0] += 1
            return true
        }
    }

    /// Reverts one ``pin(_:)``.
    public func unpin(_ generation: Int64) {
        state.withLock { state in
            guard let count = state.pins[generation] else { return }
            state.pins[generation] = count > 1 ? count - 1 : nil
        }
    }

    /// Returns a Boolean value that indicates whether a generation is pinned.
    public func isPinned(_ generation: Int64) -> Bool {
        state.withLock { $0.pins[generation] != nil }
    }
}
