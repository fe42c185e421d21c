// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// An incremental compressor for raw deflate (RFC 1951) that uses zlib with its default level.
///
/// Equal bytes give equal output with one version of zlib, regardless of the sizes of the pieces. The zlib stream is
/// allocated on the heap, because zlib keeps a pointer to it. Not `Sendable`: use it in one task or thread at a time.
public final class DeflateEncoder {
    private let stream: UnsafeMutablePointer<z_stream>
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    /// Creates an encoder.
    /// - Throws: ``ZlibError/noMemory``.
    public init() throws(ZlibError) {
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        new.initialize(to: z_stream())
        let status = deflateInit2_(
            new, Z_DEFAULT_COMPRESSION, Z_DEFLATED, ZlibFormat.raw.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            new.deallocate()
            throw .noMemory
        }
        stream = new
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses the next bytes.
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - isLast: a Boolean value that indicates whether the data ends with them. The encoder then starts again.
    ///   - output: a closure that receives pieces of at most 64 KiB of the compressed data, in order.
    /// - Throws: the error of the closure. The encoder cannot be used afterwards.
    public func encode(
        _ bytes: UnsafeRawBufferPointer, isLast: Bool, into output: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        var rest = bytes
        repeat {
            // zlib counts the bytes of one call with 32 bits.
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            stream.pointee.next_in = UnsafeMutablePointer(
                mutating: piece.baseAddress?.assumingMemoryBound(to: UInt8.self))
            stream.pointee.avail_in = UInt32(piece.count)
            let mode = isLast && rest.isEmpty ? Z_FINISH : Z_NO_FLUSH
            var isFull = true
            while isFull {
                let count = buffer.withUnsafeMutableBufferPointer { space in
                    stream.pointee.next_out = space.baseAddress
                    stream.pointee.avail_out = UInt32(space.count)
                    // The only errors are those of a stream that is not initialized, and of a call without progress.
                    _ = deflate(stream, mode)
                    return space.count - Int(stream.pointee.avail_out)
                }
                isFull = count == buffer.count
                guard count > 0 else { continue }
                try buffer.withUnsafeBytes { try output(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            }
        } while !rest.isEmpty
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        if isLast { deflateReset(stream) }
    }
}
