// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import ResourceTable

/// Tests of checks, adoption of tables, background downloads and restarts.
@Suite("Table library", .timeLimit(.minutes(1)))
struct TableLibraryTests {
    private let fixture = LibraryFixture()
    private var network: FakeNetwork { fixture.network }
    private var store: MemoryStore { fixture.store }

    private func keys(_ maker: TableMaker) -> Set<String> { Set(maker.items.map(\.key)) }

    @Test("If a table grows from 200 to 201 entries, the new file is fetched and an evicted file is not")
    func oneMore() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 200)
        try await fixture.update(library, to: old)
        await library.downloadPending()
        #expect(store.keys == keys(old) && library.counters.downloads == 200)
        // A budget has evicted one file.
        try await store.remove([try #require(TableURL(old.items[7].key))])
        network.removeRequests()
        let new = TableMaker("2", count: 201)
        guard case .replaced(.primary, let diff) = try await fixture.update(library, to: new) else {
            Issue.record("not replaced")
            return
        }
        #expect(diff.downloads.count == 1)
        await library.downloadPending()
        #expect(network.requestedURLs == [LibraryFixture.primary, new.items[200].key])
        #expect(store.keys == keys(new).subtracting([old.items[7].key]))
        // The file is fetched on first use.
        #expect(try await fixture.text(library, new.items[7].url) == "content 7")
        #expect(store.keys == keys(new))
    }

    @Test("Queued files are background transfers; tables and files that a page requests are not")
    func backgroundTransfers() async throws {
        let library = try await fixture.open()
        let maker = TableMaker("1", count: 3)
        try await fixture.update(library, to: maker)
        #expect(try await fixture.text(library, maker.items[0].url) == "content 0")
        #expect(network.backgroundURLs.withLock { $0 } == [])
        await library.downloadPending()
        #expect(Set(network.backgroundURLs.withLock { $0 }) == Set(maker.items[1...].map(\.key)))
    }

    @Test("Changed files are fetched again, and files that left the table are removed")
    func changes() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 4)
        try await fixture.update(library, to: old)
        await library.downloadPending()
        network.removeRequests()
        var new = old
        new.version = "0"
        new.items.remove(at: 3)
        new.items[0].version = "2"
        new.items[1].content = "other"
        // The file has the same bytes and key, but another version.
        new.items[2].version = "2"
        new.items[2].download = old.items[2].key
        try await fixture.update(library, to: new)
        // Files are removed when the table is adopted, not after the downloads.
        #expect(store.keys == [old.items[1].key, old.items[2].key])
        // The old bytes of the key are not served for the new entry.
        let gate = Gate()
        network[new.items[1].key] = .gated(gate, new.items[1].bytes)
        let url = new.items[1].url
        async let page = fixture.text(library, url)
        await gate.arrivals(1)
        gate.open()
        #expect(try await page == "other")
        await library.downloadPending()
        #expect(Set(network.requestedURLs) == keys(new).union([LibraryFixture.primary]))
        #expect(store.keys == keys(new))
    }

    /// Returns a table whose entries have the same versions and files at other download URLs.
    private func moved(_ old: TableMaker) -> TableMaker {
        var new = old
        new.version = "2"
        for place in new.items.indices { new.items[place].download = "https://cdn.example.com/new/\(place)" }
        return new
    }

    @Test("If only download URLs change, the files are stored under the new keys without a request")
    func movedFiles() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 3)
        try await fixture.update(library, to: old)
        await library.downloadPending()
        // A budget has evicted one file.
        try await store.remove([try #require(TableURL(old.items[1].key))])
        network.removeRequests()
        let new = moved(old)
        try await fixture.update(library, to: new)
        await library.downloadPending()
        #expect(store.keys == keys(new).subtracting([new.items[1].key]))
        #expect(try await fixture.text(library, new.items[0].url) == "content 0")
        #expect(network.requestedURLs == [LibraryFixture.primary])
        // The evicted file is fetched on first use.
        #expect(try await fixture.text(library, new.items[1].url) == "content 1")
        #expect(network.requestedURLs == [LibraryFixture.primary, new.items[1].key])
    }

    @Test("Two files can exchange their keys")
    func exchangedKeys() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 2)
        try await fixture.update(library, to: old)
        await library.downloadPending()
        network.removeRequests()
        var new = old
        new.version = "2"
        (new.items[0].download, new.items[1].download) = (old.items[1].key, old.items[0].key)
        try await fixture.update(library, to: new)
        #expect(try await fixture.text(library, new.items[0].url) == "content 0")
        #expect(try await fixture.text(library, new.items[1].url) == "content 1")
        #expect(network.requestedURLs == [LibraryFixture.primary] && store.keys == keys(old))
    }

    @Test("A file that waits in the queue when its download URL changes is fetched from the new URL")
    func movedQueue() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 3)
        try await fixture.update(library, to: old)
        let new = moved(old)
        network.removeRequests()
        try await fixture.update(library, to: new)
        #expect(await library.queue.count == 3)
        await library.downloadPending()
        #expect(Set(network.requestedURLs) == keys(new).union([LibraryFixture.primary]) && store.keys == keys(new))
    }

    @Test("If files cannot be copied to their new keys, the table is adopted, and they are fetched on first use")
    func refusedCopies() async throws {
        let library = try await fixture.open()
        let old = TableMaker("1", count: 2)
        try await fixture.update(library, to: old)
        await library.downloadPending()
        store.state.withLock { $0.refusesFiles = true }
        let new = moved(old)
        try await fixture.update(library, to: new)
        #expect(library.table?.version == "2" && library.counters.failedWrites == 1 && store.keys.isEmpty)
        store.state.withLock { $0.refusesFiles = false }
        #expect(try await fixture.text(library, new.items[0].url) == "content 0")
    }

    @Test("A kill while files get new keys loses no file of the stored table", arguments: [false, true])
    func killedMove(isTableStored: Bool) async throws {
        let old = TableMaker("1", count: 2)
        let new = moved(old)
        do {
            let library = try await fixture.open()
            try await fixture.update(library, to: old)
            await library.downloadPending()
        }
        // The state of the store after the copies, before and after the new table is stored.
        try await store.copy(old.table().entries.map(\.download), to: new.table().entries.map(\.download))
        if isTableStored { try await store.put(new.data, as: .table) }
        network.removeRequests()
        let library = try await fixture.open()
        let stored = isTableStored ? new : old
        #expect(library.table?.version == stored.version && store.keys == keys(stored))
        for item in stored.items { #expect(try await fixture.text(library, item.url) == item.content) }
        #expect(network.requestedURLs.isEmpty)
    }

    @Test("A response with the same version, without an update or without a map has no effect")
    func unchanged() async throws {
        let library = try await fixture.open()
        let maker = TableMaker("1", count: 2)
        try await fixture.update(library, to: maker)
        await library.downloadPending()
        var other = TableMaker("1", count: 5)
        for json in [
            other.json, #"{"code":200,"data":{"version":"2","update":false,"resourcemap":{}}}"#,
            #"{"code":200,"data":{"version":"2","update":true}}"#, #"{"code":200}"#,
        ] {
            network[LibraryFixture.primary] = .bytes(Data(json.utf8))
            fixture.pass(30)
            guard case .unchanged(.primary) = try await library.check(.open) else {
                Issue.record("changed by \(json)")
                return
            }
        }
        #expect(library.table?.count == 2 && store.keys == keys(maker))
        #expect(await library.queue.count == 0)
        // A lower version differs, so it replaces the table.
        other.version = "0"
        try await fixture.update(library, to: other)
        #expect(library.table?.version == "0")
    }

    @Test("An explicit empty table removes all files")
    func empty() async throws {
        let library = try await fixture.open()
        try await fixture.update(library, to: TableMaker("1", count: 2))
        await library.downloadPending()
        try await fixture.update(library, to: TableMaker("2", count: 0))
        #expect(library.table?.count == 0 && store.keys.isEmpty)
    }

    @Test("The coding identity is accepted in any case")
    func identityCoding() async throws {
        let library = try await fixture.open()
        network[LibraryFixture.primary] = .bytes(TableMaker("1", count: 1).data, [.contentEncoding: "Identity"])
        guard case .replaced(.primary, _) = try await library.check(.open) else {
            Issue.record("the table was refused")
            return
        }
        #expect(library.table?.version == "1")
    }

    @Test("Every kind of error counts, and the fifth selects the mirror of the environment")
    func mirror() async throws {
        let answers: [FakeNetwork.Answer] = [
            .status(503), .bytes(Data(#"{"code":500}"#.utf8)), .bytes(Data("<html>".utf8)), .error(.timedOut),
            .bytes(Data("{}".utf8), [.contentEncoding: "br"]),
        ]
        for environment in [TableEndpoints.Environment.test, .production] {
            let fixture = LibraryFixture()
            let library = try await fixture.open { $0.endpoints.environment = environment }
            for answer in answers {
                fixture.network[LibraryFixture.primary] = answer
                fixture.pass(30)
                guard case .failed = try await library.check(.open) else {
                    Issue.record("\(answer) is not an error")
                    return
                }
            }
            #expect(await library.policy.isOnMirror)
            fixture.network.removeRequests()
            fixture.network[LibraryFixture.mirror] = .bytes(TableMaker("7", count: 1).data)
            fixture.network[LibraryFixture.testMirror] = .bytes(TableMaker("8", count: 1).data)
            fixture.pass(30)
            guard case .replaced(.mirror, _) = try await library.check(.open) else {
                Issue.record("the mirror was not used")
                return
            }
            let isTest = environment == .test
            #expect(fixture.network.requestedURLs == [isTest ? LibraryFixture.testMirror : LibraryFixture.mirror])
            #expect(library.table?.version == (isTest ? "8" : "7"))
        }
    }

    @Test(
        "An older integer version of the mirror is not adopted, and a success of the primary ends the use of the mirror"
    )
    func mirrorAndBack() async throws {
        var library = try await fixture.open()
        try await fixture.update(library, to: TableMaker("10", count: 2))
        network[LibraryFixture.primary] = .nobody
        for _ in 0..<5 {
            fixture.pass(30)
            try await library.check(.foreground)
        }
        network[LibraryFixture.mirror] = .bytes(TableMaker("9", count: 1).data)
        network.removeRequests()
        fixture.pass(30)
        guard case .unchanged(.mirror) = try await library.check(.close) else {
            Issue.record("an older table came from the mirror")
            return
        }
        #expect(library.table?.version == "10" && network.requestedURLs == [LibraryFixture.mirror])
        // The count survives the restart. The launch tries the primary, then the mirror.
        library = try await fixture.open()
        #expect(await library.policy.isOnMirror)
        network[LibraryFixture.mirror] = .bytes(TableMaker("11", count: 3).data)
        network.removeRequests()
        fixture.pass(30)
        guard case .replaced(.mirror, _) = try await library.check(.launch) else {
            Issue.record("the mirror was not used")
            return
        }
        #expect(network.requestedURLs == [LibraryFixture.primary, LibraryFixture.mirror])
        fixture.pass(30 * 60 - 30)
        // A lower version of the primary is adopted.
        try await fixture.update(library, to: TableMaker("3", count: 1))
        #expect(library.table?.version == "3")
        #expect(await library.policy.isOnMirror == false)
    }

    @Test("An offline check is not counted and sends no request")
    func offline() async throws {
        let library = try await fixture.open()
        fixture.conditions.set(HostConditions(isIdle: true, network: .none))
        for _ in 0..<10 {
            guard case .offline = try await library.check(.open) else {
                Issue.record("not offline")
                return
            }
        }
        #expect(network.requestedURLs.isEmpty)
        // The conditions report a network, but the transport is offline.
        fixture.conditions.set(.favourable)
        network[LibraryFixture.primary] = .error(.offline)
        for _ in 0..<10 {
            guard case .offline = try await library.check(.open) else {
                Issue.record("not offline")
                return
            }
        }
        #expect(await library.policy.errors == 0)
        // The offline check does not drop the next trigger.
        network[LibraryFixture.primary] = .bytes(TableMaker("1", count: 1).data)
        guard case .replaced = try await library.check(.open) else {
            Issue.record("dropped")
            return
        }
        guard case .dropped = try await library.check(.open) else {
            Issue.record("not dropped")
            return
        }
    }

    @Test("A source that stalls fails after its time limit")
    func stall() async throws {
        let library = try await fixture.open { $0.answerLimit = .seconds(5) }
        let gate = Gate()
        network[LibraryFixture.primary] = .gated(gate, Data())
        async let result = library.check(.launch)
        await gate.arrivals(1)
        await fixture.clock.sleepers(atLeast: 1)
        fixture.clock.advance(by: .seconds(5))
        guard case .failed(let error) = try await result else {
            Issue.record("not failed")
            return
        }
        #expect(error.code == .timedOut && gate.cancelled == 1)
        #expect(await library.policy.errors == 1)
    }

    @Test("A stopped check is not counted, and the next one is not delayed")
    func stopped() async throws {
        let library = try await fixture.open()
        let gate = Gate()
        network[LibraryFixture.primary] = .gated(gate, Data())
        let check = Task { try await library.check(.launch) }
        await gate.arrivals(1)
        guard case .dropped = try await library.check(.open) else {
            Issue.record("two checks ran at once")
            return
        }
        check.cancel()
        await #expect(throws: CancellationError.self) { _ = try await check.value }
        #expect(await library.policy.errors == 0)
        guard case .replaced = try await fixture.update(library, to: TableMaker("1", count: 1)) else {
            Issue.record("not replaced")
            return
        }
    }

    @Test("If the store rejects a table, the old one remains, and no error of the source is counted")
    func refusedTable() async throws {
        let library = try await fixture.open()
        try await fixture.update(library, to: TableMaker("1", count: 1))
        store.state.withLock { $0.refusesDocuments = true }
        let error = await #expect(throws: TableError.self) {
            try await fixture.update(library, to: TableMaker("2", count: 2))
        }
        #expect(error?.code == .storage && library.table?.version == "1")
        #expect(await library.policy.errors == 0)
        store.state.withLock { $0.refusesDocuments = false }
        try await fixture.update(library, to: TableMaker("2", count: 2))
        #expect(library.table?.version == "2")
    }

    @Test("The version of the local table is sent if a parameter is configured")
    func versionParameter() async throws {
        let library = try await fixture.open { $0.endpoints.versionParameter = "v" }
        try await fixture.update(library, to: TableMaker("a b&1", count: 1))
        fixture.pass(30)
        try await library.check(.open)
        #expect(network.requestedURLs == [LibraryFixture.primary, LibraryFixture.primary + "?v=a%20b%261"])
    }

    @Test("A restart restores table, files and queue, and removes unnamed files")
    func restart() async throws {
        var library = try await fixture.open()
        let maker = TableMaker("1", count: 5)
        try await fixture.update(library, to: maker)
        _ = try await fixture.text(library, maker.items[2].url)
        let orphan = try #require(TableURL("https://cdn.example.com/orphan"))
        try await store.put(Data(), md5: MD5Digest(of: Data()), for: orphan)
        network.removeRequests()
        library = try await fixture.open()
        #expect(library.table == (try maker.table()) && store.keys == [maker.items[2].key])
        #expect(await library.queue.count == 5)
        await library.downloadPending()
        // A file that was fetched for a page meanwhile is not fetched again.
        #expect(Set(network.requestedURLs) == keys(maker).subtracting([maker.items[2].key]))
        library = try await fixture.open()
        #expect(await library.queue.count == 0)
    }

    @Test("Damaged documents are ignored, and the files are found again")
    func damaged() async throws {
        var library = try await fixture.open()
        let maker = TableMaker("1", count: 3)
        try await fixture.update(library, to: maker)
        await library.downloadPending()
        store.state.withLock { state in
            for name in TableDocument.allCases { state.documents[name] = Data("{".utf8) }
        }
        library = try await fixture.open()
        #expect(library.table == nil && store.keys == keys(maker))
        #expect(library.counters.damagedDocuments == 2)
        network.removeRequests()
        try await fixture.update(library, to: maker)
        await library.downloadPending()
        #expect(network.requestedURLs == [LibraryFixture.primary])
    }

    @Test("A pending list of another table, or with invalid positions, is ignored")
    func hostilePending() async throws {
        var library = try await fixture.open()
        try await fixture.update(library, to: TableMaker("1", count: 2))
        for (json, count) in [
            (#"{"version":"2","places":[0]}"#, 0), (#"{"version":"1","places":[-1,7,1,1]}"#, 1), ("[]", 0),
            (#"{"version":"1","count":2,"places":[1]}"#, 1), (#"{"version":"2","count":3,"places":[1]}"#, 0),
        ] {
            store.state.withLock { $0.documents[.pending] = Data(json.utf8) }
            library = try await fixture.open()
            #expect(await library.queue.count == count)
        }
    }

    @Test("All files of the table are pending if the positions count other entries")
    func shiftedPending() async throws {
        var library = try await fixture.open()
        let maker = TableMaker("1", count: 3)
        try await fixture.update(library, to: maker)
        await library.downloadPending()
        try await store.remove([try #require(TableURL(maker.items[2].key))])
        store.state.withLock { $0.documents[.pending] = Data(#"{"version":"1","count":4,"places":[3]}"#.utf8) }
        network.removeRequests()
        library = try await fixture.open()
        #expect(await library.queue.count == 3)
        await library.downloadPending()
        // Only the file that the store lacks is fetched.
        #expect(network.requestedURLs == [maker.items[2].key])
        #expect(store.keys == keys(maker))
    }

    @Test("Queued files are kept when a new table is adopted")
    func carriesOver() async throws {
        let library = try await fixture.open()
        try await fixture.update(library, to: TableMaker("1", count: 3))
        var new = TableMaker("2", count: 4)
        new.items.remove(at: 1)
        try await fixture.update(library, to: new)
        #expect(await library.queue.count == 3)
        await library.downloadPending()
        #expect(store.keys == keys(new))
    }

    @Test("The number of concurrent downloads is limited")
    func bounded() async throws {
        let library = try await fixture.open { $0.maxConcurrentDownloads = 3 }
        let maker = TableMaker("1", count: 9)
        try await fixture.update(library, to: maker)
        let gate = Gate()
        for item in maker.items { network[item.key] = .gated(gate, item.bytes) }
        async let done: Void = library.downloadPending()
        await gate.arrivals(3)
        // A second call returns immediately.
        await library.downloadPending()
        #expect(network.mostOpen == 3)
        gate.open()
        await done
        #expect(network.mostOpen == 3 && store.keys == keys(maker))
    }

    @Test(
        "Downloads run only if the app is idle, on Wi-Fi, and has sufficient resources",
        arguments: [
            HostConditions(isIdle: false, network: .unmetered), HostConditions(isIdle: true, network: .metered),
            HostConditions(isIdle: true, network: .none), HostConditions(isIdle: true, network: .unknown),
            HostConditions(isIdle: true, network: .unmetered, power: .low),
            HostConditions(isIdle: true, network: .unmetered, memory: .warning),
        ])
    func conditions(_ conditions: HostConditions) async throws {
        let library = try await fixture.open()
        let maker = TableMaker("1", count: 2)
        try await fixture.update(library, to: maker)
        network.removeRequests()
        fixture.conditions.set(conditions)
        await library.downloadPending()
        #expect(network.requestedURLs.isEmpty)
        #expect(await library.queue.count == 2)
    }

    @Test("Background downloads run when files are queued and the conditions allow it, until the task is cancelled")
    func run() async throws {
        let library = try await fixture.open()
        fixture.conditions.set(HostConditions(isIdle: false, network: .unmetered))
        let run = Task { await library.run() }
        let maker = TableMaker("1", count: 2)
        try await fixture.update(library, to: maker)
        let gate = Gate()
        for item in maker.items { network[item.key] = .gated(gate, item.bytes) }
        network.removeRequests()
        fixture.conditions.set(.favourable)
        await gate.arrivals(2)
        gate.open()
        // A new table also starts downloads.
        var more = TableMaker("2", count: 3)
        let second = Gate()
        more.items[2].content = "late"
        network.serve(more)
        network[LibraryFixture.primary] = .bytes(more.data)
        network[more.items[2].key] = .gated(second, more.items[2].bytes)
        fixture.pass(30)
        try await library.check(.open)
        await second.arrivals(1)
        second.open()
        run.cancel()
        await run.value
        #expect(Set(network.requestedURLs) == keys(more).union([LibraryFixture.primary]))
    }

    @Test("Files that are wrong or too large are rejected, retried and finally dropped")
    func badFiles() async throws {
        let library = try await fixture.open { $0.maxFileBytes = 100 }
        var maker = TableMaker("1", count: 4)
        maker.items[2].content = String(repeating: "x", count: 101)
        try await fixture.update(library, to: maker)
        network[maker.items[0].key] = .bytes(Data("forged".utf8))
        network[maker.items[1].key] = .status(500)
        for left in [3, 3, 0] {
            await library.downloadPending()
            #expect(await library.queue.count == left)
        }
        #expect(store.keys == [maker.items[3].key])
        #expect(library.counters.failedDownloads == 9 && library.counters.abandonedDownloads == 3)
    }

    @Test("A download that ends after its entry left the table stores no file")
    func lateDownload() async throws {
        let library = try await fixture.open()
        let maker = TableMaker("1", count: 2)
        try await fixture.update(library, to: maker)
        let gate = Gate()
        network[maker.items[1].key] = .gated(gate, maker.items[1].bytes)
        async let done: Void = library.downloadPending()
        await gate.arrivals(1)
        try await fixture.update(library, to: TableMaker("2", count: 1))
        network[maker.items[1].key] = .status(404)
        gate.open()
        await done
        #expect(store.keys == [maker.items[0].key])
        #expect(await library.queue.count == 0)
    }

    @Test("A file that is stored after its entry left the table is removed again")
    func latePut() async throws {
        let library = try await fixture.open()
        let maker = TableMaker("1", count: 1)
        try await fixture.update(library, to: maker)
        let gate = Gate()
        store.state.withLock { $0.gate = gate }
        async let done: Void = library.downloadPending()
        await gate.arrivals(1)
        try await fixture.update(library, to: TableMaker("2", count: 0))
        gate.open()
        await done
        #expect(store.keys.isEmpty && library.counters.downloads == 1)
    }

    @Test("A file with the bytes of another version is not served")
    func outdated() async throws {
        let library = try await fixture.open()
        var maker = TableMaker("1", count: 1)
        try await fixture.update(library, to: maker)
        await library.downloadPending()
        maker.version = "2"
        maker.items[0].content = "new"
        try await fixture.update(library, to: maker)
        network[maker.items[0].key] = .status(500)
        #expect(try await fixture.response(library, maker.items[0].url) == nil)
        #expect(store.keys == keys(maker))
    }
}
