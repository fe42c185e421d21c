// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Bytes at rest in one directory: blobs named by their SHA-256, and generations that name them by path.
///
///     lock             held with flock(2) while the store is open
///     index.sqlite     generations and their entries (SQLite, WAL)
///     blobs/ab/cdef…   each distinct file once, whichever generation brought it
///     staging/         blobs that are still being written; emptied when the store is opened
///
/// **Order of steps.** A generation comes in as: bytes into `staging/` (hashed on the way); each moved into
/// `blobs/`; all synced to the device; one transaction that adds the generation, staged; one transaction that
/// makes it active and retires the former. It goes out as: one transaction that removes it; then its blobs,
/// where no other generation names them. So at every instant the index names only bytes that are on the
/// device, and a kill or a power cut between any two steps leaves the old generation or the new one. What it
/// may leave besides, files that nothing names, is taken by opening (`staging/`) and by ``sweep()``.
///
/// **Isolation.** Any; calls block their thread for as long as the disk takes. State on disk is guarded by the
/// database's one writer. State in memory sits in a mutex that is never held while the database is asked, and
/// under which at most one file is renamed or unlinked. ``blob(_:)`` and the pins touch no database.
public final class ResourceStore: Sendable {
    /// The store's directory, absolute and without symbolic links.
    public let directory: String

    private let lock: DirectoryLock
    let index: StoreIndex
    let onStep: @Sendable (StoreStep) throws -> Void
    let state = Mutex(State())

    struct State {
        /// Blobs that batches hold. Invariant: a file is placed over or removed from `blobs/` only under the
        /// mutex, and only removed while there is no claim on it.
        var claims: [BlobID: Claim] = [:]
        /// How often each generation is pinned; never zero.
        var pins: [Int64: Int] = [:]
        /// Generations that a sweep has taken or is taking. They can no longer be pinned.
        var swept: Set<Int64> = []
        /// Number of the next file in `staging/`.
        var nextStagedFile = 0
    }

    struct Claim {
        /// How many batches hold the blob.
        var holders = 1
        /// Whether one of them put it in place, so that the file is right though no generation names it yet.
        var isPlaced = false
    }

    /// Opens the store in a directory, which is made where it does not exist.
    ///
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where another process, or
    ///   another store of this process, has the directory open; ``StoreError/Code-swift.struct/damaged`` where
    ///   the index is no database; ``StoreError/Code-swift.struct/newerFormat`` where a later version wrote it.
    public convenience init(directory: String) throws {
        try self.init(directory: directory, onStep: { _ in })
    }

    /// - Parameter onStep: called after each step that reached the disk; what it throws ends the operation there.
    init(directory: String, onStep: @escaping @Sendable (StoreStep) throws -> Void) throws {
        try FileSystem.makeDirectory(directory)
        let directory = try FileSystem.resolve(directory)
        lock = try DirectoryLock(directory: directory)
        self.directory = directory
        self.onStep = onStep
        try FileSystem.makeDirectory(directory + "/blobs")
        try FileSystem.makeDirectory(directory + "/staging")
        for name in try FileSystem.names(in: directory + "/staging") {
            try FileSystem.remove("\(directory)/staging/\(name)")
        }
        index = try StoreIndex(path: directory + "/index.sqlite", onStep: onStep)
    }

    deinit {
        // Before the lock goes. An error here has no one to hear it and nothing to spoil: all is committed.
        try? index.close()
    }
}

// MARK: - Generations

extension ResourceStore {
    /// The generations in a state, by number.
    public func generations(in state: StoredGeneration.State) throws -> [StoredGeneration] {
        try index.generations(in: state)
    }

    /// The generations that answer now, at most one for each package, by number.
    public func activeGenerations() throws -> [StoredGeneration] {
        try generations(in: .active)
    }

    /// The table of a generation, by path.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``.
    public func entries(of generation: Int64) throws -> [StoredEntry] {
        guard let entries = try index.entries(of: generation) else {
            throw StoreError(.notFound, "no generation \(generation)", at: directory)
        }
        return entries
    }

    /// One line of a generation's table.
    public func entry(generation: Int64, path: String) throws -> StoredEntry? {
        try index.entry(generation: generation, path: path)
    }

    /// Adds a generation whose blobs are all in `batch`. It is not in use before it is activated.
    ///
    /// Blocks until the bytes are safe from a power cut.
    /// - Parameters:
    ///   - metadata: see ``StoredGeneration/metadata``.
    ///   - entries: no path twice.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` for an entry whose path is
    ///   there twice or whose blob is not in the batch; nothing was added then.
    public func stage(
        package: String, version: String, metadata: Data, entries: [StoredEntry], from batch: BlobBatch
    ) throws -> StoredGeneration {
        let blobs = batch.blobs
        guard batch.store === self else { throw StoreError(.conflict, "a batch of another store", at: directory) }
        if let entry = entries.first(where: { !blobs.contains($0.blob) }) {
            throw StoreError(.conflict, "blob \(entry.blob) of \(entry.path) was not brought in", at: directory)
        }
        // Also what was reused: another batch may have placed it and not synced yet.
        try FileSystem.sync(blobs.lazy.map(path), onFileSystemOf: lock.descriptor, at: directory)
        try onStep(.bytesSynced)
        let generation = try index.stage(package: package, version: version, metadata: metadata, entries: entries)
        try onStep(.generationStaged)
        return generation
    }

