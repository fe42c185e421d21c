// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite("Zip writer", .timeLimit(.minutes(4)))
struct ZipWriterTests {
    private let folder: TemporaryFolder
    private let text = Data((0..<60_000).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) })
    private let files: [(path: String, data: Data, method: ZipMethod)]

    init() throws {
        folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 7)
        let noise = Data((0..<700_001).map { _ in UInt8.random(in: 0...255, using: &random) })
        files = [
            ("empty.txt", Data(), .stored), ("empty.js", Data(), .deflated), ("js/app.js", text, .deflated),
            ("img/a.jpg", noise, .stored), ("noise.js", noise, .deflated), ("Kätilöt/日本語.html", Data([1]), .stored),
        ]
    }

    /// Writes the files, in pieces of a size, and returns the path of the zip.
    private func write(_ name: String, pieces: Int = 262_144, by writer: ZipWriter = ZipWriter()) throws -> String {
        let archive = "\(folder.path)/\(name)"
        try writer.write(to: archive) { writer in
            for file in files {
                try writer.begin(ArchivePath(file.path), size: Int64(file.data.count), method: file.method)
                var rest = file.data
                while !rest.isEmpty {
                    try writer.append(Data(rest.prefix(pieces)))
                    rest = rest.dropFirst(pieces)
                }
            }
        }
        return archive
    }

    @Test("The reader returns the files, and local headers have the sizes")
    func reading() throws {
        let archive = try write("a.zip")
        #expect(try contents(of: archive) == Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.data) }))
        let entries = try ZipValidator().validate(archive).entries
        #expect(entries.map(\.path.description) == files.map(\.path) && entries.map(\.method) == files.map(\.method))
        // No flag but that of UTF-8 names: no data descriptors.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        for entry in entries {
            let flags = bytes[Int(entry.headerOffset) + 6..<Int(entry.headerOffset) + 8]
            let isASCII = entry.path.description.utf8.allSatisfy { $0 < 0x80 }
            #expect(Array(flags) == [0, isASCII ? 0 : 8])
        }
    }

    @Test("Equal files give equal bytes, in pieces of any size")
    func determinism() throws {
        let first = try Data(contentsOf: URL(fileURLWithPath: write("a.zip")))
        for pieces in [1_000, 65_537, 1 << 30] {
            #expect(try Data(contentsOf: URL(fileURLWithPath: write("\(pieces).zip", pieces: pieces))) == first)
        }
    }

    @Test("Python reads the zip and finds equal checksums")
    func python() throws {
        let archive = try write("a.zip")
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            sys.exit(len(z.infolist()) != 6 or z.testzip() is not None)
            """
        _ = try runIfThere("python3", ["-c", script, archive])
    }

    @Test("More than 65,534 entries have a zip64 end record")
    func manyEntries() throws {
        for (count, isWide) in [(3, false), (65_535, true)] {
            let archive = "\(folder.path)/\(count).zip"
            try ZipWriter().write(to: archive) { writer in
                for index in 0..<count {
                    try writer.begin(ArchivePath("f\(index)"), size: 0, method: .stored)
                }
            }
            #expect(try ZipValidator().validate(archive).entries.count == count)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
            #expect((bytes.suffix(42).prefix(4) == Data(ZipSignature.zip64Locator)) == isWide)
        }
    }

    /// Returns the unsigned number of `count` bytes at an offset, the least significant byte first.
    private func number(_ bytes: Data, at offset: Int, _ count: Int) -> UInt64 {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    @Test(
        "Large entries and entries at large offsets have zip64 fields (APPNOTE 4.5.3)",
        arguments: [
            Zip64Thresholds(largestSize: 0), Zip64Thresholds(offset: 0), Zip64Thresholds(largestSize: 1, offset: 1),
            Zip64Thresholds(largestSize: 700_000, offset: 100_000), Zip64Thresholds(),
        ])
    func zip64(thresholds: Zip64Thresholds) throws {
        let archive = try write("a.zip", by: ZipWriter(thresholds: thresholds))
        #expect(try contents(of: archive) == Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.data) }))
        let directory = try ZipValidator().validate(archive)
        #expect(directory.entries.map(\.path.description) == files.map(\.path))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        var record = Int(directory.offset)
        for entry in directory.entries {
            let (header, name) = (Int(entry.headerOffset), entry.path.description.utf8.count)
            let isWide = entry.size > thresholds.largestSize
            let isFar = entry.headerOffset >= thresholds.offset
            let sizes = isWide ? [UInt64(entry.size), UInt64(entry.compressedSize)] : []
            let local = sizes.isEmpty ? [] : [1, 16] + sizes
            let wide = sizes + (isFar ? [UInt64(entry.headerOffset)] : [])
            let central = wide.isEmpty ? [] : [1, UInt64(wide.count * 8)] + wide
            // The version needed, the two sizes, and the extra field of both headers (APPNOTE 4.3.7 and 4.3.12).
            #expect(number(bytes, at: header + 4, 2) == (isWide ? 45 : 20))
            #expect(number(bytes, at: header + 18, 8) == narrow(entry, isWide))
            #expect(extra(bytes, at: header + 30 + name, number(bytes, at: header + 28, 2)) == local)
            #expect(number(bytes, at: record + 6, 2) == (isWide || isFar ? 45 : 20))
            #expect(number(bytes, at: record + 20, 8) == narrow(entry, isWide))
            #expect(number(bytes, at: record + 42, 4) == (isFar ? 0xFFFF_FFFF : UInt64(header)))
            #expect(extra(bytes, at: record + 46 + name, number(bytes, at: record + 30, 2)) == central)
            record += 46 + name + Int(number(bytes, at: record + 30, 2))
        }
        let isFar = directory.offset >= thresholds.offset
        #expect((bytes.suffix(42).prefix(4) == Data(ZipSignature.zip64Locator)) == isFar)
        #expect(number(bytes, at: bytes.count - 6, 4) == (isFar ? 0xFFFF_FFFF : UInt64(directory.offset)))
    }

    /// Returns the 32-bit fields of the compressed and the uncompressed size as one number.
    private func narrow(_ entry: ZipDirectory.Entry, _ isWide: Bool) -> UInt64 {
        isWide ? .max : UInt64(entry.size) << 32 | UInt64(entry.compressedSize)
    }

    /// Returns the identifier, the length and the 64-bit values of an extra field; nothing for a length of 0.
    private func extra(_ bytes: Data, at offset: Int, _ length: UInt64) -> [UInt64] {
        guard length >= 4 else { return [] }
        return [number(bytes, at: offset, 2), number(bytes, at: offset + 2, 2)]
            + (0..<Int(length - 4) / 8).map { number(bytes, at: offset + 4 + $0 * 8, 8) }
    }

    @Test("An entry with fewer or more bytes than declared is refused, and leaves no file")
    func mismatches() throws {
        let archive = "\(folder.path)/a.zip"
        expectRefusal(.mismatch) {
            try ZipWriter().write(to: archive) { writer in
                try writer.begin(ArchivePath("a"), size: 2, method: .stored)
                try writer.append(Data([1]))
                try writer.begin(ArchivePath("b"), size: 0, method: .stored)
            }
        }
        expectRefusal(.mismatch) {
            try ZipWriter().write(to: archive) { writer in
                try writer.begin(ArchivePath("a"), size: 2, method: .deflated)
                try writer.append(Data([1]))
            }
        }
        expectRefusal(.mismatch) {
            try ZipWriter().write(to: archive) { writer in
                try writer.begin(ArchivePath("a"), size: 1, method: .deflated)
                try writer.append(Data([1, 2]))
            }
        }
        expectRefusal(.mismatch) { try ZipWriter().write(to: archive) { try $0.append(Data([1])) } }
        #expect(try folder.names().isEmpty)
    }

    @Test("A file at the path stays, and is an error")
    func occupied() throws {
        let archive = try folder.write("a.zip", [7])
        expectRefusal(.io) { try ZipWriter().write(to: archive) { _ in } }
        #expect(try folder.text(of: "a.zip") == "\u{7}")
    }
}
