// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@_spi(Packaging) @testable import PackageFormat

@Suite("Slice inflater", .timeLimit(.minutes(1)))
struct SliceInflaterTests {
    /// Raw deflate of "hello" in one stored block.
    private static let hello: [UInt8] = [1, 5, 0, 0xFA, 0xFF] + Array("hello".utf8)

    /// Inflates in pieces of `step` bytes.
    private func inflate(
        _ packed: [UInt8], size: Int64, method: ArchiveSlice.Method = .deflate, announced: Int? = nil,
        step: Int = .max
    ) throws -> Data {
        var inflater = try SliceInflater(
            ArchiveSlice(offset: 0, size: Int64(announced ?? packed.count), method: method), size: size, name: "a")
        var result = Data()
        var rest = packed[...]
        while !rest.isEmpty {
            try inflater.append(Data(rest.prefix(step))) { piece in
                #expect(!piece.isEmpty && piece.count <= 256 << 10)
                result.append(piece)
                #expect(Int64(result.count) <= size)
            }
            rest = rest.dropFirst(step)
        }
        try inflater.finish()
        return result
    }

    @Test("Stored and deflated slices are decoded for every piece size", arguments: [1, 2, 3, 7, .max])
    func whole(step: Int) throws {
        #expect(try inflate(Self.hello, size: 5, step: step) == Data("hello".utf8))
        #expect(try inflate(Array("hello".utf8), size: 5, method: .stored, step: step) == Data("hello".utf8))
        #expect(try inflate([3, 0], size: 0, step: step).isEmpty)
        #expect(try inflate([], size: 0, method: .stored).isEmpty)
        // Two blocks, of which the first is empty.
        #expect(try inflate([0, 0, 0, 0xFF, 0xFF] + Self.hello, size: 5, step: step) == Data("hello".utf8))
    }

    @Test("Output that is still in zlib after the last input is returned", arguments: [1, 13, 1_000, .max])
    func dense(step: Int) throws {
        let folder = try TemporaryFolder()
        let size = 3 << 20
        let archive = "\(folder.path)/a.zip"
        try ZipWriter().write(to: archive) { writer in
            try writer.begin(ArchivePath("a"), size: Int64(size), method: .deflated)
            try writer.append(Data(repeating: 7, count: size))
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        let entry = try #require(
            try ZipValidator(limits: ArchiveLimits(maxRatio: 2_000)).validate(bytes).entries.first)
        let packed = [UInt8](bytes[Int(entry.dataOffset)...].prefix(Int(entry.compressedSize)))
        #expect(try inflate(packed, size: Int64(size), step: step) == Data(repeating: 7, count: size))
        // A declared size of one byte less or more than the decoded size is an error for every piece size.
        expectRefusal(.damaged) { try inflate(packed, size: Int64(size - 1), step: step) }
        expectRefusal(.damaged) { try inflate(packed, size: Int64(size + 1), step: step) }
        expectRefusal(.damaged) { try inflate(packed, size: 1, step: step) }
    }

    @Test("Data that ends early is rejected", arguments: [1, .max])
    func truncated(step: Int) {
        for length in 0..<Self.hello.count {
            let cut = Array(Self.hello.prefix(length))
            expectRefusal(.truncated, comment: "\(length)") {
                try inflate(cut, size: 5, announced: Self.hello.count, step: step)
            }
            // The slice declares only the bytes that arrive.
            expectRefusal(.damaged, comment: "\(length)") { try inflate(cut, size: 5, step: step) }
        }
        expectRefusal(.truncated) { try inflate(Array("hell".utf8), size: 5, method: .stored, announced: 5) }
    }

    @Test("Data with a wrong end or a wrong length is rejected", arguments: [1, .max])
    func wrong(step: Int) {
        expectRefusal(.damaged) { try inflate(Self.hello + [0], size: 5, step: step) }
        expectRefusal(.damaged) { try inflate(Self.hello + Self.hello, size: 10, step: step) }
        expectRefusal(.mismatch) { try inflate(Self.hello + [0], size: 5, announced: Self.hello.count, step: step) }
        expectRefusal(.damaged) { try inflate(Self.hello, size: 4, step: step) }
        expectRefusal(.damaged) { try inflate(Self.hello, size: 6, step: step) }
        expectRefusal(.damaged) { try inflate(Self.hello, size: .max, step: step) }
        expectRefusal(.damaged) { try inflate([3, 0], size: 1, step: step) }
        // The last block is missing.
        expectRefusal(.damaged) { try inflate([0] + Self.hello.dropFirst(), size: 5, step: step) }
        expectRefusal(.mismatch) {
            try inflate(Array("hello!".utf8), size: 5, method: .stored, announced: 5, step: step)
        }
        expectRefusal(.badManifest) { try inflate(Array("hello".utf8), size: 4, method: .stored, step: step) }
        expectRefusal(.badManifest) { try inflate(Self.hello, size: -1, step: step) }
        expectRefusal(.badManifest) { try inflate(Self.hello, size: 5, announced: -1, step: step) }
        // A reserved block type, a length without its complement, and a distance before the start.
        for bad: [UInt8] in [[7], [1, 5, 0, 0, 0], [0x4B, 4, 2, 0], [0x63, 0x00, 0x02, 0xFF]] {
            expectRefusal(.damaged) { try inflate(bad, size: 5, step: step) }
        }
        // The wrappers of zlib and gzip are not raw deflate.
        expectRefusal(.damaged) { try inflate([0x78, 0x9C] + Self.hello, size: 5, step: step) }
    }

    @Test("After an error there is no more output, and finish fails")
    func poisoned() throws {
        var inflater = try SliceInflater(ArchiveSlice(offset: 0, size: 20, method: .deflate), size: 10, name: "a")
        expectRefusal(.damaged) { try inflater.append(Data([7, 7])) { _ in } }
        expectRefusal(.io) { try inflater.append(Data(Self.hello)) { _ in Issue.record("unexpected output") } }
        expectRefusal(.io) { try inflater.finish() }
        // The same applies if the consumer fails.
        struct Stop: Error {}
        inflater = try SliceInflater(ArchiveSlice(offset: 0, size: 10, method: .deflate), size: 5, name: "a")
        #expect(throws: Stop.self) { try inflater.append(Data(Self.hello)) { _ in throw Stop() } }
        expectRefusal(.io) { try inflater.finish() }
    }

    @Test("A flipped bit is rejected, or gives the declared number of bytes")
    func flipped() throws {
        let folder = try TemporaryFolder()
        let archive = "\(folder.path)/a.zip"
        let text = Data((0..<2_000).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) })
        try ZipWriter().write(to: archive) { writer in
            try writer.begin(ArchivePath("a"), size: Int64(text.count), method: .deflated)
            try writer.append(text)
        }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: archive))
        let entry = try #require(try ZipValidator().validate(bytes).entries.first)
        let packed = [UInt8](bytes[Int(entry.dataOffset)...].prefix(Int(entry.compressedSize)))
        #expect(try inflate(packed, size: Int64(text.count)) == text)
        for bit in 0..<(packed.count * 8) {
            var flipped = packed
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            do {
                #expect(try inflate(flipped, size: Int64(text.count)).count == text.count)
            } catch let error as PackageError {
                #expect([.damaged, .truncated].contains(error.code), "\(error)")
            }
        }
    }
}
