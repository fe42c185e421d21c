// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport

/// A buffered reader of the records of a central directory.
struct ZipDirectoryReader<Source: RandomAccessReading> {
    private let source: Source
    private let limits: ArchiveLimits
    private let names: ZipNameEncoding?
    private var position: Int64
    private let end: Int64
    private var buffer: ArraySlice<UInt8> = []

    init(_ source: Source, from start: Int64, to end: Int64, limits: ArchiveLimits, names: ZipNameEncoding?) {
        self.source = source
        self.limits = limits
        self.names = names
        position = start
        self.end = end
    }

    /// A Boolean value that indicates whether all bytes of the directory were read.
    var isAtEnd: Bool { buffer.isEmpty && position == end }

    /// Reads the next record and the raw bytes of its name.
    mutating func next() throws -> (member: ZipMember, rawName: ArraySlice<UInt8>) {
        var fields = LittleEndian(try read(46))
        guard let signature = fields.read(4), signature.elementsEqual(ZipSignature.central) else {
            throw damaged("a central directory record has no signature")
        }
        guard fields.read(4) != nil, let rawFlags = fields.uint16(), let rawMethod = fields.uint16(),
            fields.read(4) != nil, let crc32 = fields.uint32(), let compressed32 = fields.uint32(),
            let size32 = fields.uint32(), let nameLength = fields.uint16(), let extraLength = fields.uint16(),
            let commentLength = fields.uint16(), let disk16 = fields.uint16(), fields.read(2) != nil,
            let attributes = fields.uint32(), let offset32 = fields.uint32()
        else { throw damaged("a central directory record is truncated") }
        // A byte of another encoding becomes at most three bytes of UTF-8, so the length limit applies to the decoded
        // name.
        let rawName = try read(Int(nameLength))
        guard let extra = ZipExtraFields(try read(Int(extraLength))) else {
            throw damaged("the extra fields do not match their declared length")
        }
        _ = try read(Int(commentLength))

        let text: String
        do {
            text = try ZipName.decode(
                rawName, isUTF8: ZipFlags(rawValue: rawFlags).contains(.utf8), extra: extra, encoding: names)
        } catch {
            throw PackageError(.unsafePath, error.message(rawName), at: source.location)
        }
        let name = text.printable(limit: 200)
        let flags = ZipFlags(rawValue: rawFlags)
        guard flags.isDisjoint(with: .anyEncryption), rawMethod != 99, !extra.isEncrypted else {
            throw PackageError(.encrypted, "the entry is encrypted", at: name)
        }
        guard !flags.contains(.patch), let method = ZipMethod(rawValue: rawMethod) else {
            throw PackageError(.unsupported, "compression method \(rawMethod) is not supported", at: name)
        }
        let wide = try Zip64Sizes(
            size: size32, compressed: compressed32, offset: offset32, disk: disk16, extra: extra.zip64, at: name)
        guard wide.disk == 0 else {
            throw PackageError(.unsupported, "multi-part archives are not supported", at: name)
        }
        guard let offset = wide.offset else { throw damaged("a central directory record has no offset") }

        let isFolder = text.utf8.last == UInt8(ascii: "/")
        let path = try ArchivePath(isFolder ? ZipName.withoutSlash(text) : text, limits: limits)
        let kind = ZipAttributes(rawValue: attributes)
        guard !kind.isSpecial, !extra.isSpecial else {
            throw PackageError(.specialFile, "the entry is a link or a device", at: name)
        }
        guard isFolder ? !kind.isFile && wide.size == 0 : !kind.isFolder else {
            throw PackageError(
                .headerMismatch, "the name and the attributes disagree on file or folder", at: name)
        }
        let member = ZipMember(
            path: path, isFolder: isFolder, flags: flags, method: method, crc32: crc32,
            compressedSize: wide.compressed, size: wide.size, headerOffset: offset)
        return (member, rawName)
    }

    private mutating func read(_ count: Int) throws -> ArraySlice<UInt8> {
        if buffer.count < count {
            guard Int64(count - buffer.count) <= end - position else {
                throw damaged("the central directory ends inside a record")
            }
            let more = Int(min(Int64(max(count - buffer.count, 1 << 16)), end - position))
            buffer = ArraySlice(buffer + (try source.bytes(at: position, count: more)))
            position += Int64(more)
        }
        let taken = buffer.prefix(count)
        buffer = buffer.dropFirst(count)
        return taken
    }

    private func damaged(_ message: String) -> PackageError {
        PackageError(.damaged, message, at: source.location)
    }
}
