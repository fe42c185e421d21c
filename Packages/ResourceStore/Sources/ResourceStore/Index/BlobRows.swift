// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

/// The small blobs: rows of a SQLite database of their own.
///
/// The reasons and the measurements are in `docs/decisions/0006-store-small-blobs-as-rows.md`.
///
/// A commit reaches the device before it returns. Rows name nothing and are named by the index, so the order of steps
/// is that of files: bytes first, then the transaction that names them.
///
/// Isolation: writes are serialised by GRDB's one writing connection; reads run beside them. Every call blocks its
/// thread.
final class BlobRows: Sendable {
    static let fileName = "blobs.sqlite"

    let path: String
    private let database: DatabasePool
    /// What one access may cost.
    private let limit: StepLimit
    private let suspension: Suspension

    /// Pages of 16 KB: a small blob is a page or two, and a chain of pages is short.
    private static let pageSize = 16 << 10
    /// Pages after which a commit moves what the log holds into the database: 64 MB.
    private static let checkpointPages = 4_000

    /// - Parameter suspension: asked before each write.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/damaged`` where the file is no database.
    init(_ file: DatabaseFile, _ limit: StepLimit, _ suspension: Suspension) throws {
        let path = file.path
        self.path = path
        self.limit = limit
        self.suspension = suspension
        database = try StoreError.mapping(path) {
            try .opened(
                file, label: "ResourceStore.blobs", schema: Self.schema.get(), migrator: Self.migrator, limit
            ) { database in
                guard !database.configuration.readonly else { return }
                // The first two count only while the file is empty. The log is cut back after it was as long as a large
                // package made it.
                try database.execute(
                    sql: """
                        PRAGMA page_size = \(Self.pageSize);
                        PRAGMA auto_vacuum = INCREMENTAL;
                        PRAGMA wal_autocheckpoint = \(Self.checkpointPages);
                        PRAGMA journal_size_limit = \(4 << 20);
                        """)
            }
        }
    }

