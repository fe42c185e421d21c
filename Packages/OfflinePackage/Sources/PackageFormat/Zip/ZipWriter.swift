// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import SystemSupport
internal import ZlibStreams

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A writer of zips (APPNOTE.TXT 6.3.10) on all systems.
///
/// Equal entries in equal order give equal bytes with one version of zlib. Clock, time zone, locale and user have no
/// influence: all entries have the time 1980-01-01, mode 0644 and no user. Local headers have the sizes and checksums,
/// so that there are no data descriptors. The end record has a zip64 form, and the record of an entry a zip64 offset,
/// only if a value needs it. An entry has zip64 sizes if it is declared with more than 0xF000_0000 bytes, because the
/// compressed size is unknown when the header is written, and may be larger.
///
/// Isolation: a writer blocks its thread.
@_spi(Packaging) public struct ZipWriter: Sendable {
    private let thresholds: Zip64Thresholds

    /// Creates a writer.
    public init() { thresholds = Zip64Thresholds() }

    /// Creates a writer with lower thresholds, so that small archives have zip64 structures.
    init(thresholds: Zip64Thresholds) { self.thresholds = thresholds }

    /// Writes an archive to a path that does not exist yet, and syncs it to disk.
    ///
    /// On an error the file is removed.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - contents: a closure that adds the entries. If it throws, writing ends and the error is rethrown.
    /// - Throws: ``PackageError``.
    public func write(to archive: String, contents: (ZipEntryWriter) throws -> Void) throws {
        let descriptor = try SystemError.mapping {
            try FileIO.open(archive, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
        } to: {
            PackageError($0, "create")
        }
        var isOpen = true
        do {
            let writer = try ZipEntryWriter(descriptor: descriptor, path: archive, thresholds: thresholds)
            try contents(writer)
            try writer.finish()
            try SystemError.mapping {
                try FileIO.sync(descriptor)
            } to: {
                PackageError($0, "sync", at: archive)
            }
            isOpen = false
            guard close(descriptor) == 0 else { throw PackageError(SystemError("close", at: archive)) }
        } catch {
            if isOpen { close(descriptor) }
            unlink(archive)
            throw error
        }
    }
}

/// The values from which structures have a zip64 form.
struct Zip64Thresholds: Sendable {
    /// The largest declared size in bytes of an entry with 32-bit sizes. Deflate adds less than 1 % to any data, so
    /// that the compressed size fits 32 bits too.
    var largestSize: Int64 = 0xF000_0000
    /// The smallest offset in bytes that needs 64 bits. The value 0xFFFF_FFFF itself marks a zip64 field.
    var offset: Int64 = 0xFFFF_FFFF
}

/// A writer of the entries of one archive.
///
/// It is not `Sendable` and exists only during one call of ``ZipWriter``, which owns the descriptor.
@_spi(Packaging) public final class ZipEntryWriter {
    private struct Entry {
        let name: [UInt8]
        let method: ZipMethod
        let size: Int64
        let offset: Int64
        var dataOffset: Int64 = 0
        var crc32: UInt32 = 0
        /// The number of declared bytes that were not appended yet.
        var missing: Int64
        /// A Boolean value that indicates whether the sizes have 64 bits.
        let isWide: Bool
    }

    private let descriptor: CInt
    private let path: String
    private let thresholds: Zip64Thresholds
    private let encoder: DeflateEncoder
    private var position: Int64 = 0
    private var current: Entry?
    private var directory: [UInt8] = []
    private var count = 0

    init(descriptor: CInt, path: String, thresholds: Zip64Thresholds) throws {
        self.descriptor = descriptor
        self.path = path
        self.thresholds = thresholds
        do { encoder = try DeflateEncoder() } catch {
            throw PackageError(.io, "zlib is out of memory", at: path)
        }
    }

    /// Ends the previous entry and begins an entry of exactly `size` bytes.
    /// - Throws: ``PackageError``, with code `mismatch` if the previous entry has fewer bytes than declared.
    public func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws {
        try endEntry()
        let name = Array(path.description.utf8)
        guard size >= 0, name.count <= 0xFFFF else {
            throw PackageError(.tooLarge, "the entry does not fit a zip", at: path.description)
        }
        let offset = position
        var entry = Entry(
            name: name, method: method, size: size, offset: offset, missing: size,
            isWide: size > thresholds.largestSize)
        let header = localHeader(entry, compressed: 0)
        entry.dataOffset = offset + Int64(header.count)
        try header.withUnsafeBytes { try write($0) }
        current = entry
    }

    /// Appends bytes to the entry.
    /// - Throws: ``PackageError``, with code `mismatch` if the entry has more bytes than declared.
    public func append(_ data: Data) throws {
        guard var entry = current, Int64(data.count) <= entry.missing else {
            let name = current.map { String(decoding: $0.name, as: UTF8.self) }
            throw PackageError(.mismatch, "the entry has more bytes than declared", at: name)
        }
        entry.missing -= Int64(data.count)
        try data.withUnsafeBytes { bytes in
            entry.crc32 = CRC32.checksum(of: bytes, after: entry.crc32)
            switch entry.method {
            case .stored: try write(bytes)
            case .deflated: try encoder.encode(bytes, isLast: false) { try write($0) }
            }
        }
        current = entry
    }

