// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BrotliStreams
internal import ZlibStreams

/// The decoder of one content coding. For deflate, the first byte selects the zlib or the raw format.
///
/// It is not `Sendable`; one task at a time uses it.
final class CodingDecoder {
    enum Failure: Error {
        /// The decoder could not allocate memory.
        case noMemory
        /// The data does not have the coding.
        case damaged
    }

    private enum Format {
        case zlib(ZlibInflater)
        case brotli(BrotliDecoder)

        var isAtEnd: Bool {
            switch self {
            case .zlib(let zlib): zlib.isAtEnd
            case .brotli(let brotli): brotli.isAtEnd
            }
        }
    }

    private let coding: ContentCodings.Coding
    private var format: Format?
    /// A Boolean value that indicates whether a byte has been received.
    var isBegun: Bool { format != nil }
    /// A Boolean value that indicates whether the end of the compressed data has been reached.
    var isAtEnd: Bool { format?.isAtEnd == true }

    init(_ coding: ContentCodings.Coding) {
        self.coding = coding
    }

    /// Decodes until the input is consumed, the output is full, or the data ends.
    /// - Parameter input: The encoded bytes; empty to get the output that the decoder still holds.
    /// - Returns: The number of bytes consumed and produced.
    func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Failure) -> (consumed: Int, produced: Int) {
        do {
            if let first = input.first { try begin(first) }
            switch format {
            case .zlib(let zlib) where !zlib.isAtEnd: return try zlib.inflate(input, into: output)
            case .brotli(let brotli) where !brotli.isAtEnd: return try brotli.decode(input, into: output)
            default: return (0, 0)
            }
        } catch ZlibError.noMemory {
            throw .noMemory
        } catch BrotliError.noMemory {
            throw .noMemory
        } catch {
            throw .damaged
        }
    }

    /// Prepares for input that starts with a byte.
    private func begin(_ first: UInt8) throws {
        switch (format, coding) {
        case (.zlib(let zlib), .gzip) where zlib.isAtEnd && first == 0x1f:
            // A gzip body may have several members (RFC 1952, section 2.2).
            zlib.reset()
        case (let format?, _):
            // Other bytes after the end are an error.
            guard !format.isAtEnd else { throw Failure.damaged }
        case (nil, .gzip): format = .zlib(try ZlibInflater(.gzip))
        case (nil, .deflate): format = .zlib(try ZlibInflater(Self.deflateFormat(of: first)))
        case (nil, .brotli): format = .brotli(try BrotliDecoder())
        }
    }

    private static func deflateFormat(of first: UInt8) -> ZlibFormat {
        // RFC 9110, section 8.4.1.2, requires the zlib header. Its first byte specifies method 8 and a window of at
        // most 32 KiB (RFC 1950, section 2.2). Many servers omit the header. A raw deflate block with the same first
        // byte would be a stored block with bits set that encoders leave zero.
        first & 0xf == 8 && first >> 4 <= 7 ? .zlib : .raw
    }
}
