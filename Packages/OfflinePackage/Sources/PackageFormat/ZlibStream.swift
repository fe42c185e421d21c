// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// One run of zlib's inflate, freed when the last reference goes.
///
/// Not `Sendable`: used by one thread at a time. zlib keeps a pointer to its stream, so that it must not move: it lives
/// on the heap.
final class ZlibStream {
    /// What surrounds the compressed data.
    enum Format: CInt {
        /// Nothing.
        case raw = -15
        /// The header and trailer of gzip (RFC 1952); zlib checks the trailer's checksum and length.
        case gzip = 31
    }

    private let stream: UnsafeMutablePointer<z_stream>
    /// The compressed data has said that it is at its end.
    private(set) var isAtEnd = false

    init(_ format: Format) throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let status = inflateInit2_(stream, format.rawValue, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw PackageError(.io, "zlib has no memory")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Begins anew, in the same format.
    func reset() {
        // Fails only for a stream that was never made.
        inflateReset(stream)
        isAtEnd = false
    }

    /// Unpacks until the input is used up, the output is full, or the data is at its end.
    /// - Returns: bytes read and bytes written. Where both are 0, and neither input nor output is empty, the data is
    ///   at its end.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/damaged``.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, name: String
    ) throws -> (consumed: Int, produced: Int) {
        guard !isAtEnd else { return (0, 0) }
        let available = min(input.count, Int(CInt.max))
        let space = min(output.count, Int(CInt.max))
        // zlib reads through a pointer to something that may change; it never writes there.
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(available)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(space)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = available - Int(stream.pointee.avail_in)
        let produced = space - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        case Z_OK: break
        // Nothing could be done with this input and this room: the caller brings more of either.
        case Z_BUF_ERROR: break
        case Z_STREAM_END: isAtEnd = true
        case Z_NEED_DICT: throw PackageError(.damaged, "compressed data asks for a dictionary", at: name)
        case Z_MEM_ERROR: throw PackageError(.io, "zlib has no memory", at: name)
        default:
            let reason = stream.pointee.msg.map { String(cString: $0) } ?? "compressed data that cannot be"
            throw PackageError(.damaged, UnicodeForm.printable(reason), at: name)
        }
        return (consumed, produced)
    }
}
