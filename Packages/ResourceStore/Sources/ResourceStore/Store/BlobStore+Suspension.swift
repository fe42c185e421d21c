// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

extension BlobStore {
    /// Releases all locks before the system suspends the app. Until ``resume()``, all calls but lookups throw
    /// `suspended`. Lookups of generations, entries, resources and blobs continue, but a lookup during this call may
    /// fail with the same error.
    ///
    /// iOS terminates an app that is suspended while it holds a lock on a file of a shared container (`0xDEAD10CC`).
    /// This method interrupts running writes of SQLite, checkpoints and closes the databases, and unlocks the
    /// directory. A running install fails, leaves nothing behind, and can be repeated. A lookup while the store is
    /// suspended opens a database for this lookup alone.
    /// - Throws: ``StoreError`` if a log could not be checkpointed or a database not closed. The store is suspended
    ///   nevertheless.
    public func suspend() throws {
        suspension.begin()
        defer { lock?.release() }
        // Writes are interrupted first. Checkpoints wait for the writer, and a write may take longer than the system
        // permits.
        index.interrupt()
        rows.interrupt()
        // Waits for chunks that a batch has sent: at most two of a few megabytes. If they were interrupted, their
        // batch fails.
        rowQueue.runBlocking {}
        // The checkpoints wait for the writer, too. Later writers check the suspension first.
        // An error must not keep a database open.
        let checkpoint = Result {
            if index.connections.areOpen { try index.checkpoint() }
            try rows.checkpoint()
        }
        let closing = [Result { try index.close() }, Result { try rows.close() }]
        for result in [checkpoint] + closing { try result.get() }
        try marker.put()
    }

    /// Resumes the store after ``suspend()``.
    /// - Throws: ``StoreError``, with code `inUse` if another store has opened the directory in the meantime, and with
    ///   code `damaged` if it has damaged it. This store is unusable after that error.
    public func resume() throws {
        try lock?.acquire()
        try index.reopen()
        try rows.reopen()
        if try marker.reread() { state.withLock { $0.checked = [] } }
        suspension.end()
    }
}
