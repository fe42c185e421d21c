// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A minimal gzip encoder (RFC 1951, RFC 1952).
enum Gzip {
    private static let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]

    /// Returns the bytes unchanged in stored blocks.
    static func store(_ data: Data) -> Data {
        var result = Data(header)
        var rest = data[...]
        repeat {
            let block = rest.prefix(0xffff)
            rest = rest.dropFirst(block.count)
            result.append(rest.isEmpty ? 1 : 0)
            result.append(littleEndian: UInt16(block.count))
            result.append(littleEndian: ~UInt16(block.count))
            result.append(block)
        } while !rest.isEmpty
        result.append(littleEndian: checksum(data))
        result.append(littleEndian: UInt32(truncatingIfNeeded: data.count))
        return result
    }

    /// Returns an encoding of at least `count` zero bytes in 1/158 of their size. The checksum is wrong, because no
    /// test decodes to the end.
    static func bomb(_ count: Int) -> Data {
        var bits = BitWriter()
        bits.write([1, 1, 0])  // The last block, with fixed codes.
        bits.write([0, 0, 1, 1, 0, 0, 0, 0])  // The literal 0.
        for _ in 0...count / 258 {
            bits.write([1, 1, 0, 0, 0, 1, 0, 1])  // Length 258 …
            bits.write([0, 0, 0, 0, 0])  // … at distance 1.
        }
        bits.write([0, 0, 0, 0, 0, 0, 0])  // The end.
        return Data(header) + bits.bytes + Data(repeating: 0, count: 8)
    }

    private struct BitWriter {
        private(set) var bytes: [UInt8] = []
        private var used = 8

        mutating func write(_ bits: [UInt8]) {
            for bit in bits {
                if used == 8 {
                    bytes.append(0)
                    used = 0
                }
                bytes[bytes.count - 1] |= bit << used
                used += 1
            }
        }
    }

    private static func checksum(_ data: Data) -> UInt32 {
        var crc = UInt32.max
        for byte in data {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                let isOdd = crc & 1 == 1
                crc >>= 1
                if isOdd { crc ^= 0xedb8_8320 }
            }
        }
        return ~crc
    }
}

extension Data {
    fileprivate mutating func append(littleEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
