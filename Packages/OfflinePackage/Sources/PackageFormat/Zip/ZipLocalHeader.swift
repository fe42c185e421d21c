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
    /// What both headers of an entry must say alike.
    static let compared: ZipFlags = [.encrypted, .descriptor, .patch, .strongEncryption, .utf8, .maskedHeaders]
}

/// How an entry's bytes are held in a zip: the two methods that every reader knows (APPNOTE 4.4.5).
public enum ZipMethod: UInt16, Sendable, Hashable, CaseIterable {
    /// As they are.
    case stored = 0
    /// Raw deflate (RFC 1951).
    case deflated = 8
}

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
