// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB
internal import GRDBSQLite

/// The tables and indexes that a database of the store may have: those of its migrations, in each version.
///
/// A view, a trigger or a table of another form is rejected, because it could run forever or change other tables. A
/// database is therefore checked before the first statement that uses it.
struct StoreSchema: Sendable {
    private let migrator: DatabaseMigrator
    private let known: Set<String>

    /// The maximum number of entries that are read from the schema of a file.
    private static let entryLimit = 100
    /// The cost limit of reading a schema. Reading a few rows takes some hundred steps.
    private static let limit = StepLimit(steps: 1_000_000, observesCancellation: false)

    init(_ migrator: DatabaseMigrator) throws {
        self.migrator = migrator
        let database = try DatabaseQueue()
        var known: Set<String> = []
        for migration in migrator.migrations {
            try migrator.migrate(database, upTo: migration)
            known.formUnion(try database.read { try Self.entries(of: $0) })
        }
        self.known = known
    }

    /// Checks the schema of a database.
    /// - Throws: ``StoreError``, with code `damaged` for another schema, or with code
    ///   `newerFormat` if a later version created it.
    func check(_ database: Database) throws {
        try database.limited(Self.limit) { database in
            guard let other = try Self.entries(of: database).first(where: { !known.contains($0) }) else { return }
            guard try !isLater(database) else { throw StoreError(.newerFormat, "a later version wrote this store") }
            let name = other.split(separator: "\0", omittingEmptySubsequences: false).dropFirst().first ?? ""
            throw StoreError(.damaged, "the database has an unknown table, view or trigger: \(name.prefix(64))")
        }
    }

    /// Returns a Boolean value that indicates whether the table of migrations contains an unknown migration.
    private func isLater(_ database: Database) throws -> Bool {
        let entries = try Self.entries(of: database)
        let table = "grdb_migrations"
        // A view of this name is not queried.
        guard entries.contains(where: { known.contains($0) && $0.hasPrefix("table\0\(table)\0") }) else { return false }
        let names = try String.fetchAll(database, sql: "SELECT identifier FROM \(table) LIMIT \(Self.entryLimit)")
        return !Set(names).isSubset(of: migrator.migrations)
    }

    /// Returns one string for each table, index, view and trigger.
    private static func entries(of database: Database) throws -> [String] {
        let rows = try Row.fetchAll(
            database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT \(entryLimit)")
        return rows.map { row in
            (0..<4).map { column in
                let text = String.fromDatabaseValue(row[column]) ?? ""
                // Versions of SQLite differ in white space after a column is added.
                return column == 3 ? text.filter { !$0.isWhitespace }.lowercased() : text
            }.joined(separator: "\0")
        }
    }
}
