// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// The CRC-32 of zip and gzip (RFC 1952, section 8), computed by zlib.
public enum CRC32 {
    /// Returns the checksum of bytes in memory, or of a sequence of bytes that ends with them.
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - previous: the checksum of the bytes before them. Default: the checksum of no bytes.
    public static func checksum(of bytes: UnsafeRawBufferPointer, after previous: UInt32 = 0) -> UInt32 {
        // For a buffer without an address zlib returns the checksum of no bytes.
        guard let start = bytes.baseAddress else { return previous }
        return UInt32(
            truncatingIfNeeded: crc32_z(UInt(previous), start.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
}
