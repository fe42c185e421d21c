// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The central directory of a zip, validated against the local headers.
@_spi(Packaging) public struct ZipDirectory: Sendable, Hashable {
    /// The files in the order of their bytes in the archive, without folders.
    public let entries: [Entry]
    /// The offset of the central directory, which is the end of the last entry.
    let offset: Int64
    /// The total number of uncompressed bytes of all files.
    public let totalSize: Int64

    /// One file of a zip.
    @_spi(Packaging) public struct Entry: Sendable, Hashable {
        /// The path of the file.
        public let path: ArchivePath
        /// The offset of the local header from the start of the archive.
        let headerOffset: Int64
        /// The offset of the entry's first byte of data from the start of the archive.
        let dataOffset: Int64
        /// The number of bytes inside the archive.
        let compressedSize: Int64
        /// The number of uncompressed bytes.
        public let size: Int64
        /// The CRC-32 of the uncompressed bytes.
        let crc32: UInt32
        /// The compression method.
        let method: ZipMethod
    }
}

/// An entry of the central directory, including folders, with the results of its validation.
struct ZipMember {
    let path: ArchivePath
    let isFolder: Bool
    let flags: ZipFlags
    let method: ZipMethod
    let crc32: UInt32
    let compressedSize: Int64
    let size: Int64
    let headerOffset: Int64
    /// The offset of the data, which is set after the local header is read.
    var dataOffset: Int64 = 0
    /// A Boolean value that indicates whether the local header already has the sizes and the checksum.
    var isLocalComplete = false

    var dataEnd: Int64 { dataOffset + compressedSize }
}

/// The external attributes of a zip entry (APPNOTE 4.4.15): Unix mode in the upper half, DOS attributes in the lower
/// half.
struct ZipAttributes {
    let rawValue: UInt32

    /// A Boolean value that indicates whether the entry is neither a file nor a folder, such as a link or a device.
    ///
    /// The Unix mode is read for every host system, as lenient readers do.
    var isSpecial: Bool { Self.isSpecial(mode: rawValue >> 16) }

    /// A Boolean value that indicates whether the attributes declare a folder.
    var isFolder: Bool { rawValue >> 16 & 0o170000 == 0o040000 || rawValue & 0x10 != 0 }

    /// A Boolean value that indicates whether the attributes declare a file.
    var isFile: Bool { rawValue >> 16 & 0o170000 == 0o100000 }

    static func isSpecial(mode: UInt32) -> Bool {
        ![0, 0o100000, 0o040000].contains(mode & 0o170000)
    }
}
