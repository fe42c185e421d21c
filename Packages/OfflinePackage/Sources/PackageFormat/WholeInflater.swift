// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(CDeflate)
    internal import CDeflate
#endif

/// Unpacks deflate (RFC 1951) that is in memory whole, with libdeflate, which takes half of zlib's time.
///
/// It takes some data that zlib refuses, such as symbols that RFC 1951 reserves; what comes out is held to its digest by
/// whoever reads it, as all is. There is none on Apple's systems, which have no libdeflate: zlib does all of it there.
///
/// Not `Sendable`: used by one thread at a time.
final class WholeInflater {
    #if canImport(CDeflate)
        private let decompressor: OpaquePointer

        /// `nil` where there is no memory for it.
        init?() {
            guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
            self.decompressor = decompressor
        }

        deinit {
            libdeflate_free_decompressor(decompressor)
        }

        /// Unpacks all of `packed`.
        /// - Returns: whether it is one run of compressed data from its start to its end, which fills `output` exactly.
        ///   Where it is not, `output` has anything, and zlib is asked what is wrong.
        func inflate(_ packed: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
            guard let input = packed.baseAddress, let available = output.baseAddress else { return false }
            var consumed = 0
            var produced = 0
            let result = libdeflate_deflate_decompress_ex(
                decompressor, input, packed.count, available, output.count, &consumed, &produced)
            return result == LIBDEFLATE_SUCCESS && consumed == packed.count && produced == output.count
        }
    #else
        init?() { nil }

        func inflate(_: UnsafeRawBufferPointer, into _: UnsafeMutableRawBufferPointer) -> Bool { false }
    #endif
}
