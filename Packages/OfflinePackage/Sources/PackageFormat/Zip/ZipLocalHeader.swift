// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The local header of an entry, which precedes its data (APPNOTE 4.3.7).
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

    /// Reads the header of `member`. Header and data must lie before `end`.
    init(of member: ZipMember, in source: some RandomAccessReading, upTo end: Int64) throws {
        let name = member.path.description
        guard member.headerOffset >= 0, member.headerOffset <= end - Int64(Self.length) else {
            throw PackageError(.damaged, "the local header lies outside the archive", at: name)
        }
        // One read covers header, name and extra fields of nearly every entry.
        let guess = Int(min(Int64(Self.length + 512), end - member.headerOffset))
        var bytes = try source.bytes(at: member.headerOffset, count: guess)
        var fields = LittleEndian(bytes[...])
        guard let signature = fields.read(4), signature.elementsEqual(ZipSignature.local) else {
            throw PackageError(.damaged, "the local header has no signature", at: name)
        }
        guard fields.read(2) != nil, let rawFlags = fields.uint16(), let rawMethod = fields.uint16(),
            fields.read(4) != nil, let crc32 = fields.uint32(), let compressed32 = fields.uint32(),
            let size32 = fields.uint32(), let nameLength = fields.uint16(), let extraLength = fields.uint16()
        else { throw PackageError(.truncated, "the local header is truncated", at: name) }
        let length = Self.length + Int(nameLength) + Int(extraLength)
        guard Int64(length) <= end - member.headerOffset else {
            throw PackageError(.damaged, "the local header extends past the entries", at: name)
        }
        if length > bytes.count { bytes = try source.bytes(at: member.headerOffset, count: length) }
        guard let extra = ZipExtraFields(bytes[(length - Int(extraLength))..<length]) else {
            throw PackageError(.damaged, "the extra fields do not match their declared length", at: name)
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
            throw PackageError(.damaged, "the data extends past the entries", at: name)
        }
    }

    /// Validates the header against the central directory and returns the entry with the local header's values.
    func validated(
        against central: ZipMember, rawName centralName: ArraySlice<UInt8>, names: ZipNameEncoding?
    ) throws -> ZipMember {
        let name = central.path.description
        func disagree(_ what: String) -> PackageError {
            PackageError(
                .headerMismatch, "the local header and the central directory disagree on the \(what)", at: name)
        }
        guard !extra.isEncrypted else { throw PackageError(.encrypted, "the entry is encrypted", at: name) }
        guard !extra.isSpecial else { throw PackageError(.specialFile, "the entry is a link or a device", at: name) }
        guard rawName == centralName else { throw disagree("name") }
        guard flags.intersection(.compared) == central.flags.intersection(.compared) else { throw disagree("flags") }
        // The raw names are equal. The Unicode Path fields that override them must also give equal names.
        let text = try? ZipName.decode(rawName, isUTF8: flags.contains(.utf8), extra: extra, encoding: names)
        guard let text,
            try ArchivePath(central.isFolder ? ZipName.withoutSlash(text) : text, limits: .unbounded)
                == central.path
        else { throw disagree("name") }
        guard rawMethod == central.method.rawValue else { throw disagree("method") }
        let isComplete =
            crc32 == central.crc32 && compressedSize == central.compressedSize && size == central.size
        if !isComplete {
            // If a data descriptor follows the data, each value may be zero in the local header.
            guard central.flags.contains(.descriptor), crc32 == 0 || crc32 == central.crc32,
                compressedSize == 0 || compressedSize == central.compressedSize, size == 0 || size == central.size
            else { throw disagree("sizes or the checksum") }
        }
        var member = central
        member.dataOffset = dataOffset
        member.isLocalComplete = isComplete
        return member
    }
}

/// The general purpose bits of a zip header (APPNOTE 4.4.4).
struct ZipFlags: OptionSet {
    let rawValue: UInt16

    static let encrypted = ZipFlags(rawValue: 1 << 0)
    static let descriptor = ZipFlags(rawValue: 1 << 3)
    static let patch = ZipFlags(rawValue: 1 << 5)
    static let strongEncryption = ZipFlags(rawValue: 1 << 6)
    static let utf8 = ZipFlags(rawValue: 1 << 11)
    static let maskedHeaders = ZipFlags(rawValue: 1 << 13)

    static let anyEncryption: ZipFlags = [.encrypted, .strongEncryption, .maskedHeaders]
    /// The flags that must be equal in both headers of an entry.
    static let compared: ZipFlags = [.encrypted, .descriptor, .patch, .strongEncryption, .utf8, .maskedHeaders]
}

/// The compression method of a zip entry: the two methods that every reader supports (APPNOTE 4.4.5).
@_spi(Packaging) public enum ZipMethod: UInt16, Sendable, Hashable, CaseIterable {
    /// Uncompressed bytes.
    case stored = 0
    /// Raw deflate (RFC 1951).
    case deflated = 8
}

/// The data descriptor that follows an entry's data (APPNOTE 4.3.9).
enum ZipDescriptor {
    /// Checks that the `length` bytes after the data are a descriptor that agrees with the directory.
    ///
    /// The descriptor may lack the signature, and its sizes have 32 or 64 bits.
    static func check(_ member: ZipMember, length: Int64, in source: some RandomAccessReading) throws {
        let name = member.path.description
        guard [12, 16, 20, 24].contains(length) else {
            let what = length < 0 ? "the entry overlaps another" : "the data descriptor is missing"
            throw PackageError(.overlap, what, at: name)
        }
        var fields = LittleEndian(try source.bytes(at: member.dataEnd, count: Int(length))[...])
        if length == 16 || length == 24 {
            guard let signature = fields.read(4), signature.elementsEqual(ZipSignature.descriptor) else {
                throw PackageError(.headerMismatch, "the data descriptor has no signature", at: name)
            }
        }
        let crc32 = fields.uint32()
        let isWide = length >= 20
        let compressed = isWide ? fields.uint64() : fields.uint32().map(UInt64.init)
        let size = isWide ? fields.uint64() : fields.uint32().map(UInt64.init)
        guard crc32 == member.crc32, compressed == UInt64(member.compressedSize), size == UInt64(member.size) else {
            throw PackageError(.headerMismatch, "the data descriptor and the central directory disagree", at: name)
        }
    }
}
