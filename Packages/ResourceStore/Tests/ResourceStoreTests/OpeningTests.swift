// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import GRDB
import Testing

@_spi(Facade) @testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct OpeningTests {
    let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    @Test func createsParentFolders() throws {
        let store = try BlobStore(directory: directory.path + "/a/b")
        #expect(try directory.files(in: "a/b").contains("index.sqlite"))
        #expect(store.directory.hasSuffix("/a/b"))
    }

    @Test func rejectsSecondStoreInProcess() throws {
        let store = try BlobStore(directory: directory.path)
        let error = #expect(throws: StoreError.self) { try BlobStore(directory: directory.path) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains(store.directory) == true)
    }

    private static let flock = "/usr/bin/flock"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: flock), "skipped: no /usr/bin/flock"))
    func rejectsStoreLockedByOtherProcess() throws {
        let process = Process()
        process.executableURL = URL(filePath: Self.flock)
        process.arguments = ["--nonblock", directory.path + "/lock", "true"]
        do {
            let store = try BlobStore(directory: directory.path)
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
            withExtendedLifetime(store) {}
        }
        #expect(throws: Never.self) { try BlobStore(directory: directory.path) }
    }

    @Test func releasesLockInheritedByChild() throws {
        let copy: CInt
        do {
            let lock = try DirectoryLock(#require(try PrivateFolder.open(directory.path)))
            // fork has this effect until exec closes the copy.
            copy = dup(lock.descriptor)
            #expect(copy >= 0)
        }
        defer { close(copy) }
        let folder = try #require(try PrivateFolder.open(directory.path))
        #expect(throws: Never.self) { try DirectoryLock(folder) }
    }

    @Test func findsActiveGeneration() throws {
        let site = ["index.html": "one", "app.js": "two"]
        do { try BlobStore(directory: directory.path).install(site, version: "1") }
        let store = try BlobStore(directory: directory.path)
        let active = try store.activeGenerations()
        #expect(active.map(\.package) == ["shop"])
        #expect(active.map(\.version) == ["1"])
        #expect(active.map(\.metadata) == [Data("about 1".utf8)])
        #expect(try store.read(try #require(active.first).number) == site)
    }

    @Test func removesStagedFiles() throws {
        do { _ = try BlobStore(directory: directory.path) }
        try Data("half".utf8).write(to: URL(filePath: directory.path + "/staging/7"))
        let store = try BlobStore(directory: directory.path)
        #expect(try directory.files(in: "staging") == [])
        withExtendedLifetime(store) {}
    }

    @Test func reportsDamagedIndex() throws {
        try Data(repeating: 0x55, count: 8_192).write(to: URL(filePath: directory.path + "/index.sqlite"))
        #expect(code { _ = try BlobStore(directory: directory.path) } == .damaged)
    }

    @Test func rejectsLaterFormat() throws {
        do { _ = try BlobStore(directory: directory.path) }
        do {
            let database = try DatabaseQueue(path: directory.path + "/index.sqlite")
            try database.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('from the future')") }
        }
        #expect(code { _ = try BlobStore(directory: directory.path) } == .newerFormat)
    }

    @Test func rejectsFileAtDirectoryPath() throws {
        try Data().write(to: URL(filePath: directory.path + "/file"))
        #expect(code { _ = try BlobStore(directory: directory.path + "/file") } == .io)
    }

    @Test func checkpointAfterCloseHasNoEffect() throws {
        let rows: BlobRows
        do {
            let store = try BlobStore(directory: directory.path)
            try store.install(["a": "one"], version: "1")
            rows = store.rows
        }
        try rows.checkpoint()
        #expect(!rows.connections.areOpen)
    }

    @Test func commitsAreSynchronizedToDevice() throws {
        // FULL is 2. GRDB's default is 1, with which a power failure may lose a commit.
        let store = try BlobStore(directory: directory.path)
        let mode = try store.index.connections.using { pool in
            try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
        #expect(mode == 2)
    }
}
