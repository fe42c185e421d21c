// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

@Suite("Unpacker", .timeLimit(.minutes(2)))
struct UnpackerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "Unpacks into an absent, a nested and an empty folder", arguments: ["out", "a/b/out", "empty", "empty/", "."])
    func unpack(_ target: String) throws {
        try FileManager.default.createDirectory(atPath: "\(folder.path)/in/empty", withIntermediateDirectories: true)
        let archive = try folder.write("a.zip", ZipMaker("index.html", "js/ä.js").bytes())
        let path = target == "." ? "\(folder.path)/in/empty/." : "\(folder.path)/in/\(target)"
        let summary = try Unpacker().unpack(archive, into: path)
        #expect(summary.files == 2 && summary.bytes == 10)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: path).sorted() == ["index.html", "js", "js/ä.js"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(path)/js/ä.js")) == Data("hello".utf8))
        #expect(try folder.names().allSatisfy { !$0.contains("partial") })
    }

    @Test("Unpacker and verifier agree on names with a slash that joins a combining character")
    func joinedSlashes() throws {
        let names = ["a/\u{301}b", "a\u{600}/c", "\u{600}/\u{301}/d"]
        for archive in [
            try folder.write("a.zip", ZipMaker(names.map { ZipMaker.Entry($0) }).bytes()),
            try folder.write("a.tgz", TarMaker(names.map { .init($0) } + [.init("./\u{301}e")]).bytes(.gzip)),
        ] {
            let verified = try PackageVerifier().verify(archive)
            let unpacked = try Unpacker(isDurable: false).unpack(archive, into: archive + ".out")
            #expect(verified == unpacked)
            for name in names {
                let data = FileManager.default.contents(atPath: "\(archive).out/\(name)")
                #expect(data == Data("hello".utf8), "\(name)")
            }
        }
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/a.tgz.out/\u{301}e"))
    }

    #if os(Linux)
        @Test("Folders with canonically equivalent names are different folders")
        func equivalentFolders() throws {
            let names = ["e\u{301}/a", "\u{E9}/b", "e\u{301}/c", "\u{E9}/\u{212A}/d", "\u{E9}/K/e"]
            let archive = try folder.write("a.zip", ZipMaker(names.map { ZipMaker.Entry($0) }).bytes())
            let verified = try PackageVerifier().verify(archive)
            let unpacked = try Unpacker(isDurable: false).unpack(archive, into: "\(folder.path)/out")
            #expect(verified == unpacked)
            for name in names {
                #expect(FileManager.default.contents(atPath: "\(folder.path)/out/\(name)") == Data("hello".utf8))
            }
        }
    #endif

    @Test("Names in a given encoding are unpacked and verified")
    func encodedNames() throws {
        let archive = try folder.write(
            "a.zip", ZipMaker([.init("index.html"), .init([0x95, 0x5C, 0x2F, 0x61], Array("hello".utf8))]).bytes())
        expectRefusal(.unsafePath) { try PackageVerifier().verify(archive) }
        expectRefusal(.unsafePath) { try Unpacker().unpack(archive, into: "\(folder.path)/out") }
        let reader = ArchiveReader(names: .shiftJIS)
        #expect(try Unpacker(reader: reader).unpack(archive, into: "\(folder.path)/out").files == 2)
        #expect(FileManager.default.contents(atPath: "\(folder.path)/out/表/a") == Data("hello".utf8))
        #expect(try PackageVerifier(reader: reader, names: .shiftJIS).verify(archive).files == 2)
    }

    @Test("A non-empty target is rejected and not changed")
    func occupied() throws {
        let archive = try folder.write("a.zip", ZipMaker("index.html").bytes())
        try folder.write("out/mine", "mine".utf8)
        try folder.write("file", "mine".utf8)
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/nowhere", withDestinationPath: "missing")
        let before = try folder.names()
        expectRefusal(.occupied) { try Unpacker().unpack(archive, into: "\(folder.path)/out") }
        expectRefusal(.occupied) { try Unpacker().unpack(archive, into: "\(folder.path)/file") }
        expectRefusal(.io) { try Unpacker().unpack(archive, into: "\(folder.path)/nowhere") }
        expectRefusal(.io) { try Unpacker().unpack(archive, into: "\(folder.path)/file/out") }
        #expect(try folder.names() == before)
    }

    @Test(
        "A defect at the end leaves no files and no parent folders", arguments: ["out", "a/b/out", "empty"])
    func allOrNothing(_ target: String) throws {
        var maker = ZipMaker("a/b", "c", "d")
        maker.entries[2].data[0] ^= 1
        let archive = try folder.write("a.zip", maker.bytes())
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        expectRefusal(.damaged) { try Unpacker().unpack(archive, into: "\(folder.path)/\(target)") }
        #expect(try folder.names() == ["a.zip", "empty"])
    }

    @Test("A target that was filled meanwhile is not changed")
    func race() throws {
        struct Late: ArchiveReading {
            let target: String
            func read(
                _ archive: String, limits: ArchiveLimits,
                visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
            ) throws {
                try ArchiveReader().read(archive, limits: limits, visit: visit)
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
                try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(target)/mine"))
            }
        }
        let archive = try folder.write("a.zip", ZipMaker("index.html").bytes())
        let target = "\(folder.path)/out"
        expectRefusal(.occupied) { try Unpacker(reader: Late(target: target)).unpack(archive, into: target) }
        #expect(try folder.names() == ["a.zip", "out", "out/mine"])
    }

    /// A reader that runs `meanwhile` after the first file of an archive.
    private struct Interrupted: ArchiveReading {
        let meanwhile: @Sendable () throws -> Void

        func read(
            _ archive: String, limits: ArchiveLimits,
            visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
        ) throws {
            var isFirst = true
            try ArchiveReader().read(archive, limits: limits) { entry, reader in
                try visit(entry, &reader)
                if isFirst { try meanwhile() }
                isFirst = false
            }
        }
    }

    /// Moves a folder away and replaces it with a link to another one.
    private static func exchange(_ path: String, _ moved: String, _ outside: String) throws {
        try FileManager.default.moveItem(atPath: path, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: outside)
    }

    @Test("No file is written through a link that replaced the temporary folder")
    func exchangedContent() throws {
        let archive = try folder.write("a.zip", ZipMaker("a", "b/c", "d").bytes())
        let (shared, outside) = ("\(folder.path)/shared", "\(folder.path)/outside")
        try folder.write("shared/mine", [])
        try folder.write("outside/mine", [])
        let reader = Interrupted {
            let names = try FileManager.default.contentsOfDirectory(atPath: shared)
            let name = try #require(names.first { $0.hasSuffix(".partial") })
            try Self.exchange("\(shared)/\(name)", "\(shared)/moved", outside)
        }
        expectRefusal(.io) { try Unpacker(reader: reader).unpack(archive, into: "\(shared)/out") }
        #expect(try folder.names(below: "outside") == ["mine"])
        // The written files are removed; the replacement stays.
        #expect(try folder.names(below: "shared/moved") == [])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(shared)/out") == outside)
    }

    @Test("A link that replaced a parent folder of the target is not followed", arguments: [false, true])
    func exchangedParent(_ isDefective: Bool) throws {
        var maker = ZipMaker("a", "b/c", "d")
        if isDefective { maker.entries[2].data[0] ^= 1 }
        let archive = try folder.write("a.zip", maker.bytes())
        let (above, outside) = ("\(folder.path)/x/above", "\(folder.path)/outside")
        try folder.write("x/above/mine", [])
        try folder.write("outside/mine", [])
        let moved = "\(folder.path)/x/moved"
        let reader = Interrupted { try Self.exchange(above, moved, outside) }
        let unpacker = Unpacker(reader: reader)
        if isDefective {
            expectRefusal(.damaged) { try unpacker.unpack(archive, into: above + "/new/out") }
            #expect(try folder.names(below: "x/moved") == ["mine"])
        } else {
            #expect(try unpacker.unpack(archive, into: above + "/new/out").files == 3)
            #expect(try folder.names(below: "x/moved/new/out") == ["a", "b", "b/c", "d"])
        }
        #expect(try folder.names(below: "outside") == ["mine"])
    }

    @Test("A link that replaced a folder of the archive is not followed")
    func exchangedFolder() throws {
        let archive = try folder.write("a.zip", ZipMaker("a/b", "c/d", "a/e").bytes())
        let (target, outside) = ("\(folder.path)/shared/out", "\(folder.path)/outside")
        try folder.write("outside/mine", [])
        try folder.write("shared/mine", [])
        let shared = "\(folder.path)/shared"
        let reader = Interrupted {
            let names = try FileManager.default.contentsOfDirectory(atPath: shared)
            let name = try #require(names.first { $0.hasSuffix(".partial") })
            try Self.exchange("\(shared)/\(name)/a", "\(shared)/moved", outside)
        }
        expectRefusal(.io) { try Unpacker(reader: reader).unpack(archive, into: target) }
        #expect(try folder.names(below: "outside") == ["mine"])
        #expect(try folder.names(below: "shared") == ["mine", "moved", "moved/b"])
    }

    @Test("A folder that exists before it is created is refused, as a file system that normalizes names has it")
    func existingFolder() throws {
        let archive = try folder.write("a.zip", ZipMaker("e\u{301}/a", "\u{E9}/b").bytes())
        let shared = "\(folder.path)/shared"
        try folder.write("shared/mine", [])
        let reader = Interrupted {
            let names = try FileManager.default.contentsOfDirectory(atPath: shared)
            let name = try #require(names.first { $0.hasSuffix(".partial") })
            // On a file system that normalizes names, the folder is there already.
            _ = mkdir("\(shared)/\(name)/\u{E9}", 0o755)
        }
        expectRefusal(.duplicateEntry) { try Unpacker(reader: reader).unpack(archive, into: shared + "/out") }
        #expect(try folder.names(below: "shared") == ["mine"])
    }

    @Test("A link of another user is not followed", .enabled(if: geteuid() == 0, "skipped: only root gives files away"))
    func foreignLink() throws {
        let archive = try folder.write("a.zip", ZipMaker("a").bytes())
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/outside/empty", withIntermediateDirectories: true)
        for (link, target) in [("link", "outside/empty"), ("above", "outside")] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder.path)/\(link)", withDestinationPath: "\(folder.path)/\(target)")
            try #require(lchown("\(folder.path)/\(link)", 1, 1) == 0)
        }
        for target in ["link", "above/empty", "above/new"] {
            expectRefusal(.io) { try Unpacker().unpack(archive, into: "\(folder.path)/\(target)") }
        }
        #expect(try folder.names(below: "outside") == ["empty"])
    }
}
