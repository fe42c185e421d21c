// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// The decoder of one gzip or deflate coding. For deflate, the first byte selects the zlib or the raw format.
///
/// It is not `Sendable`; one task at a time uses it.
final class Inflater {
    private let coding: ContentCodings.Coding
    private var zlib: ZlibInflater?
    /// A Boolean value that indicates whether a byte has been received.
    var isBegun: Bool { zlib != nil }
    /// A Boolean value that indicates whether the end of the compressed data has been reached.
    var isAtEnd: Bool { zlib?.isAtEnd == true }

    init(_ coding: ContentCodings.Coding) {
        self.coding = coding
    }

    /// Decodes until the input is consumed, the output is full, or the data ends.
    /// - Parameter input: The encoded bytes; empty to get the output that zlib still holds.
    /// - Returns: The number of bytes consumed and produced.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> (consumed: Int, produced: Int) {
        if let first = input.first {
            if let zlib, zlib.isAtEnd {
                // A gzip body may have several members (RFC 1952, section 2.2). Other bytes after the end are an
                // error.
                guard coding == .gzip, first == 0x1f else { throw .damaged(nil) }
                zlib.reset()
            }
            if zlib == nil { zlib = try ZlibInflater(format(of: first)) }
        }
        guard let zlib, !zlib.isAtEnd else { return (0, 0) }
        return try zlib.inflate(input, into: output)
    }

    private func format(of first: UInt8) -> ZlibFormat {
        switch coding {
        case .gzip: .gzip
        // RFC 9110, section 8.4.1.2, requires the zlib header. Its first byte specifies method 8 and a window of at
        // most 32 KiB (RFC 1950, section 2.2). Many servers omit the header. A raw deflate block with the same first
        // byte would be a stored block with bits set that encoders leave zero.
        case .deflate: first & 0xf == 8 && first >> 4 <= 7 ? .zlib : .raw
        }
    }
}
