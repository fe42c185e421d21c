// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
public import Foundation
internal import SystemSupport
internal import WebSyntax

/// A content store in one directory: blobs under their SHA-256 digests, generations that map paths to blobs, and
/// resources that map keys to blobs.
///
///     lock             the lock file, held with flock(2) while the store is open
///     clean            exists while nothing is in progress: the store was closed or checkpointed. Large blobs that
///                      were verified since the last unclean end have the modification time of this file
///     index.sqlite     generations, their entries, and resources (SQLite, WAL)
///     blobs.sqlite     the small blobs, each distinct blob once (SQLite, WAL)
///     documents/       documents that belong to the resources
///     blobs/ab/cdef…   the large blobs, one file each
///     staging/         large blobs that are being written; emptied when the store is opened
///
/// **Order of steps.** A generation is added in this order: small blobs are committed as rows, a few megabytes at a
/// time; large blobs are written to `staging/` and moved to `blobs/`; everything is synced to the device; one
/// transaction adds the generation as staged; one transaction makes it active and retires the previous one. It is
/// removed in this order: one transaction removes the generation; then its unreferenced blobs are removed. At every
/// time the index therefore refers only to bytes on the device. A kill or a power failure between two steps leaves the
/// old generation or the new one. It may also leave unreferenced blobs, which the next opening (`staging/`) and
/// ``sweep()`` remove.
///
/// **Damage.** All bytes are verified against their digest before they are returned. Small blobs are verified whenever
/// they are read from disk. Large blobs are verified at the first read after an unclean end, or if the file system
/// reports a later change. A blob that fails the verification is removed, counted and reported as `damaged`. After that
/// it is missing, and the next batch adds it again. The tables of generations and resources have seals. A damaged
/// database of small blobs is replaced with an empty one, because its content can be downloaded again. A damaged index
/// is an error when the store is opened; ``reset(directory:)`` creates an empty store.
///
/// **Isolation.** Any; calls block their thread during disk access. Each database's single writer guards the state on
/// disk; code that needs both writers acquires the writer of the index first. A mutex guards the state in memory. It is
/// never held during database access, and at most one file is renamed or unlinked under it. ``blob(_:size:)`` and the
/// pins never wait for a writer.
public final class BlobStore: Sendable {
    /// The store's directory, absolute and without symbolic links.
    public let directory: String
    /// The options that the store was opened with.
    public let configuration: Configuration

    /// The store's directory as a descriptor. All other files are opened relative to it.
    let root: PrivateFolder
    /// The folder of the large blobs; `nil` if the store is read-only and has none.
    let blobs: PrivateFolder?
    /// The lock; `nil` if the store is read-only and its directory has no lock file.
    let lock: DirectoryLock?
    let marker: CleanMarker
    /// The copied databases of a read-only store; otherwise `nil`.
    let copy: DatabaseCopy?
    let suspension: Suspension
    let index: StoreIndex
    let rows: BlobRows
    let memory: BlobCache
    /// The queue that writes small blobs, one chunk at a time.
    let rowQueue = SerialQueue("container.store.rows", priority: .inherited)
    let onStep: @Sendable (StoreStep) throws -> Void
    /// A closure that returns the number of bytes that can still be written to the file system of a path.
    let freeBytes: @Sendable (_ path: String) throws -> Int64
    let state = Mutex(State())

    struct State {
        /// Blobs that batches hold. Invariant: a blob is removed only while it has no claim. For a file the claims are
        /// checked under the mutex, for a row after the start of the transaction.
        var claims: [SHA256Digest: Claim] = [:]
        /// Small blobs that were added to batches and are not committed yet. At most a few chunks per batch.
        var unwritten: [SHA256Digest: (chunk: BlobChunk, range: Range<Int>)] = [:]
        /// The number of pins of each generation, never zero.
        var pins: [Int64: Int] = [:]
        /// Generations that a sweep has removed or is removing. They cannot be pinned any more.
        var swept: Set<Int64> = []
        /// Large blobs that were verified since the store was opened.
        var checked: Set<SHA256Digest> = []
        /// Keys of resources that were used on a later day than their record contains.
        var usedResources: Set<ByteText> = []
        /// The number of the next file in `staging/`.
        var nextStagedFile = 0
        /// The counters of the store. The memory cache has its own.
        var counters = StoreCounters()
    }

    struct Claim {
        /// The number of batches that hold the blob.
        var holders = 1
        /// A Boolean value that indicates whether one of these batches has written the blob. The blob is then sound
        /// although it may have no reference.
        var isPlaced = false
    }

    /// Opens the store in a directory, and creates the directory if it does not exist.
    ///
    /// A user who can write to the directory or its content could make the store read, change and delete files
    /// elsewhere. Symbolic links in it are therefore not followed. Modes that permit access by other users are
    /// restricted: 0700 for directories, 0600 for databases and the lock. If a file system has no modes, a warning is
    /// logged.
    /// - Throws: ``StoreError`` with one of these codes:
    ///   - `inUse` if another process or another store of this process has the
    ///     directory open.
    ///   - `damaged` if the index is damaged or has unknown tables; see
    ///     ``reset(directory:)``.
    ///   - `newerFormat` if a later version has written the store.
    ///   - `untrusted` if an item in the directory is a link or belongs to another
    ///     user.
    ///   - `diskFull` or `io` if the directory is not
    ///     writable.
    public convenience init(directory: String, configuration: Configuration = .init()) throws {
        try self.init(directory: directory, configuration: configuration, onStep: { _ in })
    }

