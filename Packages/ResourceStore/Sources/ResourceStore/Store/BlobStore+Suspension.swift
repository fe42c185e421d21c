// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

#if canImport(Darwin)
    internal import Foundation
    internal import GRDB
#endif

extension BlobStore {
    /// Releases all locks before the system suspends the app. Until ``resume()``, writes throw
    /// `suspended`. Lookups continue, but a lookup during this call may fail with the
    /// same error.
    ///
    /// iOS terminates an app that is suspended while it holds a lock on a file of a shared container (`0xDEAD10CC`).
    /// This method interrupts running writes of SQLite, checkpoints the databases, and unlocks the directory. A running
    /// install fails, leaves nothing behind, and can be repeated. On Apple's systems it also suspends every other GRDB
    /// database of the process that observes GRDB's suspension notifications.
    /// - Throws: ``StoreError`` if a log could not be checkpointed. The store is suspended nevertheless.
    public func suspend() throws {
        suspension.begin()
        defer { lock?.release() }
        // Writes are interrupted first. Checkpoints wait for the writer, and a write may take longer than the system
        // permits.
        #if canImport(Darwin)
            // From here on, databases reject each statement that writes, until they are resumed.
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        #else
            index.interrupt()
            rows.interrupt()
        #endif
        // Waits for chunks that a batch has sent: at most two of a few megabytes. If they were interrupted, their
        // batch fails.
        rowQueue.runBlocking {}
        // The checkpoints wait for the writer, too. Later writers check the suspension first.
        try index.checkpoint()
        try rows.checkpoint()
        try marker.put()
    }

    /// Resumes the store after ``suspend()``.
    /// - Throws: ``StoreError``, with code `inUse` if another store has opened the directory in the meantime. This
    ///   store is unusable after that error.
    public func resume() throws {
        try lock?.acquire()
        if try marker.reread() { state.withLock { $0.checked = [] } }
        #if canImport(Darwin)
            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        #endif
        suspension.end()
    }
}
