// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport

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
public final class BlobStore: Sendable {
    /// The store's directory, absolute and without symbolic links.
    public let directory: String
    /// What the store was opened with.
    public let configuration: Configuration

    /// The store's directory as a descriptor; everything else is found below it.
    let root: PrivateFolder
    /// The folder of the large blobs. Nothing while a store is only read that has none.
    let blobs: PrivateFolder?
    /// Nothing while a store is only read whose directory has no lock file.
    let lock: DirectoryLock?
    let marker: CleanMarker
    /// The databases of a store that is only read.
    let copy: DatabaseCopy?
    let suspension: Suspension
    let index: StoreIndex
    let rows: BlobRows
    let memory: BlobCache
    /// Writes small blobs, one chunk after another.
    let rowQueue = SerialQueue("container.store.rows", priority: .inherited)
    let onStep: @Sendable (StoreStep) throws -> Void
    /// The bytes that may still be written to the file system of a path.
    let freeBytes: @Sendable (_ path: String) throws -> Int64
    let state = Mutex(State())

    struct State {
        /// Blobs that batches hold. Invariant: a blob is removed only while there is no claim on it: a file under the
        /// mutex, a row in a transaction that looked here after it had begun.
        var claims: [SHA256Digest: Claim] = [:]
        /// Small blobs that batches have taken and not committed yet. At most a few chunks for each batch.
        var unwritten: [SHA256Digest: (chunk: BlobChunk, range: Range<Int>)] = [:]
        /// How often each generation is pinned; never zero.
        var pins: [Int64: Int] = [:]
        /// Generations that a sweep has taken or is taking. They can no longer be pinned.
        var swept: Set<Int64> = []
        /// Large blobs whose bytes were seen to be right since the store was opened.
        var checked: Set<SHA256Digest> = []
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
    /// Whoever may write to the directory or to what is in it could have the store read, change and delete files elsewhere.
    /// So nothing in it is followed that is a symbolic link, and modes that let other users in are tightened: 0700 for
    /// directories, 0600 for databases and the lock. Where a file system has no modes, a warning is logged.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where another process, or
    ///   another store of this process, has the directory open; ``StoreError/Code-swift.struct/damaged`` where
    ///   the index is broken or has tables that are not a store's, see ``reset(directory:)``;
    ///   ``StoreError/Code-swift.struct/newerFormat`` where a later version wrote it;
    ///   ``StoreError/Code-swift.struct/untrusted`` where something in it is a link or belongs to another user;
    ///   ``StoreError/Code-swift.struct/diskFull`` and ``StoreError/Code-swift.struct/io`` where the directory cannot be
    ///   written to.
    public convenience init(directory: String, configuration: Configuration = .init()) throws {
        try self.init(directory: directory, configuration: configuration, onStep: { _ in })
    }

    /// - Parameters:
    ///   - freeBytes: see ``freeBytes``.
    ///   - onStep: called after each step that reached the disk; what it throws ends the operation there.
    convenience init(
        directory: String, configuration: Configuration = .init(),
        freeBytes: @escaping @Sendable (_ path: String) throws -> Int64 = BlobStore.freeBytes(at:),
        onStep: @escaping @Sendable (StoreStep) throws -> Void
    ) throws {
        let directory = try Self.makeDirectory(directory)
        guard let root = try PrivateFolder.open(directory) else {
            throw StoreError(.io, "the directory was removed", at: directory)
        }
        let lock = try DirectoryLock(root)
        try Self.excludeFromBackup(directory)
        let blobs = try root.makeSubfolder("blobs")
        // Checked now, and not when the first document comes.
        _ = try root.subfolder("documents")
        let staging = try root.makeSubfolder("staging")
        for name in try staging.names() { try staging.remove(name) }
        try self.init(root, blobs, lock, copy: nil, configuration, freeBytes, onStep)
    }

    /// Opens a store only to read it: nothing in its directory is made, changed or removed, and what would write throws
    /// ``StoreError/Code-swift.struct/readOnly``. The databases are read from a copy in the temporary directory, which goes
    /// with the store, since SQLite cannot read one that was in use without writing beside it.
    ///
    /// Reading ends with `CancellationError` once the current task is cancelled.
    /// - Parameters:
    ///   - directory: the directory of the store.
    ///   - includingBlobs: whether the small blobs are read too. If not, none of them is found.
    ///   - configuration: the options of the store. Its budgets have no effect.
    /// - Throws: ``StoreError``, as ``init(directory:configuration:)`` does, with code
    ///   ``StoreError/Code-swift.struct/notFound`` where there is no store, and
    ///   ``StoreError/Code-swift.struct/diskFull`` where the copy does not fit.
    public convenience init(
        inspecting directory: String, includingBlobs: Bool = true, configuration: Configuration = .init()
    ) throws {
        guard FileSystem.isDirectory(directory),
            let root = try PrivateFolder.open(Self.resolve(directory), tightens: false)
        else {
            throw StoreError(.notFound, "no store in this directory", at: directory)
        }
        // Also what is not read: a directory with a link in it was not made by a store.
        for name in ["staging", "documents"] { _ = try root.subfolder(name, tightens: false) }
        // First: to close a database's file drops the locks that this process has on it.
        let lock = try DirectoryLock.shared(root)
        for name in [StoreIndex.fileName, BlobRows.fileName] { try DatabaseFile(name, in: root).check() }
        guard let copy = try DatabaseCopy(of: root, includingBlobs: includingBlobs) else {
            throw StoreError(.notFound, "no store in this directory", at: directory)
        }
        let blobs = try root.subfolder("blobs", tightens: false)
        try self.init(root, blobs, lock, copy: copy, configuration, Self.freeBytes(at:), { _ in })
    }

