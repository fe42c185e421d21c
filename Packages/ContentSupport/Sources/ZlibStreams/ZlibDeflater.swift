// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// A zlib compressor for bytes in memory, for tests.
@_spi(Testing) public enum ZlibDeflater {
    /// Returns the compressed bytes.
    /// - Parameters:
    ///   - bytes: the bytes to deflate, at most 1 GiB.
    ///   - format: the format of the result.
    /// - Throws: ``ZlibError/noMemory``.
    public static func deflate(
        _ bytes: UnsafeRawBufferPointer, as format: ZlibFormat
    ) throws(ZlibError) -> [UInt8] {
        // The limit ensures that the bound of the output fits zlib's 32-bit counters.
        precondition(bytes.count <= 1 << 30, "more than 1 GiB")
        // The stream is on the heap, because zlib keeps a pointer to it.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = CInt(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                stream, Z_BEST_COMPRESSION, Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
                == Z_OK
        else { throw .noMemory }
        defer { deflateEnd(stream) }
        let bound = Int(deflateBound(stream, UInt(bytes.count)))
        return [UInt8](unsafeUninitializedCapacity: bound) { output, count in
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(bytes.count)
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = UInt32(bound)
            // The output buffer has the size of the bound, so that one call is enough.
            let status = CZlib.deflate(stream, Z_FINISH)
            precondition(status == Z_STREAM_END, "the bound of zlib is too small")
            count = bound - Int(stream.pointee.avail_out)
        }
    }
}
