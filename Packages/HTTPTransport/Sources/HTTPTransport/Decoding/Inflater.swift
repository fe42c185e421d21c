// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CInflate

/// One run of zlib's inflate over a body, freed when the last reference goes.
///
/// Not `Sendable`: used by one task at a time. zlib keeps a pointer to its stream, so that it must not move: it lives on
/// the heap.
final class Inflater {
    /// What is wrong with the bytes.
    enum Fault: Error {
        /// zlib has no memory.
        case noMemory
        /// They are not what they were said to be.
        case damaged
    }

    /// What surrounds the compressed data: zlib's window bits.
    private enum Format: CInt {
        case raw = -15
        case zlib = 15
        case gzip = 31
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let coding: ContentCodings.Coding
    /// The format is chosen by the first byte.
    private(set) var isBegun = false
    /// The compressed data has said that it is at its end.
    private(set) var isAtEnd = false

    init(_ coding: ContentCodings.Coding) {
        self.coding = coding
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
    }

    deinit {
        if isBegun { inflateEnd(stream) }
        stream.deallocate()
    }

    /// Unpacks until the input is used up, the output is full, or the data is at its end.
    /// - Parameter input: may be empty, to get at what is held beyond a full output.
    /// - Returns: bytes read and bytes written.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Fault) -> (consumed: Int, produced: Int) {
        if let first = input.first {
            if isAtEnd {
                // A gzip may be several, one after the other (RFC 1952, section 2.2). What is none is damage.
                guard coding == .gzip, first == 0x1f, inflateReset(stream) == Z_OK else { throw .damaged }
                isAtEnd = false
            }
            try begin(first)
        }
        guard isBegun, !isAtEnd else { return (0, 0) }
        let available = min(input.count, Int(CInt.max))
        let space = min(output.count, Int(CInt.max))
        // zlib reads through a pointer to something that may change; it never writes there.
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(available)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(space)
        let status = CInflate.inflate(stream, Z_NO_FLUSH)
        let consumed = available - Int(stream.pointee.avail_in)
        let produced = space - Int(stream.pointee.avail_out)
        stream.pointee.next_in = nil
        stream.pointee.next_out = nil
        switch status {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: isAtEnd = true
        case Z_MEM_ERROR: throw .noMemory
        default: throw .damaged
        }
        return (consumed, produced)
    }

    private func begin(_ first: UInt8) throws(Fault) {
        guard !isBegun else { return }
        let format: Format =
            switch coding {
            case .gzip: .gzip
            // By its definition with the header of zlib, whose first byte names method 8 and a window of at most 32 KiB
            // (RFC 1950, section 2.2). Servers that leave it out are as common. A block of deflate that begins with
            // such a byte would be a stored one with bits set that encoders leave zero.
            case .deflate: first & 0xf == 8 && first >> 4 <= 7 ? .zlib : .raw
            }
        guard inflateInit2_(stream, format.rawValue, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .noMemory
        }
        isBegun = true
    }
}
