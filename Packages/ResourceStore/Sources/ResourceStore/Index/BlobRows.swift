// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

/// The small blobs, as rows of a separate SQLite database.
///
/// The decision and its measurements are in `docs/decisions/0006-store-small-blobs-as-rows.md`.
///
/// A commit is on the device before it returns. The rows contain no references; the index refers to them. The order of
/// steps is therefore the same as for files: first the bytes, then the transaction that refers to them.
final class BlobRows: StoreDatabase {
    static let fileName = "blobs.sqlite"

    let path: String
    let connections: StoreConnections
    let limit: StepLimit
    let suspension: Suspension

    /// The page size of 16 KB. A blob of 64 KB needs about five pages, so that chains of overflow pages are short.
    private static let pageSize = 16 << 10
    /// The number of log pages (64 MB) after which a commit checkpoints the log.
    private static let checkpointPages = 4_000

    /// Opens the database.
    /// - Parameter suspension: the suspension state, checked before each write.
    /// - Throws: ``StoreError``, with code `damaged` if the file is not a database.
    init(_ file: DatabaseFile, _ limit: StepLimit, _ suspension: Suspension) throws {
        let path = file.path
        self.path = path
        self.limit = limit
        self.suspension = suspension
        connections = try StoreError.mapping(path) {
            try StoreConnections {
                try .opened(
                    file, label: "ResourceStore.blobs", schema: Self.schema.get(), migrator: Self.migrator, limit
                ) { database in
                    guard !database.configuration.readonly else { return }
                    // The first two settings have an effect only while the file is empty. The last setting truncates
                    // the log after a large package has extended it.
                    try database.execute(
                        sql: """
                            PRAGMA page_size = \(Self.pageSize);
                            PRAGMA auto_vacuum = INCREMENTAL;
                            PRAGMA wal_autocheckpoint = \(Self.checkpointPages);
                            PRAGMA journal_size_limit = \(4 << 20);
                            """)
                }
            } reader: {
                try .openedForReading(file, label: "ResourceStore.blobs", schema: Self.schema.get())
            }
        }
    }

    private static let schema = Result { try StoreSchema(migrator) }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("small blobs") { database in
            // The table is in the order of insertion, so that its pages fill sequentially. The index contains the size
            // too, so that sweeps and batches read sizes without touching the bytes.
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

    /// Checkpoints the log as far as readers permit. Does nothing if the database is closed, because a checkpoint may
    /// be enqueued before the store closes.
    func checkpoint() throws {
        try StoreError.mapping(path) {
            _ = try connections.using { try $0.writeWithoutTransaction { try $0.checkpointAfterInterruption() } }
        }
    }

    /// Returns the stored bytes of a blob without verification.
    func bytes(of id: SHA256Digest) throws -> Data? {
        try readingOnce { database in
            let statement = try database.cachedStatement(sql: "SELECT bytes FROM blob WHERE digest = ?")
            return try Data.fetchOne(statement, arguments: [id.data])
        }
    }

    /// Returns the sizes in bytes of those blobs that are stored.
    func sizes(of blobs: some Collection<SHA256Digest>) throws -> [SHA256Digest: Int64] {
        guard !blobs.isEmpty else { return [:] }
        return try reading { database in
            let statement = try database.cachedStatement(sql: "SELECT size FROM blob WHERE digest = ?")
            var sizes: [SHA256Digest: Int64] = [:]
            for blob in blobs {
                if let size = try Int64.fetchOne(statement, arguments: [blob.data]) { sizes[blob] = size }
            }
            return sizes
        }
    }

    /// Returns every stored blob and its size in bytes.
    func all() throws -> [(id: SHA256Digest, size: Int64)] {
        try reading { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT digest, size FROM blob ORDER BY digest")
            var all: [(id: SHA256Digest, size: Int64)] = []
            while let row = try rows.next() {
                // A row without a valid digest cannot be looked up.
                guard let id = try? SHA256Digest(row, column: 0) else { continue }
                all.append((id, try row.decode(atIndex: 1)))
            }
            return all
        }
    }

    /// Writes blobs in one transaction. Existing rows are replaced, because they may be damaged.
    /// - Parameter beforeCommit: a closure that runs before the commit. If it throws, the transaction is rolled back.
    func write(_ chunk: BlobChunk, beforeCommit: () throws -> Void = {}) throws {
        try writing { database in
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

    /// Removes blobs in transactions of a thousand.
    /// - Parameters:
    ///   - choose: a closure that selects the blobs to remove. It runs in the transaction, so that no write can
    ///     intervene.
    ///   - afterCommit: a closure that receives the removed blobs after each transaction.
    func remove(
        _ blobs: [SHA256Digest], choosing choose: ([SHA256Digest]) -> [SHA256Digest],
        afterCommit: ([SHA256Digest]) throws -> Void
    ) throws {
        var rest = blobs[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(1_000))
            rest = rest.dropFirst(1_000)
            let removed = try writing { database in
                let doomed = choose(part)
                let deletion = try database.cachedStatement(sql: "DELETE FROM blob WHERE digest = ?")
                for blob in doomed { try deletion.execute(arguments: [blob.data]) }
                return doomed
            }
            if !removed.isEmpty { try afterCommit(removed) }
        }
    }

    /// Returns the pages of removed blobs to the file system.
    func shrink() throws {
        try writingWithoutTransaction { database in
            guard try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0 > 0 else { return }
            try database.execute(sql: "PRAGMA incremental_vacuum")
            try database.checkpoint(.passive)
        }
    }
}

extension BlobRows {
    /// The name of a file whose existence records that the database was found damaged during use.
    static let brokenMarker = "blobs.broken"

    /// Opens the database of a store. A damaged database is replaced with an empty one. Its content can be downloaded
    /// again, because the index lists the content.
    /// - Returns: the database, and a Boolean value that indicates whether it replaces a removed database.
    static func openOrReplace(
        in folder: PrivateFolder, checksStructure: Bool, _ limit: StepLimit, _ suspension: Suspension
    ) throws -> (rows: BlobRows, isNew: Bool) {
        let file = DatabaseFile(fileName, in: folder)
        if try folder.status(of: brokenMarker) == nil {
            do {
                let rows = try BlobRows(file, limit, suspension)
                if checksStructure { try rows.checkStructure(of: "database") }
                return (rows, false)
            } catch let error as StoreError where error.code == .damaged {}
        }
        try file.remove()
        let rows = try BlobRows(file, limit, suspension)
        try folder.remove(brokenMarker)
        return (rows, true)
    }
}
