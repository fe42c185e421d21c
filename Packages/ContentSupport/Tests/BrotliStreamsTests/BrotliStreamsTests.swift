// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BrotliStreams
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BrotliStreamsTests {
    /// A text, and its encoding by the reference encoder with quality 11.
    private struct Sample {
        let text: [UInt8]
        let packed: [UInt8]

        init(_ text: some Sequence<UInt8>, _ base64: String) throws {
            self.text = Array(text)
            packed = Array(try #require(Data(base64Encoded: base64)))
        }

        static func lines() throws -> Sample {
            try Sample(
                (0..<9_000).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) },
                """
                W58VgUfcwb63VAlUwYkgO3YPKPFQW2IubMBJwUorDT8nPl35go6eMt/SW+78+xQg0948kNHI4jTm9wEy7eUhOY0sTsf28ECm\
                vf0gTiOLq017fCDT7p7FaWTpyLSnBzItsjiNXIBMe36gP5dCwNQA
                """)
        }

        static func all() throws -> [Sample] {
            // The third text is found in the dictionary of RFC 7932, appendix A.
            let words = "the time of the Internet and the International Community; https://www."
            return [
                try lines(), try Sample(Array(repeating: 0x61, count: 100_000), "W5+GgV8iLB4LBLL8AgA="),
                try Sample(String(repeating: words, count: 3).utf8, "G9EASKVAdmADDhxT7cEW1MEhh3j8iprnqcbd2APgmGrdgA=="),
                try Sample([], "Bg=="), try Sample([7], "CwCABwM="),
            ]
        }
    }

    /// Decodes data in chunks.
    private func decode(
        _ packed: [UInt8], step: Int = .max, space: Int = 1 << 20
    ) throws -> (bytes: [UInt8], consumed: Int, isAtEnd: Bool) {
        let decoder = try BrotliDecoder()
        var result: [UInt8] = []
        var output = [UInt8](repeating: 0, count: space)
        var position = 0
        while !decoder.isAtEnd {
            let input = packed[position..<position + min(step, packed.count - position)]
            let (consumed, produced) = try output.withUnsafeMutableBytes { output in
                try input.withUnsafeBytes { try decoder.decode($0, into: output) }
            }
            guard consumed > 0 || produced > 0 else { break }
            position += consumed
            result += output[..<produced]
        }
        return (result, position, decoder.isAtEnd)
    }

    @Test(arguments: [1, 7, .max])
    func `Decodes data in pieces of any size`(step: Int) throws {
        for sample in try Sample.all() {
            for space in [1, 1_000, 1 << 20] {
                // Bytes after the end of the compressed data are not consumed.
                let (bytes, consumed, isAtEnd) = try decode(sample.packed + [1, 2, 3], step: step, space: space)
                #expect(bytes == sample.text && consumed == sample.packed.count && isAtEnd)
            }
        }
    }

    @Test func `Returns what can be decoded from a part of the data`() throws {
        // A window of 64 KiB, an uncompressed meta-block of three bytes, and the empty last one (RFC 7932, section 9).
        let packed: [UInt8] = [0x20, 0, 0x10, 0x61, 0x62, 0x63, 0x03]
        for (count, text) in [(3, []), (4, [0x61]), (6, [0x61, 0x62, 0x63])] as [(Int, [UInt8])] {
            let (bytes, consumed, isAtEnd) = try decode(Array(packed.prefix(count)))
            #expect(bytes == text && consumed == count && !isAtEnd)
        }
        #expect(try decode(packed).isAtEnd)
    }

    @Test func `Truncated data does not reach the end`() throws {
        for sample in try Sample.all() {
            for count in sample.packed.indices {
                let (bytes, consumed, isAtEnd) = try decode(Array(sample.packed.prefix(count)))
                #expect(sample.text.starts(with: bytes) && consumed == count && !isAtEnd)
            }
        }
    }

    @Test(
        arguments: [
            // Bits of the window that only large windows use, an extension of the format.
            [0x11, 0x1e, 0x03],
            // A reserved bit of an empty meta-block, and padding that is not zero (RFC 7932, section 9.2).
            [0x1c], [0x20, 0, 0xf0, 0x61, 0x62, 0x63, 0x03],
            Array("<!doctype html><title>Not Brotli</title>".utf8), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff],
        ] as [[UInt8]])
    func `Data of another format is an error`(data: [UInt8]) {
        for step in [1, .max] {
            #expect(throws: BrotliError.damaged) { try decode(data, step: step) }
        }
    }

    @Test func `Damaged data is an error, or other data`() throws {
        let sample = try Sample.lines()
        var errors = 0
        for index in sample.packed.indices {
            for bit in 0..<8 {
                var damaged = sample.packed
                damaged[index] ^= 1 << bit
                do {
                    _ = try decode(damaged)
                } catch {
                    #expect(error as? BrotliError == .damaged)
                    errors += 1
                }
            }
        }
        #expect(errors > 0)
    }

    @Test func `An empty output changes nothing`() throws {
        let decoder = try BrotliDecoder()
        let output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        let (consumed, produced) = try [0x06].withUnsafeBytes { try decoder.decode($0, into: output) }
        #expect(consumed == 0 && produced == 0 && !decoder.isAtEnd)
    }
}
