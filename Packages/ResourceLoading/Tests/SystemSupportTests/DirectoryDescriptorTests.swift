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

@Suite struct DirectoryDescriptorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func names(in directory: DirectoryDescriptor) throws -> [String] {
        var names: [String] = []
        try directory.forEachName { name in
            names.append(String(cString: name))
            return true
        }
        return names.sorted()
    }

    @Test func `Symbolic links below the directory are not followed`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        #expect(try directory.makeDirectory("real", mode: 0o700))
        #expect(symlink("real", folder.path + "/link") == 0)
        try folder.write("real/file", "text".utf8)
        #expect(symlink("real/file", folder.path + "/file") == 0)
        #expect(throws: SystemError.self) { try directory.subdirectory("link") }
        #expect(throws: SystemError("open", number: ELOOP, at: folder.path + "/file")) {
            try directory.openFile("file", O_RDONLY)
        }
        #expect(try directory.status(of: "link")?.kind == .symbolicLink)
        #expect(throws: SystemError.self) { try DirectoryDescriptor.resolved(folder.path + "/link") }
        #expect(try DirectoryDescriptor.resolved(folder.path + "/real").path == folder.path + "/real")
        #expect(throws: SystemError.self) { try DirectoryDescriptor(path: folder.path + "/link", followsLink: false) }
        _ = try DirectoryDescriptor(path: folder.path + "/link")
    }

    @Test func `A descriptor refers to its directory after the path changes`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        #expect(try directory.makeDirectory("a", mode: 0o700))
        let inner = try directory.subdirectory("a")
        #expect(inner.has("a", in: directory))
        try directory.rename("a", to: directory, "b")
        #expect(try directory.makeDirectory("a", mode: 0o700))
        #expect(!inner.has("a", in: directory) && inner.has("b", in: directory))
        close(try inner.openFile("new", O_WRONLY | O_CREAT | O_EXCL, mode: 0o600))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/b") == ["new"])
    }

    @Test func `Each listing begins at the first name`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        for name in ["a", "b", ".c"] { try folder.write(name, []) }
        #expect(try names(in: directory) == [".c", "a", "b"])
        #expect(try names(in: directory) == [".c", "a", "b"])
        var count = 0
        try directory.forEachName { _ in
            count += 1
            return false
        }
        #expect(count == 1)
        #expect(try names(in: DirectoryDescriptor(path: folder.path, access: .lookup)) == [".c", "a", "b"])
    }

    @Test func `Removing a missing name is no error`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        #expect(try directory.status(of: "no") == nil)
        try directory.remove("no")
        try directory.removeDirectory("no")
        #expect(throws: SystemError("open", number: ENOENT, at: folder.path + "/no")) {
            try directory.subdirectory("no")
        }
        #expect(try directory.makeDirectory("a", mode: 0o700))
        #expect(try !directory.makeDirectory("a", mode: 0o700))
        try folder.write("a/file", [])
        let error = #expect(throws: SystemError.self) { try directory.removeDirectory("a") }
        #expect(error.map { [ENOTEMPTY, EEXIST].contains($0.number) } == true)
    }

    @Test func `Content is removed without following links`() throws {
        let outside = try TemporaryFolder()
        try outside.write("kept", "mine".utf8)
        let directory = try DirectoryDescriptor(path: folder.path)
        try FileManager.default.createDirectory(atPath: folder.path + "/a/b/c", withIntermediateDirectories: true)
        for name in ["f", "a/f", "a/b/f", "a/b/c/f"] { try folder.write(name, []) }
        #expect(symlink(outside.path, folder.path + "/a/link") == 0)
        directory.removeFiles()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
        try directory.removeContent()
        #expect(try folder.names().isEmpty)
        #expect(try outside.names() == ["kept"])
    }

    @Test("Directories that are nested too deeply remain, and everything else is removed")
    func depthLimit() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        try folder.write("a/b/c/deep", [])
        for name in ["f", "a/f", "a/b/f", "d/e/f"] { try folder.write(name, []) }
        let error = #expect(throws: SystemError.self) { try directory.removeContent(depth: 2) }
        #expect(error?.number == ENAMETOOLONG)
        #expect(try folder.names() == ["a", "a/b", "a/b/c", "a/b/c/deep"])
        try directory.removeContent(depth: 3)
        #expect(try folder.names().isEmpty)
    }

    @Test("A deep tree is visited once for each of its levels", .timeLimit(.minutes(1)))
    func depthOfHostileTree() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        // With two visits for each level, the removal would not end.
        try folder.write(Array(repeating: "d", count: 70).joined(separator: "/") + "/file", [])
        #expect(throws: SystemError.self) { try directory.removeContent(depth: 69) }
        try directory.removeContent(depth: 70)
        #expect(try folder.names().isEmpty)
    }

    @Test(arguments: [true, false])
    func `A file is replaced as a whole, with mode 0600`(isDurable: Bool) throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        for text in ["one", "", "three"] {
            try Array(text.utf8).withUnsafeBytes { try directory.replaceFile("a", with: $0, isDurable: isDurable) }
            #expect(try folder.text(of: "a") == text && folder.names() == ["a"])
            #expect(try directory.status(of: "a")?.permissions == 0o600)
        }
    }

    @Test(arguments: DirectoryDescriptor.ReplacementStep.allCases)
    func `A kill at any step leaves the old file or the new one`(last: DirectoryDescriptor.ReplacementStep) throws {
        struct Kill: Error {}
        let directory = try DirectoryDescriptor(path: folder.path)
        func replace(_ text: String, step: (DirectoryDescriptor.ReplacementStep) throws -> Void = { _ in }) throws {
            try Array(text.utf8).withUnsafeBytes {
                try directory.replaceFile("a", with: $0, isDurable: true, step: step)
            }
        }
        try replace("old")
        #expect(throws: Kill.self) { try replace("new") { if $0 == last { throw Kill() } } }
        let isNew = last == .renamed || last == .directorySynced
        #expect(try folder.text(of: "a") == (isNew ? "new" : "old"))
        try replace("next")
        #expect(try folder.text(of: "a") == "next" && folder.names() == ["a"])
    }

    @Test func `A file with the temporary name is removed without following links`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        try folder.write("victim", "mine".utf8)
        #expect(symlink("victim", folder.path + "/" + DirectoryDescriptor.temporaryName(of: "a")) == 0)
        try Array("text".utf8).withUnsafeBytes { try directory.replaceFile("a", with: $0, isDurable: false) }
        #expect(try folder.text(of: "a") == "text" && folder.text(of: "victim") == "mine")
    }

    @Test func `A replacement that fails leaves no temporary file`() throws {
        let directory = try DirectoryDescriptor(path: folder.path)
        #expect(try directory.makeDirectory("a", mode: 0o700))
        #expect(throws: SystemError("rename", number: EISDIR, at: folder.path + "/a")) {
            try Array("text".utf8).withUnsafeBytes { try directory.replaceFile("a", with: $0, isDurable: true) }
        }
        #expect(try folder.names() == ["a"])
    }
}
