// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Dispatch
import Foundation
import GRDB
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct SuspensionTests {
    let directory: TemporaryDirectory
    let store: ResourceStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResourceStore(directory: directory.path)
    }

    @Test func readsAndDoesNotWrite() throws {
        let number = try store.install(["a": "one"], version: "1")
        try store.suspend()
        #expect(try store.read(number) == ["a": "one"])
        #expect(code { try store.install(["a": "two"], version: "2") } == .suspended)
        #expect(code { try store.retire(number) } == .suspended)
        #expect(code { try store.sweep() } == .suspended)
        #expect(FileManager.default.fileExists(atPath: directory.path + "/clean"))
        try store.resume()
        #expect(try store.read(store.install(["a": "two"], version: "2")) == ["a": "two"])
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/clean"))
    }

    @Test func anInstallUnderWayFailsAndCanBeDoneAgain() throws {
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

    @Test func interruptsWhatIsWritten() async throws {
        let (suspensions, suspension) = AsyncStream.makeStream(of: Bool.self)
        // Its own thread: the test's may be those that write.
        let thread = DispatchQueue(label: "suspends")
        let failure = code {
            try store.index.writing { database in
                database.add(
                    function: DatabaseFunction("begin", argumentCount: 0) { [store] _ in
                        thread.async { suspension.yield((try? store.suspend()) != nil) }
                        return 1
                    })
                // Many seconds, where nobody interrupts it.
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

    @Test func movesTheLogsAlthoughItInterrupts() throws {
        try store.install(["a": "one"], version: "1")
        try store.suspend()
        for name in ["index", "blobs"] {
            // What a copy without the log knows.
            let copy = directory.path + "/\(name)-copy.sqlite"
            try FileManager.default.copyItem(atPath: "\(directory.path)/\(name).sqlite", toPath: copy)
            let count = try DatabaseQueue(path: copy).read { database in
                try Int.fetchOne(database, sql: "SELECT COUNT(*) FROM \(name == "index" ? "generation" : "blob")")
            }
            #expect(count == 1, "\(name)")
        }
    }

    @Test func holdsNoLock() throws {
        try store.suspend()
        do {
            let other = try ResourceStore(directory: directory.path)
            #expect(code { try store.resume() } == .inUse)
            withExtendedLifetime(other) {}
        }
        try store.resume()
        #expect(code { _ = try ResourceStore(directory: directory.path) } == .inUse)
    }
}
