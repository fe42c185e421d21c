// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
@_spi(Packaging) import PackageFormat
import Testing
@_spi(Testing) import ZlibStreams

/// Tests of the data of zip entries, which the validator does not read.
@Suite("Reading zip entries", .timeLimit(.minutes(2)))
struct ZipEntryTests {
    private static let text = (0..<200).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) }

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func deflate(_ bytes: [UInt8], as format: ZlibFormat = .raw) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try ZlibDeflater.deflate($0, as: format) }
    }

    /// Returns an entry of bytes that are deflated as `data`, or stored if there is no `data`.
    private static func entry(_ name: String, _ bytes: [UInt8], deflatedAs data: [UInt8]?) -> ZipMaker.Entry {
        var entry = ZipMaker.Entry(Array(name.utf8), bytes)
        guard let data else { return entry }
        entry.method = 8
        entry.data = data
        entry.compressedSize = UInt32(data.count)
        return entry
    }

    @Test("Entries of all sizes are read, stored and deflated, with and without data descriptors")
    func sizes() throws {
        var maker = ZipMaker([])
        var expected: [String: Data] = [:]
        // A piece has at most 262,144 bytes.
        for (index, size) in [0, 1, 4_000, 262_144, 262_145].enumerated() {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
            for data in [nil, try Self.deflate(bytes)] {
                let name = "\(size)-\(data == nil)"
                var entry = Self.entry(name, bytes, deflatedAs: data)
                if index.isMultiple(of: 2) { entry.stream(signature: data == nil, wide: false) }
                maker.entries.append(entry)
                expected[name] = Data(bytes)
            }
        }
        #expect(try contents(of: folder.write("a.zip", maker.bytes())) == expected)
    }

    @Test("An empty entry may be deflated without data, as some writers do")
    func empty() throws {
        let maker = ZipMaker([
            Self.entry("none", [], deflatedAs: []), Self.entry("end", [], deflatedAs: [3, 0]), .init("a"),
        ])
        #expect(
            try contents(of: folder.write("a.zip", maker.bytes()))
                == ["none": Data(), "end": Data(), "a": Data("hello".utf8)])
    }

    /// A defect of the data of an entry.
    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Makes the entry from the bytes and their deflated form.
        let entry: @Sendable (_ bytes: [UInt8], _ deflated: [UInt8]) throws -> ZipMaker.Entry
    }

    private static let defects: [Defect] = [
        Defect(testDescription: "last byte is missing") { entry("x", $0, deflatedAs: $1.dropLast()) },
        Defect(testDescription: "half of the data is missing") {
            entry("x", $0, deflatedAs: Array($1.prefix($1.count / 2)))
        },
        Defect(testDescription: "no data") { bytes, _ in entry("x", bytes, deflatedAs: []) },
        Defect(testDescription: "byte after the data") { entry("x", $0, deflatedAs: $1 + [0]) },
        Defect(testDescription: "second stream after the data") { entry("x", $0, deflatedAs: $1 + $1) },
        Defect(testDescription: "larger than declared") { entry("x", $0.dropLast(), deflatedAs: $1) },
        Defect(testDescription: "smaller than declared") { entry("x", $0 + [0], deflatedAs: $1) },
        Defect(testDescription: "empty, with data") { entry("x", [], deflatedAs: $1) },
        Defect(testDescription: "no end marker") { bytes, _ in
            let length = UInt16(bytes.count)
            let block = [0] + ZipMaker.bytes(length) + ZipMaker.bytes(~length) + bytes
            return entry("x", bytes, deflatedAs: block)
        },
        Defect(testDescription: "reserved block type") { bytes, _ in entry("x", bytes, deflatedAs: [7]) },
        // The code of the distance is 30, which RFC 1951, section 3.2.6, reserves.
        Defect(testDescription: "reserved distance") { bytes, _ in
            entry("x", bytes, deflatedAs: [0x4B, 0x04, 0x3E, 0x00])
        },
        Defect(testDescription: "zlib instead of deflate") { bytes, _ in
            try entry("x", bytes, deflatedAs: deflate(bytes, as: .zlib))
        },
        Defect(testDescription: "wrong CRC-32 of deflated data") {
            var bad = entry("x", $0, deflatedAs: $1)
            bad.crc32 ^= 1
            return bad
        },
        Defect(testDescription: "wrong CRC-32 of stored data") { bytes, _ in
            var bad = entry("x", bytes, deflatedAs: nil)
            bad.crc32 ^= 1 << 31
            return bad
        },
        Defect(testDescription: "wrong CRC-32 after more than one piece") { _, _ in
            let bytes = [UInt8](repeating: 7, count: 270_000)
            var bad = try entry("x", bytes, deflatedAs: deflate(bytes))
            bad.crc32 ^= 1
            return bad
        },
    ]

    @Test("A defect of the data is an error, in every place, also if the entry is not read", arguments: defects)
    func defect(_ defect: Defect) throws {
        let deflated = try Self.deflate(Self.text)
        let good = Self.entry("good", Self.text, deflatedAs: deflated)
        #expect(try contents(of: folder.write("a.zip", ZipMaker([good]).bytes())) == ["good": Data(Self.text)])
        for isStreamed in [false, true] {
            var bad = try defect.entry(Self.text, deflated)
            if isStreamed { bad.stream(signature: true, wide: true) }
            for entries in [[bad], [bad, good], [good, bad]] {
                let archive = try folder.write("a.zip", ZipMaker(entries).bytes())
                expectRefusal(.damaged) { try contents(of: archive) }
                expectRefusal(.damaged) { try ArchiveReader().read(archive, limits: .default) { _, _ in } }
                expectRefusal(.damaged) {
                    try Unpacker(isDurable: false).unpack(archive, into: "\(folder.path)/out")
                }
                // The reader also fails if the visitor ignores the error of the entry.
                expectRefusal {
                    try ArchiveReader().read(archive, limits: .default) { _, reader in
                        do { while try reader.next() != nil {} } catch {}
                    }
                }
                #expect(try folder.names() == ["a.zip"])
            }
        }
    }

    @Test("Links, encrypted entries and unknown methods are rejected before any entry is read")
    func structure() throws {
        func refuses(_ code: PackageError.Code, _ change: (inout ZipMaker.Entry) -> Void) throws {
            var maker = ZipMaker("a", "b")
            change(&maker.entries[1])
            let archive = try folder.write("a.zip", maker.bytes())
            expectRefusal(code) {
                try ArchiveReader().read(archive, limits: .default) { entry, _ in
                    Issue.record("\(entry.path) was read")
                }
            }
        }
        try refuses(.specialFile) { $0.attributes = 0o120777 << 16 }
        try refuses(.headerMismatch) { $0.attributes = 0o040755 << 16 }
        try refuses(.encrypted) { $0.flags |= 1 }
        try refuses(.encrypted) { $0.flags |= 1 << 6 }
        try refuses(.unsupported) { $0.flags |= 1 << 5 }
        try refuses(.unsupported) { $0.method = 9 }
        try refuses(.overlap) { $0.gap = [0] }
        try refuses(.headerMismatch) { $0.size = 6 }
        try refuses(.duplicateEntry) { $0.name = Array("A".utf8) }
    }
}
