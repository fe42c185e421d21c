// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a zip holds and where: the central directory, proven against the local headers.
public struct ZipDirectory: Sendable, Hashable {
    /// The files in the order in which their bytes lie in the archive. Folders are not listed.
    public var entries: [Entry]
    /// Where the central directory begins: the end of the last entry.
    public var offset: Int64
    /// Bytes of all files when unpacked.
    public var totalSize: Int64

    /// One file of a zip.
    public struct Entry: Sendable, Hashable {
        public var path: ArchivePath
        /// Offset of the local header from the start of the archive.
        public var headerOffset: Int64
        /// Offset of the entry's first byte from the start of the archive.
        public var dataOffset: Int64
        /// Bytes inside of the archive.
        public var compressedSize: Int64
        /// Bytes when unpacked.
        public var size: Int64
        /// CRC-32 of the unpacked bytes.
        public var crc32: UInt32
        public var method: ZipMethod
    }
}