    private init(
        _ root: PrivateFolder, _ blobs: PrivateFolder?, _ lock: DirectoryLock?, copy: DatabaseCopy?,
        _ configuration: Configuration,
        _ freeBytes: @escaping @Sendable (_ path: String) throws -> Int64,
        _ onStep: @escaping @Sendable (StoreStep) throws -> Void
    ) throws {
        self.root = root
        self.blobs = blobs
        self.lock = lock
        self.copy = copy
        directory = root.path
        self.configuration = configuration
        self.onStep = onStep
        self.freeBytes = freeBytes
        memory = BlobCache(capacity: configuration.memoryCacheBytes)
        marker = try CleanMarker(root, isReadOnly: copy != nil)
        suspension = Suspension(directory: directory)
        let databases = copy?.folder ?? root
        index = try StoreIndex(
            in: databases, wasClean: copy == nil && marker.cleanSince != nil, limit: copy?.limit ?? .generous,
            suspension: suspension,
            onStep: onStep)
        let (rows, isNew) = try BlobRows.openOrReplace(
            in: databases, checksStructure: copy != nil, copy?.limit ?? .generous, suspension)
        self.rows = rows
        if isNew { state.withLock { $0.counters.lostRowDatabases += 1 } }
    }

    deinit {
        // Before the lock goes. An error here has no one to hear it and nothing to spoil: all is committed. Without
        // the marker the next store only checks more than it must.
        do {
            // While it is suspended the directory is not this store's: it may be another's by now.
            let isOurs = !suspension.isOn && copy == nil
            if isOurs { try flushUses() }
            try index.close()
            try rows.close()
            if isOurs { try marker.put() }
        } catch {}
    }

    /// Removes everything that a store keeps in a directory, so that one can be opened there again, empty: the way out
    /// of an index that is ``StoreError/Code-swift.struct/damaged``. Files of others in the directory stay, and so does
    /// what symbolic links lead to.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where the directory is open.
    public static func reset(directory: String) throws {
        let directory = try Self.makeDirectory(directory)
        guard let root = try PrivateFolder.open(directory) else { return }
        let lock = try DirectoryLock(root)
        // The index first: without it nothing names the rest.
        for name in [StoreIndex.fileName, BlobRows.fileName] { try DatabaseFile(name, in: root).remove() }
        for name in ["clean", BlobRows.brokenMarker] { try root.remove(name) }
        for name in ["blobs", "documents", "staging"] { try root.removeTree(name) }
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
    public func checkpoint() throws {
        // The directory may be another's.
        try checkWriting()
        try flushUses()
        try index.checkpoint()
        try rows.checkpoint()
        try marker.put()
    }
}

// MARK: - Writing at all

extension BlobStore {
    func beginActivity() {
        marker.begin()
    }

    func endActivity() {
        marker.end()
    }

    /// To be called within an activity, before it first writes.
    func prepareToWrite() throws {
        try checkWriting()
        try marker.prepareToWrite()
    }

    /// - Throws: ``StoreError``, where nothing may be written at all, or not now.
    private func checkWriting() throws {
        guard copy == nil else { throw StoreError(.readOnly, "the store was opened to read it", at: directory) }
        try suspension.check()
    }

    /// Runs what writes.
    func writing<Value>(_ body: () throws -> Value) throws -> Value {
        beginActivity()
        defer { endActivity() }
        try prepareToWrite()
        return try body()
    }
}

extension BlobStore {
    /// What a store may be told.
    public struct Configuration: Sendable {
        /// How many bytes of small blobs are kept in memory, with what each costs besides. Zero keeps none.
        /// Default: 10 MB.
        public var memoryCacheBytes: Int
        /// How many bytes the blobs of all generations may have together, each distinct blob counted once.
        /// Default: 500 MB.
        public var packageBudget: Int64
        /// How many bytes the resources may have together, see ``BlobStore/putResources(_:from:)``.
        /// Default: 100 MB.
        public var resourceBudget: Int64
        /// Blobs of up to this many bytes are rows, larger ones files. A store may be opened with another limit than
        /// it was written with. Default: 64 KB.
        public var smallBlobLimit: Int
        /// The day it is, as a number that counts up; the last use of a resource is noted by it. Default: days since
        /// 1970 by the system's clock.
        public var today: @Sendable () -> Int64

        /// Each option has the default that is named above.
        public init(
            memoryCacheBytes: Int = 10 << 20, packageBudget: Int64 = 500 << 20, resourceBudget: Int64 = 100 << 20,
            smallBlobLimit: Int = 64 << 10,
            today: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 / 86_400) }
        ) {
            self.memoryCacheBytes = memoryCacheBytes
            self.packageBudget = packageBudget
            self.resourceBudget = resourceBudget
            self.smallBlobLimit = smallBlobLimit
            self.today = today
        }
    }
}
