// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB

extension GRDB.Configuration {
    /// What both databases of the store have in common.
    static func forStore(label: String) -> Self {
        var configuration = GRDB.Configuration()
        configuration.label = label
        // The store is opened exclusively: only a backup or an inspector can be in the way, and briefly.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 3
        #if canImport(Darwin)
            // An app that is suspended with a lock on a shared file is killed. See ``ResourceStore/suspend()``.
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
    func faults(at path: String) throws -> [String] {
        do {
            // Not by way of ``StoreError``: a broken database is an answer here.
            return try read { try String.fetchAll($0, sql: "PRAGMA integrity_check(10)") }
                .filter { $0 != "ok" }.map { "\(path): \($0)" }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return ["\(path): \(error.message ?? "broken")"]
        } catch {
            return try StoreError.mapping(path) { throw error }
        }
    }

    /// Opens a database in which a commit reaches the device, and brings it to this version's tables.
    static func opened(
        path: String, configuration: GRDB.Configuration, migrator: DatabaseMigrator
    ) throws -> DatabasePool {
        let database = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets NORMAL for WAL, where a commit may be lost to a power cut. Here files are unlinked and
        // generations named because a commit says so, so a commit must stay.
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        guard try !database.read(migrator.hasBeenSuperseded) else {
            throw StoreError(.newerFormat, "a later version wrote this store", at: path)
        }
        try migrator.migrate(database)
        return database
    }
}

extension Database {
    /// Runs a transaction. Where a row cannot be removed since an index of its table says otherwise, which a flipped bit
    /// in either brings about, the indexes are made anew from the table and `body` runs once more.
    func inTransaction(mending tables: String..., body: () throws -> Void) throws {
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
