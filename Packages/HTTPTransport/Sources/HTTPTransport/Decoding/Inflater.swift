// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// One run of inflate over a body. The format is chosen by the first byte.
///
/// Not `Sendable`: used by one task at a time.
final class Inflater {
    private let coding: ContentCodings.Coding
    private var zlib: ZlibInflater?
    /// A Boolean value that indicates whether there was a byte.
    var isBegun: Bool { zlib != nil }
    /// The compressed data has said that it is at its end.
    var isAtEnd: Bool { zlib?.isAtEnd == true }

    init(_ coding: ContentCodings.Coding) {
        self.coding = coding
    }

    /// Unpacks until the input is used up, the output is full, or the data is at its end.
    /// - Parameter input: may be empty, to get at what is held beyond a full output.
    /// - Returns: bytes read and bytes written.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(ZlibError) -> (consumed: Int, produced: Int) {
        if let first = input.first {
            if let zlib, zlib.isAtEnd {
                // A gzip may be several, one after the other (RFC 1952, section 2.2). What is none is damage.
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
        // By its definition with the header of zlib, whose first byte names method 8 and a window of at most 32 KiB
        // (RFC 1950, section 2.2). Servers that leave it out are as common. A block of deflate that begins with such a
        // byte would be a stored one with bits set that encoders leave zero.
        case .deflate: first & 0xf == 8 && first >> 4 <= 7 ? .zlib : .raw
        }
    }
}
