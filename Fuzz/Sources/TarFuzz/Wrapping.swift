// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Encoders of gzip and zstd without compression.
enum Wrapping {
    /// Returns stored blocks (RFC 1951, section 3.2.4) with the gzip header and trailer.
    static func gzip(_ data: Data) -> Data {
        var out = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        var rest = data
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            out += [rest.isEmpty ? 1 : 0] + bytes(length) + bytes(~length) + block
        } while !rest.isEmpty
        let crc32 = ~data.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return out + bytes(crc32) + bytes(UInt32(truncatingIfNeeded: data.count))
    }

    /// Returns a frame of raw blocks (RFC 8878, section 3.1.1).
    static func zstandard(_ data: Data) -> Data {
        var out = Data([0x28, 0xB5, 0x2F, 0xFD, 0xE0] + bytes(UInt64(data.count)))
        var rest = data
        repeat {
            let block = rest.prefix(0x1_0000)
            rest = rest.dropFirst(block.count)
            out += bytes(UInt32(block.count << 3 | (rest.isEmpty ? 1 : 0))).prefix(3) + block
        } while !rest.isEmpty
        return out
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}
