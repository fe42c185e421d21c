// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import SystemSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct FileIOTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ name: String, _ flags: CInt) throws -> CInt {
        try FileIO.open("\(folder.path)/\(name)", flags, mode: 0o600)
    }

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

    @Test func `A descriptor is closed on exec`() throws {
        let file = try open("a", O_RDWR | O_CREAT)
        defer { close(file) }
        #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
        #expect(throws: SystemError("open", number: EEXIST, at: folder.path + "/a")) {
            try open("a", O_RDWR | O_CREAT | O_EXCL)
        }
    }

    @Test(arguments: [0, 1, FileIO.pieceSize, 3 * FileIO.pieceSize + 7])
    func `Written data is read in pieces`(count: Int) throws {
        let file = try open("a", O_RDWR | O_CREAT)
        defer { close(file) }
        let bytes = bytes(count)
        try bytes.withUnsafeBytes { try FileIO.write($0, to: file) }
        try FileIO.sync(file)
        try FileIO.syncFileSystem(of: file)
        var read: [UInt8] = []
        try FileIO.forEachPiece(of: file) {
            #expect(!$0.isEmpty && $0.count <= FileIO.pieceSize)
            read.append(contentsOf: $0)
        }
        #expect(read == bytes)
    }

    @Test func `Bytes are written and read at an offset`() throws {
        let file = try open("a", O_RDWR | O_CREAT)
        defer { close(file) }
        try ([7, 8, 9] as [UInt8]).withUnsafeBytes { try FileIO.write($0, to: file, at: 4) }
        var buffer = [UInt8](repeating: 0xff, count: 10)
        let count = try buffer.withUnsafeMutableBytes { try FileIO.fill($0, from: file, at: 3) }
        #expect(count == 4 && buffer.prefix(5) == [0, 7, 8, 9, 0xff])
        #expect(try buffer.withUnsafeMutableBytes { try FileIO.read(into: $0, from: file, at: 7) } == 0)
        #expect(try buffer.withUnsafeMutableBytes { try FileIO.read(into: $0, from: file) } == 7)
    }

    @Test func `Errors are thrown, and those of the caller are passed on`() throws {
        struct Stop: Error {}
        let file = try open("a", O_RDONLY | O_CREAT)
        defer { close(file) }
        #expect(throws: SystemError("write", number: EBADF)) {
            try ([1] as [UInt8]).withUnsafeBytes { try FileIO.write($0, to: file) }
        }
        #expect(throws: SystemError("read", number: EISDIR)) {
            let directory = try FileIO.open(folder.path, O_RDONLY)
            defer { close(directory) }
            try FileIO.forEachPiece(of: directory) { _ in }
        }
        try folder.write("b", "1".utf8)
        let other = try open("b", O_RDONLY)
        defer { close(other) }
        #expect(throws: Stop.self) { try FileIO.forEachPiece(of: other) { _ in throw Stop() } }
        #expect(throws: SystemError("fsync", number: EBADF)) { try FileIO.sync(-1) }
    }

    #if os(Linux)
        @Test func `A full device is an error`() throws {
            let full = try FileIO.open("/dev/full", O_WRONLY)
            defer { close(full) }
            let error = #expect(throws: SystemError.self) {
                try ([1] as [UInt8]).withUnsafeBytes { try FileIO.write($0, to: full) }
            }
            #expect(error?.isOutOfSpace == true)
        }
    #endif

    @Test func `Directories are created with their missing parents`() throws {
        let path = folder.path + "/x/y/z"
        try FileSystem.makeDirectory(path)
        try FileSystem.makeDirectory(path)
        #expect(FileSystem.isDirectory(path))
        #expect(try FileStatus(path: folder.path + "/x", followsLinks: false).permissions == 0o700)
        try folder.write("file", [])
        #expect(throws: SystemError("mkdir", number: EEXIST, at: folder.path + "/file")) {
            try FileSystem.makeDirectory(folder.path + "/file")
        }
        #expect(throws: SystemError.self) { try FileSystem.makeDirectory(folder.path + "/file/below") }
    }

    @Test func `A path is resolved`() throws {
        #expect(symlink(folder.path, folder.path + "/link") == 0)
        #expect(
            try FileSystem.resolve(folder.path + "/link/./link/../" + URL(filePath: folder.path).lastPathComponent)
                == folder.path)
        #expect(throws: SystemError("realpath", number: ENOENT, at: folder.path + "/no")) {
            try FileSystem.resolve(folder.path + "/no")
        }
        #expect(try FileSystem.freeBytes(at: folder.path) > 0)
    }

    @Test func `A rename replaces the target, and an exclusive rename fails`() throws {
        try folder.write("a", "a".utf8)
        try folder.write("b", "b".utf8)
        let (a, b, c) = (folder.path + "/a", folder.path + "/b", folder.path + "/c")
        #expect(throws: SystemError("rename", number: EEXIST, at: b)) { try FileSystem.renameExclusively(a, to: b) }
        #expect(throws: SystemError("link", number: EEXIST, at: b)) { try FileSystem.link(a, to: b) }
        #expect(try folder.text(of: "b") == "b")
        try FileSystem.rename(a, to: b)
        #expect(try folder.names() == ["b"] && folder.text(of: "b") == "a")
        try FileSystem.renameExclusively(b, to: c)
        #expect(try folder.names() == ["c"])
    }
}
