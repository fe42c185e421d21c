// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

/// The store's SQLite database: which generations there are, and what their paths name.
///
/// Isolation: writes are serialised by GRDB's one writing connection; reads run beside them on connections
/// of their own, so that a look-up never waits for an install. Every call blocks its thread.
final class StoreIndex: Sendable {
    static let fileName = "index.sqlite"

    let database: DatabasePool
    let path: String
    /// What one access may cost.
    let limit: StepLimit
    let suspension: Suspension
    let onStep: @Sendable (StoreStep) throws -> Void

    /// - Parameters:
    ///   - wasClean: whether the store was closed properly, and by this user; if not, SQLite checks the database's
    ///     structure.
    ///   - suspension: asked before each write.
    ///   - onStep: see ``BlobStore/onStep``.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/damaged`` where that is broken.
    init(
        in folder: PrivateFolder, wasClean: Bool, limit: StepLimit, suspension: Suspension,
        onStep: @escaping @Sendable (StoreStep) throws -> Void
    ) throws {
        let file = DatabaseFile(Self.fileName, in: folder)
        let path = file.path
        self.path = path
        self.limit = limit
        self.suspension = suspension
        self.onStep = onStep
        database = try StoreError.mapping(path) {
            let database = try DatabasePool.opened(
                file, label: "ResourceStore", schema: Self.schema.get(), migrator: Self.migrator(limit), limit)
            if !wasClean {
                let finding = try database.read { database in
                    try database.limited(limit) { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
                }
                guard finding == "ok" else {
                    throw StoreError(.damaged, "the index is broken: \(finding ?? "no answer")", at: path)
                }
            }
            return database
        }
    }

    private static let schema = Result { try StoreSchema(migrator(.generous)) }

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
            _ = try database.writeWithoutTransaction { try $0.checkpointAfterInterruption() }
        }
    }

    /// SQLite's `synchronous` setting of the writing connection.
    func synchronousMode() throws -> Int? {
        try StoreError.mapping(path) {
            try database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
    }

    /// - Parameter limit: for what reads rows that are there.
    private static func migrator(_ limit: StepLimit) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("generations and their entries") { database in
            try database.execute(
                sql: """
                    CREATE TABLE generation (
                        number INTEGER PRIMARY KEY AUTOINCREMENT,
                        package TEXT NOT NULL,
                        version TEXT NOT NULL,
                        state TEXT NOT NULL,
                        metadata BLOB NOT NULL
                    ) STRICT;
                    CREATE INDEX generation_by_state ON generation(state);
                    CREATE UNIQUE INDEX one_active_generation ON generation(package) WHERE state = 'active';
                    CREATE TABLE entry (
                        generation INTEGER NOT NULL REFERENCES generation(number) ON DELETE CASCADE,
                        path TEXT NOT NULL,
                        blob BLOB NOT NULL,
                        size INTEGER NOT NULL,
                        media_type TEXT NOT NULL,
                        PRIMARY KEY (generation, path)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX entry_by_blob ON entry(blob);
                    """)
        }
        migrator.registerMigration("seals, sizes by blob, resources", foreignKeyChecks: .immediate) { database in
            // A generation without a seal is from before there were any.
            try database.limited(limit) {
                try $0.execute(
                    sql: """
                        ALTER TABLE generation ADD COLUMN seal BLOB;
                        DROP INDEX entry_by_blob;
                        CREATE INDEX entry_by_blob ON entry(blob, size);
                        CREATE TABLE resource (
                            number INTEGER PRIMARY KEY AUTOINCREMENT,
                            key TEXT NOT NULL UNIQUE,
                            blob BLOB NOT NULL,
                            size INTEGER NOT NULL,
                            media_type TEXT NOT NULL,
                            validator TEXT NOT NULL,
                            last_use INTEGER NOT NULL,
                            seal BLOB NOT NULL
                        ) STRICT;
                        CREATE INDEX resource_by_blob ON resource(blob);
                        CREATE INDEX resource_by_use ON resource(last_use, number, size);
                        """)
            }
        }
        migrator.registerMigration("what the budget counts beside a resource's bytes", foreignKeyChecks: .immediate) {
            database in
            // The budget's sum reads the index alone.
            try database.limited(limit) {
                try $0.execute(
                    sql: """
                        ALTER TABLE resource ADD COLUMN overhead INTEGER NOT NULL DEFAULT 0;
                        DROP INDEX resource_by_use;
                        CREATE INDEX resource_by_use ON resource(last_use, number, size, overhead);
                        """)
            }
        }
        return migrator
    }
}

extension StoreIndex {
    func generations(in state: StoredGeneration.State) throws -> [StoredGeneration] {
        try reading { database in
            try Row.fetchAll(
                database,
                sql: "SELECT number, package, version, state, metadata FROM generation WHERE state = ? ORDER BY number",
                arguments: [state.rawValue]
            ).map(StoredGeneration.init)
        }
    }

