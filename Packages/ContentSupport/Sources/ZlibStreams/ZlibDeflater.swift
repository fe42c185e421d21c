// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// Deflates bytes that are in memory, with zlib.
public enum ZlibDeflater {
    /// Returns the deflated bytes.
    /// - Parameters:
    ///   - format: the format of the result.
    ///   - level: 0, for no compression, to 9, for the best compression.
    /// - Throws: ``ZlibError/noMemory``.
    public static func deflate(
        _ bytes: UnsafeRawBufferPointer, as format: ZlibFormat, level: Int = 9
    ) throws(ZlibError) -> [UInt8] {
        precondition(bytes.count <= UInt32.max, "zlib counts in 32 bits")
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, CInt(level), Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw .noMemory }
        defer { deflateEnd(&stream) }
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.avail_in = UInt32(bytes.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(clamping: bound)
            // The bound is enough, so that one call brings all.
            let status = CZlib.deflate(&stream, Z_FINISH)
            precondition(status == Z_STREAM_END, "the bound of zlib is too small")
            count = bound - Int(stream.avail_out)
        }
    }
}
