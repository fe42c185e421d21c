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

/// An entry of the central directory, folders included, as it is proven step by step.
struct ZipMember {
    let path: ArchivePath
    let isFolder: Bool
    let flags: ZipFlags
    let method: ZipMethod
    let crc32: UInt32
    let compressedSize: Int64
    let size: Int64
    let headerOffset: Int64
    /// Set when the local header was read.
    var dataOffset: Int64 = 0
    /// The local header has the sizes and the checksum already.
    var isLocalComplete = false

    var dataEnd: Int64 { dataOffset + compressedSize }
}

/// The external attributes of a zip entry (APPNOTE 4.4.15): the Unix mode above, the DOS attributes below.
struct ZipAttributes {
    let rawValue: UInt32

    /// A link, device, socket or pipe. The mode is read whatever system the header names, as lenient readers do.
    var isSpecial: Bool { Self.isSpecial(mode: rawValue >> 16) }

    /// Says of itself that it is a folder.
    var isFolder: Bool { rawValue >> 16 & 0o170000 == 0o040000 || rawValue & 0x10 != 0 }

    /// Says of itself that it is a file.
    var isFile: Bool { rawValue >> 16 & 0o170000 == 0o100000 }

    static func isSpecial(mode: UInt32) -> Bool {
        switch mode & 0o170000 {
        case 0o120000, 0o060000, 0o020000, 0o010000, 0o140000: true
        default: false
        }
    }
}