    func retiredNumbers() throws -> [Int64] {
        try reading { try Self.retiredNumbers(in: $0) }
    }

    private static func retiredNumbers(in database: Database) throws -> [Int64] {
        try Int64.fetchAll(database, sql: "SELECT number FROM generation WHERE state = 'retired' ORDER BY number")
    }

    func entry(generation: Int64, path: String) throws -> StoredEntry? {
        try reading { database in
            let statement = try database.cachedStatement(
                sql: "SELECT path, blob, size, media_type FROM entry WHERE generation = ? AND path = ?")
            return try Row.fetchOne(statement, arguments: [generation, path]).map(StoredEntry.init)
        }
    }

    /// The table of a generation by path, or `nil` where there is no such generation.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/damaged`` where it is not as it was written.
    func entries(of generation: Int64) throws -> [StoredEntry]? {
        try reading { database in
            guard
                let head = try Row.fetchOne(
                    database,
                    sql: "SELECT number, package, version, state, metadata, seal FROM generation WHERE number = ?",
                    arguments: [generation])
            else { return nil }
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT path, blob, size, media_type FROM entry WHERE generation = ? ORDER BY path",
                arguments: [generation])
            var entries: [StoredEntry] = []
            while let row = try rows.next() { entries.append(try StoredEntry(row)) }
            if let seal = try head.decode(Data?.self, atIndex: 5),
                try seal != StoredGeneration(head).seal(over: entries)
            {
                throw StoreError(.damaged, "generation \(generation) is not as it was written", at: path)
            }
            return entries
        }
    }

    /// Those of the given blobs that an entry or a resource names.
    func named(of blobs: some Sequence<SHA256Digest>) throws -> Set<SHA256Digest> {
        try reading { try Self.named(of: blobs, in: $0) }
    }

    static func named(of blobs: some Sequence<SHA256Digest>, in database: Database) throws -> Set<SHA256Digest> {
        // A first install asks for thousands and there is nothing.
        let isEmpty = try Bool.fetchOne(
            database, sql: "SELECT NOT EXISTS (SELECT 1 FROM entry) AND NOT EXISTS (SELECT 1 FROM resource)")
        if isEmpty == true { return [] }
        let statement = try database.cachedStatement(
            sql: """
                SELECT EXISTS (SELECT 1 FROM entry WHERE blob = ?1) OR EXISTS (SELECT 1 FROM resource WHERE blob = ?1)
                """)
        var named: Set<SHA256Digest> = []
        for blob in blobs where try Bool.fetchOne(statement, arguments: [blob.data]) == true { named.insert(blob) }
        return named
    }

    /// The bytes of all blobs that generations name, each blob counted once, as the tables say. Their seals are not
    /// looked at, so a flipped bit makes this any number; none is negative.
    func packageBytes() throws -> Int64 {
        try reading { database in
            // A sum of integers that is too large would be an error.
            let sum = try Double.fetchOne(
                database, sql: "SELECT TOTAL(MAX(size, 0)) FROM (SELECT MIN(size) AS size FROM entry GROUP BY blob)")
            return Int64(exactly: sum ?? 0) ?? .max
        }
    }

    /// The blobs that generations name, each once.
    func packageBlobs() throws -> [SHA256Digest] {
        try reading { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT blob FROM entry GROUP BY blob")
            var blobs: [SHA256Digest] = []
            // A name that is none has no bytes.
            while let row = try rows.next() { if let blob = try? SHA256Digest(row, column: 0) { blobs.append(blob) } }
            return blobs
        }
    }

    /// Those of the given blobs that no generation names.
    func newToPackages(of blobs: some Sequence<SHA256Digest>) throws -> [SHA256Digest] {
        try reading { database in
            let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE blob = ?)")
            return try blobs.filter { try Bool.fetchOne(statement, arguments: [$0.data]) != true }
        }
    }

    /// Adds a generation and its table, as staged.
    /// - Parameter entries: in the order of the bytes of their paths.
    func stage(
        package: String, version: String, metadata: Data, entries: [StoredEntry]
    ) throws -> StoredGeneration {
        try writing { database in
            let state = StoredGeneration.State.staged
            try database.execute(
                sql: "INSERT INTO generation (package, version, state, metadata) VALUES (?, ?, ?, ?)",
                arguments: [package, version, state.rawValue, metadata])
            let generation = StoredGeneration(
                number: database.lastInsertedRowID, package: package, version: version, state: state,
                metadata: metadata)
            // The seal knows the number, which is known only now.
            try database.execute(
                sql: "UPDATE generation SET seal = ? WHERE number = ?",
                arguments: [generation.seal(over: entries), generation.number])
            let insertion = try database.makeStatement(
                sql: "INSERT INTO entry (generation, path, blob, size, media_type) VALUES (?, ?, ?, ?, ?)")
            for entry in entries {
                try insertion.execute(
                    arguments: [generation.number, entry.path, entry.blob.data, entry.size, entry.mediaType])
            }
            try onStep(.generationWritten)
            return generation
        }
    }

    /// Makes a generation the active one of its package and retires the one that was.
    func activate(_ number: Int64) throws {
        try writing { database in
            guard
                let package = try String.fetchOne(
                    database, sql: "SELECT package FROM generation WHERE number = ?", arguments: [number])
            else { throw StoreError(.notFound, "no generation \(number)", at: path) }
            try database.execute(
                sql: "UPDATE generation SET state = 'retired' WHERE package = ? AND state = 'active' AND number <> ?",
                arguments: [package, number])
            try onStep(.formerRetired)
            try database.execute(sql: "UPDATE generation SET state = 'active' WHERE number = ?", arguments: [number])
        }
    }

    func retire(_ number: Int64) throws {
        try writing { database in
            try database.execute(sql: "UPDATE generation SET state = 'retired' WHERE number = ?", arguments: [number])
            guard database.changesCount > 0 else { throw StoreError(.notFound, "no generation \(number)", at: path) }
        }
    }

    /// Removes retired generations, commits, and goes on to the blobs before any other write can begin.
    ///
    /// The commit is moved into the database before that: it must not be lost with a damaged log, since then older
    /// generations would come back whose blobs are gone.
    ///
    /// - Parameters:
    ///   - choose: picks the numbers to remove from those of the retired generations.
    ///   - committed: is called once they are gone for good.
    ///   - removeBlobs: is told the blobs that entries name after the commit.
    func sweep(
        choosing choose: ([Int64]) -> [Int64], committed: () -> Void,
        removeBlobs: (_ named: Set<SHA256Digest>) throws -> Void
    ) throws {
        try StoreError.mapping(path) {
            try database.writeWithoutTransaction { database in
                try suspension.check()
                let doomed = choose(try database.limited(limit, Self.retiredNumbers(in:)))
                try database.limited(limit) { database in
                    try database.inTransaction(repairs: "generation", "entry") {
                        for number in doomed {
                            try database.execute(sql: "DELETE FROM generation WHERE number = ?", arguments: [number])
                        }
                    }
                }
                committed()
                do {
                    _ = try database.checkpoint(.truncate)
                } catch let error as DatabaseError where [.SQLITE_BUSY, .SQLITE_FULL].contains(error.resultCode) {
                    // A reader that stays for seconds, or a device without the room that the blobs are about to make. The
                    // log is only at risk from bits that flip in it.
                }
                let named = try database.limited(limit) { database in
                    let rows = try Row.fetchCursor(
                        database, sql: "SELECT blob FROM entry GROUP BY blob UNION ALL SELECT blob FROM resource")
                    var named: Set<SHA256Digest> = []
                    while let row = try rows.next() { named.insert(try SHA256Digest(row, column: 0)) }
                    return named
                }
                try removeBlobs(named)
            }
        }
    }
}

