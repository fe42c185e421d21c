// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import GRDB
import SystemSupport
import Testing

@testable import ResourceStore

/// Tests of the store with damaged, changed and missing files.
@Suite(.timeLimit(.minutes(3)))
struct DamageTests {
    let site = ["a": "small", "b": "large enough to be a file", "c": "another large one, a file"]
    let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    /// Copies the directory in its current state, which is the state after a kill.
    private func picture() throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.path)/\(name)")
        }
        return copy
    }

    private func open(_ directory: TemporaryFolder) throws -> BlobStore {
        try BlobStore(directory: directory.path, configuration: .mixed)
    }

    /// Waits until the clock of the file system advances; its resolution is milliseconds. The next session verifies a
    /// file again if it changes in the tick in which the store closes.
    private func letTheClockTick() throws {
        let path = directory.path + "/tick"
        func touch() throws -> Int64? {
            try Data().write(to: URL(filePath: path))
            return FileStatus.file(path)?.changeTime
        }
        let start = try touch()
        while try touch() == start {}
        try FileManager.default.removeItem(atPath: path)
    }

    private func pathInBlobs(_ path: String) -> String {
        let hex = blob(path).description
        return "\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    private func blob(_ path: String) -> SHA256Digest { SHA256Digest(of: Data((site[path] ?? "").utf8)) }

    private func flip(_ path: String, at offset: Int, bit: UInt8 = 0x10) throws {
        var data = try Data(contentsOf: URL(filePath: path))
        data[offset] ^= bit
        try data.write(to: URL(filePath: path))
    }

    @Test func rowIsCheckedAtEachRead() throws {
        let store = try open(directory)
        let number = try store.install(site, version: "1")
        try store.overwriteRow(blob("a"), with: Data("smell".utf8))
        #expect(code { _ = try store.blob(blob("a"), size: 5) } == .damaged)
        #expect(code { _ = try store.blob(blob("a"), size: 5) } == .notFound)
        #expect(store.counters.damagedBlobs == 1)
        // The next batch adds the blob again.
        #expect(try store.makeBatch().reuse([blob("a"): 5]) == [])
        try store.install(site, version: "2")
        #expect(try store.read(number) == site)
    }

    @Test func batchRestoresRemovedBlob() throws {
        let store = try open(directory)
        let number = try store.install(site, version: "1")
        try store.overwriteRow(blob("a"), with: Data("smell".utf8))
        try FileManager.default.removeItem(atPath: store.path(of: blob("b")))
        #expect(code { _ = try store.blob(blob("a"), size: 5) } == .damaged)
        do {
            let batch = store.makeBatch()
            _ = try store.write(site, into: batch)
            _ = try store.write(["x": "named by nothing"], into: batch)
            try store.restore(from: batch)
        }
        try store.sweep()
        #expect(try store.read(number) == site)
        #expect(try store.blobsOnDisk() == blobs(site))
        #expect(code { try store.restore(from: open(try TemporaryFolder()).makeBatch()) } == .conflict)
    }

    @Test func fileIsCheckedAfterUncleanShutdown() throws {
        let store = try open(directory)
        let number = try store.install(site, version: "1")
        let copy = try picture()
        let reopened = try open(copy)
        #expect(reopened.marker.cleanSince == nil)
        try flip(reopened.path(of: blob("b")), at: 3)
        #expect(code { _ = try reopened.blob(blob("b")) } == .damaged)
        #expect(code { _ = try reopened.blob(blob("b")) } == .notFound)
        #expect(reopened.counters.damagedBlobs == 1)
        #expect(try reopened.bytes(of: blob("c")) == Data((site["c"] ?? "").utf8))
        try reopened.install(site, version: "2")
        #expect(try reopened.read(number) == site)
    }

    @Test func fileIsCheckedOnce() throws {
        do { try open(directory).install(site, version: "1") }
        try FileManager.default.removeItem(atPath: directory.path + "/clean")
        let store = try open(directory)
        #expect(store.state.withLock { $0.checked } == [])
        _ = try store.blob(blob("b"))
        #expect(store.state.withLock { $0.checked } == [blob("b")])
    }

    /// Clean sessions that do not read a file do not mark it as verified.
    @Test func unreadFileIsCheckedInLaterSession() throws {
        let store = try open(directory)
        try store.install(site, version: "1")
        let copy = try picture()
        let file = "\(copy.path)/blobs/\(pathInBlobs("b"))"
        let time = try #require(FileStatus.file(store.path(of: blob("b")))).modificationTime
        try flip(file, at: 3)
        // Damage by a power failure does not change the modification time.
        FileStatus.setModificationTime(of: file, to: time)
        do {
            let unclean = try open(copy)
            #expect(unclean.marker.cleanSince == nil)
            try unclean.checkpoint()
        }
        for _ in 0..<2 { #expect(try open(copy).marker.cleanSince != nil) }
        let later = try open(copy)
        #expect(code { _ = try later.blob(blob("b"), size: 25) } == .damaged)
        #expect(try later.bytes(of: blob("c")) == Data((site["c"] ?? "").utf8))
    }

    @Test func modifiedFileIsCheckedInLaterSession() throws {
        do { try open(directory).install(site, version: "1") }
        try flip("\(directory.path)/blobs/\(pathInBlobs("b"))", at: 3)
        do { _ = try open(directory) }
        let later = try open(directory)
        #expect(later.marker.cleanSince != nil)
        #expect(code { _ = try later.blob(blob("b"), size: 25) } == .damaged)
    }

    @Test func checkedFilesAreNotCheckedAgainInLaterSessions() throws {
        do { try open(directory).install(site, version: "1") }
        try FileManager.default.removeItem(atPath: directory.path + "/clean")
        do {
            let store = try open(directory)
            _ = try store.blob(blob("b"))
            try store.install(["d": "a third large one, a file"], package: "other", version: "1")
            try letTheClockTick()
        }
        let store = try open(directory)
        _ = try store.blob(blob("b"))
        _ = try store.blob(SHA256Digest(of: Data("a third large one, a file".utf8)))
        #expect(store.state.withLock { $0.checked } == [])
        _ = try store.blob(blob("c"))
        #expect(store.state.withLock { $0.checked } == [blob("c")])
    }

    /// Earlier versions left markers whose modification time is not an era.
    @Test func markerWithoutEraRequiresFullCheck() throws {
        do { try open(directory).install(site, version: "1") }
        let marker = directory.path + "/clean"
        try FileManager.default.removeItem(atPath: marker)
        try Data().write(to: URL(filePath: marker))
        for (path, isChecked) in [("b", true), ("b", false), ("c", true)] {
            let store = try open(directory)
            #expect(store.marker.cleanSince != nil)
            _ = try store.blob(blob(path))
            #expect(store.state.withLock { $0.checked } == (isChecked ? [blob(path)] : []))
            try letTheClockTick()
        }
    }

    @Test func eraEndsWithUncleanSession() throws {
        func era() throws -> Int64 { try open(directory).marker.era }
        let first = try era()
        #expect(try era() == first)
        #expect(FileStatus.file(directory.path + "/clean")?.modificationTime == first)
        try FileManager.default.removeItem(atPath: directory.path + "/clean")
        #expect(try era() != first)
    }

    @Test func modifiedFileIsCheckedAfterCleanClose() throws {
        do { try open(directory).install(site, version: "1") }
        let store: BlobStore
        do {
            let hex = blob("b").description
            try flip("\(directory.path)/blobs/\(hex.prefix(2))/\(hex.dropFirst(2))", at: 3)
            store = try open(directory)
        }
        #expect(store.marker.cleanSince != nil)
        #expect(code { _ = try store.blob(blob("b"), size: 25) } == .damaged)
    }

    @Test func fileWithWrongSizeIsDamaged() throws {
        let store = try open(directory)
        try store.install(site, version: "1")
        try Data("short".utf8).write(to: URL(filePath: store.path(of: blob("b"))))
        #expect(code { _ = try store.blob(blob("b"), size: 25) } == .damaged)
        #expect(!FileManager.default.fileExists(atPath: store.path(of: blob("b"))))
    }

    @Test func markerRecordsHowStoreWasClosed() throws {
        let path = directory.path + "/clean"
        do {
            let store = try open(directory)
            #expect(!FileManager.default.fileExists(atPath: path))
            let batch = store.makeBatch()
            try store.checkpoint()
            #expect(!FileManager.default.fileExists(atPath: path))
            withExtendedLifetime(batch) {}
        }
        #expect(FileManager.default.fileExists(atPath: path))
        let store = try open(directory)
        #expect(store.marker.cleanSince != nil)
        try store.checkpoint()
        #expect(FileManager.default.fileExists(atPath: path))
        try store.install(site, version: "1")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func closingRemovesWriteAheadLog() throws {
        do {
            let store = try open(directory)
            #expect(try store.read(store.install(site, version: "1")) == site)
        }
        #expect(try directory.files().filter { $0.hasSuffix("-wal") } == [])
    }

    @Test func damagedBlobDatabaseIsReplaced() throws {
        let number: Int64
        do { number = try open(directory).install(site, version: "1") }
        try Data(repeating: 0x55, count: 65_536).write(to: URL(filePath: directory.path + "/blobs.sqlite"))
        let store = try open(directory)
        #expect(store.counters.lostRowDatabases == 1)
        #expect(code { _ = try store.blob(blob("a")) } == .notFound)
        #expect(try store.bytes(of: blob("b")) == Data((site["b"] ?? "").utf8))
        try store.install(site, version: "2")
        #expect(try store.read(number) == site)
    }

    @Test func storeOpensAfterPurgeOfAnyFile() throws {
        let store = try open(directory)
        let number = try store.install(site, version: "1")
        for name in try directory.files() + ["blobs", "staging"] {
            let copy = try picture()
            try FileManager.default.removeItem(atPath: "\(copy.path)/\(name)")
            let reopened = try open(copy)
            for generation in try reopened.activeGenerations() {
                #expect(generation.number == number)
                for entry in try reopened.entries(of: number) {
                    let bytes = try? reopened.bytes(of: entry.blob, size: entry.size)
                    #expect(bytes == nil || bytes == Data((site[entry.path] ?? "").utf8), "without \(name)")
                }
            }
            #expect(try reopened.read(reopened.install(site, version: "2")) == site, "without \(name)")
        }
    }

    @Test func modifiedTableIsNotReturned() throws {
        let store = try open(directory)
        for change in [
            "UPDATE entry SET path = 'z' WHERE path = 'a'", "UPDATE entry SET media_type = 'x/y' WHERE path = 'b'",
            "UPDATE entry SET size = 4 WHERE path = 'a'", "DELETE FROM entry WHERE path = 'c'",
            "UPDATE generation SET version = '3'", "UPDATE generation SET metadata = x'00'",
            "UPDATE generation SET package = 'shoq'",
        ] {
            let number = try store.install(site, version: "1")
            try store.index.writing { try $0.execute(sql: change) }
            #expect(code { _ = try store.entries(of: number) } == .damaged, "\(change)")
            try store.retire(number)
            try store.sweep()
        }
    }

    @Test func resetCreatesEmptyStore() throws {
        do {
            let store = try open(directory)
            try store.install(site, version: "1")
            #expect(code { try BlobStore.reset(directory: directory.path) } == .inUse)
        }
        try Data(repeating: 0x55, count: 8_192).write(to: URL(filePath: directory.path + "/index.sqlite"))
        try Data("keep".utf8).write(to: URL(filePath: directory.path + "/note"))
        #expect(code { _ = try open(directory) } == .damaged)
        try BlobStore.reset(directory: directory.path)
        #expect(try directory.files() == ["lock", "note"])
        let store = try open(directory)
        #expect(try store.activeGenerations() == [])
        #expect(try store.read(store.install(site, version: "1")) == site)
    }

    /// After a bit flip in any file, opening fails and the store can be reset, or each stored file is correct or
    /// reported as missing.
    @Test(arguments: [true, false])
    func flippedBitIsDetectedOrHarmless(_ isClosed: Bool) throws {
        var store: BlobStore? = try open(directory)
        let number = try #require(try store?.install(site, version: "1"))
        try store?.putResource("a resource that is a file", for: "key")
        try store?.putDocument(Data("names a resource".utf8), as: "table")
        if isClosed { store = nil }
        var (refused, absent) = (0, 0)
        for name in try directory.files() {
            let size = try #require(FileStatus.file("\(directory.path)/\(name)")).size
            // Headers are covered densely. The rest is covered in odd steps, because most of it consists of empty
            // pages.
            let offsets = Array(stride(from: 0, to: min(110, size), by: 3)) + stride(from: 110, to: size, by: 1_231)
            for offset in offsets {
                let copy = try picture()
                try flip("\(copy.path)/\(name)", at: Int(offset), bit: 1 << UInt8(offset % 8))
                let place = "byte \(offset) of \(name)"
                let reopened: BlobStore
                do {
                    reopened = try open(copy)
                } catch let error as StoreError {
                    refused += 1
                    #expect([.damaged, .newerFormat, .io, .conflict].contains(error.code), "\(place): \(error)")
                    try BlobStore.reset(directory: copy.path)
                    let store = try open(copy)
                    #expect(try store.read(store.install(site, version: "1")) == site, "\(place)")
                    continue
                }
                var isWhole = true
                do {
                    for generation in try reopened.activeGenerations() where generation.number == number {
                        let entries = try reopened.entries(of: number)
                        #expect(entries.map(\.path) == site.keys.sorted(), "\(place)")
                        for entry in entries {
                            let right = Data((site[entry.path] ?? "").utf8)
                            do {
                                #expect(try reopened.bytes(of: entry.blob, size: entry.size) == right, "\(place)")
                            } catch is StoreError {
                                isWhole = false
                            }
                        }
                    }
                    if let resource = try reopened.resource(for: "key") {
                        #expect(resource.validator == "md5 of a resource that is a file", "\(place)")
                        _ = try? reopened.blob(resource.blob, size: resource.size)
                    }
                    let document = try reopened.document("table")
                    #expect(document == nil || document == Data("names a resource".utf8), "\(place)")
                    if document == nil { isWhole = false }
                } catch is StoreError {
                    isWhole = false
                }
                if !isWhole { absent += 1 }
            }
        }
        // While the log holds the whole index, flipped bits in the index file have no effect.
        #expect(absent > 0 && (refused > 0 || !isClosed))
    }
}
