// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

/// The index of the store: a SQLite database with the generations, their entries and the resources.
final class StoreIndex: StoreDatabase {
    static let fileName = "index.sqlite"

    let connections: StoreConnections
    let path: String
    let limit: StepLimit
    let suspension: Suspension
    let onStep: @Sendable (StoreStep) throws -> Void

    /// Opens the index.
    /// - Parameters:
    ///   - wasClean: a Boolean value that indicates whether the store was closed cleanly and is not read-only. If it is
    ///     `false`, SQLite checks the database's structure.
    ///   - suspension: the suspension state, checked before each write.
    ///   - onStep: see ``BlobStore/onStep``.
    /// - Throws: ``StoreError``, with code `damaged` if the structure is damaged.
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
        connections = try StoreError.mapping(path) {
            try StoreConnections {
                try .opened(
                    file, label: "ResourceStore", schema: Self.schema.get(), migrator: Self.migrator(limit), limit)
            } reader: {
                try .openedForReading(file, label: "ResourceStore", schema: Self.schema.get())
            }
        }
        if !wasClean { try checkStructure(of: "index") }
    }

    private static let schema = Result { try StoreSchema(migrator(.generous)) }

    /// Returns the migrations of the index.
    /// - Parameter limit: the cost limit of migrations that read existing rows.
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
            // Generations from before this migration have no seal.
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
            // The index contains all columns of the budget's sum, so that the table is not read.
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
        try lookingUp { database in
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
        try lookingUp { database in
            let statement = try database.cachedStatement(
                sql: "SELECT path, blob, size, media_type FROM entry WHERE generation = ? AND path = ?")
            return try Row.fetchOne(statement, arguments: [generation, path]).map(StoredEntry.init)
        }
    }

    /// Checkpoints the log as far as readers permit.
    /// - Throws: ``StoreError``, also if the database is closed.
    func checkpoint() throws {
        try withConnections { try $0.writeWithoutTransaction { try $0.checkpointAfterInterruption() } }
    }

    /// Returns the table of a generation sorted by path, or `nil` if there is no such generation.
    /// - Throws: ``StoreError``, with code `damaged` if the table does not match its
    ///   seal.
    func entries(of generation: Int64) throws -> [StoredEntry]? {
        try lookingUp { database in
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
                throw StoreError(.damaged, "generation \(generation) does not match its seal", at: path)
            }
            return entries
        }
    }

    /// Returns those blobs that an entry or a resource refers to.
    func named(of blobs: some Sequence<SHA256Digest>) throws -> Set<SHA256Digest> {
        try reading { try Self.named(of: blobs, in: $0) }
    }

    static func named(of blobs: some Sequence<SHA256Digest>, in database: Database) throws -> Set<SHA256Digest> {
        // This check saves a first install thousands of lookups in empty tables.
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

    /// Returns the recorded size in bytes of all blobs of generations, each blob counted once. The seals are not
    /// checked: a flipped bit can make the result wrong, but not negative.
    func packageBytes() throws -> Int64 {
        try reading { database in
            // `SUM` fails if an integer sum overflows. `TOTAL` returns a floating-point number instead.
            let sum = try Double.fetchOne(
                database, sql: "SELECT TOTAL(MAX(size, 0)) FROM (SELECT MIN(size) AS size FROM entry GROUP BY blob)")
            return Int64(exactly: sum ?? 0) ?? .max
        }
    }

    /// Returns the blobs of all generations, each once.
    func packageBlobs() throws -> [SHA256Digest] {
        try reading { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT blob FROM entry GROUP BY blob")
            var blobs: [SHA256Digest] = []
            // An invalid digest has no bytes.
            while let row = try rows.next() { if let blob = try? SHA256Digest(row, column: 0) { blobs.append(blob) } }
            return blobs
        }
    }

    /// Returns those blobs that no generation refers to.
    func newToPackages(of blobs: some Sequence<SHA256Digest>) throws -> [SHA256Digest] {
        try reading { database in
            let statement = try database.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE blob = ?)")
            return try blobs.filter { try Bool.fetchOne(statement, arguments: [$0.data]) != true }
        }
    }

    /// Adds a generation and its table in the state `staged`.
    /// - Parameter entries: the entries, sorted by the bytes of their paths.
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
            // The seal covers the number, which is known only after the insertion.
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

    /// Activates a generation and retires the previously active generation of its package.
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

    /// Removes retired generations, commits, and then removes blobs before another write can begin.
    ///
    /// The commit is checkpointed before blobs are removed. Otherwise damage to the log could lose the commit and
    /// restore generations whose blobs were removed.
    ///
    /// - Parameters:
    ///   - choose: a closure that selects the generations to remove from the retired ones.
    ///   - committed: a closure that is called after the commit.
    ///   - removeBlobs: a closure that receives the blobs that are still referenced after the commit.
    func sweep(
        choosing choose: ([Int64]) -> [Int64], committed: () -> Void,
        removeBlobs: (_ named: Set<SHA256Digest>) throws -> Void
    ) throws {
        try writingWithoutTransaction { database in
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
                // A reader runs for seconds, or the disk is too full until the blobs are removed. The commit stays in
                // the log, where only flipped bits can damage it.
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

extension StoredEntry {
    /// Creates an entry from the columns path, blob, size and media type.
    fileprivate init(_ row: Row) throws {
        self.init(
            path: try row.decode(atIndex: 0), blob: try SHA256Digest(row, column: 1), size: try row.decode(atIndex: 2),
            mediaType: try row.decode(atIndex: 3))
    }
}

extension StoredGeneration {
    /// Creates a generation from the columns number, package, version, state and metadata.
    fileprivate init(_ row: Row) throws {
        self.init(
            number: try row.decode(atIndex: 0), package: try row.decode(atIndex: 1),
            version: try row.decode(atIndex: 2), state: State(rawValue: try row.decode(atIndex: 3)),
            metadata: try row.decode(atIndex: 4))
    }

    /// Returns the seal over a generation and its table, without the state.
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
