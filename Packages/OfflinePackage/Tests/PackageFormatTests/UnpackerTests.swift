// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import PackageFormat
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

    @Test("A target that holds something is refused and left as it is")
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
        "A defect at the very end leaves nothing, not even the folders above", arguments: ["out", "a/b/out", "empty"])
    func allOrNothing(_ target: String) throws {
        var maker = ZipMaker("a/b", "c", "d")
        maker.entries[2].data[0] ^= 1
        let archive = try folder.write("a.zip", maker.bytes())
        try FileManager.default.createDirectory(atPath: "\(folder.path)/empty", withIntermediateDirectories: true)
        expectRefusal(.damaged) { try Unpacker().unpack(archive, into: "\(folder.path)/\(target)") }
        #expect(try folder.names() == ["a.zip", "empty"])
    }

    @Test("A target that was filled meanwhile is left alone")
    func race() throws {
        struct Late: ArchiveReading {
            let target: String
            func read(
                _ archive: String, limits: ArchiveLimits,
                visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
            ) throws {
                try LibarchiveReader().read(archive, limits: limits, visit: visit)
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
                try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(target)/mine"))
            }
        }
        let archive = try folder.write("a.zip", ZipMaker("index.html").bytes())
        let target = "\(folder.path)/out"
        expectRefusal(.occupied) { try Unpacker(reader: Late(target: target)).unpack(archive, into: target) }
        #expect(try folder.names() == ["a.zip", "out", "out/mine"])
    }
}
