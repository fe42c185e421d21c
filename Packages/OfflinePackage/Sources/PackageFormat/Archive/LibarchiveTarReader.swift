// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    internal import CArchive
    internal import Foundation

    /// A reader of tar.gz and tar.zst that uses libarchive.
    struct LibarchiveTarReader {
        private let file: InputFile
        private let limits: ArchiveLimits

        init(_ file: InputFile, limits: ArchiveLimits) {
            self.file = file
            self.limits = limits
        }

        /// Visits every regular file, as ``ArchiveReading/read(_:limits:visit:)`` does.
        func read(_ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void) throws {
            try UTF8Locale.during {
                // libarchive does not decompress gzip, because it would ignore the checksum and the bytes after the end
                // of the tar.
                let isGzip = try ArchiveKind(of: file) == .gzip
                try read(isGzip ? GzipStream(file) : ZstandardStream(file), visit)
            }
        }

        private func read(
            _ stream: any ByteStreaming, _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
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
                    throw PackageError(
                        .tooMany, "the archive has more than \(limits.maxEntries) entries", at: file.path)
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
#endif
