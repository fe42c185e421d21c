// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import Testing
import ZlibStreams

@_spi(Packaging) @testable import PackageFormat

/// Tests that small files, which are inflated with one call, give the same results as in pieces.
@Suite("Whole slices", .timeLimit(.minutes(3)))
struct WholeInflaterTests {
    private let text = Data((0..<300).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) })
    private let folder: TemporaryFolder
    private let packed: Data

    init() throws {
        folder = try TemporaryFolder()
        let archive = "\(folder.path)/a.zip"
        let text = text
        try ZipWriter().write(to: archive) { writer in
            try writer.begin(ArchivePath("a"), size: Int64(text.count), method: .deflated)
            try writer.append(text)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        let entry = try #require(try ZipValidator().validate(bytes).entries.first)
        packed = Data(bytes[Int(entry.dataOffset)...].prefix(Int(entry.compressedSize)))
    }

    private func outcome(_ body: () throws -> Data) throws -> Result<Data, PackageError> {
        do {
            return try .success(body())
        } catch let error as PackageError {
            return .failure(error)
        }
    }

    /// Inflates a slice from a file and with an incremental inflater, and expects equal results.
    private func expectSame(_ packed: Data, size: Int, slice length: Int? = nil, _ comment: Comment) throws {
        let slice = ArchiveSlice(offset: 0, size: Int64(length ?? packed.count), method: .deflate)
        let digest = SHA256Digest(of: packed)
        var file = try PackageManifest.File(
            path: ArchivePath("a"), size: Int64(size), sha256: digest, mediaType: "a/b")
        file.slice = slice
        let manifest = try PackageManifest(
            id: PackageID("a"), version: PackageVersion("1"), baseURL: PackageBaseURL("https://h.example/"),
            archive: .init(size: max(slice.size, 1), sha256: digest), files: [file])
        let archive = "\(folder.path)/slice"
        try packed.write(to: URL(fileURLWithPath: archive))
        let stored = try outcome {
            var data = Data()
            let sliced = try SlicedArchive(archive, manifest: manifest, isWhole: false)
            try sliced.read(sliced.files) { _, reader in
                while let piece = try reader.next() { data.append(piece) }
            }
            return data
        }
        let arrived = try outcome {
            var data = Data()
            var inflater = try SliceInflater(slice, size: Int64(size), name: "a")
            try inflater.append(packed) { data.append($0) }
            try inflater.finish()
            return data
        }
        switch (stored, arrived) {
        case (.success(let stored), .success(let arrived)): #expect(stored == arrived, comment)
        case (.failure(let stored), .failure(let arrived)):
            #expect(stored.code == arrived.code, "\(comment): \(stored), \(arrived)")
        default: Issue.record("\(comment): \(stored), \(arrived)")
        }
    }

    @Test("A valid slice is inflated with one call if libdeflate is available")
    func sound() throws {
        try expectSame(packed, size: text.count, "sound")
        #if os(Linux)
            let inflater = try #require(WholeInflater())
            var output = Data(count: text.count)
            let isTaken = output.withUnsafeMutableBytes { output in
                packed.withUnsafeBytes { inflater.inflate($0, into: output) }
            }
            #expect(isTaken && output == text)
            // With an extra byte or another declared size, the slice is not inflated with one call.
            for (input, size) in [(packed + [0], text.count), (packed, text.count + 1), (packed, text.count - 1)] {
                var output = Data(count: size)
                let isTaken = output.withUnsafeMutableBytes { output in
                    input.withUnsafeBytes { inflater.inflate($0, into: output) }
                }
                #expect(!isTaken)
            }
        #endif
    }

    @Test("Flipped bits, truncations, extra bytes and wrong sizes give the same results as in pieces")
    func damaged() throws {
        for bit in 0..<(packed.count * 8) {
            var flipped = packed
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            try expectSame(flipped, size: text.count, "bit \(bit)")
        }
        for length in 1..<packed.count {
            try expectSame(packed.prefix(length), size: text.count, "slice of \(length)")
        }
        for spare in 1...9 { try expectSame(packed + Data(count: spare), size: text.count, "\(spare) spare") }
        for size in [1, text.count - 1, text.count + 1, text.count * 2] {
            try expectSame(packed, size: size, "size \(size)")
        }
    }
}
