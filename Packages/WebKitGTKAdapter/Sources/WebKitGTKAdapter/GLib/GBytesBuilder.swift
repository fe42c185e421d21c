// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation
    internal import ResourceLoading

    /// Conversions of response bodies to `GBytes`.
    enum GBytesBuilder {
        /// Returns the bytes of a body, which the caller owns; `nil` if a file cannot be mapped.
        static func bytes(of body: WholeBody) -> OpaquePointer? {
            switch body {
            case .bytes(let data):
                data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            case .file(let slice):
                bytes(of: slice)
            }
        }

        /// Returns the mapped bytes of a file. Blobs are never modified, so the mapping stays valid.
        private static func bytes(of slice: FileSlice) -> OpaquePointer? {
            guard !slice.range.isEmpty else { return g_bytes_new(nil, 0) }
            guard let file = g_mapped_file_new_from_fd(slice.file.descriptor, 0, nil) else { return nil }
            defer { g_mapped_file_unref(file) }
            guard g_mapped_file_get_length(file) >= slice.range.upperBound, let whole = g_mapped_file_get_bytes(file)
            else { return nil }
            defer { g_bytes_unref(whole) }
            return g_bytes_new_from_bytes(whole, gsize(slice.range.lowerBound), gsize(slice.range.count))
        }
    }
#endif