    /// Ends the last entry and writes the central directory.
    func finish() throws {
        try endEntry()
        let offset = position
        let size = Int64(directory.count)
        try directory.withUnsafeBytes { try write($0) }
        var end: [UInt8] = []
        let isFar = offset >= thresholds.offset
        if count >= 0xFFFF || isFar || size >= 0xFFFF_FFFF {
            end += ZipSignature.zip64End
            end.append(UInt64(44))
            end.append(Self.madeBy(isWide: true))
            end.append(Self.needed(isWide: true))
            end.append(UInt64(0))  // this disk, and that of the directory
            end.append(UInt64(count))
            end.append(UInt64(count))
            end.append(UInt64(size))
            end.append(UInt64(offset))
            end += ZipSignature.zip64Locator
            end.append(UInt32(0))
            end.append(UInt64(offset + size))
            end.append(UInt32(1))
        }
        end += ZipSignature.end
        end.append(UInt32(0))
        end.append(UInt16(min(count, 0xFFFF)))
        end.append(UInt16(min(count, 0xFFFF)))
        end.append(UInt32(min(size, 0xFFFF_FFFF)))
        end.append(isFar ? 0xFFFF_FFFF : UInt32(offset))
        end.append(UInt16(0))
        try end.withUnsafeBytes { try write($0) }
    }

    private func endEntry() throws {
        guard let entry = current else { return }
        guard entry.missing == 0 else {
            throw PackageError(
                .mismatch, "the entry has \(entry.missing) bytes fewer than declared",
                at: String(decoding: entry.name, as: UTF8.self))
        }
        if entry.method == .deflated {
            try encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true) { try write($0) }
        }
        current = nil
        let compressed = position - entry.dataOffset
        try mapped {
            try localHeader(entry, compressed: compressed).withUnsafeBytes {
                try FileIO.write($0, to: descriptor, at: entry.offset)
            }
        }
        appendRecord(of: entry, compressed: compressed)
        count += 1
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws {
        try mapped { try FileIO.write(bytes, to: descriptor, at: position) }
        position += Int64(bytes.count)
    }

    private func mapped(_ body: () throws -> Void) throws {
        try SystemError.mapping {
            try body()
        } to: {
            PackageError($0, at: path)
        }
    }

    // MARK: Structures

    /// The version of the format that a reader needs (APPNOTE 4.4.3).
    private static func needed(isWide: Bool) -> UInt16 { isWide ? 45 : 20 }

    /// The version of the format, and Unix as the system of the attributes (APPNOTE 4.4.2).
    private static func madeBy(isWide: Bool) -> UInt16 { 3 << 8 | needed(isWide: isWide) }

    /// The fields that both headers of an entry have, from the version needed to the length of the name.
    private func commonFields(_ entry: Entry, compressed: Int64, isWide: Bool) -> [UInt8] {
        var fields: [UInt8] = []
        let isASCII = entry.name.allSatisfy { $0 < 0x80 }
        fields.append(Self.needed(isWide: isWide))
        fields.append(isASCII ? 0 : ZipFlags.utf8.rawValue)
        fields.append(entry.method.rawValue)
        // The time 00:00 and the date 1980-01-01 (APPNOTE 4.4.6).
        fields.append(UInt16(0))
        fields.append(UInt16(0x21))
        fields.append(entry.crc32)
        fields.append(entry.isWide ? 0xFFFF_FFFF : UInt32(compressed))
        fields.append(entry.isWide ? 0xFFFF_FFFF : UInt32(entry.size))
        fields.append(UInt16(entry.name.count))
        return fields
    }

    /// The zip64 field (APPNOTE 4.5.3), or nothing if no value needs it.
    private func zip64Field(_ entry: Entry, compressed: Int64, offset: Int64?) -> [UInt8] {
        var values: [UInt8] = []
        if entry.isWide {
            values.append(UInt64(entry.size))
            values.append(UInt64(compressed))
        }
        if let offset { values.append(UInt64(offset)) }
        guard !values.isEmpty else { return [] }
        var field: [UInt8] = []
        field.append(UInt16(1))
        field.append(UInt16(values.count))
        return field + values
    }

    private func localHeader(_ entry: Entry, compressed: Int64) -> [UInt8] {
        let extra = zip64Field(entry, compressed: compressed, offset: nil)
        var header = ZipSignature.local + commonFields(entry, compressed: compressed, isWide: entry.isWide)
        header.append(UInt16(extra.count))
        return header + entry.name + extra
    }

    private func appendRecord(of entry: Entry, compressed: Int64) {
        let isFar = entry.offset >= thresholds.offset
        let extra = zip64Field(entry, compressed: compressed, offset: isFar ? entry.offset : nil)
        directory += ZipSignature.central
        directory.append(Self.madeBy(isWide: entry.isWide || isFar))
        directory += commonFields(entry, compressed: compressed, isWide: entry.isWide || isFar)
        directory.append(UInt16(extra.count))
        // The length of the comment, the disk, and the internal attributes.
        directory.append(UInt16(0))
        directory.append(UInt16(0))
        directory.append(UInt16(0))
        // A regular file with mode 0644.
        directory.append(UInt32(0o100644) << 16)
        directory.append(isFar ? 0xFFFF_FFFF : UInt32(entry.offset))
        directory += entry.name
        directory += extra
    }
}

extension [UInt8] {
    /// Appends the bytes of a number, the least significant first.
    fileprivate mutating func append(_ number: some FixedWidthInteger & UnsignedInteger) {
        Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
    }
}