    /// Opens the store with test hooks.
    /// - Parameters:
    ///   - freeBytes: see ``freeBytes``.
    ///   - onStep: a closure that is called after each step that reached the disk. An error that it throws ends the
    ///     operation.
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
        // The folder is checked here, and not only when the first document is written.
        _ = try root.subfolder("documents")
        let staging = try root.makeSubfolder("staging")
        for name in try staging.names() { try staging.remove(name) }
        try self.init(root, blobs, lock, copy: nil, configuration, freeBytes, onStep)
    }

    /// Opens a store read-only. Nothing in its directory is created, changed or removed, and writes throw
    /// `readOnly`.
    ///
    /// SQLite cannot read a database that was in use without writing to its directory. The databases are therefore
    /// copied to the temporary directory. The copy is removed with this object. Reads throw `CancellationError` after
    /// the current task was cancelled.
    /// - Parameters:
    ///   - directory: the directory of the store.
    ///   - includingBlobs: a Boolean value that indicates whether the small blobs are copied too. If it is `false`,
    ///     they are not found.
    ///   - configuration: the options of the store. Its budgets have no effect.
    /// - Throws: ``StoreError``, as ``init(directory:configuration:)`` does, with code
    ///   `notFound` if there is no store, and with code
    ///   `diskFull` if the copy does not fit.
    public convenience init(
        inspecting directory: String, includingBlobs: Bool = true, configuration: Configuration = .init()
    ) throws {
        guard FileSystem.isDirectory(directory),
            let root = try PrivateFolder.open(Self.resolve(directory), tightens: false)
        else {
            throw StoreError(.notFound, "no store in this directory", at: directory)
        }
        // These folders are not read. They are checked because a store does not create links: a directory with a link
        // is untrusted.
        for name in ["staging", "documents"] { _ = try root.subfolder(name, tightens: false) }
        // The lock is acquired before the database files are opened and closed for the check. Closing a file would
        // release the locks that another store of this process has on the file.
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
        // Runs before the lock is released. Errors are ignored, because everything is committed. Without the marker,
        // the next store only verifies more than necessary.
        do {
            // While the store is suspended, another store may use the directory.
            let isOurs = !suspension.isOn && copy == nil
            if isOurs { try flushUses() }
            try index.close()
            try rows.close()
            if isOurs { try marker.put() }
        } catch {}
    }

    /// Removes all files of a store from a directory, so that an empty store can be opened there, for example if the
    /// index is `damaged`. Other files in the directory and the targets of symbolic
    /// links are not removed.
    /// - Throws: ``StoreError``, with code `inUse` if the directory is in use.
    public static func reset(directory: String) throws {
        let directory = try Self.makeDirectory(directory)
        guard let root = try PrivateFolder.open(directory) else { return }
        let lock = try DirectoryLock(root)
        // The index is removed first, because the other files are unreferenced without it.
        for name in [StoreIndex.fileName, BlobRows.fileName] { try DatabaseFile(name, in: root).remove() }
        for name in ["clean", BlobRows.brokenMarker] { try root.remove(name) }
        for name in ["blobs", "documents", "staging"] { try root.removeTree(name) }
        withExtendedLifetime(lock) {}
    }

    /// The counters since the store was opened.
    public var counters: StoreCounters {
        var counters = state.withLock(\.counters)
        (counters.memoryHits, counters.memoryMisses, counters.memoryBytes) = memory.figures
        return counters
    }

    /// Releases the memory cache and SQLite's caches, for example after a memory warning.
    public func releaseMemory() {
        memory.removeAll()
        index.releaseMemory()
        rows.releaseMemory()
    }

    /// Checkpoints the databases before a period without writes. If no batch exists, a kill between this call and the
    /// next write counts as a clean end. Reads continue.
    ///
    /// Call this method when an app goes to the background. Systems kill apps in the background without a warning.
    /// - Throws: ``StoreError``.
    public func checkpoint() throws {
        // While the store is suspended, another store may use the directory.
        try checkWriting()
        try flushUses()
        try index.checkpoint()
        try rows.checkpoint()
        try marker.put()
    }
}

// MARK: - Preparing writes

extension BlobStore {
    /// Prepares the first write of an operation. Call this method between ``CleanMarker/begin()`` and that write.
    func prepareToWrite() throws {
        try checkWriting()
        try marker.prepareToWrite()
    }

    /// Checks that the store may be written to.
    /// - Throws: ``StoreError`` if the store is read-only or suspended.
    private func checkWriting() throws {
        guard copy == nil else { throw StoreError(.readOnly, "the store was opened read-only", at: directory) }
        try suspension.check()
    }

    /// Runs an operation that writes.
    func writing<Value>(_ body: () throws -> Value) throws -> Value {
        marker.begin()
        defer { marker.end() }
        try prepareToWrite()
        return try body()
    }
}

extension BlobStore {
    /// The options of a store.
    public struct Configuration: Sendable {
        /// The maximum size of the memory cache for small blobs in bytes, including its overhead. Zero disables the
        /// cache. Default: 10 MB.
        public var memoryCacheBytes: Int
        /// The maximum size of the blobs of all generations in bytes, each distinct blob counted once. Default: 500
        /// MB.
        public var packageBudget: Int64
        /// The maximum size of the resources in bytes; see ``BlobStore/putResources(_:from:)``. Default: 100 MB.
        public var resourceBudget: Int64
        /// The maximum size in bytes of a blob that is stored as a row. Larger blobs are files. The limit may differ
        /// between openings of a store. Default: 64 KB.
        public var smallBlobLimit: Int
        /// A closure that returns the current day as an increasing number, which records the last use of a resource.
        /// Default: days since 1970 by the system's clock.
        public var today: @Sendable () -> Int64

        /// Creates options with the documented defaults.
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
