// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The header before an entry's bytes (APPNOTE 4.3.7).
struct ZipLocalHeader {
    private let flags: ZipFlags
    private let rawMethod: UInt16
    private let crc32: UInt32
    private let compressedSize: Int64
    private let size: Int64
    private let rawName: ArraySlice<UInt8>
    private let extra: ZipExtraFields
    private let dataOffset: Int64

    private static let length = 30

    /// Reads the header that `member` points to; header and data must lie before `end`.
    init(of member: ZipMember, in source: some RandomAccessReading, upTo end: Int64) throws {
        let name = member.path.description
        guard member.headerOffset >= 0, member.headerOffset <= end - Int64(Self.length) else {
            throw PackageError(.damaged, "local header lies outside of the archive", at: name)
        }
        // One read takes header, name and extra fields of nearly every entry.
        let guess = Int(min(Int64(Self.length + 512), end - member.headerOffset))
        var bytes = try source.bytes(at: member.headerOffset, count: guess)
        var fields = LittleEndian(bytes[...])
        guard let signature = fields.read(4), signature.elementsEqual(ZipSignature.local) else {
            throw PackageError(.damaged, "local header without its signature", at: name)
        }
        guard fields.read(2) != nil, let rawFlags = fields.uint16(), let rawMethod = fields.uint16(),
            fields.read(4) != nil, let crc32 = fields.uint32(), let compressed32 = fields.uint32(),
            let size32 = fields.uint32(), let nameLength = fields.uint16(), let extraLength = fields.uint16()
        else { throw PackageError(.truncated, "local header is cut", at: name) }
        let length = Self.length + Int(nameLength) + Int(extraLength)
        guard Int64(length) <= end - member.headerOffset else {
            throw PackageError(.damaged, "local header runs out of the archive", at: name)
        }
        if length > bytes.count { bytes = try source.bytes(at: member.headerOffset, count: length) }
        guard let extra = ZipExtraFields(bytes[(length - Int(extraLength))..<length]) else {
            throw PackageError(.damaged, "extra fields do not fit their room", at: name)
        }
        rawName = bytes[Self.length..<(Self.length + Int(nameLength))]
        let wide = try Zip64Sizes(
            size: size32, compressed: compressed32, offset: nil, disk: nil, extra: extra.zip64, at: name)
        flags = ZipFlags(rawValue: rawFlags)
        self.rawMethod = rawMethod
        self.crc32 = crc32
        compressedSize = wide.compressed
        size = wide.size
        self.extra = extra
        dataOffset = member.headerOffset + Int64(length)
        guard member.compressedSize <= end - dataOffset else {
            throw PackageError(.damaged, "data runs out of the archive", at: name)
        }
    }

    /// Compares with the central directory, and returns its entry with what only this header knows.
    func prove(_ central: ZipMember, rawName centralName: ArraySlice<UInt8>) throws -> ZipMember {
        let name = central.path.description
        func disagree(_ what: String) -> PackageError {
            PackageError(.headerMismatch, "local header and central directory disagree on the \(what)", at: name)
        }
        guard !extra.isEncrypted else { throw PackageError(.encrypted, "encrypted entry", at: name) }
        guard !extra.isSpecial else { throw PackageError(.specialFile, "link or device", at: name) }
        guard rawName == centralName else { throw disagree("name") }
        guard flags.intersection(.compared) == central.flags.intersection(.compared) else { throw disagree("flags") }
        // The raw bytes agree; the extra field that overrides them must not differ in one of the two.
        let text = ZipName.decode(rawName, isUTF8: flags.contains(.utf8), extra: extra)
        guard let text,
            try ArchivePath(central.isFolder ? String(text.dropLast()) : text, limits: .unbounded)
                == central.path
        else { throw disagree("name") }
        guard rawMethod == central.method.rawValue else { throw disagree("method") }
        let isComplete =
            crc32 == central.crc32 && compressedSize == central.compressedSize && size == central.size
        if !isComplete {
            // With a descriptor behind the data each value may be left zero here.
            guard central.flags.contains(.descriptor), crc32 == 0 || crc32 == central.crc32,
                compressedSize == 0 || compressedSize == central.compressedSize, size == 0 || size == central.size
            else { throw disagree("sizes or the checksum") }
        }
        var proven = central
        proven.dataOffset = dataOffset
        proven.isLocalComplete = isComplete
        return proven
    }
}
