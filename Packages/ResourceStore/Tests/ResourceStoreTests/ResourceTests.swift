// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import GRDB
import Testing

@_spi(Facade) @testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct ResourceTests {
    /// A calendar that the test advances.
    final class Calendar: Sendable {
        let day = Mutex<Int64>(1)
    }

    let directory: TemporaryFolder
    let calendar = Calendar()
    let store: BlobStore

    init() throws {
        directory = try TemporaryFolder()
        store = try Self.open(directory, calendar)
    }

    /// Opens a store whose budget fits ten resources of 100 bytes.
    static func open(_ directory: TemporaryFolder, _ calendar: Calendar) throws -> BlobStore {
        try BlobStore(
            directory: directory.path,
            configuration: .init(resourceBudget: 1_000, smallBlobLimit: 50) { calendar.day.withLock { $0 } })
    }

    /// Returns a distinct text of 100 bytes, which is stored as a file.
    private func text(_ name: String) -> String { name + String(repeating: ".", count: 100 - name.utf8.count) }

    private func put(_ names: [String], on day: Int64) throws {
        calendar.day.withLock { $0 = day }
        for name in names { try store.putResource(text(name), for: name) }
    }

    private var keys: [String] {
        get throws { try store.resources().map(\.key) }
    }

    @Test func resourcesAreFoundByKeyPrefix() throws {
        let names = ["a", "a/", "a/b", "a/ü", "a/\u{10FFFF}", "a0", "b", "ü"]
        for name in names { try store.putResource("text", for: name) }
        #expect(try store.resources(withPrefix: "a/").map(\.key) == ["a/", "a/b", "a/ü", "a/\u{10FFFF}"])
        #expect(try store.resources(withPrefix: "ü").map(\.key) == ["ü"])
        #expect(try store.resources(withPrefix: "c").isEmpty)
        #expect(try store.resources(withPrefix: "").count == names.count)
    }

    @Test func storedResourceIsUnchanged() throws {
        try store.putResource(Data("body".utf8), for: "https://a/x?y", mediaType: "text/css", validator: "md5")
        let resource = try #require(try store.resource(for: "https://a/x?y"))
        #expect(resource.mediaType == "text/css" && resource.validator == "md5" && resource.size == 4)
        #expect(resource.lastUse == 1)
        #expect(try store.bytes(of: resource.blob, size: 4) == Data("body".utf8))
        #expect(try store.resource(for: "https://a/X?y") == nil)
        #expect(try store.resources() == [resource])
        #expect(try store.statistics().resources.bytes == 4)
    }

    @Test func resourceRemainsAfterReopening() throws {
        let other = try TemporaryFolder()
        do { try Self.open(other, calendar).putResource(text("a"), for: "a") }
        #expect(try Self.open(other, calendar).readResources() == ["a": text("a")])
    }

    @Test func replacementRemovesOldBytes() throws {
        try store.putResource("old", for: "a")
        try store.putResource(text("new"), for: "a")
        #expect(try store.readResources() == ["a": text("new")])
        #expect(try store.blobsOnDisk() == blobs(["a": text("new")]))
    }

    @Test func removalRemovesBytes() throws {
        try store.putResource("one", for: "a")
        try store.putResource("one", for: "b")
        try store.putResource(text("two"), for: "c")
        #expect(try store.removeResources(["a", "c", "none"]) == 2)
        #expect(try store.readResources() == ["b": "one"])
        #expect(try store.blobsOnDisk() == blobs(["b": "one"]))
    }

    @Test func sweepRetainsResources() throws {
        try store.putResource("one", for: "a")
        try store.putResource(text("two"), for: "b")
        #expect(try store.sweep() == SweepResult())
        #expect(try store.readResources() == ["a": "one", "b": text("two")])
    }

    @Test func evictsLeastRecentlyUsed() throws {
        try put(["a", "b", "c"], on: 1)
        try put(["d", "e", "f", "g", "h", "i", "j"], on: 2)
        // The budget is full but not exceeded.
        #expect(try keys.count == 10)
        calendar.day.withLock { $0 = 3 }
        #expect(try store.resource(for: "b") != nil)
        try put(["k"], on: 3)
        // Evicts down to nine tenths: the two resources of the first day that were not used since.
        #expect(try keys == ["b", "d", "e", "f", "g", "h", "i", "j", "k"])
        #expect(store.counters.evictedResources == 2)
        #expect(try store.blobsOnDisk().count == 9)
        #expect(try store.resource(for: "b")?.lastUse == 3)
    }

    @Test func budgetCountsRecordOverhead() throws {
        func put(_ name: String, overhead: Int64) throws {
            let batch = store.makeBatch()
            let blob = try batch.add(Data(name.utf8))
            var resource = StoredResource(key: name, blob: blob, size: 1, mediaType: "", validator: "")
            resource.overhead = overhead
            try store.putResources([resource], from: batch)
            #expect(try store.resource(for: name)?.overhead == overhead)
        }
        for name in ["a", "b", "c"] { try put(name, overhead: 299) }
        #expect(try store.statistics().resources.bytes == 900)
        try put("d", overhead: 299)
        #expect(try keys == ["b", "c", "d"])
        #expect(throws: StoreError.self) { try put("e", overhead: 1_000) }
        #expect(try keys == ["b", "c", "d"])
        #expect(try store.statistics().resources.bytes == 900)
        #expect(try store.check().isSound)
    }

    @Test func readWritesNothing() throws {
        try put(["a"], on: 1)
        calendar.day.withLock { $0 = 2 }
        let log = directory.path + "/index.sqlite-wal"
        let before = try Data(contentsOf: URL(filePath: log))
        #expect(try store.resource(for: "a")?.lastUse == 1)
        #expect(try Data(contentsOf: URL(filePath: log)) == before)
        try store.checkpoint()
        #expect(try store.resource(for: "a")?.lastUse == 2)
    }

    @Test func useIsRecordedAfterReopening() throws {
        let other = try TemporaryFolder()
        do {
            let store = try Self.open(other, calendar)
            try store.putResource("a", for: "a")
            calendar.day.withLock { $0 = 5 }
            _ = try store.resource(for: "a")
        }
        #expect(try Self.open(other, calendar).resource(for: "a")?.lastUse == 5)
    }

    @Test func evictionRetainsBlobsOfGenerations() throws {
        let number = try store.stage(["x": text("a"), "y": "small"], version: "1")
        try put(["a"], on: 1)
        try store.putResource("small", for: "small")
        #expect(try store.evictResources(to: 0) == 2)
        #expect(try store.read(number) == ["x": text("a"), "y": "small"])
        #expect(try store.statistics().resources.bytes == 0)
    }

    @Test func evictionRetainsBlobsOfBatch() throws {
        try put(["a"], on: 1)
        let batch = store.makeBatch()
        let id = SHA256Digest(of: Data(text("a").utf8))
        #expect(try batch.reuse([id: 100]) == [id])
        try store.evictResources(to: 0)
        let entry = StoredEntry(path: "p", blob: id, size: 100, mediaType: "a/b")
        let number = try store.stage(
            package: "p", version: "1", metadata: Data(), entries: [entry], from: batch
        ).number
        #expect(try store.read(number) == ["p": text("a")])
    }

    @Test func resourcesPutTogetherAreEvictedTogether() throws {
        try put(["old"], on: 1)
        let batch = store.makeBatch()
        let resources = try (0..<10).map { number in
            var writer = try batch.makeWriter()
            try writer.write(Data(text("\(number)").utf8))
            return StoredResource(
                key: "\(number)", blob: try writer.finish(), size: 100, mediaType: "a/b", validator: "")
        }
        #expect(try store.putResources(resources, from: batch) == 1)
        #expect(try keys == (0..<10).map { "\($0)" })
        #expect(
            code { try store.putResources([resources[0], resources[0]], from: batch) } == .conflict)
        #expect(code { try store.putResources(resources, from: store.makeBatch()) } == .conflict)
    }

    @Test func keysAreComparedByBytes() throws {
        let batch = store.makeBatch()
        let names = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        let resources = try names.map { name in
            var writer = try batch.makeWriter()
            try writer.write(Data(text(name).utf8))
            return StoredResource(
                key: name, blob: try writer.finish(), size: 100, mediaType: "a/b", validator: "")
        }
        try store.putResources(resources, from: batch)
        #expect(try keys.map { Array($0.utf8) } == ["K", "e\u{301}", "\u{E9}", "\u{212A}"].map { Array($0.utf8) })
    }

    @Test func rejectsResourceOverBudget() throws {
        try put(["a"], on: 1)
        #expect(code { try store.putResource(String(repeating: "x", count: 1_001), for: "b") } == .overBudget)
        #expect(try keys == ["a"])
        try store.sweep()
        #expect(try store.blobsOnDisk().count == 1)
    }

    @Test func damagedRecordCountsAsMissing() throws {
        try put(["a", "b"], on: 1)
        try store.index.writing { try $0.execute(sql: "UPDATE resource SET media_type = 'text/html' WHERE key = 'a'") }
        #expect(try store.resource(for: "a") == nil)
        #expect(try keys == ["b"])
        #expect(store.counters.damagedResources == 2)
        try put(["a"], on: 1)
        #expect(try keys == ["a", "b"])
    }
}
