// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import GRDB

/// The connections to a database of the store, which are closed while the store is suspended.
///
/// A connection to a database in WAL mode holds shared locks on the database and on its `-shm` file until it is closed
/// (SQLite, "WAL-mode File Format", section 2.3). A read while the connections are closed opens a connection of its
/// own, which can only read, and closes it.
final class StoreConnections: Sendable {
    private let open: @Sendable () throws -> DatabasePool
    private let openReader: @Sendable () throws -> DatabaseQueue
    private let current: Mutex<DatabasePool?>

    /// Opens the connections.
    /// - Parameters:
    ///   - open: a closure that opens the connections, also after they were closed.
    ///   - openReader: a closure that opens a connection for one read.
    init(
        _ open: @escaping @Sendable () throws -> DatabasePool,
        reader openReader: @escaping @Sendable () throws -> DatabaseQueue
    ) throws {
        self.open = open
        self.openReader = openReader
        current = Mutex(try open())
    }

    /// The connections; `nil` while they are closed.
    var pool: DatabasePool? { current.withLock { $0 } }

    /// Closes the connections after the statements that are running.
    func close() throws {
        guard let pool else { return }
        // Closes idle readers first. The last connection to close checkpoints the log, and a reader cannot do that.
        pool.releaseMemory()
        try pool.close()
        current.withLock { $0 = nil }
    }

    /// Opens the connections again.
    func reopen() throws {
        guard pool == nil else { return }
        let opened = try open()
        current.withLock { $0 = opened }
    }

    /// Reads with the connections, or with a connection for this call alone.
    func reading<Value>(_ body: (any DatabaseReader) throws -> Value) throws -> Value {
        if let pool {
            do {
                return try body(pool)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_MISUSE {
                // The connections were closed before the read began.
            }
        }
        let reader = try openReader()
        defer { try? reader.close() }
        return try body(reader)
    }
}
