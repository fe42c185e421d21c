// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
