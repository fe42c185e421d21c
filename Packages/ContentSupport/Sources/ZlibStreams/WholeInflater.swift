// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(CDeflate)
    internal import CDeflate
#endif

/// Inflates raw deflate data (RFC 1951) that is in memory whole, with libdeflate, which takes half of zlib's time.
///
/// It accepts some data that zlib refuses, such as symbols that RFC 1951 reserves: the caller checks the digest of the
/// output. Apple's systems have no libdeflate, so that there is none there, and ``ZlibInflater`` inflates everything.
///
/// Not `Sendable`: used by one thread at a time.
public final class WholeInflater {
    #if canImport(CDeflate)
        private let decompressor: OpaquePointer

        /// Creates an inflater, or returns `nil` if there is no memory for it.
        public init?() {
            guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
            self.decompressor = decompressor
        }

        deinit {
            libdeflate_free_decompressor(decompressor)
        }

        /// Inflates all of `packed`.
        /// - Returns: whether it is one run of compressed data from its start to its end, which fills `output` exactly.
        ///   If not, the content of `output` is undefined, and ``ZlibInflater`` finds the reason.
        public func inflate(_ packed: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
            guard let input = packed.baseAddress, let available = output.baseAddress else { return false }
            var consumed = 0
            var produced = 0
            let result = libdeflate_deflate_decompress_ex(
                decompressor, input, packed.count, available, output.count, &consumed, &produced)
            return result == LIBDEFLATE_SUCCESS && consumed == packed.count && produced == output.count
        }
    #else
        /// Returns `nil`: there is no libdeflate.
        public init?() { nil }

        /// Returns `false`.
        public func inflate(_: UnsafeRawBufferPointer, into _: UnsafeMutableRawBufferPointer) -> Bool { false }
    #endif
}
