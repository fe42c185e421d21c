// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import SystemSupport
import Testing

@_spi(Facade) @testable import ResourceStore

/// Tests of directories that another user has modified.
@Suite(.timeLimit(.minutes(2)))
struct HostileFolderTests {
    private let site = ["a": "small", "b": "large enough to be a file", "c": "another large one, a file"]
    private let directory: TemporaryFolder
    /// A folder that does not belong to the store.
    private let outside: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
        outside = try TemporaryFolder()
        try Data("mine".utf8).write(to: URL(filePath: outside.path + "/7"))
    }

    private var path: String { directory.path + "/store" }

    private func open() throws -> BlobStore { try BlobStore(directory: path, configuration: .mixed) }

    private func inspect() throws -> BlobStore {
        try BlobStore(inspecting: path, configuration: .mixed)
    }

    /// Creates a closed store with rows, files, a resource and a document.
    private func fill() throws {
        let store = try open()
        try store.install(site, version: "1")
        try store.putResource("a resource, a file", for: "key")
        try store.putDocument(Data("text".utf8), as: "table")
    }

    private func file(of text: String) -> String {
        let hex = SHA256Digest(of: Data(text.utf8)).description
        return "\(path)/blobs/\(hex.prefix(2))/\(hex.dropFirst(2))"
    }

    private static func status(_ path: String) throws -> FileStatus { try FileStatus(path: path, followsLinks: false) }

    private static func mode(_ path: String) throws -> UInt32 { try status(path).permissions }

    /// Returns the observable state of a folder: names, modes, owners, times and bytes.
    private func picture(_ folder: String) throws -> [String: String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder) + ["."]
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let file = "\(folder)/\(name)"
                let status = try Self.status(file)
                let isFile = status.kind == .file
                let bytes = isFile ? SHA256Digest(of: try Data(contentsOf: URL(filePath: file))).description : ""
                let mode = "\(status.kind) \(status.permissions)"
                return (name, "\(mode) \(status.user) \(status.linkCount) \(status.changeTime) \(bytes)")
            })
    }

    private static let files = [
        "lock", "index.sqlite", "index.sqlite-wal", "index.sqlite-shm", "index.sqlite-journal", "blobs.sqlite",
        "blobs.sqlite-wal",
    ]
    private static let folders = ["blobs", "staging", "documents"]

    @Test(arguments: files + folders)
    func rejectsSymbolicLink(_ name: String) throws {
        try fill()
        let target = "\(outside.path)/\(name)"
        if FileManager.default.fileExists(atPath: "\(path)/\(name)") {
            try FileManager.default.moveItem(atPath: "\(path)/\(name)", toPath: target)
        } else {
            try Data("log".utf8).write(to: URL(filePath: target))
        }
        if Self.folders.contains(name) { try Data("mine".utf8).write(to: URL(filePath: target + "/7")) }
        try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        let before = try picture(outside.path)
        #expect(code { _ = try open() } == .untrusted)
        #expect(code { _ = try inspect() } == .untrusted)
        #expect(try picture(outside.path) == before)
        // A reset removes the link but not its target.
        try? BlobStore.reset(directory: path)
        #expect(try picture(outside.path) == before)
    }

    /// The marker is removed and written without following a link.
    @Test func linkedMarkerIsReplaced() throws {
        try fill()
        let target = outside.path + "/7"
        for name in ["clean", "blobs.broken"] {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
            try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: target)
        }
        let before = try picture(outside.path)
        do { _ = try open().activeGenerations() }
        #expect(try picture(outside.path) == before)
        #expect(try Self.status(path + "/clean").kind == .file)
    }

    @Test func rejectsLinkedBlobFolder() throws {
        try fill()
        let folder = String(file(of: site["b"] ?? "").dropLast(63))
        let moved = outside.path + "/blobs"
        try FileManager.default.moveItem(atPath: folder, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: moved)
        let before = try picture(outside.path)
        let id = SHA256Digest(of: Data((site["b"] ?? "").utf8))
        do {
            let store = try open()
            #expect(code { _ = try store.blob(id) } == .untrusted)
            #expect(code { _ = try store.check(repairs: true) } == .untrusted)
            for number in try store.activeGenerations().map(\.number) { try store.retire(number) }
            #expect(code { try store.sweep() } == .untrusted)
        }
        #expect(code { _ = try inspect().statistics() } == .untrusted)
        #expect(try picture(outside.path) == before)
    }

    @Test func linkedBlobCountsAsMissing() throws {
        try fill()
        let text = try #require(site["b"])
        let id = SHA256Digest(of: Data(text.utf8))
        let moved = outside.path + "/blob"
        try FileManager.default.moveItem(atPath: file(of: text), toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: file(of: text), withDestinationPath: moved)
        let before = try picture(outside.path)
        let store = try open()
        #expect(code { _ = try store.blob(id) } == .notFound)
        #expect(try store.check().missingReferences.map(\.name) == ["b"])
        // The next install replaces the link.
        try store.install(site, version: "2")
        #expect(try store.bytes(of: id) == Data(text.utf8))
        #expect(try picture(outside.path) == before)
    }

    @Test(arguments: ["lock", "index.sqlite", "blobs.sqlite"])
    func rejectsHardLink(_ name: String) throws {
        try fill()
        try FileManager.default.linkItem(atPath: "\(path)/\(name)", toPath: "\(outside.path)/\(name)")
        let before = try picture(outside.path)
        #expect(code { _ = try open() } == .untrusted)
        #expect(try picture(outside.path) == before)
    }

    @Test(.enabled(if: geteuid() == 0, "skipped: only root gives files away"), arguments: files + folders + ["."])
    func rejectsFilesOfOtherUsers(_ name: String) throws {
        try fill()
        let file = "\(path)/\(name)"
        if !FileManager.default.fileExists(atPath: file) { try Data().write(to: URL(filePath: file)) }
        try #require(lchown(file, 1, 1) == 0)
        let before = try picture(path)
        #expect(code { _ = try open() } == .untrusted)
        #expect(code { _ = try inspect() } == .untrusted)
        #expect(try picture(path)[name] == before[name])
    }

    /// Files of root are trusted, because root can change a directory regardless of its mode.
    @Test(.enabled(if: geteuid() == 0, "skipped: only root becomes another user"))
    func acceptsFilesOfRoot() async throws {
        try fill()
        // Other users may have no access to the folder for temporary files.
        let path = "/tmp/ck-store.\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try #require(rename(self.path, path) == 0 && lchown(path, 1, 1) == 0)
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            try #require(lchown("\(path)/\(name)", name == "clean" ? 0 : 1, 1) == 0)
        }
        await #expect(processExitsWith: .success) { [path = path as String] in
            guard setegid(1) == 0, seteuid(1) == 0 else { exit(1) }
            guard (try? BlobStore(directory: path)) != nil else { exit(2) }
        }
    }

    @Test func modesAllowOnlyUser() throws {
        let old = umask(0)
        defer { umask(old) }
        try fill()
        func expectTight() throws {
            for name in try FileManager.default.subpathsOfDirectory(atPath: path) + ["."] {
                let status = try Self.status("\(path)/\(name)")
                #expect(status.permissions == (status.kind == .directory ? 0o700 : 0o600), "\(name)")
            }
        }
        try expectTight()
        do {
            let store = try open()
            try expectTight()
            withExtendedLifetime(store) {}
        }
        // The modes of stores of earlier builds, or modes that a user has changed.
        for name in Self.folders + ["."] { try #require(chmod("\(path)/\(name)", 0o777) == 0) }
        for name in ["lock", "index.sqlite", "blobs.sqlite"] { try #require(chmod("\(path)/\(name)", 0o666) == 0) }
        do { _ = try inspect().statistics() }
        #expect(try Self.mode(path) == 0o777 && Self.mode(path + "/index.sqlite") == 0o666)
        do {
            let store = try open()
            #expect(try store.read(try #require(store.activeGenerations().first).number) == site)
        }
        try expectTight()
    }

    @Test func rejectsWorldWritableFolder() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(chmod(path, 0o1777) == 0)
        #expect(code { _ = try open() } == .untrusted)
        #expect(try Self.mode(path) == 0o1777)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
    }

    @Test func directoryCanBeReachedThroughLink() throws {
        try fill()
        let link = outside.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try BlobStore(directory: link).activeGenerations().count == 1)
    }

    @Test func rejectsJournalOfOtherFile() throws {
        try fill()
        // SQLite's format of a super-journal name: the name, its length, the sum of its bytes, and the magic number.
        let name = outside.path + "/7"
        var journal = Data(repeating: 0, count: 512)
        journal.append(contentsOf: name.utf8)
        let sum = name.utf8.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
        for number in [UInt32(name.utf8.count), sum] {
            withUnsafeBytes(of: number.bigEndian) { journal.append(contentsOf: $0) }
        }
        journal.append(contentsOf: [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
        try journal.write(to: URL(filePath: path + "/index.sqlite-journal"))
        let before = try picture(outside.path)
        #expect(code { _ = try open() } == .damaged)
        #expect(code { _ = try inspect() } == .damaged)
        #expect(try picture(outside.path) == before)
    }

    @Test func resetDoesNotFollowLinks() throws {
        try fill()
        let link = path + "/blobs/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside.path)
        let before = try picture(outside.path)
        try BlobStore.reset(directory: path)
        #expect(try picture(outside.path) == before)
        #expect(!FileManager.default.fileExists(atPath: path + "/blobs"))
    }
}

// MARK: - Read-only stores

extension HostileFolderTests {
    @Test(arguments: [false, true])
    func inspectionChangesNothing(_ isUnclean: Bool) throws {
        if isUnclean {
            // The state after a kill: with logs and an incomplete file.
            let other = directory.path + "/other"
            let store = try BlobStore(directory: other, configuration: .mixed)
            try store.install(site, version: "1")
            try store.putResource("a resource, a file", for: "key")
            try store.putDocument(Data("text".utf8), as: "table")
            try FileManager.default.copyItem(atPath: other, toPath: path)
            try Data("half".utf8).write(to: URL(filePath: path + "/staging/7"))
            try #require(FileStatus.file(path + "/index.sqlite-wal")?.size ?? 0 > 0)
        } else {
            try fill()
        }
        let before = try picture(path)
        do {
            let store = try inspect()
            #expect(try store.activeGenerations().map(\.version) == ["1"])
            #expect(try store.entries(of: 1).map(\.path) == ["a", "b", "c"])
            #expect(try store.resources().map(\.key) == ["key"])
            #expect(try store.statistics().rowBlobs.count == 1 && store.statistics().fileBlobs.count == 3)
            #expect(try store.check().isSound)
            #expect(try store.document("table") == Data("text".utf8))
            #expect(try store.read(1) == site)
            #expect(code { try store.activate(1) } == .readOnly)
            #expect(code { try store.putResource("x", for: "y") } == .readOnly)
            #expect(code { try store.sweep() } == .readOnly)
            #expect(code { _ = try store.check(repairs: true) } == .readOnly)
            #expect(code { try store.checkpoint() } == .readOnly)
            #expect(code { _ = try open() } == .inUse)
        }
        #expect(try picture(path) == before)
    }

    @Test func inspectionCreatesNoLock() throws {
        try fill()
        try FileManager.default.removeItem(atPath: path + "/lock")
        let before = try picture(path)
        #expect(try inspect().activeGenerations().count == 1)
        #expect(try picture(path) == before)
    }

    @Test func inspectionRemovesNoDamagedBlobs() throws {
        try fill()
        try Data(repeating: 0x55, count: 65_536).write(to: URL(filePath: path + "/blobs.sqlite"))
        try Data("fine".utf8).write(to: URL(filePath: file(of: site["b"] ?? "")))
        try Data("text".utf8).write(to: URL(filePath: path + "/documents/table"))
        let before = try picture(path)
        do {
            let store = try inspect()
            let check = try store.check()
            #expect(store.counters.lostRowDatabases == 1 && check.damagedBlobs.count == 1)
            #expect(check.damagedDocuments == ["table"] && check.missingReferenceCount == 2)
        }
        #expect(try picture(path) == before)
    }

    @Test func inspectionRequiresStore() throws {
        #expect(code { _ = try inspect() } == .notFound)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(code { _ = try inspect() } == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == [])
        let store = try open()
        #expect(code { _ = try inspect() } == .inUse)
        withExtendedLifetime(store) {}
    }
}