    private static let schema = Result { try StoreSchema(migrator) }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("small blobs") { database in
            // The table is in the order of arrival, so that its pages fill one after another. The size is in the
            // index too: a sweep and a batch ask for it and need not touch the bytes.
            try database.execute(
                sql: """
                    CREATE TABLE blob (
                        number INTEGER PRIMARY KEY,
                        digest BLOB NOT NULL,
                        size INTEGER NOT NULL,
                        bytes BLOB NOT NULL
                    ) STRICT;
                    CREATE UNIQUE INDEX blob_by_digest ON blob(digest, size);
                    """)
        }
        return migrator
    }

    func close() throws {
        // Lets idle readers go. The connection that closes last moves the log into the database, and a reader cannot.
        database.releaseMemory()
        try database.close()
    }

    /// Has the statement that is under way fail, where there is one.
    func interrupt() {
        database.interrupt()
    }

    /// Drops what SQLite keeps in memory, soon: who asks may be the main thread, and a write may be under way.
    func releaseMemory() {
        database.releaseMemoryEventually()
    }

    /// Moves what the log holds into the database, where no reader is in the way.
    func checkpoint() throws {
        try StoreError.mapping(path) {
            try database.writeWithoutTransaction { database in
                // The store may have closed since this was asked for, and SQLite does not look.
                guard database.sqliteConnection != nil else { return }
                try database.checkpointAfterInterruption()
            }
        }
    }

    /// The bytes of a blob as they are on disk. They are not checked.
    func bytes(of id: SHA256Digest) throws -> Data? {
        try StoreError.mapping(path) {
            // One statement is a transaction of its own.
            try database.unsafeRead { database in
                try database.limited(limit) { database in
                    let statement = try database.cachedStatement(sql: "SELECT bytes FROM blob WHERE digest = ?")
                    return try Data.fetchOne(statement, arguments: [id.data])
                }
            }
        }
    }

    /// The sizes in bytes of those of the given blobs that are here.
    func sizes(of blobs: some Collection<SHA256Digest>) throws -> [SHA256Digest: Int64] {
        guard !blobs.isEmpty else { return [:] }
        return try StoreError.mapping(path) {
            try reading { database in
                let statement = try database.cachedStatement(sql: "SELECT size FROM blob WHERE digest = ?")
                var sizes: [SHA256Digest: Int64] = [:]
                for blob in blobs {
                    if let size = try Int64.fetchOne(statement, arguments: [blob.data]) { sizes[blob] = size }
                }
                return sizes
            }
        }
    }

    /// Every blob that is here, with its size in bytes.
    func all() throws -> [(id: SHA256Digest, size: Int64)] {
        try StoreError.mapping(path) {
            try reading { database in
                let rows = try Row.fetchCursor(database, sql: "SELECT digest, size FROM blob ORDER BY digest")
                var all: [(id: SHA256Digest, size: Int64)] = []
                while let row = try rows.next() {
                    // A row without a sensible name cannot be asked for either.
                    guard let id = try? SHA256Digest(row, column: 0) else { continue }
                    all.append((id, try row.decode(atIndex: 1)))
                }
                return all
            }
        }
    }

    private func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try database.read { try $0.limited(limit, body) }
    }

    /// What SQLite finds wrong with the database's structure; empty where it is sound.
    func faults() throws -> [String] {
        try database.faults(at: path, limit)
    }

    /// Writes blobs in one transaction, over rows that are there already: those may be damaged, these are not.
    /// - Parameter beforeCommit: what it throws ends the transaction without a trace.
    func write(_ chunk: BlobChunk, beforeCommit: () throws -> Void = {}) throws {
        try StoreError.mapping(path) {
            try database.write { database in
                try suspension.check()
                let insertion = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO blob (digest, size, bytes) VALUES (?, ?, ?)")
                // An empty `Data` may be bound as NULL.
                let empty = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO blob (digest, size, bytes) VALUES (?, 0, x'')")
                for (id, range) in chunk.ranges {
                    if range.isEmpty {
                        try empty.execute(arguments: [id.data])
                    } else {
                        try chunk.withBytes(in: range) { bytes in
                            try insertion.execute(arguments: [id.data, bytes.count, bytes])
                        }
                    }
                }
                try beforeCommit()
            }
        }
    }

    /// Removes blobs, a thousand to a transaction.
    /// - Parameters:
    ///   - choose: picks those that may go, when no write can come between that and their removal.
    ///   - afterCommit: is told of each transaction what was removed.
    func remove(
        _ blobs: [SHA256Digest], choosing choose: ([SHA256Digest]) -> [SHA256Digest],
        afterCommit: ([SHA256Digest]) throws -> Void
    ) throws {
        var rest = blobs[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(1_000))
            rest = rest.dropFirst(1_000)
            let removed = try StoreError.mapping(path) {
                try database.write { database in
                    try suspension.check()
                    let doomed = choose(part)
                    let deletion = try database.cachedStatement(sql: "DELETE FROM blob WHERE digest = ?")
                    for blob in doomed { try deletion.execute(arguments: [blob.data]) }
                    return doomed
                }
            }
            if !removed.isEmpty { try afterCommit(removed) }
        }
    }

    /// Gives the pages of removed blobs back to the file system.
    func shrink() throws {
        try StoreError.mapping(path) {
            try database.writeWithoutTransaction { database in
                try suspension.check()
                guard try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 > 0 else { return }
                try database.execute(sql: "PRAGMA incremental_vacuum")
                try database.checkpoint(.passive)
            }
        }
    }
}

extension BlobRows {
    /// A file whose presence says that the database was found broken while it was in use.
    static let brokenMarker = "blobs.broken"

    /// Has SQLite look at each page. Pages that are found by two ways make a table that hardly ends.
    private func checkStructure() throws {
        let finding = try StoreError.mapping(path) {
            try reading { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        }
        guard finding == "ok" else {
            try close()
            throw StoreError(.damaged, "the database is broken: \(finding ?? "no answer")", at: path)
        }
    }

    /// Opens the database of a store. One that is broken is removed: what it held can be fetched again, and the index
    /// says what that is.
    /// - Returns: the database, and whether one was removed for it.
    static func openOrReplace(
        in folder: PrivateFolder, checksStructure: Bool, _ limit: StepLimit, _ suspension: Suspension
    ) throws -> (rows: BlobRows, isNew: Bool) {
        let file = DatabaseFile(fileName, in: folder)
        if try folder.status(of: brokenMarker) == nil {
            do {
                let rows = try BlobRows(file, limit, suspension)
                if checksStructure { try rows.checkStructure() }
                return (rows, false)
            } catch let error as StoreError where error.code == .damaged {}
        }
        try file.remove()
        let rows = try BlobRows(file, limit, suspension)
        try folder.remove(brokenMarker)
        return (rows, true)
    }
}
