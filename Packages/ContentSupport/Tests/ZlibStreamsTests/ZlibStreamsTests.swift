// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
@_spi(Testing) import ZlibStreams

@Suite(.timeLimit(.minutes(1)))
struct ZlibStreamsTests {
    private let bytes = (0..<9_000).flatMap { Array("line \($0 &* 2_654_435_761 % 97)\n".utf8) }

    private func deflate(_ bytes: [UInt8], as format: ZlibFormat) throws -> [UInt8] {
        try bytes.withUnsafeBytes { try ZlibDeflater.deflate($0, as: format) }
    }

    /// Inflates data in chunks.
    private func inflate(
        _ packed: [UInt8], with inflater: ZlibInflater, step: Int, space: Int
    ) throws -> (bytes: [UInt8], consumed: Int) {
        var result: [UInt8] = []
        var output = [UInt8](repeating: 0, count: space)
        var position = 0
        while !inflater.isAtEnd {
            let input = packed[position..<min(position + step, packed.count)]
            let (consumed, produced) = try output.withUnsafeMutableBytes { output in
                try input.withUnsafeBytes { try inflater.inflate($0, into: output) }
            }
            guard consumed > 0 || produced > 0 else { break }
            position += consumed
            result += output[..<produced]
        }
        return (result, position)
    }

    @Test(arguments: [ZlibFormat.raw, .zlib, .gzip], [1, 100, 1 << 20])
    func `Inflates deflated data in pieces of any size`(format: ZlibFormat, step: Int) throws {
        for bytes in [bytes, [], [7]] {
            let packed = try deflate(bytes, as: format)
            for space in [1, 1_000, 1 << 20] {
                let inflater = try ZlibInflater(format)
                // Bytes after the end of the compressed data are not consumed.
                let (result, consumed) = try inflate(packed + [1, 2, 3], with: inflater, step: step, space: space)
                #expect(result == bytes && consumed == packed.count && inflater.isAtEnd)
            }
        }
    }

    @Test(arguments: [1, 999, 1 << 20])
    func `The encoder gives data that inflates to the same bytes and starts again`(step: Int) throws {
        let encoder = try DeflateEncoder()
        for bytes in [bytes, [], [7], bytes] {
            var packed: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                bytes[start..<min(start + step, bytes.count)].withUnsafeBytes {
                    encoder.encode($0, isLast: false) { packed += $0 }
                }
            }
            encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) { packed += $0 }
            let inflater = try ZlibInflater(.raw)
            let (result, consumed) = try inflate(packed, with: inflater, step: 1 << 20, space: 1 << 20)
            #expect(result == bytes && consumed == packed.count && inflater.isAtEnd)
        }
    }

    @Test func `Output of the encoder does not depend on the sizes of the pieces, nor on earlier data`() throws {
        let encoder = try DeflateEncoder()
        var results: [[UInt8]] = []
        for step in [bytes.count, 1, 10_007] {
            var packed: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: step) {
                let end = min(start + step, bytes.count)
                bytes[start..<end].withUnsafeBytes {
                    encoder.encode($0, isLast: end == bytes.count) { packed += $0 }
                }
            }
            results.append(packed)
        }
        #expect(results.dropFirst().allSatisfy { $0 == results[0] })
    }

    @Test func `An inflater can be reused after a reset`() throws {
        let packed = try deflate(bytes, as: .gzip)
        let inflater = try ZlibInflater(.gzip)
        for _ in 0..<2 {
            #expect(try inflate(packed, with: inflater, step: 999, space: 999).bytes == bytes)
            inflater.reset()
        }
    }

    @Test func `Truncated data does not reach the end`() throws {
        let packed = try deflate(bytes, as: .zlib)
        let inflater = try ZlibInflater(.zlib)
        let (result, consumed) = try inflate(packed.dropLast(), with: inflater, step: 1 << 20, space: 1 << 20)
        #expect(result == bytes && consumed == packed.count - 1 && !inflater.isAtEnd)
    }

    @Test func `Damaged data is an error`() throws {
        var packed = try deflate(bytes, as: .gzip)
        packed[packed.count - 1] ^= 1
        #expect(throws: ZlibError.damaged("incorrect length check")) {
            try inflate(packed, with: ZlibInflater(.gzip), step: 1 << 20, space: 1 << 20)
        }
        packed[packed.count - 8] ^= 1
        #expect(throws: ZlibError.damaged("incorrect data check")) {
            try inflate(packed, with: ZlibInflater(.gzip), step: 1 << 20, space: 1 << 20)
        }
        // FDICT is set, with a valid header check (RFC 1950, section 2.2).
        #expect(throws: ZlibError.needsDictionary) {
            try inflate([0x78, 0xbb, 0, 0, 0, 1, 0, 0], with: ZlibInflater(.zlib), step: 100, space: 100)
        }
    }

    #if os(Linux)
        @Test func `Inflates complete data in one call`() throws {
            let packed = try deflate(bytes, as: .raw)
            let inflater = try #require(WholeInflater())
            // Neither trailing bytes nor another output size are accepted.
            for (input, size, isTaken) in [
                (packed, bytes.count, true), (packed + [0], bytes.count, false), (packed, bytes.count + 1, false),
                (packed, bytes.count - 1, false), (packed.dropLast(), bytes.count, false),
            ] {
                var output = [UInt8](repeating: 0, count: size)
                let result = output.withUnsafeMutableBytes { output in
                    input.withUnsafeBytes { inflater.inflate($0, into: output) }
                }
                #expect(result == isTaken)
                if isTaken { #expect(output == bytes) }
            }
        }
    #endif

    /// The check value of CRC-32/ISO-HDLC, and the definition of RFC 1952, section 8.
    @Test func `Checksums agree with the standard`() {
        func checksum(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { CRC32.checksum(of: $0) } }
        #expect(checksum(Array("123456789".utf8)) == 0xcbf4_3926)
        #expect(checksum([]) == 0)
        let expected = ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xedb8_8320 : crc >> 1 }
        }
        #expect(checksum(bytes) == expected)
        for count in [0, 1, bytes.count / 2, bytes.count] {
            let start = checksum(Array(bytes.prefix(count)))
            let rest = Array(bytes.dropFirst(count))
            #expect(rest.withUnsafeBytes { CRC32.checksum(of: $0, after: start) } == expected, "\(count)")
        }
        #expect(CRC32.checksum(of: UnsafeRawBufferPointer(start: nil, count: 0), after: expected) == expected)
    }
}
