// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch
internal import GRDB

/// The connections to a database of the store, which are closed while the store is suspended.
///
/// A connection to a database in WAL mode holds shared locks on the database and on its `-shm` file until it is closed
/// (SQLite, "WAL-mode File Format", section 2.3). A lookup while the connections are closed opens a connection of
/// its own, which can only read, and closes it.
final class StoreConnections: Sendable {
    private struct Opened: Sendable {
        let pool: DatabasePool
        /// The calls that use the pool. A pool must not be closed while it is in use: GRDB does not synchronize
        /// `DatabasePool.close()`, and gives a closed connection to a read that waits for the close.
        let uses = DispatchGroup()
    }

    private let open: @Sendable () throws -> DatabasePool
    private let openReader: @Sendable () throws -> DatabaseQueue
    private let current: Mutex<Opened?>

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
        current = Mutex(Opened(pool: try open()))
    }

    /// A Boolean value that indicates whether the connections are open and not being closed.
    var areOpen: Bool { current.withLock { $0 != nil } }

    /// Closes the connections after the calls that use them.
    func close() throws {
        let opened = current.withLock { current in
            defer { current = nil }
            return current
        }
        guard let opened else { return }
        opened.uses.wait()
        do {
            // Closes idle readers first. The last connection to close checkpoints the log, and a reader cannot do that.
            opened.pool.releaseMemory()
            try opened.pool.close()
        } catch {
            current.withLock { $0 = $0 ?? opened }
            throw error
        }
    }

    /// Opens the connections again.
    func reopen() throws {
        guard !areOpen else { return }
        let opened = Opened(pool: try open())
        current.withLock { $0 = opened }
    }

    /// Calls a closure with the connections, which stay open until it returns.
    /// - Returns: the result of the closure; `nil` if the connections are closed.
    func using<Value>(_ body: (DatabasePool) throws -> Value) rethrows -> Value? {
        let opened = current.withLock { current in
            current?.uses.enter()
            return current
        }
        guard let opened else { return nil }
        defer { opened.uses.leave() }
        return try body(opened.pool)
    }

    /// Reads with the connections, or with a connection for this call alone.
    func reading<Value>(_ body: (any DatabaseReader) throws -> Value) throws -> Value {
        if let value = try using({ try body($0) }) { return value }
        let reader = try openReader()
        defer { try? reader.close() }
        return try body(reader)
    }
}
