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

@Suite struct FileStatusTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path + "/a" }

    @Test func `The attributes are those of the file`() throws {
        try folder.write("a", "12345".utf8)
        chmod(path, 0o640)
        let time = timespec(tv_sec: 1_700_000_000, tv_nsec: 123_456_789)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        let status = try FileStatus(path: path, followsLinks: false)
        #expect(status.kind == .file)
        #expect(status.size == 5)
        #expect(status.permissions == 0o640)
        #expect(status.user == geteuid() && status.isTrusted)
        #expect(status.linkCount == 1)
        #expect(status.modificationTime == 1_700_000_000_123_456_789)
        #expect(status.changeTime > status.modificationTime)
    }

    @Test func `A time before 1970 is negative`() throws {
        try folder.write("a", [])
        let time = timespec(tv_sec: -2, tv_nsec: 500_000_000)
        #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        #expect(try FileStatus(path: path, followsLinks: true).modificationTime == -1_500_000_000)
    }

    @Test func `A link is followed if requested`() throws {
        try folder.write("a", "12345".utf8)
        #expect(symlink("a", folder.path + "/link") == 0)
        let link = folder.path + "/link"
        #expect(try FileStatus(path: link, followsLinks: false).kind == .symbolicLink)
        let target = try FileStatus(path: link, followsLinks: true)
        #expect(try target == FileStatus(path: path, followsLinks: false))
        #expect(try FileStatus(name: link, in: AT_FDCWD).kind == .symbolicLink)
    }

    @Test func `File kinds are distinguished`() throws {
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(try FileStatus(path: folder.path + "/pipe", followsLinks: false).kind == .other)
        #expect(try FileStatus(path: "/dev/null", followsLinks: false).kind == .other)
        #expect(try FileStatus(path: folder.path, followsLinks: false).kind == .directory)
    }

    @Test func `Two names of one file have the same identity`() throws {
        try folder.write("a", [])
        try folder.write("b", [])
        try FileSystem.link(path, to: folder.path + "/c")
        func status(_ name: String) throws -> FileStatus {
            try FileStatus(path: "\(folder.path)/\(name)", followsLinks: false)
        }
        #expect(try status("a").identity == status("c").identity)
        #expect(try status("a").identity != status("b").identity)
        #expect(try status("a").linkCount == 2)
    }

    @Test func `An error has the call, the number and the path`() {
        let error = #expect(throws: SystemError.self) { try FileStatus(path: path, followsLinks: true) }
        #expect(error == SystemError("stat", number: ENOENT, at: path))
        #expect(error?.description == "stat: \(String(cString: strerror(ENOENT)))")
        #expect(throws: SystemError("stat", number: EBADF)) { try FileStatus(descriptor: -1) }
        #expect(SystemError("write", number: ENOSPC).isOutOfSpace && SystemError("write", number: EDQUOT).isOutOfSpace)
        #expect(!SystemError("write", number: EIO).isOutOfSpace)
    }
}
