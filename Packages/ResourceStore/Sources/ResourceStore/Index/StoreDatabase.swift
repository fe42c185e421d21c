// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB

/// A SQLite database of the store: the index, or the small blobs.
///
/// Isolation: GRDB's single writer connection serializes writes. Reads run concurrently on their own connections, so
/// that a lookup never waits for an install. Every call blocks its thread.
protocol StoreDatabase: Sendable {
    var connections: StoreConnections { get }
    /// The path of the database.
    var path: String { get }
    /// The cost limit of one access.
    var limit: StepLimit { get }
    /// The suspension state, checked before each write.
    var suspension: Suspension { get }
}

extension StoreDatabase {
    /// Closes the database. Until ``reopen()``, each lookup opens it for itself, and all other calls throw.
    func close() throws {
        try StoreError.mapping(path) { try connections.close() }
    }

    /// Opens the database after ``close()``.
    func reopen() throws {
        try StoreError.mapping(path) { try connections.reopen() }
    }

    /// Interrupts the running statement, if there is one. The statement fails.
    func interrupt() {
        connections.using { $0.interrupt() }
    }

    /// Releases SQLite's memory asynchronously, because the caller may be the main thread while a write is running.
    func releaseMemory() {
        connections.using { $0.releaseMemoryEventually() }
    }

    /// Runs a transaction that reads for an operation of the store.
    /// - Throws: ``StoreError``, with code `suspended` if the connections are closed by a suspension.
    func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try withConnections { database in try database.read { try $0.limited(limit, body) } }
    }

    /// Runs a transaction that reads for a lookup, also while the store is suspended.
    func lookingUp<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StoreError.mapping(path) {
            try connections.reading { database in try database.read { try $0.limited(limit, body) } }
        }
    }

    /// Runs a single statement for a lookup, also while the store is suspended, without an explicit transaction. SQLite
    /// runs the statement in a transaction of its own.
    func readingOnce<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try StoreError.mapping(path) {
            try connections.reading { database in try database.unsafeRead { try $0.limited(limit, body) } }
        }
    }

    /// Runs a transaction that writes.
    func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try withConnections { writer in
            try writer.write { database in
                try suspension.check()
                return try database.limited(limit, body)
            }
        }
    }

    /// Runs statements on the writer connection, without a transaction and without the cost limit.
    func writingWithoutTransaction(_ body: (Database) throws -> Void) throws {
        try withConnections { writer in
            try writer.writeWithoutTransaction { database in
                try suspension.check()
                try body(database)
            }
        }
    }

    /// Calls a closure with the connections.
    /// - Throws: ``StoreError``, with code `suspended` if the connections are closed by a suspension.
    func withConnections<Value>(_ body: (DatabasePool) throws -> Value) throws -> Value {
        try StoreError.mapping(path) {
            if let value = try connections.using(body) { return value }
            try suspension.check()
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the database is closed")
        }
    }

    /// Checks the structure of every page. A page that is linked twice can make a table appear almost endless.
    /// - Parameter name: the name of the database in the message.
    /// - Throws: ``StoreError`` with code `damaged`, after the database was closed.
    func checkStructure(of name: String) throws {
        let finding = try reading { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") }
        guard finding == "ok" else {
            // An error of `close()` must not hide the finding: the code `damaged` decides whether the database is
            // replaced.
            try? close()
            throw StoreError(.damaged, "the \(name) is damaged: \(finding ?? "no result")", at: path)
        }
    }

    /// Returns the structural errors that SQLite finds, one line each and at most ten; empty if there are none.
    func faults() throws -> [String] {
        do {
            // Not mapped to ``StoreError``, because a damaged database is a valid result here.
            return try connections.reading { reader in
                try reader.read { database in
                    try database.limited(limit) { try String.fetchAll($0, sql: "PRAGMA integrity_check(10)") }
                }
            }
            .filter { $0 != "ok" }
            .map { "\(path): \($0.split(whereSeparator: \.isNewline).joined(separator: " "))" }
        } catch let error as DatabaseError where [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) {
            return ["\(path): \(error.message ?? "broken")"]
        } catch {
            return try StoreError.mapping(path) { throw error }
        }
    }
}
