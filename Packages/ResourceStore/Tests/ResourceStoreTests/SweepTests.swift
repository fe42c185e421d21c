// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(3)))
struct SweepTests {
    let directory: TemporaryFolder
    let store: BlobStore
    let old = ["a": "same", "b": "old, as a file"]
    let new = ["a": "same", "b": "newer, and a file"]

    init() throws {
        directory = try TemporaryFolder()
        // The blobs of one site are rows and files.
        store = try BlobStore(directory: directory.path, configuration: .mixed)
    }

    @Test func removesRetiredGenerations() throws {
        let first = try store.install(old, version: "1")
        let second = try store.install(new, version: "2")
        #expect(try store.sweep() == SweepResult(generations: [first], blobs: 1, bytes: 14))
        #expect(try store.read(second) == new)
        #expect(try store.blobsOnDisk() == blobs(new))
        #expect(code { _ = try store.entries(of: first) } == .notFound)
        #expect(try store.sweep() == SweepResult())
    }

    @Test func retainsPinnedGenerations() throws {
        let first = try store.install(old, version: "1")
        #expect(store.pin(first))
        #expect(store.pin(first))
        try store.install(new, version: "2")
        store.unpin(first)
        #expect(try store.sweep() == SweepResult())
        #expect(try store.read(first) == old)
        store.unpin(first)
        #expect(!store.isPinned(first))
        #expect(try store.sweep().generations == [first])
    }

    @Test func sweptGenerationCannotBePinned() throws {
        let first = try store.install(old, version: "1")
        try store.retire(first)
        try store.sweep()
        #expect(!store.pin(first))
    }

    @Test func retainsStagedGenerations() throws {
        let number = try store.stage(new, version: "1")
        try store.sweep()
        #expect(try store.read(number) == new)
    }

    @Test func retainsBlobsOfBatch() throws {
        do {
            let batch = store.makeBatch()
            let entries = try store.write(new, into: batch)
            #expect(try store.sweep() == SweepResult())
            let number = try store.stage(
                package: "shop", version: "1", metadata: Data(), entries: entries, from: batch
            ).number
            #expect(try store.read(number) == new)
            try store.retire(number)
        }
        try store.sweep()
        #expect(try store.blobsOnDisk() == [])
    }

    @Test func retainsBlobsReusedByBatch() throws {
        let first = try store.install(old, version: "1")
        let batch = store.makeBatch()
        let entries = try store.entries(of: first)
        let held = try batch.reuse(Dictionary(uniqueKeysWithValues: entries.map { ($0.blob, $0.size) }))
        #expect(held.count == 2)
        try store.retire(first)
        #expect(try store.sweep() == SweepResult(generations: [first], blobs: 0, bytes: 0))
        let second = try store.stage(
            package: "shop", version: "2", metadata: Data(), entries: entries, from: batch
        ).number
        #expect(try store.read(second) == old)
    }

    @Test func removesOnlyOrphans() throws {
        let number = try store.install(old, version: "1")
        do {
            let batch = store.makeBatch()
            _ = try store.write(["x": "left by a crash", "y": "too"], into: batch)
            try batch.finishWriting()
        }
        try Data().write(to: URL(filePath: directory.path + "/blobs/readme"))
        #expect(try store.sweep().blobs == 2)
        #expect(try store.read(number) == old)
        #expect(try directory.files(in: "blobs").contains("readme"))
    }

    /// On a full device, removing a row needs space in a log, which only a removed file can provide.
    @Test func removesFilesBeforeRows() throws {
        let directory = try TemporaryFolder()
        let isFull = Mutex(false)
        let store = try BlobStore(directory: directory.path, configuration: .mixed) { step in
            if step == .rowsRemoved, isFull.withLock({ $0 }) {
                throw StoreError(.diskFull, "the database or disk is full", at: directory.path)
            }
        }
        do {
            let batch = store.makeBatch()
            _ = try store.write(["x": "left by a crash", "y": "too"], into: batch)
            try batch.finishWriting()
        }
        try store.putResource("a resource, as a file", for: "file")
        try store.putResource("row", for: "row")
        isFull.withLock { $0 = true }
        #expect(code { try store.sweep() } == .diskFull)
        #expect(try directory.files(in: "blobs").count == 1)
        #expect(code { try store.removeResources(["row", "file"]) } == .diskFull)
        #expect(try directory.files(in: "blobs") == [])
    }

    @Test func sweepRetiredRemovesNothingIfNoneIsRetired() throws {
        let first = try store.install(old, version: "1")
        store.pin(first)
        let second = try store.install(new, version: "2")
        do {
            let batch = store.makeBatch()
            _ = try store.write(["x": "left by a crash"], into: batch)
            try batch.finishWriting()
        }
        try store.checkpoint()
        #expect(try store.sweepRetired() == SweepResult())
        #expect(try store.blobsOnDisk().count == 4)
        // Nothing was written.
        #expect(FileManager.default.fileExists(atPath: directory.path + "/clean"))
        store.unpin(first)
        #expect(try store.sweepRetired() == SweepResult(generations: [first], blobs: 2, bytes: 29))
        #expect(try store.read(second) == new)
    }

    @Test func runsConcurrentlyWithInstalls() async throws {
        // Installs whose blobs are added and removed, concurrent with sweeps that would remove them.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for package in ["p", "q"] {
                group.addTask {
                    for round in 0..<30 {
                        let site = ["a": "shared \(round % 3)", "b": "\(package) \(round % 2)"]
                        let number = try store.install(site, package: package, version: "\(round)")
                        #expect(try store.read(number) == site)
                    }
                }
            }
            group.addTask {
                for _ in 0..<60 { try store.sweep() }
            }
            try await group.waitForAll()
        }
        try store.sweep()
        #expect(try store.activeGenerations().count == 2)
        #expect(try store.blobsOnDisk() == blobs(["a": "shared 2", "b": "p 1", "c": "q 1"]))
    }
}
