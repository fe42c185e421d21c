// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Compression)
    internal import Compression
#else
    internal import CBrotli
#endif

/// An error of the Brotli decoder.
public enum BrotliError: Error, Sendable, Hashable {
    /// The decoder could not allocate memory.
    case noMemory
    /// The data is not Brotli data (RFC 7932).
    case damaged
}

/// An incremental decoder of Brotli data (RFC 7932).
///
/// The caller limits the output by the size of its buffers. The decoder itself needs up to 16 MiB for the window that
/// the data declares (section 9.1); libbrotlidec rejects larger windows, which are an extension of the format. Not
/// `Sendable`: use it in one task or thread at a time.
public final class BrotliDecoder {
    /// A Boolean value that indicates whether the end of the compressed data was reached.
    public private(set) var isAtEnd = false

    #if canImport(Compression)
        private let stream: UnsafeMutablePointer<compression_stream>

        /// Creates a decoder.
        /// - Throws: ``BrotliError/noMemory``.
        public init() throws(BrotliError) {
            let new = UnsafeMutablePointer<compression_stream>.allocate(capacity: 1)
            guard
                compression_stream_init(new, COMPRESSION_STREAM_DECODE, COMPRESSION_BROTLI) == COMPRESSION_STATUS_OK
            else {
                new.deallocate()
                throw .noMemory
            }
            // Set last, because an error after all properties have a value would run `deinit`.
            stream = new
        }

        deinit {
            compression_stream_destroy(stream)
            stream.deallocate()
        }
    #else
        private let state: OpaquePointer

        /// Creates a decoder.
        /// - Throws: ``BrotliError/noMemory``.
        public init() throws(BrotliError) {
            guard let new = BrotliDecoderCreateInstance(nil, nil, nil) else { throw .noMemory }
            state = new
        }

        deinit {
            BrotliDecoderDestroyInstance(state)
        }
    #endif

    /// Decodes until the input is consumed, the output is full, or the data ends.
    /// - Parameters:
    ///   - input: the next bytes of the data. It may be empty, to get output that did not fit before.
    ///   - output: the memory that receives the decoded bytes, from its start.
    /// - Returns: the numbers of bytes that were read and written. If both are 0 although neither buffer is empty, the
    ///   data has ended. If the output is empty, both are 0.
    public func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(BrotliError) -> (consumed: Int, produced: Int) {
        guard !isAtEnd, let space = output.baseAddress, !output.isEmpty else { return (0, 0) }
        #if canImport(Compression)
            return try decode(input, at: space, output.count)
        #else
            var next = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var available = input.count
            var nextOut: UnsafeMutablePointer<UInt8>? = space.assumingMemoryBound(to: UInt8.self)
            var room = output.count
            switch BrotliDecoderDecompressStream(state, &available, &next, &room, &nextOut, nil) {
            case BROTLI_DECODER_RESULT_SUCCESS: isAtEnd = true
            case BROTLI_DECODER_RESULT_ERROR: throw error
            default: break
            }
            return (input.count - available, output.count - room)
        #endif
    }

    #if canImport(Compression)
        private func decode(
            _ input: UnsafeRawBufferPointer, at space: UnsafeMutableRawPointer, _ size: Int
        ) throws(BrotliError) -> (consumed: Int, produced: Int) {
            let start = space.assumingMemoryBound(to: UInt8.self)
            // The framework's pointer is not optional. An empty input has no address, and is not read.
            stream.pointee.src_ptr = input.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? UnsafePointer(start)
            stream.pointee.src_size = input.count
            stream.pointee.dst_ptr = start
            stream.pointee.dst_size = size
            switch compression_stream_process(stream, 0) {
            case COMPRESSION_STATUS_END: isAtEnd = true
            case COMPRESSION_STATUS_ERROR: throw .damaged
            default: break
            }
            return (input.count - stream.pointee.src_size, size - stream.pointee.dst_size)
        }
    #else
        /// The error after a failed call. The decoder has one range of codes for failed allocations.
        private var error: BrotliError {
            let code = BrotliDecoderGetErrorCode(state).rawValue
            let allocations =
                BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES.rawValue...BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES.rawValue
            return allocations.contains(code) ? .noMemory : .damaged
        }
    #endif
}
