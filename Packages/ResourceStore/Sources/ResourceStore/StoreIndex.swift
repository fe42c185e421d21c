// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The store's SQLite database: which generations there are, and what their paths name.
///
/// Isolation: writes are serialised by GRDB's one writing connection; reads run beside them on connections
/// of their own, so that a look-up never waits for an install. Every call blocks its thread.
final class StoreIndex: Sendable {
    private let database: DatabasePool
    private let path: String
    private let onStep: @Sendable (StoreStep) throws -> Void

    init(path: String, onStep: @escaping @Sendable (StoreStep) throws -> Void) throws {
        self.path = path
        self.onStep = onStep
        var configuration = Configuration()
        configuration.label = "ResourceStore"
        // The store is opened exclusively: only a backup or an inspector can be in the way, and briefly.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        #if canImport(Darwin)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            }
        #endif
        database = try Self.mapping(path) {
            let database = try DatabasePool(path: path, configuration: configuration)
            // GRDB sets NORMAL for WAL, where a commit may be lost to a power cut. Here blobs are unlinked
            // because a commit says that nothing needs them, so a commit must stay.
            try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            let migrator = Self.migrator
            guard try !database.read(migrator.hasBeenSuperseded) else {
                throw StoreError(.newerFormat, "a later version wrote this store", at: path)
            }
            try migrator.migrate(database)
            return database
        }
    }

    func close() throws {
        try database.close()
    }

    /// SQLite's `synchronous` setting of the writing connection.
    func synchronousMode() throws -> Int? {
        try Self.mapping(path) {
            try database.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
    }

    private static var migrator: DatabaseMigrator {
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

    func entry(generation: Int64, path: String) throws -> StoredEntry? {
        try reading { database in
            let statement = try database.cachedStatement(
                sql: "SELECT path, blob, size, media_type FROM entry WHERE generation = ? AND path = ?")
            return try Row.fetchOne(statement, arguments: [generation, path]).map(StoredEntry.init)
        }
    }

    /// The table of a generation by path, or `nil` where there is no such generation.
    func entries(of generation: Int64) throws -> [StoredEntry]? {
        try reading { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT path, blob, size, media_type FROM entry WHERE generation = ? ORDER BY path",
                arguments: [generation])
            var entries: [StoredEntry] = []
            while let row = try rows.next() { entries.append(try StoredEntry(row)) }
            if entries.isEmpty, try !Self.exists(generation, in: database) { return nil }
            return entries
        }
    }

    /// Those of the given blobs that an entry names.
    func named(of blobs: some Sequence<BlobID>) throws -> Set<BlobID> {
        try reading { database in
            let statement = try database.cachedStatement(sql: "SELECT 1 FROM entry WHERE blob = ? LIMIT 1")
            var named: Set<BlobID> = []
            for blob in blobs where try Int.fetchOne(statement, arguments: [blob.data]) != nil {
                named.insert(blob)
            }
            return named
        }
    }

    /// Adds a generation and its table, as staged.
    func stage(
        package: String, version: String, metadata: Data, entries: [StoredEntry]
    ) throws -> StoredGeneration {
        try writing { database in
            let state = StoredGeneration.State.staged
            try database.execute(
                sql: "INSERT INTO generation (package, version, state, metadata) VALUES (?, ?, ?, ?)",
                arguments: [package, version, state.rawValue, metadata])
            let number = database.lastInsertedRowID
            let insertion = try database.makeStatement(
                sql: "INSERT INTO entry (generation, path, blob, size, media_type) VALUES (?, ?, ?, ?, ?)")
            for entry in entries {
                try insertion.execute(
                    arguments: [number, entry.path, entry.blob.data, entry.size, entry.mediaType])
            }
            try onStep(.generationWritten)
            return StoredGeneration(
                number: number, package: package, version: version, state: state, metadata: metadata)
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
    /// - Parameters:
    ///   - choose: picks the numbers to remove from those of the retired generations.
    ///   - removeBlobs: is told the blobs that entries name after the commit.
    func sweep(
        choosing choose: ([Int64]) -> [Int64], removeBlobs: (_ named: Set<BlobID>) throws -> Void
    ) throws {
        try Self.mapping(path) {
            try database.writeWithoutTransaction { database in
                let retired = try Int64.fetchAll(
                    database, sql: "SELECT number FROM generation WHERE state = 'retired' ORDER BY number")
                let doomed = choose(retired)
                try database.inTransaction {
                    for number in doomed {
                        try database.execute(sql: "DELETE FROM generation WHERE number = ?", arguments: [number])
                    }
                    return .commit
                }
                let rows = try Row.fetchCursor(database, sql: "SELECT DISTINCT blob FROM entry")
                var named: Set<BlobID> = []
                while let row = try rows.next() { named.insert(try BlobID(row, column: 0)) }
                try removeBlobs(named)
            }
        }
    }
}

extension StoreIndex {
    private func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.mapping(path) { try database.read(body) }
    }

    private func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.mapping(path) { try database.write(body) }
    }

    private static func exists(_ generation: Int64, in database: Database) throws -> Bool {
        try Int.fetchOne(
            database, sql: "SELECT 1 FROM generation WHERE number = ?", arguments: [generation]) != nil
    }

    /// Gives errors of GRDB the store's type.
    private static func mapping<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            let code: StoreError.Code =
                switch error.resultCode {
                case .SQLITE_FULL: .diskFull
                case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
                case .SQLITE_CONSTRAINT: .conflict
                default: .io
                }
            throw StoreError(code, error.message ?? error.resultCode.description, at: path, cause: error)
        }
    }
}

extension BlobID {
    fileprivate var data: Data { Data(bytes) }

    fileprivate init(_ row: Row, column: Int) throws {
        guard let id = try row.withUnsafeData(atIndex: column, { $0.flatMap { BlobID(bytes: $0) } }) else {
            throw StoreError(.damaged, "an entry of the index names no blob")
        }
        self = id
    }
}

extension StoredEntry {
    /// Columns: path, blob, size, media type.
    fileprivate init(_ row: Row) throws {
        self.init(path: row[0], blob: try BlobID(row, column: 1), size: row[2], mediaType: row[3])
    }
}

extension StoredGeneration {
    /// Columns: number, package, version, state, metadata.
    fileprivate init(_ row: Row) {
        self.init(
            number: row[0], package: row[1], version: row[2], state: State(rawValue: row[3]), metadata: row[4])
    }
}
