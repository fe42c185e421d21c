// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Bytes at rest in one directory: blobs named by their SHA-256, generations that name them by path, and resources
/// that name them by key.
///
///     lock             held with flock(2) while the store is open
///     clean            there while nothing is under way: the store was closed or has settled. Its time of modification
///                      is that of each large blob whose bytes were seen to be right since the last unclean end
///     index.sqlite     generations, their entries, and resources (SQLite, WAL)
///     blobs.sqlite     the small blobs, each distinct one once (SQLite, WAL)
///     documents/       files that the owner of the resources keeps beside them
///     blobs/ab/cdef…   the large ones, each a file
///     staging/         large blobs that are still being written; emptied when the store is opened
///
/// **Order of steps.** A generation comes in as: small blobs committed as rows, a few megabytes at a time; large ones
/// written into `staging/` and moved into `blobs/`; all synced to the device; one transaction that adds the
/// generation, staged; one transaction that makes it active and retires the former. It goes out as: one transaction
/// that removes it; then its blobs, where nothing else names them. So at every instant the index names only bytes that
/// are on the device, and a kill or a power cut between any two steps leaves the old generation or the new one. What it
/// may leave besides, blobs that nothing names, is taken by opening (`staging/`) and by ``sweep()``.
///
/// **Damage.** Each byte is checked against its digest before it is given out: small blobs whenever they come from
/// disk, large ones when they are first read after the store was not closed properly, or when the file system says
/// that they were touched since. A blob that fails is dropped, counted and reported as
/// ``StoreError/Code-swift.struct/damaged``; after that it is not there, and the next batch brings it again. The tables
/// of generations and resources carry seals. A broken database of small blobs is begun anew, since all it held can be
/// fetched. A broken index is an error at opening; ``reset(directory:)`` starts again empty.
///
/// **Isolation.** Any; calls block their thread for as long as the disk takes. State on disk is guarded by the
/// one writer of each database; who holds both took the index's first. State in memory sits in a mutex that is never
/// held while a database is asked, and under which at most one file is renamed or unlinked. ``blob(_:size:)`` and the
/// pins never wait for a writer.
public final class ResourceStore: Sendable {
    /// The store's directory, absolute and without symbolic links.
    public let directory: String
    /// What the store was opened with.
    public let configuration: Configuration

    let lock: DirectoryLock
    let marker: CleanMarker
    let suspension: Suspension
    let index: StoreIndex
    let rows: BlobRows
    let memory: BlobCache
    /// Writes small blobs, one chunk after another.
    let rowQueue = DispatchQueue(label: "container.store.rows")
    let onStep: @Sendable (StoreStep) throws -> Void
    /// The bytes that may still be written to the file system of a path.
    let freeBytes: @Sendable (_ path: String) throws -> Int64
    let state = Mutex(State())

    struct State {
        /// Blobs that batches hold. Invariant: a blob is removed only while there is no claim on it: a file under the
        /// mutex, a row in a transaction that looked here after it had begun.
        var claims: [BlobID: Claim] = [:]
        /// Small blobs that batches have taken and not committed yet. At most a few chunks for each batch.
        var unwritten: [BlobID: (chunk: BlobChunk, range: Range<Int>)] = [:]
        /// How often each generation is pinned; never zero.
        var pins: [Int64: Int] = [:]
        /// Generations that a sweep has taken or is taking. They can no longer be pinned.
        var swept: Set<Int64> = []
        /// Large blobs whose bytes were seen to be right since the store was opened.
        var checked: Set<BlobID> = []
        /// Keys of resources that were used, on a later day than their record says.
        var usedResources: Set<String> = []
        /// Number of the next file in `staging/`.
        var nextStagedFile = 0
        /// What the store has counted itself; the memory cache counts for itself.
        var counters = StoreCounters()
    }

    struct Claim {
        /// How many batches hold the blob.
        var holders = 1
        /// Whether one of them has put it in place, so that it is right though nothing names it yet.
        var isPlaced = false
    }

    /// Opens the store in a directory, which is made where it does not exist.
    ///
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where another process, or
    ///   another store of this process, has the directory open; ``StoreError/Code-swift.struct/damaged`` where
    ///   the index is broken, see ``reset(directory:)``; ``StoreError/Code-swift.struct/newerFormat`` where a later
    ///   version wrote it; ``StoreError/Code-swift.struct/diskFull`` and ``StoreError/Code-swift.struct/io`` where the
    ///   directory cannot be written to.
    public convenience init(directory: String, configuration: Configuration = .init()) throws {
        try self.init(directory: directory, configuration: configuration, onStep: { _ in })
    }

