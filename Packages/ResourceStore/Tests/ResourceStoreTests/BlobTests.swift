// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContentDigest
import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BlobTests {
    let directory: TemporaryFolder
    let store: BlobStore
    let text = Data("hello".utf8)
    let id = SHA256Digest(of: Data("hello".utf8))

    init() throws {
        directory = try TemporaryFolder()
        store = try BlobStore(directory: directory.path)
    }

    @Test func smallBlobsAreStoredAsRows() throws {
        let number = try store.install(["a": "hello"], version: "1")
        #expect(try store.blob(id).content == .bytes(text))
        #expect(try store.blob(id, size: 5).size == 5)
        #expect(try store.rows.all().map(\.id) == [id])
        #expect(try directory.files(in: "blobs") == [])
        #expect(try store.read(number) == ["a": "hello"])
    }

    @Test(arguments: [64 << 10, (64 << 10) + 1])
    func limitDecidesBetweenRowAndFile(_ count: Int) throws {
        let batch = store.makeBatch()
        var writer = try batch.makeWriter()
        let data = Data(repeating: 1, count: count)
        try writer.write(data.prefix(60_000))
        try writer.write(data.dropFirst(60_000))
        let id = try writer.finish()
        #expect(try directory.files(in: "blobs").count == (count > 64 << 10 ? 1 : 0))
        #expect(try store.bytes(of: id) == data)
    }

    @Test func uncommittedBlobIsReadable() throws {
        let batch = store.makeBatch()
        _ = try store.write(["a": "hello"], into: batch)
        #expect(try store.rows.all().isEmpty)
        #expect(try store.bytes(of: id) == text)
        try batch.finishWriting()
        #expect(try store.rows.all().map(\.id) == [id])
        #expect(store.state.withLock { $0.unwritten.isEmpty })
    }

    @Test(arguments: [0, 5, 64 << 10])
    func addsBytesInMemory(_ limit: Int) throws {
        let store = try files(limit)
        let batch = store.makeBatch()
        #expect(try batch.add(text) == id)
        #expect(try batch.add(text, expecting: id) == id)
        #expect(code { _ = try batch.add(text, expecting: SHA256Digest(of: Data())) } == .digestMismatch)
        #expect(try store.bytes(of: id) == text)
        try batch.finishWriting()
        #expect(try store.bytes(of: id) == text)
        #expect(try store.blobsOnDisk() == [id])
    }

    @Test func discardedBatchLeavesNoBlobs() throws {
        _ = try store.write(["a": "hello"], into: store.makeBatch())
        #expect(code { _ = try store.blob(id) } == .notFound)
        #expect(store.state.withLock { $0.unwritten.isEmpty && $0.claims.isEmpty })
    }

    @Test func writesInChunks() throws {
        // Three full chunks of 4 MB and a rest. All blobs are distinct.
        let batch = store.makeBatch()
        var entries: [StoredEntry] = []
        for number in 0..<260 {
            var writer = try batch.makeWriter()
            try writer.write(Data(repeating: UInt8(number % 251), count: 50_000) + Data("\(number)".utf8))
            let size = writer.size
            entries.append(StoredEntry(path: "\(number)", blob: try writer.finish(), size: size, mediaType: "a/b"))
            #expect(store.state.withLock { $0.unwritten.count } * 50_000 <= 16 << 20)
        }
        _ = try store.stage(package: "p", version: "1", metadata: Data(), entries: entries, from: batch)
        #expect(try store.rows.all().count == 260)
        for entry in entries { #expect(try store.bytes(of: entry.blob).count == entry.size) }
    }

    @Test func twoBatchesCanAddOneBlob() throws {
        let (first, second) = (store.makeBatch(), store.makeBatch())
        let entries = try store.write(["a": "hello"], into: first)
        _ = try store.write(["a": "hello"], into: second)
        let number = try store.stage(
            package: "p", version: "1", metadata: Data(), entries: entries, from: second
        ).number
        #expect(try store.read(number) == ["a": "hello"])
        #expect(
            try store.read(
                store.stage(package: "q", version: "1", metadata: Data(), entries: entries, from: first).number)
                == ["a": "hello"])
    }

    @Test func largeBlobsAreFilesNamedByDigest() throws {
        let store = try files()
        let batch = store.makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(text)
        #expect(writer.size == 5)
        let id = try writer.finish()
        let hex = id.description
        #expect(try directory.files(in: "files/blobs") == ["\(hex.prefix(2))/\(hex.dropFirst(2))"])
        #expect(try store.blob(id).content == .file(try #require(try store.file(of: id))))
        #expect(try store.bytes(of: id) == text)
        #expect(try directory.files(in: "files/staging") == [])
    }

    @Test func acceptsEmptyBlob() throws {
        let number = try store.install(["a": ""], version: "1")
        #expect(try store.read(number) == ["a": ""])
        #expect(try store.blob(SHA256Digest(of: Data())).size == 0)
    }

    @Test(arguments: [0, 64 << 10])
    func wrongDigestLeavesNoFiles(_ limit: Int) throws {
        let store = try files(limit)
        let batch = store.makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(text)
        let other = SHA256Digest(of: Data("other".utf8))
        do {
            _ = try writer.finish(expecting: other)
            Issue.record("accepted bytes with a wrong digest")
        } catch let error as StoreError {
            #expect(error.code == .digestMismatch)
            #expect(error.message.contains(other.description))
        }
        try batch.finishWriting()
        #expect(try store.blobsOnDisk() == [])
        #expect(try directory.files(in: "files/staging") == [])
    }

    @Test func discardedWriterLeavesNoFiles() throws {
        let store = try files()
        do {
            var writer = try store.makeBatch().makeWriter()
            try writer.write(text)
            #expect(try directory.files(in: "files/staging").count == 1)
        }
        #expect(try directory.files(in: "files/staging") == [])
    }

    @Test func fileOfGenerationIsRetained() throws {
        let store = try files()
        try store.install(["a": "hello"], version: "1")
        let before = try inode(store.path(of: id))
        try store.install(["b": "hello"], version: "2")
        #expect(try inode(store.path(of: id)) == before)
    }

    @Test func fileOfNoGenerationIsReplaced() throws {
        // A power failure can leave this state: the length is right but the bytes are wrong.
        let store = try files()
        let path = store.path(of: id)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(count: 5).write(to: URL(filePath: path))
        #expect(try store.makeBatch().reuse([id: 5]) == [])
        let number = try store.install(["a": "hello"], version: "1")
        #expect(try store.read(number) == ["a": "hello"])
    }

    @Test func truncatedFileIsReplaced() throws {
        let store = try files()
        let number = try store.install(["a": "hello"], version: "1")
        #expect(truncate(store.path(of: id), 2) == 0)
        #expect(try store.makeBatch().reuse([id: 5]) == [])
        try store.install(["a": "hello"], version: "2")
        #expect(try store.read(number) == ["a": "hello"])
    }

    @Test(arguments: [0, 64 << 10])
    func referencedIntactBlobIsReused(_ limit: Int) throws {
        let store = try files(limit)
        try store.install(["a": "hello", "b": "world"], version: "1")
        let world = SHA256Digest(of: Data("world".utf8))
        if limit == 0 {
            try FileManager.default.removeItem(atPath: store.path(of: world))
        } else {
            try store.rows.remove([world], choosing: { $0 }, afterCommit: { _ in })
        }
        let unknown = SHA256Digest(of: Data("unknown".utf8))
        #expect(try store.makeBatch().reuse([id: 5, world: 5, unknown: 7]) == [id])
    }

    @Test func readsBlobsWrittenWithOtherLimit() throws {
        do { try files(0).install(["a": "hello"], version: "1") }
        let store = try files(100)
        #expect(try store.bytes(of: id, size: 5) == text)
        #expect(try store.makeBatch().reuse([id: 5]) == [id])
    }

    @Test func missingBlobIsNotFound() throws {
        #expect(code { _ = try store.blob(id) } == .notFound)
    }

    @Test(arguments: [64 << 10, 1 << 20])
    func concurrentWritersCanAddOneBlob(_ limit: Int) async throws {
        let store = try files(limit)
        let batch = store.makeBatch()
        let ids = try await withThrowingTaskGroup(of: SHA256Digest.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var writer = try batch.makeWriter()
                    try writer.write(Data(repeating: 7, count: 100_000))
                    return try writer.finish()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        try batch.finishWriting()
        #expect(ids == [SHA256Digest(of: Data(repeating: 7, count: 100_000))])
        #expect(try store.blobsOnDisk() == ids)
        #expect(try directory.files(in: "files/staging") == [])
    }

    /// Creates a store in its own folder. Blobs of more than `limit` bytes are files.
    private func files(_ limit: Int = 0) throws -> BlobStore {
        try BlobStore(directory: directory.path + "/files", configuration: .init(smallBlobLimit: limit))
    }

    private func inode(_ path: String) throws -> UInt64 {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber
        return try #require(value).uint64Value
    }
}
