// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@testable import ResourceStore

/// A small file system of its own, where the system lets a test mount one.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct FullDiskTests {
    final class SmallDisk {
        let path: String
        private let directory: TemporaryDirectory

        /// `nil` where nothing may be mounted.
        init?(megabytes: Int) throws {
            directory = try TemporaryDirectory()
            path = directory.path
            guard SmallDisk.mount(["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]) else {
                print("skipped: cannot mount a tmpfs")
                return nil
            }
        }

        func remount(_ options: String) -> Bool { SmallDisk.mount(["-o", "remount,\(options)", path]) }

        deinit {
            _ = SmallDisk.run("umount", ["-l", path])
        }

        private static func mount(_ arguments: [String]) -> Bool { run("mount", arguments) }

        private static func run(_ program: String, _ arguments: [String]) -> Bool {
            guard getuid() == 0 else { return false }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [program] + arguments
            process.standardError = FileHandle.nullDevice
            do { try process.run() } catch { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    let old = ["a": "old", "b": String(repeating: "old as a file", count: 10)]

    /// Files of 30 KB, all different.
    private func site(_ count: Int) -> Site {
        Dictionary(
            uniqueKeysWithValues: (0..<count).map { ("\($0)", "\($0)" + String(repeating: "x", count: 30_000)) })
    }

    @Test func roomIsMadeOfWhatNobodyUses() throws {
        guard let disk = try SmallDisk(megabytes: 4) else { return }
        let store = try ResourceStore(directory: disk.path + "/store", configuration: .files)
        try store.install(site(60), version: "1")
        let current = try store.install(old, version: "2")
        // Twice as much must be free as is asked for, since it may pass through the log.
        let free = try FileSystem.freeBytes(at: disk.path)
        let bytes = free / 2 + (256 << 10)
        try store.ensureRoom(for: bytes)
        #expect(try FileSystem.freeBytes(at: disk.path) >= 2 * bytes)
        #expect(try store.read(current) == old)
        #expect(code { try store.ensureRoom(for: 4 << 20) } == .diskFull)
    }

    @Test(arguments: [64 << 10, 100])
    func anInstallThatDoesNotFit(_ limit: Int) throws {
        guard let disk = try SmallDisk(megabytes: 3) else { return }
        let path = disk.path + "/store"
        let configuration = ResourceStore.Configuration(smallBlobLimit: limit)
        do {
            let store = try ResourceStore(directory: path, configuration: configuration)
            let first = try store.install(old, version: "1")
            #expect(code { try store.ensureRoom(for: 3 << 20) } == .diskFull)
            for _ in 0..<3 {
                #expect(code { try store.install(site(300), version: "2") } == .diskFull)
                #expect(try store.activeGenerations().map(\.number) == [first])
                #expect(try store.read(first) == old)
            }
            #expect(
                code { try store.putResource(String(repeating: "y", count: 3 << 20), for: "y") } == .diskFull)
        }
        // With the disk full to the last block, too.
        _ = FileManager.default.createFile(atPath: disk.path + "/rest", contents: Data(count: 4 << 20))
        let failure = code {
            let store = try ResourceStore(directory: path, configuration: configuration)
            let active = try #require(try store.activeGenerations().first)
            #expect(try store.read(active.number) == old)
        }
        #expect(failure == nil || failure == .diskFull)
        #expect(disk.remount("size=40m"))
        let store = try ResourceStore(directory: path, configuration: configuration)
        #expect(try store.read(store.install(site(300), version: "2")) == site(300))
        try store.sweep()
        #expect(try store.blobsOnDisk() == blobs(site(300)))
    }

    @Test func aReadOnlyDirectory() throws {
        guard let disk = try SmallDisk(megabytes: 3) else { return }
        let path = disk.path + "/store"
        do { try ResourceStore(directory: path).install(old, version: "1") }
        #expect(disk.remount("ro"))
        #expect(code { _ = try ResourceStore(directory: path) } == .io)
        #expect(code { _ = try ResourceStore(directory: disk.path + "/new") } == .io)
        #expect(code { try ResourceStore.reset(directory: path) } == .io)
        #expect(disk.remount("rw"))
        let store = try ResourceStore(directory: path)
        #expect(try store.read(try #require(store.activeGenerations().first).number) == old)
    }
}
