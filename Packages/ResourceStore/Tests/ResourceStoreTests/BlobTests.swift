// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct BlobTests {
    let directory: TemporaryDirectory
    let store: ResourceStore
    let text = Data("hello".utf8)

    init() throws {
        directory = try TemporaryDirectory()
        store = try ResourceStore(directory: directory.path)
    }

    @Test func liesUnderItsDigest() throws {
        let batch = store.makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(text)
        #expect(writer.size == 5)
        let id = try writer.finish()
        let hex = id.description
        #expect(try directory.files(in: "blobs") == ["\(hex.prefix(2))/\(hex.dropFirst(2))"])
        let blob = try store.blob(id)
        #expect(blob.size == 5)
        #expect(try Data(contentsOf: URL(filePath: blob.path)) == text)
        #expect(try directory.files(in: "staging") == [])
    }

    @Test func takesNoBytes() throws {
        let id = try store.makeBatch().makeWriter().finish()
        #expect(try store.blob(id).size == 0)
        #expect(id == BlobID(hashing: Data()))
    }

    @Test func leavesNothingOfAWrongDigest() throws {
        let batch = store.makeBatch()
        var writer = try batch.makeWriter()
        try writer.write(text)
        let other = BlobID(hashing: Data("other".utf8))
        do {
            _ = try writer.finish(expecting: other)
            Issue.record("took bytes with a wrong digest")
        } catch let error as StoreError {
            #expect(error.code == .digestMismatch)
            #expect(error.message.contains(other.description))
        }
        #expect(try directory.files(in: "blobs") == [])
        #expect(try directory.files(in: "staging") == [])
    }

    @Test func leavesNothingWhenDropped() throws {
        do {
            var writer = try store.makeBatch().makeWriter()
            try writer.write(text)
            #expect(try directory.files(in: "staging").count == 1)
        }
        #expect(try directory.files(in: "staging") == [])
    }

    @Test func keepsTheFileThatAGenerationNames() throws {
        try store.install(["a": "hello"], version: "1")
        let path = try store.blob(BlobID(hashing: text)).path
        let before = try inode(path)
        try store.install(["b": "hello"], version: "2")
        #expect(try inode(path) == before)
    }

    @Test func replacesAFileThatNoGenerationNames() throws {
        // As a power cut may leave it: the length is right and the bytes are not.
        let id = BlobID(hashing: text)
        let path = store.path(of: id)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(count: 5).write(to: URL(filePath: path))
        #expect(try store.makeBatch().reuse([id: 5]) == [])
        let number = try store.install(["a": "hello"], version: "1")
        #expect(try store.read(number) == ["a": "hello"])
    }

    @Test func replacesAShortenedFile() throws {
        let number = try store.install(["a": "hello"], version: "1")
        let id = BlobID(hashing: text)
        #expect(truncate(store.path(of: id), 2) == 0)
        #expect(try store.makeBatch().reuse([id: 5]) == [])
        try store.install(["a": "hello"], version: "2")
        #expect(try store.read(number) == ["a": "hello"])
    }

    @Test func reusesWhatIsNamedAndWhole() throws {
        try store.install(["a": "hello", "b": "world"], version: "1")
        let world = BlobID(hashing: Data("world".utf8))
        try FileManager.default.removeItem(atPath: store.path(of: world))
        let unknown = BlobID(hashing: Data("unknown".utf8))
        let id = BlobID(hashing: text)
        #expect(try store.makeBatch().reuse([id: 5, world: 5, unknown: 7]) == [id])
    }

    @Test func isNotFound() throws {
        #expect(code { _ = try store.blob(BlobID(hashing: text)) } == .notFound)
    }

    @Test func manyWritersOfOneBlob() async throws {
        let batch = store.makeBatch()
        let ids = try await withThrowingTaskGroup(of: BlobID.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    var writer = try batch.makeWriter()
                    try writer.write(Data(repeating: 7, count: 100_000))
                    return try writer.finish()
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids == [BlobID(hashing: Data(repeating: 7, count: 100_000))])
        #expect(try store.blobsOnDisk() == ids)
        #expect(try directory.files(in: "staging") == [])
    }

    private func inode(_ path: String) throws -> UInt64 {
        let value = try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? NSNumber
        return try #require(value).uint64Value
    }
}
