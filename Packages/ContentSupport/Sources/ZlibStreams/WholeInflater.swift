// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(CDeflate)
    internal import CDeflate
#endif

/// An inflater for raw deflate data (RFC 1951) that is completely in memory. It uses libdeflate, which needs half of
/// zlib's time.
///
/// libdeflate accepts some data that zlib rejects, such as symbols that RFC 1951 reserves. The caller must therefore
/// check the digest of the output. Apple's systems have no libdeflate: the initializer fails there, and the caller uses
/// ``ZlibInflater`` instead.
///
/// Not `Sendable`: use it on one thread at a time.
public final class WholeInflater {
    #if canImport(CDeflate)
        private let decompressor: OpaquePointer

        /// Creates an inflater. Fails if there is not enough memory.
        public init?() {
            guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
            self.decompressor = decompressor
        }

        deinit {
            libdeflate_free_decompressor(decompressor)
        }

        /// Inflates all of `packed`.
        /// - Returns: `true` if `packed` is exactly one deflate stream whose output fills `output`. If the result is
        ///   `false`, the content of `output` is undefined, and ``ZlibInflater`` can determine the reason.
        public func inflate(_ packed: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
            guard let input = packed.baseAddress, let available = output.baseAddress else { return false }
            var consumed = 0
            var produced = 0
            let result = libdeflate_deflate_decompress_ex(
                decompressor, input, packed.count, available, output.count, &consumed, &produced)
            return result == LIBDEFLATE_SUCCESS && consumed == packed.count && produced == output.count
        }
    #else
        /// Fails, because the system has no libdeflate.
        public init?() { nil }

        /// Returns `false`.
        public func inflate(_: UnsafeRawBufferPointer, into _: UnsafeMutableRawBufferPointer) -> Bool { false }
    #endif
}
