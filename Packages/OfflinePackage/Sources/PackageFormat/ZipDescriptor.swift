// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The data descriptor behind an entry's bytes (APPNOTE 4.3.9).
enum ZipDescriptor {
    /// Checks that the `length` bytes behind the data are a descriptor that agrees with the directory: with or
    /// without signature, with sizes of 32 or 64 bits.
    static func check(_ member: ZipMember, length: Int64, in source: some RandomAccessReading) throws {
        let name = member.path.description
        guard [12, 16, 20, 24].contains(length) else {
            let what = length < 0 ? "entry overlaps another" : "no data descriptor where one was announced"
            throw PackageError(.overlap, what, at: name)
        }
        var fields = LittleEndian(try source.bytes(at: member.dataEnd, count: Int(length))[...])
        if length == 16 || length == 24 {
            guard let signature = fields.read(4), signature.elementsEqual(ZipSignature.descriptor) else {
                throw PackageError(.headerMismatch, "data descriptor without its signature", at: name)
            }
        }
        let crc32 = fields.uint32()
        let isWide = length >= 20
        let compressed = isWide ? fields.uint64() : fields.uint32().map(UInt64.init)
        let size = isWide ? fields.uint64() : fields.uint32().map(UInt64.init)
        guard crc32 == member.crc32, compressed == UInt64(member.compressedSize), size == UInt64(member.size) else {
            throw PackageError(.headerMismatch, "data descriptor and central directory disagree", at: name)
        }
    }
}
