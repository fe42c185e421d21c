// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

#if canImport(Darwin)
    internal import Foundation
    internal import GRDB
#endif

extension BlobStore {
    /// Lets go of every lock before the system suspends the app. Until ``resume()``, what writes throws
    /// ``StoreError/Code-swift.struct/suspended``; look-ups go on, though one of this very moment may fail
    /// so too.
    ///
    /// iOS ends an app that is suspended while it holds a lock on a file of a shared container (`0xDEAD10CC`). This
    /// interrupts what SQLite writes at this moment, settles the store, and unlocks the directory. An install that was
    /// under way fails, leaves nothing behind, and can be done again.
    /// On Apple's systems this suspends every GRDB database of the process that observes its suspension.
    /// - Throws: ``StoreError``, where what is in the logs could not be moved; the store is suspended all the same.
    public func suspend() throws {
        suspension.begin()
        defer { lock?.release() }
        // First: the moves of the logs wait for who writes, and a write may take longer than the system gives.
        #if canImport(Darwin)
            // From here on databases refuse each statement that writes, until they are resumed.
            NotificationCenter.default.post(name: Database.suspendNotification, object: nil)
        #else
            index.interrupt()
            rows.interrupt()
        #endif
        // Chunks that a batch has sent: a few megabytes each, at most two. Where they were interrupted, their batch fails.
        rowQueue.runBlocking {}
        // These wait for who writes, too. Who comes after them asks first.
        try index.checkpoint()
        try rows.checkpoint()
        try marker.put()
    }

    /// Goes on after ``suspend()``.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/inUse`` where another store has opened the
    ///   directory meanwhile. This one is of no use then.
    public func resume() throws {
        try lock?.acquire()
        if try marker.lookAgain() { state.withLock { $0.checked = [] } }
        #if canImport(Darwin)
            NotificationCenter.default.post(name: Database.resumeNotification, object: nil)
        #endif
        suspension.end()
    }
}
