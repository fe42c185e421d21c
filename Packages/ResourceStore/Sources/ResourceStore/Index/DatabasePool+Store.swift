// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import GRDBSQLite

extension GRDB.Configuration {
    /// What both databases of the store have in common.
    static func forStore(label: String) -> Self {
        var configuration = GRDB.Configuration()
        configuration.label = label
        // The store is opened exclusively: only a backup or an inspector can be in the way, and briefly.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        #if canImport(Darwin)
            // An app that is suspended with a lock on a shared file is killed. See ``BlobStore/suspend()``.
            configuration.observesSuspensionNotifications = true
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            }
        #endif
        return configuration
    }
}

extension DatabasePool {
    /// What SQLite finds wrong with the structure, one line each, at most ten; empty where it is sound.
    func faults(at path: String, _ limit: StepLimit) throws -> [String] {
        do {
            // Not by way of ``StoreError``: a broken database is an answer here.
            return try read { try $0.limited(limit) { try String.fetchAll($0, sql: "PRAGMA integrity_check(10)") } }
                .filter { $0 != "ok" }
                .map { "\(path): \($0.split(whereSeparator: \.isNewline).joined(separator: " "))" }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return ["\(path): \(error.message ?? "broken")"]
        } catch {
            return try StoreError.mapping(path) { throw error }
        }
    }

    /// Opens a database in which a commit reaches the device, and brings it to this version's tables.
    ///
    /// Nothing is written before its files and its tables were found to be the store's.
    /// - Parameter setUp: called for each connection after that.
    static func opened(
        _ file: DatabaseFile, label: String, schema: StoreSchema, migrator: DatabaseMigrator, _ limit: StepLimit,
        setUp: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws -> DatabasePool {
        try file.prepare()
        var configuration = GRDB.Configuration.forStore(label: label)
        configuration.prepareDatabase { database in
            try database.checkIdentity(of: file)
            // No function that a table names is called. No value is longer than this, whatever the file says.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Database.longestValue)
            try schema.check(database)
            try setUp(database)
        }
        let database = try DatabasePool(path: file.path, configuration: configuration)
        try database.writeWithoutTransaction { database in
            // GRDB sets NORMAL for WAL, where a commit may be lost to a power cut. Here files are unlinked and
            // generations named because a commit says so, so a commit must stay.
            try database.execute(sql: "PRAGMA synchronous = FULL")
            guard try !database.limited(limit, migrator.hasBeenSuperseded) else {
                throw StoreError(.newerFormat, "a later version wrote this store", at: file.path)
            }
        }
        try migrator.migrate(database)
        return database
    }
}

extension Database {
    /// In bytes. Small blobs are far smaller.
    fileprivate static let longestValue: CInt = 256 << 20

    /// Compares the file that this connection has open with the one that was checked, as far as SQLite tells: it opens by
    /// path, and a folder above the store's may be one in which others exchange folders.
    fileprivate func checkIdentity(of file: DatabaseFile) throws {
        func compare() throws -> Bool {
            let (below, byPath) = try file.identities()
            return below != nil && below == byPath
        }
        var hasMoved: CInt = 0
        let isSame = try compare()
        let status = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard isSame, status == SQLITE_OK, hasMoved == 0, try compare() else {
            throw StoreError(.untrusted, "another file has taken the database's place", at: file.path)
        }
    }

    /// Runs a transaction. Where a row cannot be removed since an index of its table says otherwise, which a flipped bit
    /// in either brings about, the indexes are made anew from the table and `body` runs once more.
    func inTransaction(repairs tables: String..., body: () throws -> Void) throws {
        func run() throws {
            try inTransaction {
                try body()
                return .commit
            }
        }
        do {
            try run()
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CORRUPT_INDEX {
            for table in tables { try execute(sql: "REINDEX \(table)") }
            try run()
        }
    }

    /// Moves what the log holds into the database, where no reader is in the way, also where the connection was
    /// interrupted before: SQLite keeps that in mind until the next statement begins, and a checkpoint is none.
    func checkpointAfterInterruption() throws {
        _ = try Int.fetchOne(self, sql: "SELECT 1")
        try checkpoint(.passive)
    }
}
