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
    private func write(_ name: String, pieces: Int = 262_144) throws -> String {
        let archive = "\(folder.path)/\(name)"
        try ZipWriter().write(to: archive) { writer in
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
