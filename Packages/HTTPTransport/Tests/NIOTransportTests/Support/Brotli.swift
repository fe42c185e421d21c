// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A minimal Brotli encoder (RFC 7932).
enum Brotli {
    /// Returns the bytes unchanged in uncompressed meta-blocks (section 9.2) of at most 64 KiB.
    static func store(_ data: Data) -> Data {
        var result = Data()
        var rest = data[...]
        while !rest.isEmpty {
            let block = rest.prefix(1 << 16)
            rest = rest.dropFirst(block.count)
            // ISLAST 0, MNIBBLES 4 as 0, MLEN - 1 in 16 bits, ISUNCOMPRESSED 1.
            let header = UInt32(block.count - 1) << 3 | 1 << 19
            // WBITS 16 is one bit, 0, before the first meta-block.
            let bits = result.isEmpty ? header << 1 : header
            withUnsafeBytes(of: bits.littleEndian) { result.append(contentsOf: $0.prefix(3)) }
            result.append(block)
        }
        // ISLAST 1, ISLASTEMPTY 1. WBITS precedes them if there is no other meta-block.
        result.append(result.isEmpty ? 0b110 : 0b11)
        return result
    }

    /// 8 MiB of zeros in 14 bytes, by the reference encoder.
    static let zeros = Data(base64Encoded: "m///f/gnAOKxQCD3/g8=") ?? Data()
}
