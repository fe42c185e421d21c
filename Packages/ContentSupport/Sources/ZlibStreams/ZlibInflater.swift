// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// An error of zlib.
public enum ZlibError: Error, Sendable, Hashable {
    /// zlib could not allocate memory.
    case noMemory
    /// The data requires a preset dictionary (RFC 1950, section 2.2).
    case needsDictionary
    /// The data does not have the expected format. The value is zlib's message, if there is one.
    case damaged(String?)
}

/// An incremental inflater that uses zlib.
///
/// The caller limits the output by the size of its buffers. The zlib stream is allocated on the heap, because zlib
/// keeps a pointer to it. Not `Sendable`: use it in one task or thread at a time.
public final class ZlibInflater {
    private let stream: UnsafeMutablePointer<z_stream>
    /// A Boolean value that indicates whether the end of the compressed data was reached.
    public private(set) var isAtEnd = false

    /// Creates an inflater.
    /// - Throws: ``ZlibError/noMemory``.
    public init(_ format: ZlibFormat) throws(ZlibError) {
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        new.initialize(to: z_stream())
        let size = CInt(MemoryLayout<z_stream>.size)
        guard inflateInit2_(new, format.windowBits, ZLIB_VERSION, size) == Z_OK else {
            new.deallocate()
            throw .noMemory
        }
        // Set last, because an error after all properties have a value would run `deinit`.
        stream = new
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Restarts the inflater for new data in the same format.
    public func reset() {
        // This call fails only for a stream that was not initialized.
        inflateReset(stream)
        isAtEnd = false
    }

    /// Inflates until the input is consumed, the output is full, or the data ends.
    /// - Parameters:
    ///   - input: the next bytes of the data. It may be empty, to get output that did not fit before.
    ///   - output: the memory that receives the inflated bytes, from its start.
    /// - Returns: the numbers of bytes that were read and written. If both are 0 although neither buffer is empty, the
    ///   data has ended. If the output is empty, both are 0.
    public func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> (consumed: Int, produced: Int) {
        // zlib rejects an output without an address.
        guard !isAtEnd, !output.isEmpty else { return (0, 0) }
        let available = min(input.count, Int(CInt.max))
        let space = min(output.count, Int(CInt.max))
        // zlib's pointer is mutable, but zlib does not write to the input.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(available)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(space)
        let status = CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = available - Int(stream.pointee.avail_in)
        let produced = space - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        // Z_BUF_ERROR means that no progress is possible with this input and output. The caller provides more input or
        // more space.
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isAtEnd = true
        case Z_NEED_DICT: throw .needsDictionary
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged(stream.pointee.msg.map { String(cString: $0) })
        }
        return (consumed, produced)
    }
}

/// The data format that surrounds deflated data (RFC 1951).
public enum ZlibFormat: Sendable {
    /// No header and no trailer.
    case raw
    /// The header and trailer of zlib (RFC 1950).
    case zlib
    /// The header and trailer of gzip (RFC 1952); zlib checks the trailer's checksum and length.
    case gzip

    /// The window bits that select the format in zlib.
    var windowBits: CInt {
        switch self {
        case .raw: -15
        case .zlib: 15
        case .gzip: 31
        }
    }
}
