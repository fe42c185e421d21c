// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A validator that proves that every zip reader interprets an archive in the same way, before it is unpacked.
///
/// It reads the end of central directory, the central directory and every local header. It rejects everything that
/// readers could interpret differently or that could harm them:
/// - names that leave the folder, names that collide, and names in an unknown encoding
/// - links and devices
/// - entries that overlap, and bytes that belong to no entry
/// - headers that disagree
/// - encryption, split archives, and compression methods other than stored and deflated
/// - truncated files, and sizes beyond the limits
///
/// It does not read compressed data. Memory grows only with the number of entries.
///
/// The rules follow APPNOTE.TXT 6.3.10. If it allows several interpretations, the validator applies the strictest one
/// that common writers satisfy.
@_spi(Packaging) public struct ZipValidator: Sendable {
    /// The limits of the archive.
    public var limits: ArchiveLimits
    /// The encoding of names that are neither ASCII nor marked as UTF-8, or `nil` to refuse such names.
    public var names: ZipNameEncoding?

    /// Creates a validator with limits.
    public init(limits: ArchiveLimits = .default, names: ZipNameEncoding? = nil) {
        self.limits = limits
        self.names = names
    }

    /// Validates the zip at a path of the file system. Blocks while it reads.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    public func validate(_ archive: String) throws -> ZipDirectory {
        try validate(InputFile(path: archive))
    }

    /// Validates a zip in memory.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    public func validate(_ bytes: Data) throws -> ZipDirectory {
        try validate(InputBytes(data: bytes))
    }

    func validate(_ source: some RandomAccessReading) throws -> ZipDirectory {
        guard try ArchiveKind(of: source) == .zip else {
            throw PackageError(.notAnArchive, "the file is not a zip", at: source.location)
        }
        let end = try ZipEndRecord(of: source)
        guard end.entryCount <= UInt64(max(limits.maxEntries, 0)) else {
            throw PackageError(
                .tooMany, "the archive has \(end.entryCount) entries, the limit is \(limits.maxEntries)",
                at: source.location)
        }
        var members = try members(of: source, end: end)
        members.sort { $0.headerOffset < $1.headerOffset }
        try checkLayout(members, of: source, upTo: end.directoryOffset)
        let files = members.filter { !$0.isFolder }
        let entries = files.map { member in
            ZipDirectory.Entry(
                path: member.path, headerOffset: member.headerOffset, dataOffset: member.dataOffset,
                compressedSize: member.compressedSize, size: member.size, crc32: member.crc32, method: member.method)
        }
        return ZipDirectory(
            entries: entries, offset: end.directoryOffset, totalSize: files.reduce(0) { $0 + $1.size })
    }

    /// Reads the directory and the local header of each entry, and checks names and sizes.
    private func members(of source: some RandomAccessReading, end: ZipEndRecord) throws -> [ZipMember] {
        var reader = ZipDirectoryReader(
            source, from: end.directoryOffset, to: end.directoryOffset + end.directorySize, limits: limits,
            names: names)
        var members: [ZipMember] = []
        var names = PathIndex()
        var total: Int64 = 0
        for index in 0..<end.entryCount {
            if index.isMultiple(of: 256) { try Task.checkCancellation() }
            guard !reader.isAtEnd else {
                throw PackageError(
                    .headerMismatch, "the directory has \(index) entries, the end record declares \(end.entryCount)",
                    at: source.location)
            }
            let (central, rawName) = try reader.next()
            if central.isFolder {
                try names.insertFolder(central.path)
            } else {
                try names.insert(central.path)
            }
            try checkSizes(of: central, total: &total, archive: source.size)
            let local = try ZipLocalHeader(of: central, in: source, upTo: end.directoryOffset)
            members.append(try local.validated(against: central, rawName: rawName, names: self.names))
        }
        guard reader.isAtEnd else {
            throw PackageError(
                .headerMismatch, "the directory has more than the declared \(end.entryCount) entries",
                at: source.location)
        }
        return members
    }

    private func checkSizes(of member: ZipMember, total: inout Int64, archive: Int64) throws {
        let name = member.path.description
        if member.method == .stored, member.size != member.compressedSize {
            throw PackageError(
                .headerMismatch, "stored entry of \(member.size) bytes has \(member.compressedSize) bytes of data",
                at: name)
        }
        if member.size == 0, member.crc32 != 0 {
            throw PackageError(.damaged, "an empty entry has a nonzero CRC-32", at: name)
        }
        guard total.add(member.size, upTo: limits.maxTotalBytes) else {
            throw PackageError(.tooLarge, "inflates to more than \(limits.maxTotalBytes) bytes", at: name)
        }
        guard !limits.isBomb(member.size, from: member.compressedSize), !limits.isBomb(total, from: archive) else {
            throw PackageError(
                .tooLarge, "inflates to more than \(limits.maxRatio) times its size in the archive", at: name)
        }
    }

    /// Checks that the entries follow each other without a gap from the first byte to the directory.
    private func checkLayout(_ members: [ZipMember], of source: some RandomAccessReading, upTo end: Int64) throws {
        var position: Int64 = 0
        for (index, member) in members.enumerated() {
            guard member.headerOffset == position else {
                let what = member.headerOffset < position ? "the entry overlaps another" : "bytes belong to no entry"
                throw PackageError(.overlap, what, at: member.path.description)
            }
            let next = index + 1 < members.count ? members[index + 1].headerOffset : end
            let gap = next - member.dataEnd
            if member.flags.contains(.descriptor), gap != 0 || !member.isLocalComplete {
                try ZipDescriptor.check(member, length: gap, in: source)
                position = next
            } else {
                position = member.dataEnd
            }
        }
        guard position == end else {
            throw PackageError(.overlap, "bytes belong to no entry", at: source.location)
        }
    }
}
