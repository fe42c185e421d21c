// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import Testing

/// Tests that the rules of zips apply to tar.gz and tar.zst.
@Suite("tar.gz and tar.zst", .timeLimit(.minutes(1)))
struct TarTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func refuses(
        _ code: PackageError.Code, _ maker: TarMaker, limits: ArchiveLimits = .default, comment: Comment? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for wrapping in TarMaker.Wrapping.allCases {
            let archive = try folder.write("a.tar", maker.bytes(wrapping))
            expectRefusal(code, comment: comment, sourceLocation: sourceLocation) {
                try Unpacker(limits: limits, isDurable: false).unpack(archive, into: "\(folder.path)/out")
            }
            #expect(try folder.names() == ["a.tar"], sourceLocation: sourceLocation)
        }
    }

    @Test("Files are read", arguments: TarMaker.Wrapping.allCases)
    func files(_ wrapping: TarMaker.Wrapping) throws {
        var maker = TarMaker("a", "b/c", "./d")
        maker.entries.append(.init("f/", "", type: "5"))
        maker.entries.append(.init("empty", ""))
        maker.entries[0].data = [UInt8](repeating: 7, count: 300_000)
        let archive = try folder.write("a.tar", maker.bytes(wrapping))
        let hello = Data("hello".utf8)
        #expect(
            try contents(of: archive)
                == ["a": Data(repeating: 7, count: 300_000), "b/c": hello, "d": hello, "empty": Data()])
    }

    @Test("Names that leave the folder are rejected")
    func names() throws {
        for name in [
            "../a", "a/../../b", "/etc/passwd", "C:/a", "c:a", "a\\b", "..\\a", "a//b", "a/./b", "././a", "a/..",
            "\u{FF0E}\u{FF0E}/a", "a\n", "..",
        ] {
            try refuses(.unsafePath, TarMaker([.init(name)]), comment: "\(name)")
        }
    }

    /// Returns a record of an extended header with its length.
    private static func record(_ text: String) -> String {
        let length = (text.utf8.count...).first { "\($0)".utf8.count + 2 + text.utf8.count == $0 } ?? 0
        return "\(length) \(text)\n"
    }

    @Test("Extended headers set names and sizes")
    func extendedHeaders() throws {
        var renamed = TarMaker.Entry("short", "hello")
        // The size in the extended header is that of the data.
        renamed.size = 0
        let global = TarMaker.Entry("g", Self.record("comment=x"), type: "g")
        let names = Self.record("path=long/ü.txt") + Self.record("size=5") + Self.record("comment=a\0b")
        let maker = TarMaker([
            global, .init("x", names, type: "x"), renamed, .init("L", "other\0", type: "L"), .init("short2"),
            .init("last"),
        ])
        for wrapping in TarMaker.Wrapping.allCases {
            let archive = try folder.write("b.tar", maker.bytes(wrapping))
            let hello = Data("hello".utf8)
            #expect(try contents(of: archive) == ["long/ü.txt": hello, "other": hello, "last": hello])
        }
    }

    @Test(
        "Names that readers interpret differently are rejected",
        arguments: [
            ("x", record("path=a\0b"), PackageError.Code.unsafePath), ("x", record("path="), .unsafePath),
            ("X", record("comment=x") + record("path=b\0"), .unsafePath), ("x", record("linkpath=a\0b"), .unsafePath),
            ("L", "a\0b\0", .unsafePath), ("K", "a\0b", .unsafePath),
            ("g", record("path=evil"), .unsupported), ("g", record("size=1"), .unsupported),
            ("g", record("linkpath=evil"), .unsupported), ("g", record("hdrcharset=BINARY"), .unsupported),
            ("x", record("size=+5"), .damaged), ("x", record("size=-5"), .damaged), ("x", record("size= 5"), .damaged),
            ("x", record("size="), .damaged), ("x", record("size=9223372036854775808"), .damaged),
            ("x", "+13 path=abc\n", .damaged),
        ] as [(Character, String, PackageError.Code)])
    func ambiguousNames(_ type: Character, _ content: String, _ code: PackageError.Code) throws {
        try refuses(code, TarMaker([.init("first"), .init("header", content, type: type), .init("a")]))
    }

    @Test("An entry with two extended headers is rejected, and entries with one each are read")
    func repeatedExtendedHeaders() throws {
        let size = TarMaker.Entry("x", Self.record("size=5"), type: "x")
        let name = TarMaker.Entry("x", Self.record("path=b"), type: "x")
        try refuses(.unsupported, TarMaker([size, name, .init("a")]))
        try refuses(.unsupported, TarMaker([size, .init("g", Self.record("comment=x"), type: "g"), name, .init("a")]))
        try refuses(.unsupported, TarMaker([.init("x", "", type: "x"), size, .init("a")]))
        let maker = TarMaker([size, .init("a"), name, .init("c")])
        for wrapping in TarMaker.Wrapping.allCases {
            let archive = try folder.write("b.tar", maker.bytes(wrapping))
            #expect(try contents(of: archive) == ["a": Data("hello".utf8), "b": Data("hello".utf8)])
        }
    }

    @Test("Numbers that readers interpret differently are rejected")
    func ambiguousNumbers() throws {
        // Other readers take the size from the digits, libarchive takes 0.
        for field in [
            "\0" + "0000000005\0", "\0\0\0\0\0\0\0\0\0" + "05\0", "0000\0" + "000005\0", "0000000000x\0",
            "-0000000005\0",
        ] {
            var maker = TarMaker("a", "b")
            maker.entries[1].sizeField = field
            try refuses(.damaged, maker)
        }
        var spaces = TarMaker("a", "b")
        spaces.entries[1].sizeField = "          5\0"
        for wrapping in TarMaker.Wrapping.allCases {
            #expect(try contents(of: folder.write("b.tar", spaces.bytes(wrapping))).count == 2)
        }
    }

    @Test("A block without a valid checksum that is not all zeros is rejected")
    func checksum() throws {
        var maker = TarMaker("a")
        maker.end = [UInt8](repeating: 1, count: 512) + maker.end
        try refuses(.damaged, maker)
    }

    @Test("Folders with data and other types of entries are rejected")
    func ambiguousTypes() throws {
        try refuses(.headerMismatch, TarMaker([.init("a/", "data", type: "5")]))
        for type in "SVMDNz" { try refuses(.unsupported, TarMaker([.init("a", type: type)])) }
    }

    @Test("Links, devices and pipes are rejected", arguments: ["1", "2", "3", "4", "6"] as [Character])
    func special(_ type: Character) throws {
        var link = TarMaker.Entry("link", "", type: type)
        link.link = "1 2".contains(type) ? "a" : ""
        try refuses(.specialFile, TarMaker([.init("a"), link]))
        link.link = "/etc/passwd"
        if type == "1" || type == "2" { try refuses(.specialFile, TarMaker([.init("a"), link])) }
    }

    @Test("Duplicate and colliding names are rejected")
    func collisions() throws {
        for names in [["a", "a"], ["a", "A"], ["a", "./a"], ["a", "a/b"], ["a/b", "a"], ["\u{E9}", "e\u{301}"]] {
            try refuses(.duplicateEntry, TarMaker(names.map { .init($0) }), comment: "\(names)")
        }
        try refuses(.duplicateEntry, TarMaker([.init("a/", "", type: "5"), .init("a")]))
    }

    @Test("Each limit is enforced")
    func limits() throws {
        let maker = TarMaker("a/b/c", "d")
        try refuses(.tooLarge, maker, limits: ArchiveLimits(maxTotalBytes: 9))
        try refuses(.tooMany, maker, limits: ArchiveLimits(maxEntries: 1))
        try refuses(.tooLarge, maker, limits: ArchiveLimits(maxPathBytes: 4))
        try refuses(.tooLarge, maker, limits: ArchiveLimits(maxDepth: 2))
        // The declared size alone exceeds the limit.
        var large = TarMaker("a")
        large.entries[0].size = 1 << 31
        try refuses(.tooLarge, large)
    }

    @Test("Only a limited number of zeros may follow the end", arguments: TarMaker.Wrapping.allCases)
    func end(_ wrapping: TarMaker.Wrapping) throws {
        var maker = TarMaker("a")
        maker.end += [UInt8](repeating: 0, count: 200_000)
        #expect(try contents(of: folder.write("b.tar", maker.bytes(wrapping))).count == 1)
        try FileManager.default.removeItem(atPath: "\(folder.path)/b.tar")
        let padded = maker
        maker.end[150_000] = 1
        try refuses(.overlap, maker)
        maker.end = padded.end + TarMaker("b").bytes()
        try refuses(.overlap, maker)
        maker.end = [UInt8](repeating: 0, count: 1_024) + TarMaker("b").bytes()
        try refuses(.overlap, maker)
        maker.end = [UInt8](repeating: 0, count: 1_100_000)
        try refuses(.tooLarge, maker)
    }

    @Test("The checksum and length of gzip are checked, also if no bytes follow the tar")
    func gzipTrailer() throws {
        let bytes = TarMaker("a").bytes(.gzip)
        for index in (bytes.count - 8)..<bytes.count {
            var wrong = bytes
            wrong[index] ^= 1
            let archive = try folder.write("a.tgz", wrong)
            expectRefusal(.damaged, comment: "\(index)") { try contents(of: archive) }
        }
        // One bit of the content is changed.
        var wrong = bytes
        wrong[15 + 512] ^= 1
        expectRefusal(.damaged) { try contents(of: folder.write("a.tgz", wrong)) }
    }

    @Test("gzip members may follow each other; other bytes must not")
    func gzipMembers() throws {
        let tar = TarMaker("a", "b").bytes()
        let members = TarMaker.gzip(Array(tar[..<700])) + TarMaker.gzip([]) + TarMaker.gzip(Array(tar[700...]))
        #expect(try contents(of: folder.write("a.tgz", members)).count == 2)
        for tail: [UInt8] in [[0], [1, 2, 3], Array("garbage".utf8)] {
            let archive = try folder.write("a.tgz", members + tail)
            expectRefusal(.damaged, .truncated) { try contents(of: archive) }
        }
        expectRefusal(.truncated) { try contents(of: folder.write("a.tgz", members + [0x1F, 0x8B, 8])) }
    }

    @Test("An archive that is truncated at any position is rejected", arguments: TarMaker.Wrapping.allCases)
    func cut(_ wrapping: TarMaker.Wrapping) throws {
        let bytes = TarMaker("index.html", "js/app.js").bytes(wrapping)
        for length in stride(from: 0, to: bytes.count, by: 7) {
            let archive = try folder.write("a.tar", bytes.prefix(length))
            expectRefusal(comment: "\(length)") { try contents(of: archive) }
        }
    }

    @Test("Nested compression is rejected")
    func nested() throws {
        let tar = TarMaker("a").bytes()
        for bytes in [
            TarMaker.gzip(TarMaker.gzip(tar)), TarMaker.zstandard(TarMaker.zstandard(tar)),
            TarMaker.gzip(TarMaker.zstandard(tar)), TarMaker.zstandard(TarMaker.gzip(tar)),
        ] {
            let archive = try folder.write("a.tar", bytes)
            expectRefusal(.damaged, .unsupported) { try contents(of: archive) }
        }
    }
}
