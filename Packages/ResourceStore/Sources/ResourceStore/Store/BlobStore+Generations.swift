// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport

extension BlobStore {
    /// The generations in a state, by number.
    public func generations(in state: StoredGeneration.State) throws -> [StoredGeneration] {
        try index.generations(in: state)
    }

    /// The generations that answer now, at most one for each package, by number.
    public func activeGenerations() throws -> [StoredGeneration] {
        try generations(in: .active)
    }

    /// The table of a generation, by path.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``, or
    ///   ``StoreError/Code-swift.struct/damaged`` where it is not what was staged.
    public func entries(of generation: Int64) throws -> [StoredEntry] {
        guard let entries = try index.entries(of: generation) else {
            throw StoreError(.notFound, "no generation \(generation)", at: directory)
        }
        return entries
    }

    /// One line of a generation's table. Its seal is not checked: that takes the whole table.
    public func entry(generation: Int64, path: String) throws -> StoredEntry? {
        try index.entry(generation: generation, path: path)
    }

    /// Adds a generation whose blobs are all in `batch`. It is not in use before it is activated.
    ///
    /// Blocks until the bytes are safe from a power cut.
    /// - Parameters:
    ///   - package: the identifier of the package.
    ///   - version: the version of the package. Several generations may have the same.
    ///   - metadata: see ``StoredGeneration/metadata``.
    ///   - entries: the table of the generation in any order, with no path twice.
    ///   - batch: a batch of this store that has the blobs of all entries.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for an entry whose path is
    ///   there twice or whose blob is not in the batch, and ``StoreError/Code-swift.struct/overBudget`` where it does
    ///   not fit beside the generations that are in use; nothing was added then.
    public func stage(
        package: String, version: String, metadata: Data, entries: [StoredEntry], from batch: BlobBatch
    ) throws -> StoredGeneration {
        let blobs = batch.blobs
        guard batch.store === self else { throw StoreError(.conflict, "a batch of another store", at: directory) }
        if let entry = entries.first(where: { !blobs.contains($0.blob) }) {
            throw StoreError(.conflict, "blob \(entry.blob) of \(entry.path) was not brought in", at: directory)
        }
        return try writing {
            try batch.finishWriting()
            try makeSpace(for: entries)
            try sync(batch, blobs)
            let sorted = entries.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            let generation = try index.stage(package: package, version: version, metadata: metadata, entries: sorted)
            try onStep(.generationStaged)
            // Beside the caller: the log of the small blobs is as long as the package, and the next to open the store
            // would have to read it.
            rowQueue.enqueue { [rows, suspension] in
                if !suspension.isOn { try? rows.checkpoint() }
            }
            return generation
        }
    }

    /// Keeps the blobs of a batch that generations name already, and that were lost to damage: those generations have
    /// them again, without a new one. Blobs that nothing names go when the batch goes.
    ///
    /// Blocks until the bytes are safe from a power cut.
    /// - Throws: ``StoreError``.
    public func restore(from batch: BlobBatch) throws {
        guard batch.store === self else { throw StoreError(.conflict, "a batch of another store", at: directory) }
        try writing {
            try batch.finishWriting()
            try sync(batch, batch.blobs)
        }
    }

    /// Makes a batch's blobs safe from a power cut.
    func sync(_ batch: BlobBatch, _ blobs: Set<SHA256Digest>) throws {
        // Also what was reused: another batch may have placed it and not synced yet. Rows are safe when committed.
        if batch.hasFiles {
            #if canImport(Darwin)
                try syncFiles(among: blobs)
            #endif
            // One call for the whole file system: 7,000 files with an fsync each take about 1.8 s, one file of the same size
            // 0.26 s. Each fsync is a journal commit and a flush of the device's cache, and a batch needs both once. The
            // price is that bytes that other programs wrote to this file system are written too. The descriptor is open
            // as long as the store, so that write errors are reported to it.
            try SystemError.mapping {
                try FileIO.syncFileSystem(of: root.descriptor)
            } to: {
                StoreError($0, at: directory)
            }
        }
        try onStep(.bytesSynced)
    }

    #if canImport(Darwin)
        /// Hands the files among some blobs to the device, and the folders that name them. They may stay in the device's
        /// cache for a while.
        private func syncFiles(among blobs: Set<SHA256Digest>) throws {
            var folders: Set<String> = []
            for id in blobs {
                guard let file = try file(of: id) else { continue }
                try file.sync(isThrough: false)
                guard folders.insert(String(id.description.prefix(2))).inserted, let folder = try blobFolder(of: id)
                else { continue }
                try folder.sync(isThrough: false)
            }
            guard !folders.isEmpty, let blobs else { return }
            for folder in [blobs, root] { try folder.sync(isThrough: false) }
        }
    #endif

    /// Makes a generation the one that answers for its package, and retires the one that did, in one
    /// transaction. A retired generation that was not swept yet can be made active again.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``.
    public func activate(_ generation: Int64) throws {
        try writing {
            try index.activate(generation)
            try onStep(.generationActivated)
        }
    }

    /// Takes a generation out of use, or gives up a staged one. It stays until no one pins it and a sweep comes.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``.
    public func retire(_ generation: Int64) throws {
        try writing { try index.retire(generation) }
    }

    /// Keeps a generation from being swept until ``unpin(_:)`` was called as often. Pins do not outlive the store.
    /// - Returns: whether it is pinned; `false` where a sweep has taken it.
    @discardableResult
    public func pin(_ generation: Int64) -> Bool {
        state.withLock { state in
            guard !state.swept.contains(generation) else { return false }
            state.pins[generation, default: 0] += 1
            return true
        }
    }

    /// Takes back one ``pin(_:)``.
    public func unpin(_ generation: Int64) {
        state.withLock { state in
            guard let count = state.pins[generation] else { return }
            state.pins[generation] = count > 1 ? count - 1 : nil
        }
    }

    /// Whether anyone pins a generation.
    public func isPinned(_ generation: Int64) -> Bool {
        state.withLock { $0.pins[generation] != nil }
    }
}
