// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// The reason why data could not be inflated or deflated.
public enum ZlibError: Error, Sendable, Hashable {
    /// zlib has no memory.
    case noMemory
    /// The data needs a dictionary that is not part of it (RFC 1950, section 2.2).
    case needsDictionary
    /// The data is not in the format. The message is zlib's, if it has one.
    case damaged(String?)
}

/// One run of zlib's inflate, freed with the last reference.
///
/// Not `Sendable`: used by one task or thread at a time. zlib keeps a pointer to its stream, so that it must not move: it
/// lives on the heap. The caller limits the output by the buffers that it passes.
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
        // Last: an error after all properties have a value would run `deinit`.
        stream = new
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Starts again, in the same format.
    public func reset() {
        // Fails only for a stream that was never initialised.
        inflateReset(stream)
        isAtEnd = false
    }

    /// Inflates until the input is used up, the output is full, or the data is at its end.
    /// - Parameters:
    ///   - input: the bytes that follow the ones before. It may be empty, to get the bytes that were held back by a
    ///     full output.
    ///   - output: the memory that receives the inflated bytes, from its start.
    /// - Returns: the number of bytes read and of bytes written. If both are 0, and neither input nor output is empty, the
    ///   data is at its end. With an empty output both are 0.
    public func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> (consumed: Int, produced: Int) {
        // zlib takes an output without an address for a fault.
        guard !isAtEnd, !output.isEmpty else { return (0, 0) }
        let available = min(input.count, Int(CInt.max))
        let space = min(output.count, Int(CInt.max))
        // zlib reads through a pointer to something that may change; it never writes there.
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
        // Z_BUF_ERROR: nothing could be done with this input and this much space, and the caller brings more of either.
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
    /// Nothing.
    case raw
    /// The header and trailer of zlib (RFC 1950).
    case zlib
    /// The header and trailer of gzip (RFC 1952); zlib checks the trailer's checksum and length.
    case gzip

    /// The window bits by which zlib selects the format.
    var windowBits: CInt {
        switch self {
        case .raw: -15
        case .zlib: 15
        case .gzip: 31
        }
    }
}
