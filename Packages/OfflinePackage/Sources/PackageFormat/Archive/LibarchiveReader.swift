// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive
internal import Foundation

/// An archive reader for zip, tar.gz and tar.zst that uses libarchive.
///
/// A zip is validated by ``ZipValidator`` first and then read in the order of its central directory, with checks of
/// sizes and checksums. In a tar a leading `./` is removed from names, and only zeros may follow its end. The
/// checksum of gzip is checked, and that of zstd if present.
@_spi(Packaging) public struct LibarchiveReader: ArchiveReading {
    /// The encoding of names of a zip that are neither ASCII nor marked as UTF-8, or `nil` to refuse such names.
    private let names: ZipNameEncoding?

    /// Creates a reader.
    public init(names: ZipNameEncoding? = nil) {
        self.names = names
    }

    public func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let file = try InputFile(path: archive)
        try UTF8Locale.during {
            switch try ArchiveKind(of: file) {
            case .zip:
                // The validator and libarchive read through one descriptor, so that both see the same file.
                let directory = try ZipValidator(limits: limits, names: names).validate(file)
                // libarchive does not recognize a zip without entries.
                guard !directory.entries.isEmpty else { return }
                try readZip(file, directory, limits, visit)
            // libarchive does not decompress, because it would ignore the checksum of gzip and the bytes after the end
            // of the tar.
            case .gzip: try readTar(file, GzipStream(file), limits, visit)
            case .zstandard: try readTar(file, ZstandardStream(file), limits, visit)
            }
        }
    }

    private func readZip(
        _ file: InputFile, _ directory: ZipDirectory, _ limits: ArchiveLimits,
        _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let handle = try LibarchiveReadHandle(LibarchiveSource(file), limits: limits) { archive in
            archive_read_support_format_zip_seekable(archive)
        }
        var expected = directory.entries.makeIterator()
        while let header = try handle.next() {
            if header.kind == .folder { continue }
            guard let entry = expected.next(), header.kind == .file, header.size ?? entry.size == entry.size else {
                throw PackageError(
                    .headerMismatch, "libarchive and the central directory disagree on the entry",
                    at: header.printableName)
            }
            try handle.visit(ArchiveEntry(path: entry.path, size: entry.size), visit)
        }
        if let missing = expected.next() {
            throw PackageError(.damaged, "libarchive does not find the entry", at: missing.path.description)
        }
    }

    private func readTar(
        _ file: InputFile, _ stream: any ByteStreaming, _ limits: ArchiveLimits,
        _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let source = LibarchiveSource(file, unpackedBy: stream, limits: limits)
        let handle = try LibarchiveReadHandle(source, limits: limits) { archive in
            archive_read_support_format_tar(archive)
        }
        var names = PathIndex()
        var count = 0
        var announced: Int64 = 0
        while let header = try handle.next() {
            count += 1
            guard count <= limits.maxEntries else {
                throw PackageError(.tooMany, "the archive has more than \(limits.maxEntries) entries", at: file.path)
            }
            guard header.kind != .special else {
                throw PackageError(.specialFile, "the entry is a link or a device", at: header.printableName)
            }
            guard var name = header.name else {
                throw PackageError(.unsafePath, "the name is not valid UTF-8", at: file.path)
            }
            // A slash and the scalars around it can be one `Character`, so names are compared and cut by bytes.
            if name.utf8.starts(with: "./".utf8) { name = String(Substring(name.utf8.dropFirst(2))) }
            if header.kind == .folder {
                if name.utf8.last == UInt8(ascii: "/") { name = ZipName.withoutSlash(name) }
                // `tar -C folder .` also writes an entry for the packed folder itself.
                if name.isEmpty || name == "." { continue }
                try names.insertFolder(ArchivePath(name, limits: limits))
                continue
            }
            let path = try ArchivePath(name, limits: limits)
            try names.insert(path)
            if let size = header.size {
                guard size >= 0, announced.add(size, upTo: limits.maxTotalBytes) else {
                    throw PackageError(
                        .tooLarge, "unpacks to more than \(limits.maxTotalBytes) bytes", at: path.description)
                }
            }
            try handle.visit(ArchiveEntry(path: path, size: header.size), visit)
        }
        try handle.drain()
    }
}

/// A reader of the bytes of the entry at libarchive's current position.
struct LibarchiveEntryReader: ArchiveEntryReading {
    let handle: LibarchiveReadHandle
    let serial: Int
    let name: String
    let expected: Int64?

    mutating func next() throws -> Data? {
        try handle.read(serial, name: name, expected: expected)
    }
}