extension StoreIndex {
    func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StoreError.mapping(path) { try database.read { try $0.limited(limit, body) } }
    }

    /// For one statement, which is a transaction of its own: spares that of many.
    func readingOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StoreError.mapping(path) { try database.unsafeRead { try $0.limited(limit, body) } }
    }

    func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StoreError.mapping(path) {
            try database.write { database in
                try suspension.check()
                return try database.limited(limit, body)
            }
        }
    }
}

extension StoredEntry {
    /// Columns: path, blob, size, media type.
    fileprivate init(_ row: Row) throws {
        self.init(
            path: try row.decode(atIndex: 0), blob: try SHA256Digest(row, column: 1), size: try row.decode(atIndex: 2),
            mediaType: try row.decode(atIndex: 3))
    }
}

extension StoredGeneration {
    /// Columns: number, package, version, state, metadata.
    fileprivate init(_ row: Row) throws {
        self.init(
            number: try row.decode(atIndex: 0), package: try row.decode(atIndex: 1),
            version: try row.decode(atIndex: 2), state: State(rawValue: try row.decode(atIndex: 3)),
            metadata: try row.decode(atIndex: 4))
    }

    /// Says of a generation and its table whether they are what was staged. The state is not part of it.
    fileprivate func seal(over entries: [StoredEntry]) -> Data {
        var seal = Seal()
        seal.add(number)
        seal.add(package)
        seal.add(version)
        seal.add(metadata)
        for entry in entries { seal.add(entry) }
        return seal.finish()
    }
}
