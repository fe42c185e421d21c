// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)), .serialized, .enabled(if: SmallDisk.isAllowed, "skipped: cannot mount a tmpfs"))
struct FullDiskTests {
    let old = ["a": "old", "b": String(repeating: "old as a file", count: 10)]

    /// Returns a site with different files of 30 KB.
    private func site(_ count: Int) -> Site {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("\($0)", "\($0)" + String(repeating: "x", count: 30_000)) })
    }

    @Test func ensureSpaceRemovesUnusedGenerations() throws {
        let disk = try SmallDisk(megabytes: 4)
        let store = try BlobStore(directory: disk.path + "/store", configuration: .files)
        try store.install(site(60), version: "1")
        let current = try store.install(old, version: "2")
        // Twice the requested size must be free, because the bytes may be written to the log first.
        let free = try BlobStore.freeBytes(at: disk.path)
        let bytes = free / 2 + (256 << 10)
        try store.ensureSpace(for: bytes)
        #expect(try BlobStore.freeBytes(at: disk.path) >= 2 * bytes)
        #expect(try store.read(current) == old)
        #expect(code { try store.ensureSpace(for: 4 << 20) } == .diskFull)
    }

    @Test(arguments: [64 << 10, 100])
    func installLargerThanDiskFails(_ limit: Int) throws {
        let disk = try SmallDisk(megabytes: 3)
        let path = disk.path + "/store"
        let configuration = BlobStore.Configuration(smallBlobLimit: limit)
        do {
            let store = try BlobStore(directory: path, configuration: configuration)
            let first = try store.install(old, version: "1")
            #expect(code { try store.ensureSpace(for: 3 << 20) } == .diskFull)
            for _ in 0..<3 {
                #expect(code { try store.install(site(300), version: "2") } == .diskFull)
                #expect(try store.activeGenerations().map(\.number) == [first])
                #expect(try store.read(first) == old)
            }
            #expect(
                code { try store.putResource(String(repeating: "y", count: 3 << 20), for: "y") } == .diskFull)
        }
        // The store is opened on a completely full disk.
        _ = FileManager.default.createFile(atPath: disk.path + "/rest", contents: Data(count: 4 << 20))
        let failure = code {
            let store = try BlobStore(directory: path, configuration: configuration)
            let active = try #require(try store.activeGenerations().first)
            #expect(try store.read(active.number) == old)
        }
        #expect(failure == nil || failure == .diskFull)
        #expect(disk.remount("size=40m"))
        let store = try BlobStore(directory: path, configuration: configuration)
        #expect(try store.read(store.install(site(300), version: "2")) == site(300))
        try store.sweep()
        #expect(try store.blobsOnDisk() == blobs(site(300)))
    }

    /// The disk is full to the last block. Removing a row needs space in a log, which only removed files can provide.
    @Test func fullDeviceIsSwept() throws {
        let disk = try SmallDisk(megabytes: 4)
        let configuration = BlobStore.Configuration(smallBlobLimit: 20_000)
        let path = disk.path + "/store"
        do {
            let store = try BlobStore(directory: path, configuration: configuration)
            let batch = store.makeBatch()
            _ = try store.write(site(20), into: batch)
            for number in 0..<20 { _ = try batch.add(Data("\(number)".utf8) + Data(count: 10_000)) }
            try batch.finishWriting()
        }
        let store = try BlobStore(directory: path, configuration: configuration)
        let filler = try #require(fopen(disk.path + "/filler", "w"))
        while fwrite([UInt8](repeating: 1, count: 512), 1, 512, filler) == 512, fflush(filler) == 0 {}
        fclose(filler)
        try #require(try BlobStore.freeBytes(at: disk.path) == 0)
        #expect(try store.sweep().blobs == 40)
        #expect(try store.blobsOnDisk() == [])
    }

    @Test func rejectsReadOnlyDirectory() throws {
        let disk = try SmallDisk(megabytes: 3)
        let path = disk.path + "/store"
        do { try BlobStore(directory: path).install(old, version: "1") }
        #expect(disk.remount("ro"))
        #expect(code { _ = try BlobStore(directory: path) } == .io)
        #expect(code { _ = try BlobStore(directory: disk.path + "/new") } == .io)
        #expect(code { try BlobStore.reset(directory: path) } == .io)
        #expect(disk.remount("rw"))
        let store = try BlobStore(directory: path)
        #expect(try store.read(try #require(store.activeGenerations().first).number) == old)
    }
}
