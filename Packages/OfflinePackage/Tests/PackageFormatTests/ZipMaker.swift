// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

/// A builder that writes zips byte by byte, with control over every field.
struct ZipMaker {
    struct Entry {
        var name: [UInt8]
        /// The bytes in the archive, compressed according to `method`.
        var data: [UInt8]
        var method: UInt16 = 0
        var flags: UInt16 = 0
        var size: UInt32
        var compressedSize: UInt32
        var crc32: UInt32
        var attributes: UInt32 = 0o100644 << 16
        var extra: [UInt8] = []
        var localExtra: [UInt8] = []
        /// The name in the local header, if it differs from the name in the directory.
        var localName: [UInt8]?
        var localMethod: UInt16?
        var localFlags: UInt16?
        var localSize: UInt32?
        var localCompressedSize: UInt32?
        var localCRC32: UInt32?
        /// The bytes that follow the data.
        var descriptor: [UInt8] = []
        /// The bytes before the local header.
        var gap: [UInt8] = []
        /// The offset in the directory, if it differs from the true offset.
        var offset: UInt32?

        init(_ name: String, _ text: String = "hello", flags: UInt16 = 1 << 11) {
            self.init(Array(name.utf8), Array(text.utf8), flags: flags)
        }

        init(_ name: [UInt8], _ data: [UInt8], flags: UInt16 = 0) {
            self.name = name
            self.data = data
            self.flags = flags
            size = UInt32(data.count)
            compressedSize = UInt32(data.count)
            crc32 = ZipMaker.crc32(data)
        }

        /// Moves sizes and checksum into a data descriptor.
        mutating func stream(signature: Bool, wide: Bool) {
            flags |= 1 << 3
            localSize = 0
            localCompressedSize = 0
            localCRC32 = 0
            let sizes: [UInt8] =
                wide
                ? ZipMaker.bytes(UInt64(compressedSize)) + ZipMaker.bytes(UInt64(size))
                : ZipMaker.bytes(compressedSize) + ZipMaker.bytes(size)
            descriptor = (signature ? [0x50, 0x4B, 7, 8] : []) + ZipMaker.bytes(crc32) + sizes
        }
    }

    var entries: [Entry]
    var comment: [UInt8] = []
    /// The bytes between the last entry and the directory.
    var gap: [UInt8] = []
    /// The number of entries in the end record, if it differs from the true number.
    var count: UInt16?
    var disk: UInt16 = 0
    /// A Boolean value that indicates whether a zip64 end record and its locator are added.
    var isWide = false
    /// The number of entries in the zip64 end record, if it differs from the true number.
    var wideCount: UInt64?

    init(_ entries: [Entry]) {
        self.entries = entries
    }

    init(_ names: String...) {
        entries = names.map { Entry($0) }
    }

    func bytes() -> [UInt8] {
        var out: [UInt8] = []
        var offsets: [UInt32] = []
        for entry in entries {
            out += entry.gap
            offsets.append(entry.offset ?? UInt32(out.count))
            let name = entry.localName ?? entry.name
            out += [0x50, 0x4B, 3, 4, 20, 0] + Self.bytes(entry.localFlags ?? entry.flags)
            out += Self.bytes(entry.localMethod ?? entry.method) + [0, 0, 0x21, 0]
            out += Self.bytes(entry.localCRC32 ?? entry.crc32)
            out += Self.bytes(entry.localCompressedSize ?? entry.compressedSize)
            out += Self.bytes(entry.localSize ?? entry.size)
            out += Self.bytes(UInt16(name.count)) + Self.bytes(UInt16(entry.localExtra.count))
            out += name + entry.localExtra + entry.data + entry.descriptor
        }
        out += gap
        let start = out.count
        for (entry, offset) in zip(entries, offsets) {
            out += [0x50, 0x4B, 1, 2, 20, 3, 20, 0] + Self.bytes(entry.flags) + Self.bytes(entry.method)
            out += [0, 0, 0x21, 0] + Self.bytes(entry.crc32) + Self.bytes(entry.compressedSize)
            out += Self.bytes(entry.size) + Self.bytes(UInt16(entry.name.count))
            out += Self.bytes(UInt16(entry.extra.count)) + [0, 0, 0, 0, 0, 0] + Self.bytes(entry.attributes)
            out += Self.bytes(offset) + entry.name + entry.extra
        }
        let end = out.count
        if isWide {
            let number = wideCount ?? UInt64(entries.count)
            out += [0x50, 0x4B, 6, 6] + Self.bytes(UInt64(44)) + [45, 0, 45, 0] + Self.bytes(UInt64(0))
            out += Self.bytes(number) + Self.bytes(number) + Self.bytes(UInt64(end - start)) + Self.bytes(UInt64(start))
            out += [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + Self.bytes(UInt64(end)) + [1, 0, 0, 0]
        }
        let number = count ?? UInt16(entries.count)
        out += [0x50, 0x4B, 5, 6] + Self.bytes(disk) + Self.bytes(disk) + Self.bytes(number) + Self.bytes(number)
        out += Self.bytes(UInt32(end - start)) + Self.bytes(UInt32(start)) + Self.bytes(UInt16(comment.count))
        return out + comment
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
