// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite("Zip validator", .timeLimit(.minutes(2)))
struct ZipValidatorTests {
    private func validate(_ maker: ZipMaker, limits: ArchiveLimits = .default) throws -> ZipDirectory {
        try ZipValidator(limits: limits).validate(Data(maker.bytes()))
    }

    @Test("A plain zip is read with its offsets")
    func plain() throws {
        let maker = ZipMaker("index.html", "js/app.js")
        let bytes = maker.bytes()
        let directory = try validate(maker)
        #expect(directory.entries.map(\.path.description) == ["index.html", "js/app.js"])
        #expect(directory.totalSize == 10)
        for entry in directory.entries {
            #expect(entry.method == .stored && entry.size == 5 && entry.compressedSize == 5)
            #expect(
                Array(bytes[Int(entry.dataOffset)..<Int(entry.dataOffset + entry.compressedSize)])
                    == Array("hello".utf8))
        }
        #expect(directory.offset == directory.entries.last.map { $0.dataOffset + $0.compressedSize })
    }

    @Test(
        "Names that leave the folder are rejected in every spelling",
        arguments: [
            "../evil", "a/../../evil", "a/..", "..", ".", "./a", "a/./b", "/etc/passwd", "//host/share", "a//b", "",
            "/",
            "C:/evil", "c:evil", "..\\evil", "a\\b", "\\\\host\\share", "a\u{0}b", "a\nb", "a\u{7F}", "a\u{85}b",
            "\u{FF0E}\u{FF0E}/evil", "a/\u{2025}/evil", "\u{FF0F}etc", "\u{2024}\u{2024}/evil", "\u{FF23}\u{FF1A}/evil",
            "a/\u{FF0E}\u{FF0E}\u{FF0F}evil", "..\u{FF3C}evil",
        ])
    func traversal(_ name: String) {
        expectRefusal(.unsafePath) { try validate(ZipMaker(name)) }
        expectRefusal(.unsafePath) { try ArchivePath(name) }
    }

    @Test(
        "Unusual but harmless names are accepted unchanged",
        arguments: ["...", "a..b", ".well-known/x", "ab:c", "日本語/ファイル.html", "a b", "%2e%2e/x", "a／b", "wait…"])
    func harmless(_ name: String) throws {
        #expect(try validate(ZipMaker(name)).entries.map(\.path.description) == [name])
    }

    @Test("Names that are neither ASCII nor marked as UTF-8 are rejected without an encoding")
    func unmarkedNames() throws {
        // The bytes of 模 in GBK are ģ in UTF-8, so validity does not show the encoding.
        for name: [UInt8] in [Array("ü.txt".utf8), [0x81, 0x9A, 0xE1], [0xC4, 0xA3]] {
            let maker = ZipMaker([ZipMaker.Entry("index.html"), ZipMaker.Entry(name, [1])])
            let error = #expect(throws: PackageError.self) { try validate(maker) }
            #expect(error?.code == .unsafePath)
            #expect(error?.message.contains("--names") == true, "\(error.debugDescription)")
        }
        #expect(try validate(ZipMaker([ZipMaker.Entry(Array("a.txt".utf8), [1])])).entries.count == 1)
        var marked = ZipMaker.Entry([0x81, 0x9A, 0xE1], [2])
        marked.flags = 1 << 11
        expectRefusal(.unsafePath) { try validate(ZipMaker([marked])) }
    }

    /// The bytes and the text of an unmarked name, from the tables of the encodings.
    private static let encodedNames: [(ZipNameEncoding, [UInt8], String)] = [
        (.utf8, Array("ü.txt".utf8), "ü.txt"), (.cp437, [0x81, 0x9A, 0xE1], "üÜß"), (.cp437, [0xB3, 0x9E], "│₧"),
        (.cp850, [0x81, 0xE1, 0xB5], "üßÁ"), (.cp866, [0x8F, 0xE0, 0xA8], "При"), (.cp866, [0xF1, 0xFC], "ё№"),
        // The second byte of 表 is that of a backslash.
        (.shiftJIS, [0x95, 0x5C, 0x2E, 0x6A, 0x73], "表.js"), (.shiftJIS, [0x8A, 0xBF, 0x87, 0x40], "漢①"),
        (.gbk, [0xBA, 0xBA, 0xD7, 0xD6], "汉字"), (.gbk, [0xC4, 0xA3], "模"),
        (.gbk, [0x81, 0x30, 0x89, 0x37], "\u{DE}"),
        (.big5, [0xBA, 0x7E, 0xA6, 0x72], "漢字"), (.eucKR, [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
        (.eucKR, [0x81, 0x41], "갂"), (.koi8r, [0xF0, 0xD2, 0xC9], "При"), (.windows1251, [0xCF, 0xF0, 0xE8], "При"),
        (.windows1252, [0xE9, 0x80], "é€"),
    ]

    @Test("An encoding applies to unmarked names in both headers", arguments: encodedNames)
    func encodings(_ encoding: ZipNameEncoding, _ name: [UInt8], _ text: String) throws {
        let maker = ZipMaker([ZipMaker.Entry("index-é.html"), ZipMaker.Entry(name, [1])])
        let entries = try ZipValidator(names: encoding).validate(Data(maker.bytes())).entries
        #expect(entries.map(\.path.description) == ["index-é.html", text])
    }

    @Test("A name that is not valid in the encoding is rejected")
    func wrongEncoding() throws {
        for (encoding, name): (ZipNameEncoding, [UInt8]) in [
            (.utf8, [0x81]), (.shiftJIS, [0x81]), (.gbk, [0xBA, 0xFF]), (.big5, [0xFF, 0x40]), (.eucKR, [0xFF, 0xFF]),
        ] {
            let bytes = Data(ZipMaker([ZipMaker.Entry(name, [1])]).bytes())
            expectRefusal(.unsafePath, comment: "\(encoding)") {
                try ZipValidator(names: encoding).validate(bytes)
            }
        }
    }

    @Test("Encodings have the labels of the WHATWG Encoding standard")
    func labels() {
        for encoding in ZipNameEncoding.allCases {
            #expect(ZipNameEncoding(label: encoding.rawValue.uppercased()) == encoding)
        }
        for (label, encoding): (String, ZipNameEncoding) in [
            ("sjis", .shiftJIS), ("gb2312", .gbk), ("gb18030", .gbk), ("UTF8", .utf8), ("866", .cp866),
            ("IBM437", .cp437), ("korean", .eucKR), ("cp1251", .windows1251),
        ] {
            #expect(ZipNameEncoding(label: label) == encoding, "\(label)")
        }
        for label in ["", "utf-16", "utf-7", "euc-jp", "x-user-defined", "replacement"] {
            #expect(ZipNameEncoding(label: label) == nil, "\(label)")
        }
    }

    @Test("A Unicode Path field is used without the UTF-8 flag")
    func unicodePath() throws {
        var entry = ZipMaker.Entry([0x81], [1])
        let name = Array("ü".utf8)
        entry.extra = [0x75, 0x70, UInt8(5 + name.count), 0, 1] + ZipMaker.bytes(ZipMaker.crc32([0x81])) + name
        entry.localExtra = entry.extra
        #expect(try validate(ZipMaker([entry])).entries.map(\.path.description) == ["ü"])
        // The field describes another name.
        entry.extra[5] ^= 1
        entry.localExtra = entry.extra
        expectRefusal(.unsafePath) { try validate(ZipMaker([entry])) }
    }

    @Test(
        "A slash is a separator also if a combining or prepended character joins it",
        arguments: ["a/\u{301}b", "a\u{600}/b", "a/\u{20DD}", "\u{600}/\u{301}/\u{600}"])
    func joinedSlashes(_ name: String) throws {
        let path = try ArchivePath(name)
        #expect(path.parts.map { Array($0.utf8) } == name.utf8.split(separator: UInt8(ascii: "/")).map(Array.init))
        var folder = ZipMaker.Entry(Array((name + "/").utf8), [], flags: 1 << 11)
        folder.attributes = 0o040755 << 16
        let directory = try validate(ZipMaker([folder, ZipMaker.Entry(name + "/\u{301}c")]))
        #expect(directory.entries.map(\.path.description) == [name + "/\u{301}c"])
        expectRefusal(.duplicateEntry) { try validate(ZipMaker([folder, ZipMaker.Entry(name)])) }
    }

    @Test("A name keeps its bytes, composed or decomposed", arguments: ["u\u{308}.txt", "\u{FC}.txt"])
    func normalForm(_ name: String) throws {
        let path = try #require(try validate(ZipMaker(name)).entries.first?.path)
        #expect(Array(path.description.utf8) == Array(name.utf8))
    }

    @Test(
        "Colliding names are rejected",
        arguments: [
            ["a", "a"], ["A.js", "a.js"], ["dir/A", "DIR/a"], ["\u{FC}", "u\u{308}"], ["\u{DC}", "u\u{308}"],
            ["straße", "STRASSE"], ["a", "a/b"], ["A/b", "a"], ["a/b/c", "A/B"], ["\u{3C3}", "\u{3C2}"],
        ])
    func collisions(_ names: [String]) {
        expectRefusal(.duplicateEntry) { try validate(ZipMaker(names.map { ZipMaker.Entry($0) })) }
    }

    @Test(
        "Links, devices, sockets, pipes and unknown types are rejected",
        arguments: [
            0o120777, 0o060644, 0o020644, 0o010644, 0o140644, 0o030644, 0o050644, 0o070644, 0o110644, 0o130644,
            0o150644, 0o160644, 0o170644,
        ])
    func specialFiles(_ mode: UInt32) {
        var entry = ZipMaker.Entry("link", "/etc/passwd")
        entry.attributes = mode << 16
        expectRefusal(.specialFile) { try validate(ZipMaker([entry])) }
        // The mode is in an extra field, in the directory or in the local header alone.
        entry.attributes = 0o100644 << 16
        let asi = [0x6E, 0x75, 14, 0, 0, 0, 0, 0] + ZipMaker.bytes(UInt16(mode)) + [UInt8](repeating: 0, count: 8)
        entry.extra = asi
        expectRefusal(.specialFile) { try validate(ZipMaker([entry])) }
        entry.extra = []
        entry.localExtra = asi
        expectRefusal(.specialFile) { try validate(ZipMaker([entry])) }
        entry.localExtra = [0x78, 0x6C, 5, 0, 4] + ZipMaker.bytes(mode << 16)
        expectRefusal(.specialFile) { try validate(ZipMaker([entry])) }
    }

    @Test("A hard link in PKWARE's Unix field is rejected")
    func hardLink() {
        var entry = ZipMaker.Entry("link", "")
        entry.extra = [0x0D, 0, 16, 0] + [UInt8](repeating: 0, count: 12) + Array("file".utf8)
        expectRefusal(.specialFile) { try validate(ZipMaker([entry])) }
    }

    @Test("Folders are read and not listed; inconsistent folders are rejected")
    func folders() throws {
        var folder = ZipMaker.Entry("a/", "")
        folder.attributes = 0o040755 << 16 | 0x10
        #expect(try validate(ZipMaker([folder, ZipMaker.Entry("a/b")])).entries.map(\.path.description) == ["a/b"])
        folder.name = Array("a".utf8)
        expectRefusal(.headerMismatch) { try validate(ZipMaker([folder])) }
        var full = ZipMaker.Entry("a/", "content")
        full.attributes = 0
        expectRefusal(.headerMismatch) { try validate(ZipMaker([full])) }
    }

    @Test("Local headers must agree with the directory")
    func disagreement() {
        func change(_ change: (inout ZipMaker.Entry) -> Void) -> ZipMaker {
            var entry = ZipMaker.Entry("name")
            change(&entry)
            return ZipMaker([entry])
        }
        expectRefusal(.headerMismatch) { try validate(change { $0.localName = Array("evil".utf8) }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localName = Array("longer name".utf8) }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localMethod = 8 }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localFlags = 0 }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localSize = 4 }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localCompressedSize = 4 }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localCRC32 = 1 }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.localCRC32 = 0 }) }
        // A Unicode Path field in one of the two headers gives the entry a second name.
        let field = [0x75, 0x70, 9, 0, 1] + ZipMaker.bytes(ZipMaker.crc32(Array("name".utf8))) + Array("evil".utf8)
        expectRefusal(.headerMismatch) { try validate(change { $0.localExtra = field }) }
        expectRefusal(.headerMismatch) { try validate(change { $0.extra = field }) }
    }

    @Test("Entries must neither overlap nor leave gaps")
    func layout() {
        var maker = ZipMaker("a", "b")
        maker.entries[1].offset = 0
        expectRefusal(.overlap, .headerMismatch) { try validate(maker) }
        // Two entries with names of the same length share one local header.
        maker = ZipMaker("a", "b")
        maker.entries[1].gap = [0]
        expectRefusal(.overlap) { try validate(maker) }
        maker = ZipMaker("a", "b")
        maker.entries[0].gap = [0x50, 0x4B, 3, 4]
        expectRefusal(.overlap) { try validate(maker) }
        maker = ZipMaker("a", "b")
        maker.gap = [1, 2, 3]
        expectRefusal(.overlap) { try validate(maker) }
        // An archive is hidden in the data of an entry: the outer entry covers the bytes of the inner one.
        var outer = ZipMaker.Entry(Array("outer".utf8), ZipMaker("inner").bytes())
        outer.flags = 1 << 11
        var inner = ZipMaker.Entry("inner")
        inner.offset = 35
        expectRefusal(.overlap, .headerMismatch, .damaged) { try validate(ZipMaker([outer, inner])) }
    }

    @Test("Data before the first entry or after the end is rejected")
    func surroundings() {
        let bytes = ZipMaker("a").bytes()
        expectRefusal(.notAnArchive) { try ZipValidator().validate(Data([0x4D, 0x5A] + bytes)) }
        expectRefusal(.damaged) { try ZipValidator().validate(Data([0x50, 0x4B, 3, 4] + bytes)) }
        expectRefusal(.damaged) { try ZipValidator().validate(Data(bytes + [0])) }
    }

    @Test("A comment is accepted unless it contains another end record")
    func comments() throws {
        var maker = ZipMaker("a")
        maker.comment = Array("hello".utf8)
        #expect(try validate(maker).entries.count == 1)
        maker.comment = Array(ZipMaker("other").bytes())
        expectRefusal(.damaged) { try validate(maker) }
    }

    @Test("An archive that is truncated at any position is rejected")
    func cut() throws {
        var maker = ZipMaker("index.html", "js/app.js")
        maker.entries[1].stream(signature: true, wide: false)
        maker.isWide = true
        let bytes = maker.bytes()
        _ = try ZipValidator().validate(Data(bytes))
        for length in 0..<bytes.count {
            expectRefusal(comment: "\(length)") { try ZipValidator().validate(Data(bytes.prefix(length))) }
        }
    }

    @Test("A flipped bit is rejected or has no relevant effect")
    func flipped() throws {
        var maker = ZipMaker("index.html", "js/app.js")
        maker.entries[0].stream(signature: false, wide: true)
        maker.isWide = true
        let bytes = maker.bytes()
        let whole = try ZipValidator().validate(Data(bytes))
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = bytes
                flipped[index] ^= 1 << UInt8(bit)
                do {
                    let directory = try ZipValidator().validate(Data(flipped))
                    #expect(directory.entries == whole.entries, "byte \(index)")
                } catch let error as PackageError {
                    #expect(!error.message.isEmpty)
                }
            }
        }
    }

    @Test("Data descriptors of all four forms are read", arguments: [true, false], [true, false])
    func descriptors(signature: Bool, wide: Bool) throws {
        var maker = ZipMaker("a", "b", "c")
        for index in maker.entries.indices { maker.entries[index].stream(signature: signature, wide: wide) }
        #expect(try validate(maker).entries.map(\.size) == [5, 5, 5])
        maker.entries[1].descriptor[signature ? 4 : 0] ^= 1
        expectRefusal(.headerMismatch) { try validate(maker) }
        maker.entries[1].descriptor = []
        expectRefusal(.overlap) { try validate(maker) }
    }

    @Test("zip64 records and sizes are read, and end records that disagree are rejected")
    func zip64() throws {
        var maker = ZipMaker("a", "b")
        maker.isWide = true
        #expect(try validate(maker).entries.count == 2)
        maker.entries[0].size = .max
        maker.entries[0].compressedSize = .max
        let field = [1, 0, 16, 0] + ZipMaker.bytes(UInt64(5)) + ZipMaker.bytes(UInt64(5))
        maker.entries[0].extra = field
        maker.entries[0].localExtra = field
        #expect(try validate(maker).entries.map(\.size) == [5, 5])
        maker.entries[0].localExtra = []
        expectRefusal(.damaged) { try validate(maker) }
        maker.entries[0].localExtra = field
        let absurd = [1, 0, 16, 0] + ZipMaker.bytes(UInt64.max) + ZipMaker.bytes(UInt64.max)
        maker.entries[0].extra = absurd
        expectRefusal(.damaged) { try validate(maker) }
        maker.entries[0].extra = field
        maker.wideCount = 1
        expectRefusal(.headerMismatch) { try validate(maker) }
        maker.count = 0xFFFF
        expectRefusal(.headerMismatch) { try validate(maker) }
    }

    @Test("A zip64 archive without entries is read")
    func emptyWide() throws {
        var maker = ZipMaker([])
        #expect(try validate(maker).entries.isEmpty)
        maker.isWide = true
        #expect(try validate(maker).entries.isEmpty)
    }

    @Test("Encrypted and split archives and unsupported compression methods are rejected")
    func unsupported() {
        func entry(flags: UInt16 = 0, method: UInt16 = 0, extra: [UInt8] = []) -> ZipMaker {
            var entry = ZipMaker.Entry("a", flags: flags)
            entry.method = method
            entry.extra = extra
            return ZipMaker([entry])
        }
        for flag: UInt16 in [1, 1 << 6, 1 << 13] {
            expectRefusal(.encrypted) { try validate(entry(flags: flag)) }
        }
        expectRefusal(.encrypted) { try validate(entry(method: 99)) }
        expectRefusal(.encrypted) { try validate(entry(extra: [0x01, 0x99, 7, 0, 2, 0, 0x41, 0x45, 3, 8, 0])) }
        for method: UInt16 in [1, 6, 7, 9, 12, 14, 93, 95, 98] {
            expectRefusal(.unsupported) { try validate(entry(method: method)) }
        }
        expectRefusal(.unsupported) { try validate(entry(flags: 1 << 5)) }
        var split = ZipMaker("a")
        split.disk = 1
        expectRefusal(.unsupported) { try validate(split) }
    }

    @Test("The number of entries must equal the declared number", arguments: [0, 1, 3, 0xFFFF])
    func counts(_ count: UInt16) {
        var maker = ZipMaker("a", "b")
        maker.count = count
        expectRefusal(.headerMismatch) { try validate(maker) }
    }

    @Test("Each limit is enforced and can be raised")
    func limits() throws {
        let maker = ZipMaker("a/b/c", "d")
        func refuses(_ code: PackageError.Code, _ change: (inout ArchiveLimits) -> Void) {
            var limits = ArchiveLimits.default
            change(&limits)
            expectRefusal(code) { try validate(maker, limits: limits) }
        }
        refuses(.tooLarge) { $0.maxTotalBytes = 9 }
        refuses(.tooMany) { $0.maxEntries = 1 }
        refuses(.tooLarge) { $0.maxPathBytes = 4 }
        refuses(.tooLarge) { $0.maxDepth = 2 }
        let exact = ArchiveLimits(
            maxTotalBytes: 10, maxEntries: 2, maxRatio: 1, ratioFloor: 0, maxPathBytes: 5, maxDepth: 3)
        #expect(try validate(maker, limits: exact).entries.count == 2)
        let long = ZipMaker(String(repeating: "a/", count: 600) + "b")
        expectRefusal(.tooLarge) { try validate(long) }
        #expect(
            try validate(long, limits: ArchiveLimits(maxPathBytes: 2_000, maxDepth: 1_000)).entries.first?.path.parts
                .count
                == 601)
        expectRefusal(.tooLarge) { try validate(ZipMaker(String(repeating: "a", count: 256))) }
    }

    @Test("A compression bomb is rejected by its declared sizes")
    func bomb() throws {
        var entry = ZipMaker.Entry("zeros", "x")
        entry.method = 8
        entry.size = 2 << 20
        expectRefusal(.tooLarge) { try validate(ZipMaker([entry])) }
        // Small files may have any ratio.
        entry.size = 1 << 20
        #expect(try validate(ZipMaker([entry])).totalSize == 1 << 20)
        expectRefusal(.tooLarge) {
            try validate(ZipMaker([entry]), limits: ArchiveLimits(maxRatio: 100, ratioFloor: 0))
        }
        // Many small bombs together add up to a large one.
        let many = (0..<100).map { index in
            var copy = entry
            copy.name = Array("zeros-\(index)".utf8)
            return copy
        }
        expectRefusal(.tooLarge) { try validate(ZipMaker(many)) }
    }
}
