// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CInflate
import Foundation
import Testing

/// What zlib makes of bytes.
enum Deflate {
    /// - Parameter window: 31 for gzip, 15 for zlib's own format, -15 for neither.
    static func encode(_ data: Data, window: CInt) throws -> Data {
        var stream = z_stream()
        try #require(
            deflateInit2_(
                &stream, 9, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                CInt(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(data.count))) + 64)
        let (inputCount, outputCount) = (input.count, output.count)
        let written = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(inputCount)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(outputCount)
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? outputCount - Int(stream.avail_out) : -1
            }
        }
        try #require(written >= 0)
        return Data(output.prefix(written))
    }
}
