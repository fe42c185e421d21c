// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CZlib

/// The CRC-32 of zip and gzip (RFC 1952, section 8), computed by zlib.
public enum CRC32 {
    /// Returns the checksum of bytes in memory.
    public static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
}
