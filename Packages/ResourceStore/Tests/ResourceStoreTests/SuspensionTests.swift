// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Dispatch
import Foundation
import GRDB
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct SuspensionTests {
    let directory: TemporaryFolder
    let store: BlobStore

    init() throws {
        directory = try TemporaryFolder()
        store = try BlobStore(directory: directory.path)
    }

    @Test func suspendedStoreReadsAndRejectsWrites() throws {
        let number = try store.install(["a": "one"], version: "1")
        try store.suspend()
        #expect(try store.read(number) == ["a": "one"])
        #expect(code { try store.install(["a": "two"], version: "2") } == .suspended)
        #expect(code { try store.retire(number) } == .suspended)
        #expect(code { try store.sweep() } == .suspended)
        // Only lookups open the database for themselves, because that takes locks.
        #expect(code { _ = try store.index.packageBytes() } == .suspended)
        #expect(code { try store.checkpoint() } == .suspended)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/clean"))
        try store.resume()
        #expect(try store.read(store.install(["a": "two"], version: "2")) == ["a": "two"])
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
    }

    @Test func interruptedInstallCanBeRepeated() throws {
        let batch = store.makeBatch()
        let entries = try store.write(["a": "one"], into: batch)
        try store.suspend()
        let failure = code {
            _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
        }
        #expect(failure == .suspended)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
        try store.resume()
        _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
    }

    @Test func suspensionInterruptsWrites() async throws {
        let (suspensions, suspension) = AsyncStream.makeStream(of: Bool.self)
        // A separate thread, because the writers may use the thread of the test.
        let thread = DispatchQueue(label: "suspends")
        let failure = code {
            try store.index.writing { database in
                database.add(
                    function: DatabaseFunction("begin", argumentCount: 0) { [store] _ in
                        thread.async { suspension.yield((try? store.suspend()) != nil) }
                        return 1
                    })
                // Takes many seconds without an interrupt.
                try database.execute(
                    sql: """
                        INSERT INTO generation (package, version, state, metadata)
                        WITH RECURSIVE c(n) AS (SELECT begin() UNION ALL SELECT n + 1 FROM c WHERE n < 50000000)
                        SELECT 'p', '1', 'staged', CAST(COUNT(*) AS BLOB) FROM c
                        """)
            }
        }
        #expect(failure == .suspended)
        for await isDone in suspensions {
            #expect(isDone)
            break
        }
        try store.resume()
        #expect(try store.generations(in: .staged) == [])
    }

    /// The app goes to the background while a chunk of an install is in its transaction.
    @Test func suspensionInterruptsInstallDuringChunkWrite() async throws {
        let directory = try TemporaryFolder()
        let clean = directory.path + "/clean"
        let (writings, writing) = AsyncStream.makeStream(of: Void.self)
        let isArmed = Mutex(true)
        let gate = DispatchSemaphore(value: 0)
        let store = try BlobStore(directory: directory.path) { step in
            let stops =
                step == .rowsWritten
                && isArmed.withLock { isArmed in
                    defer { isArmed = false }
                    return isArmed
                }
            guard stops else { return }
            writing.yield()
            gate.wait()
        }
        // The test retains the batch too.
        let batch = store.makeBatch()
        let entries = try store.write(["a": "one"], into: batch)
        let (failures, failure) = AsyncStream.makeStream(of: StoreError.Code?.self)
        // Separate threads, because both calls block and the cooperative pool may have only the thread of the test.
        DispatchQueue(label: "installs").async {
            failure.yield(
                code {
                    _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
                })
        }
        for await _ in writings { break }
        let (suspensions, suspension) = AsyncStream.makeStream(of: Bool.self)
        DispatchQueue(label: "suspends").async { suspension.yield((try? store.suspend()) != nil) }
        // All later writes happen while the store is suspended.
        while !store.suspension.isOn { await Task.yield() }
        gate.signal()
        for await isDone in suspensions {
            #expect(isDone)
            break
        }
        for await failure in failures {
            #expect(failure == .suspended)
            break
        }
        #expect(!FileManager.default.fileExists(atPath: clean))
        // The lock is released, and the install writes nothing afterwards.
        do {
            let other = try BlobStore(directory: directory.path)
            #expect(try other.generations(in: .staged) == [])
        }
        try store.resume()
        #expect(try store.read(store.install(["a": "one"], version: "1")) == ["a": "one"])
        // The marker of the other store does not apply to this one.
        #expect(!FileManager.default.fileExists(atPath: clean))
        withExtendedLifetime(batch) {}
    }

    /// Another store has used the directory in the meantime and ended uncleanly.
    @Test func resumeAfterUncleanEndChecksAllFiles() throws {
        let directory = try TemporaryFolder()
        do { try BlobStore(directory: directory.path, configuration: .files).install(["a": "one"], version: "1") }
        let store = try BlobStore(directory: directory.path, configuration: .files)
        let era = store.marker.era
        try store.suspend()
        try store.resume()
        #expect(store.marker.era == era && store.marker.cleanSince != nil)
        try store.suspend()
        try FileManager.default.removeItem(atPath: directory.path + "/clean")
        try store.resume()
        #expect(store.marker.era != era && store.marker.cleanSince == nil)
    }

    /// The store is suspended even if the logs cannot be checkpointed.
    @Test func failedSuspensionStillSuspends() throws {
        let directory = try TemporaryFolder()
        let clean = directory.path + "/clean"
        do {
            let store = try BlobStore(directory: directory.path)
            try store.install(["a": "one"], version: "1")
            try store.index.connections.using { try $0.close() }
            #expect(throws: StoreError.self) { try store.suspend() }
            #expect(!FileManager.default.fileExists(atPath: clean))
            let other = try BlobStore(directory: directory.path)
            #expect(other.marker.cleanSince == nil)
            #expect(code { try store.install(["a": "two"], version: "2") } == .suspended)
            #expect(code { try store.sweep() } == .suspended)
            #expect(code { try store.resume() } == .inUse)
            #expect(code { try store.sweep() } == .suspended)
            #expect(try other.read(other.install(["a": "two"], version: "2")) == ["a": "two"])
        }
        #expect(FileManager.default.fileExists(atPath: clean))
    }

    /// Another store may use the directory when a suspended store is released.
    @Test func releasedSuspendedStoreLeavesNoMarker() throws {
        let directory = try TemporaryFolder()
        var store: BlobStore? = try BlobStore(directory: directory.path)
        // An operation in progress prevents the suspension from writing the marker.
        store?.marker.begin()
        try store?.suspend()
        store?.marker.end()
        let other = try BlobStore(directory: directory.path)
        store = nil
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
        withExtendedLifetime(other) {}
    }

    @Test func interruptingSuspensionMovesLogs() throws {
        try store.install(["a": "one"], version: "1")
        try store.suspend()
        for name in ["index", "blobs"] {
            // The content of the database without its log.
            let copy = directory.path + "/\(name)-copy.sqlite"
            try FileManager.default.copyItem(atPath: "\(directory.path)/\(name).sqlite", toPath: copy)
            let count = try DatabaseQueue(path: copy).read { database in
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(name == "index" ? "generation" : "blob")")
            }
            #expect(count == 1, "\(name)")
        }
    }

    @Test func suspendedStoreHoldsNoLock() throws {
        try store.suspend()
        do {
            let other = try BlobStore(directory: directory.path)
            #expect(code { try store.resume() } == .inUse)
            withExtendedLifetime(other) {}
        }
        try store.resume()
        #expect(code { _ = try BlobStore(directory: directory.path) } == .inUse)
    }

    /// The kernel's list of locks (proc(5)) has none on a file of the store, also after lookups.
    @Test(.enabled(if: LockedFiles.areListed)) func suspendedStoreLocksNoFile() throws {
        let number = try store.install(["a": "one", "b": String(repeating: "b", count: 100_000)], version: "1")
        #expect(try !LockedFiles.below(directory.path).isEmpty)
        try store.suspend()
        #expect(try LockedFiles.below(directory.path) == [])
        #expect(try store.read(number)["a"] == "one")
        #expect(try LockedFiles.below(directory.path) == [])
        try store.resume()
        #expect(try !LockedFiles.below(directory.path).isEmpty)
        #expect(try store.read(store.install(["a": "two"], version: "2")) == ["a": "two"])
    }

    /// A write that begins after a suspension has closed the databases.
    @Test func writeAfterCloseIsSuspended() throws {
        store.suspension.begin()
        try store.index.close()
        #expect(code { try store.index.writing { _ in } } == .suspended)
    }

    @Test func closeWaitsForLookups() async throws {
        let connections = store.index.connections
        let gate = DispatchSemaphore(value: 0)
        let (steps, step) = AsyncStream.makeStream(of: String.self)
        var iterator = steps.makeAsyncIterator()
        // Separate threads, because both calls block.
        DispatchQueue(label: "looks up").async {
            try? connections.reading { reader in
                step.yield("begun")
                gate.wait()
                step.yield("read \(try Self.one(reader))")
            }
        }
        #expect(await iterator.next() == "begun")
        DispatchQueue(label: "closes").async { step.yield((try? connections.close()) == nil ? "failed" : "closed") }
        try await until { !connections.areOpen }
        // A lookup that begins during the close does not wait for it.
        #expect(try connections.reading(Self.one) == 1)
        gate.signal()
        #expect(await iterator.next() == "read 1")
        #expect(await iterator.next() == "closed")
    }

    private static func one(_ reader: any DatabaseReader) throws -> Int {
        try reader.read { try Int.fetchOne($0, sql: "SELECT 1") ?? 0 }
    }

    /// Lookups on other threads while the databases are closed and opened. They may only fail as suspended.
    @Test func lookupsDuringSuspensions() async throws {
        let number = try store.install(["a": "one"], version: "1")
        let isOver = Atomic(false)
        let threadCount = 4
        let (failures, failure) = AsyncStream.makeStream(of: String?.self)
        for _ in 0..<threadCount {
            DispatchQueue(label: "looks up").async { [store] in
                while !isOver.load() {
                    do {
                        let site = try store.read(number)
                        if site != ["a": "one"] { failure.yield("\(site)") }
                    } catch let error as StoreError where error.code == .suspended {
                        continue
                    } catch {
                        failure.yield("\(error)")
                    }
                }
                failure.yield(nil)
            }
        }
        let suspensions = Result {
            for _ in 0..<20 {
                try store.suspend()
                try store.resume()
            }
        }
        isOver.store(true)
        var ended = 0
        for await failure in failures {
            if let failure { Issue.record("\(failure)") } else { ended += 1 }
            if ended == threadCount { break }
        }
        try suspensions.get()
    }
}