    /// Makes a generation the one that answers for its package, and retires the one that did, in one
    /// transaction. A retired generation that was not swept yet can be made active again.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``.
    public func activate(_ generation: Int64) throws {
        try index.activate(generation)
        try onStep(.generationActivated)
    }

    /// Takes a generation out of use, or gives up a staged one. It stays until no one pins it and a sweep comes.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound``.
    public func retire(_ generation: Int64) throws {
        try index.retire(generation)
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

// MARK: - Blobs

extension ResourceStore {
    /// Begins to bring in blobs.
    public func makeBatch() -> BlobBatch {
        BlobBatch(self)
    }

    /// Finds a blob: one look at the file system, none at the database.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound`` where it is not there.
    public func blob(_ id: BlobID) throws -> StoredBlob {
        let path = path(of: id)
        guard let size = try FileSystem.size(of: path) else {
            throw StoreError(.notFound, "no blob \(id)", at: path)
        }
        return StoredBlob(id: id, path: path, size: size)
    }

    func path(of id: BlobID) -> String {
        let name = id.description
        var path = directory
        path.reserveCapacity(directory.utf8.count + name.utf8.count + 8)
        path += "/blobs/"
        path += name.prefix(2)
        path += "/"
        path += name.dropFirst(2)
        return path
    }

    func makeStagedFile() throws -> StagedFile {
        let number = state.withLock { state in
            state.nextStagedFile += 1
            return state.nextStagedFile
        }
        return try StagedFile(path: "\(directory)/staging/\(number)")
    }

    func claim(_ id: BlobID) {
        state.withLock { $0.claims[id, default: Claim(holders: 0)].holders += 1 }
    }

    func release(_ ids: Set<BlobID>) {
        state.withLock { state in
            for id in ids {
                guard var claim = state.claims[id] else { continue }
                claim.holders -= 1
                state.claims[id] = claim.holders > 0 ? claim : nil
            }
        }
    }

    /// Those of the given blobs that a generation names and whose files have the given sizes.
    /// They are claimed, so a sweep that begins now leaves them.
    func intact(_ wanted: [BlobID: Int64]) throws -> Set<BlobID> {
        try index.named(of: wanted.keys).filter { try FileSystem.size(of: path(of: $0)) == wanted[$0] }
    }

    /// Moves a file from `staging/` to where its blob belongs. The blob is claimed.
    func place(_ file: StagedFile, as id: BlobID, size: Int64) throws {
        try onStep(.blobWritten)
        let path = path(of: id)
        // A file that a generation names was synced, and must not be replaced by one that was not. A file that
        // none names may be left from before a power cut, with its length and without its bytes.
        if try FileSystem.size(of: path) == size, try index.named(of: [id]).contains(id) { return }
        try state.withLock { state in
            // Another batch was sooner. It may have staged a generation since the look above.
            if state.claims[id]?.isPlaced == true { return }
            do {
                try FileSystem.move(file.path, to: path)
            } catch {
                try FileSystem.makeDirectory(String(path.dropLast(2 * BlobID.byteCount - 1)))
                try FileSystem.move(file.path, to: path)
            }
            state.claims[id]?.isPlaced = true
        }
        try onStep(.blobPlaced)
    }
}

// MARK: - Sweep

extension ResourceStore {
    /// Removes the retired generations that no one pins, then the blobs that no generation names and no batch
    /// holds, those among them that a crash left. Other writes wait meanwhile; look-ups go on.
    /// - Throws: ``StoreError``; what was removed until then stays removed, and the next sweep goes on.
    @discardableResult
    public func sweep() throws -> SweepResult {
        var result = SweepResult()
        var isCommitted = false
        do {
            try index.sweep { retired in
                result.generations = state.withLock { state in
                    let doomed = retired.filter { state.pins[$0] == nil }
                    state.swept.formUnion(doomed)
                    return doomed
                }
                return result.generations
            } removeBlobs: { named in
                isCommitted = true
                try onStep(.generationsRemoved)
                for directory in try FileSystem.names(in: directory + "/blobs") {
                    for name in try FileSystem.names(in: "\(self.directory)/blobs/\(directory)") {
                        guard let id = BlobID(hex: directory + name), !named.contains(id) else { continue }
                        guard let size = try removeUnlessClaimed(id) else { continue }
                        result.blobs += 1
                        result.bytes += size
                        try onStep(.blobRemoved)
                    }
                }
            }
        } catch {
            if !isCommitted { state.withLock { $0.swept.subtract(result.generations) } }
            throw error
        }
        return result
    }

    private func removeUnlessClaimed(_ id: BlobID) throws -> Int64? {
        try state.withLock { state in
            guard state.claims[id] == nil else { return nil }
            let path = path(of: id)
            let size = try FileSystem.size(of: path)
            try FileSystem.remove(path)
            return size
        }
    }
}