    /// - Parameters:
    ///   - freeBytes: see ``freeBytes``.
    ///   - onStep: called after each step that reached the disk; what it throws ends the operation there.
    init(
        directory: String, configuration: Configuration = .init(),
        freeBytes: @escaping @Sendable (_ path: String) throws -> Int64 = FileSystem.freeBytes(at:),
        onStep: @escaping @Sendable (StoreStep) throws -> Void
    ) throws {
        try FileSystem.makeDirectory(directory)
        let directory = try FileSystem.resolve(directory)
        lock = try DirectoryLock(directory: directory)
        self.directory = directory
        self.configuration = configuration
        self.onStep = onStep
        self.freeBytes = freeBytes
        memory = BlobCache(capacity: configuration.memoryCacheBytes)
        try FileSystem.excludeFromBackup(directory)
        try FileSystem.makeDirectory(directory + "/blobs")
        try FileSystem.makeDirectory(directory + "/staging")
        for name in try FileSystem.names(in: directory + "/staging") {
            try FileSystem.remove("\(directory)/staging/\(name)")
        }
        marker = try CleanMarker(directory: directory)
        suspension = Suspension(directory: directory)
        index = try StoreIndex(
            path: directory + "/index.sqlite", wasClean: marker.cleanSince != nil, suspension: suspension,
            onStep: onStep)
        let (rows, isNew) = try BlobRows.openOrReplace(in: directory, suspension)
        self.rows = rows
        if isNew { state.withLock { $0.counters.lostRowDatabases += 1 } }
    }

    deinit {
        // Before the lock goes. An error here has no one to hear it and nothing to spoil: all is committed. Without
        // the marker the next store only checks more than it must.
        do {
            // While it is suspended the directory is not this store's: it may be another's by now.
            let isOurs = !suspension.isOn
            if isOurs { try flushUses() }
            try index.close()
            try rows.close()
            if isOurs { try marker.put() }
        } catch {}
    }

    /// Removes everything that a store keeps in a directory, so that one can be opened there again, empty: the way out
    /// of an index that is ``StoreError/Code-swift.struct/damaged``. Files of others in the directory stay.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where the directory is open.
    public static func reset(directory: String) throws {
        try FileSystem.makeDirectory(directory)
        let directory = try FileSystem.resolve(directory)
        let lock = try DirectoryLock(directory: directory)
        // The index first: without it nothing names the rest.
        for name in ["index.sqlite", "blobs.sqlite"] { try FileSystem.removeDatabase("\(directory)/\(name)") }
        for name in ["clean", BlobRows.brokenMarker] { try FileSystem.remove("\(directory)/\(name)") }
        for name in ["blobs", "documents", "staging"] { try FileSystem.removeTree("\(directory)/\(name)") }
        withExtendedLifetime(lock) {}
    }

    /// What was counted since the store was opened.
    public var counters: StoreCounters {
        var counters = state.withLock(\.counters)
        (counters.memoryHits, counters.memoryMisses, counters.memoryBytes) = memory.figures
        return counters
    }

    /// Gives memory back: the memory cache, and what SQLite keeps. For a warning that memory is short.
    public func releaseMemory() {
        memory.removeAll()
        index.releaseMemory()
        rows.releaseMemory()
    }

    /// Says that nothing will be written for a while: what is in the databases' logs goes into the databases, and unless
    /// a batch lives, a kill from here on counts as a proper close. Reading goes on, and the next write ends it.
    ///
    /// For the moment when an app goes to the background, where systems kill without a word.
    /// - Throws: ``StoreError``.
    public func settle() throws {
        // The directory may be another's.
        try suspension.check()
        try flushUses()
        try index.checkpoint()
        try rows.checkpoint()
        try marker.put()
    }
}

// MARK: - Writing at all

extension ResourceStore {
    func beginActivity() {
        marker.begin()
    }

    func endActivity() {
        marker.end()
    }

    /// To be called within an activity, before it first writes.
    func prepareToWrite() throws {
        try suspension.check()
        try marker.prepareToWrite()
    }

    /// Runs what writes.
    func writing<Value>(_ body: () throws -> Value) throws -> Value {
        beginActivity()
        defer { endActivity() }
        try prepareToWrite()
        return try body()
    }
}
