// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct GenerationTests {
    let directory: TemporaryFolder
    let store: BlobStore

    init() throws {
        directory = try TemporaryFolder()
        store = try BlobStore(directory: directory.path)
    }

    @Test func generationIsStagedThenActiveThenRetired() throws {
        let first = try store.stage(["a": "1"], version: "1")
        #expect(try store.generations(in: .staged).map(\.number) == [first])
        #expect(try store.activeGenerations() == [])
        try store.activate(first)
        #expect(try store.activeGenerations().map(\.number) == [first])
        let second = try store.install(["a": "2"], version: "2")
        #expect(try store.activeGenerations().map(\.number) == [second])
        #expect(try store.generations(in: .retired).map(\.number) == [first])
    }

    @Test func packagesAreIndependent() throws {
        let shop = try store.install(["a": "1"], version: "1")
        let other = try store.install(["a": "1"], package: "other", version: "1")
        #expect(try store.activeGenerations().map(\.number) == [shop, other])
    }

    @Test func activatesRetiredGeneration() throws {
        let first = try store.install(["a": "1"], version: "1")
        let second = try store.install(["a": "2"], version: "2")
        try store.activate(first)
        #expect(try store.activeGenerations().map(\.number) == [first])
        #expect(try store.generations(in: .retired).map(\.number) == [second])
    }

    @Test func numbersAreNotReused() throws {
        let first = try store.install(["a": "1"], version: "1")
        try store.retire(first)
        #expect(try store.sweep().generations == [first])
        #expect(try store.install(["a": "2"], version: "2") > first)
    }

    @Test func returnsEntryAndTable() throws {
        let number = try store.install(["a": "1", "b/ü": "22"], version: "1")
        let entry = try #require(try store.entry(generation: number, path: "b/ü"))
        #expect(entry.size == 2)
        #expect(entry.blob == SHA256Digest(of: Data("22".utf8)))
        #expect(entry.mediaType == "text/plain")
        #expect(try store.entry(generation: number, path: "c") == nil)
        #expect(try store.entries(of: number).map(\.path) == ["a", "b/ü"])
    }

    @Test func generationCanBeEmpty() throws {
        let number = try store.install([:], version: "1")
        #expect(try store.entries(of: number) == [])
    }

    @Test func unknownNumbersAreNotFound() throws {
        #expect(code { try store.activate(9) } == .notFound)
        #expect(code { try store.retire(9) } == .notFound)
        #expect(code { _ = try store.entries(of: 9) } == .notFound)
    }

    @Test func duplicatePathIsRejectedAndAddsNothing() throws {
        let batch = store.makeBatch()
        let entry = try #require(try store.write(["a": "1"], into: batch).first)
        let failure = code {
            _ = try store.stage(
                package: "shop", version: "1", metadata: Data(), entries: [entry, entry], from: batch)
        }
        #expect(failure == .conflict)
        #expect(try store.generations(in: .staged) == [])
    }

    @Test func rejectsMissingBlob() throws {
        let entry = StoredEntry(path: "a", blob: SHA256Digest(of: Data()), size: 0, mediaType: "text/plain")
        let failure = code {
            _ = try store.stage(
                package: "shop", version: "1", metadata: Data(), entries: [entry], from: store.makeBatch())
        }
        #expect(failure == .conflict)
    }
}
