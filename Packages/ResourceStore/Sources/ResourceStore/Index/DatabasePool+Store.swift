// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import GRDBSQLite

extension GRDB.Configuration {
    /// Returns the common configuration of both databases of the store.
    /// - Parameter setUp: a closure that is called for each connection, after the file and the tables are verified to
    ///   be the store's.
    fileprivate static func forStore(
        _ file: DatabaseFile, label: String, schema: StoreSchema,
        setUp: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) -> Self {
        var configuration = GRDB.Configuration()
        configuration.label = label
        // The store is opened exclusively. Only a backup or an inspector can hold a lock, and only briefly.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        #if canImport(Darwin)
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            }
        #endif
        configuration.prepareDatabase { database in
            try database.checkIdentity(of: file)
            // Functions that a schema refers to are not called. Values are limited in length, whatever the file
            // contains.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Database.longestValue)
            try schema.check(database)
            try setUp(database)
        }
        return configuration
    }
}

extension DatabaseQueue {
    /// Opens a connection that cannot write.
    static func openedForReading(_ file: DatabaseFile, label: String, schema: StoreSchema) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration.forStore(file, label: label, schema: schema)
        configuration.readonly = true
        return try DatabaseQueue(path: file.path, configuration: configuration)
    }
}

extension DatabasePool {
    /// Opens a database whose commits are on the device when they return, and migrates it to this version's schema.
    ///
    /// Nothing is written before the files and the tables are verified to be the store's.
    /// - Parameter setUp: a closure that is called for each connection after that verification.
    static func opened(
        _ file: DatabaseFile, label: String, schema: StoreSchema, migrator: DatabaseMigrator, _ limit: StepLimit,
        setUp: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws -> DatabasePool {
        try file.prepare()
        let configuration = GRDB.Configuration.forStore(file, label: label, schema: schema, setUp: setUp)
        let database = try DatabasePool(path: file.path, configuration: configuration)
        try database.writeWithoutTransaction { database in
            // GRDB sets NORMAL for WAL, so that a power failure may lose a commit. After a commit, the store unlinks
            // files and reports generations, so the commit must be durable.
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
    /// The maximum length of a value in bytes. Small blobs are much smaller.
    fileprivate static let longestValue: CInt = 256 << 20

    /// Compares the file that this connection has open with the checked file, as far as SQLite permits. SQLite opens
    /// files by path, and other users may be able to replace a folder above the store's.
    fileprivate func checkIdentity(of file: DatabaseFile) throws {
        func compare() throws -> Bool {
            let (below, byPath) = try file.identities()
            return below != nil && below == byPath
        }
        var hasMoved: CInt = 0
        let isSame = try compare()
        let status = sqlite3_file_control(sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard isSame, status == SQLITE_OK, hasMoved == 0, try compare() else {
            throw StoreError(.untrusted, "the database file was replaced", at: file.path)
        }
    }

    /// Runs a transaction, and repeats it after a repair if an index contradicts its table.
    ///
    /// A flipped bit in either can prevent the removal of a row. The indexes are then rebuilt from the table.
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

    /// Checkpoints the log as far as readers permit, also if the connection was interrupted before. SQLite remembers
    /// an interrupt until the next statement begins, and a checkpoint is not a statement.
    func checkpointAfterInterruption() throws {
        _ = try Int.fetchOne(self, sql: "SELECT 1")
        try checkpoint(.passive)
    }
}
