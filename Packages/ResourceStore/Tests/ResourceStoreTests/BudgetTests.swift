// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import GRDB
import SystemSupport
import Testing

@_spi(Facade) @testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BudgetTests {
    let directory: TemporaryFolder
    let store: BlobStore

    init() throws {
        directory = try TemporaryFolder()
        store = try BlobStore(
            directory: directory.path, configuration: .init(packageBudget: 100, smallBlobLimit: 20))
    }

    /// Returns a site with one file.
    private func site(_ letter: Character, _ count: Int) -> Site { ["a": String(repeating: letter, count: count)] }

    @Test func acceptsBlobsWithinBudget() throws {
        try store.install(site("a", 60), version: "1")
        try store.ensureSpace(for: 40)
        try store.install(site("b", 40), package: "other", version: "1")
        #expect(code { try store.ensureSpace(for: 1) } == .overBudget)
    }

    @Test func countsEachBlobOnce() throws {
        try store.install(site("a", 60), version: "1")
        try store.install(site("a", 60), package: "other", version: "1")
        try store.install(["a": String(repeating: "a", count: 60), "b": "more"], version: "2")
    }

    @Test func rejectionChangesNothing() throws {
        let first = try store.install(site("a", 60), version: "1")
        #expect(code { try store.ensureSpace(for: 41) } == .overBudget)
        #expect(code { try store.install(site("b", 41), version: "2") } == .overBudget)
        #expect(try store.activeGenerations().map(\.number) == [first])
        #expect(try store.generations(in: .staged) == [])
        try store.sweep()
        #expect(try store.blobsOnDisk() == blobs(site("a", 60)))
    }

    @Test func sweepsRetiredGenerationsFirst() throws {
        try store.install(site("a", 50), version: "1")
        try store.install(site("b", 50), version: "2")
        try store.ensureSpace(for: 50)
        #expect(try store.blobsOnDisk() == blobs(site("b", 50)))
        // Staging sweeps without a call of `ensureSpace`.
        for letter in ["c", "d", "e"] as [Character] {
            #expect(try store.read(store.install(site(letter, 50), version: "\(letter)")) == site(letter, 50))
        }
    }

    @Test func pinnedGenerationsAreNotSwept() throws {
        let first = try store.install(site("a", 50), version: "1")
        store.pin(first)
        try store.install(site("b", 50), version: "2")
        #expect(code { try store.ensureSpace(for: 1) } == .overBudget)
        #expect(try store.read(first) == site("a", 50))
    }

    @Test(arguments: [6, 62, 63]) func flippedBitInSizeDoesNotBlockInstalls(_ bit: Int64) throws {
        let first = try store.install(["a": String(repeating: "a", count: 30), "b": "small"], version: "1")
        try store.index.writing { database in
            try database.execute(
                sql: "UPDATE entry SET size = (size | ?1) - (size & ?1)",
                arguments: [Int64(bitPattern: 1 << UInt64(bit))])
        }
        #expect(code { _ = try store.entries(of: first) } == .damaged)
        try store.ensureSpace(for: 65)
        // The sizes on disk still count toward the budget.
        if bit != 63 { #expect(code { try store.ensureSpace(for: 66) } == .overBudget) }
        let second = try store.install(site("b", 60), version: "2")
        #expect(try store.read(second) == site("b", 60))
    }

    @Test func resourcesHaveOwnBudget() throws {
        try store.putResource(String(repeating: "r", count: 100), for: "r")
        try store.install(site("a", 100), version: "1")
    }

    /// A flipped bit in the size of a record makes it huge, negative or slightly wrong, in the table and its index.
    @Test(arguments: [1, 6, 40, 62, 63]) func flippedBitInResourceSizeDoesNotBlockEviction(_ bit: Int64) throws {
        let store = try BlobStore(directory: directory.path + "/b", configuration: .init(resourceBudget: 100))
        for name in ["a", "b", "c"] { try store.putResource(String(repeating: name, count: 25), for: name) }
        try store.index.writing {
            try $0.execute(
                sql: "UPDATE resource SET size = (size | ?1) - (size & ?1) WHERE key = 'b'",
                arguments: [Int64(bitPattern: 1 << UInt64(bit))])
        }
        #expect(try store.statistics().resources.bytes >= 50)
        try store.putResource("d", for: "d")
        // The other resources fit into the budget.
        #expect(try store.resources().map(\.key) == ["a", "c", "d"])
        // Eviction continues to work.
        for name in ["e", "f"] { try store.putResource(String(repeating: name, count: 25), for: name) }
        #expect(try store.resources().map(\.key) == ["c", "d", "e", "f"])
        #expect(try store.statistics().resources.bytes == 76)
        try store.putResource("b", for: "b")
        #expect(try store.resource(for: "b")?.size == 1)
    }

    /// The same bit is flipped only in the table or only in an index. SQLite refuses to remove the row.
    @Test func differingSizesInTableAndIndexAreRepaired() throws {
        let path = directory.path + "/b"
        let configuration = BlobStore.Configuration(resourceBudget: 300_000)
        func bytes(_ name: String, _ count: Int) -> Data { Data(repeating: name.utf8.first ?? 0, count: count) }
        do {
            let store = try BlobStore(directory: path, configuration: configuration)
            for (offset, name) in ["a", "b", "c"].enumerated() {
                try store.putResource(bytes(name, 70_000 + offset), for: name, mediaType: "", validator: "")
            }
        }
        let index = try Data(contentsOf: URL(filePath: path + "/index.sqlite"))
        // The number 70,001 in SQLite's encoding.
        let places = index.indices.dropLast(2).filter { index[$0...($0 + 2)].elementsEqual([0x01, 0x11, 0x71]) }
        #expect(places.count == 2)
        for place in places {
            let copy = "\(path)-\(place)"
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            var changed = index
            changed[place] ^= 0x40
            try changed.write(to: URL(filePath: copy + "/index.sqlite"))
            let store = try BlobStore(directory: copy, configuration: configuration)
            try store.putResource(bytes("d", 80_000), for: "d", mediaType: "", validator: "")
            #expect(try store.resources().map(\.key).filter { $0 != "b" } == ["a", "c", "d"], "byte \(place)")
            try store.putResource(bytes("b", 9_000), for: "b", mediaType: "", validator: "")
            #expect(try store.resources().map(\.key) == ["a", "b", "c", "d"], "byte \(place)")
            #expect(try store.index.faults() == [])
            try store.removeResources(["a", "b", "c", "d"])
            #expect(try store.blobsOnDisk() == [])
        }
    }

    @Test func sweepsIfDeviceIsFull() throws {
        let path = directory.path + "/b"
        let store = try BlobStore(
            directory: path, configuration: .init(smallBlobLimit: 0),
            freeBytes: { path in
                // A device with 300 bytes for blobs.
                try TemporaryFolder.files(in: path + "/blobs")
                    .reduce(300) { $0 - (FileStatus.file("\(path)/blobs/\($1)")?.size ?? 0) }
            },
            onStep: { _ in })
        try store.install(site("a", 100), version: "1")
        let current = try store.install(site("b", 50), version: "2")
        // Twice the requested size must be free, because the bytes may be written to the log first.
        try store.ensureSpace(for: 75)
        #expect(try store.blobsOnDisk().count == 2)
        try store.ensureSpace(for: 76)
        #expect(try store.blobsOnDisk() == blobs(site("b", 50)))
        #expect(code { try store.ensureSpace(for: 126) } == .diskFull)
        #expect(try store.read(current) == site("b", 50))
    }

    @Test func rejectsBlobsLargerThanFreeSpace() throws {
        let store = try BlobStore(
            directory: directory.path + "/b", configuration: .init(packageBudget: .max))
        #expect(code { try store.ensureSpace(for: 1 << 60) } == .diskFull)
        #expect(code { try store.ensureSpace(for: .max) } == .diskFull)
        try store.ensureSpace(for: 1_000)
    }
}
