// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// An archive reader for zip and, with libarchive, for tar.gz and tar.zst.
///
/// A zip is validated by ``ZipValidator`` first and then read in the order of its bytes, with checks of sizes and
/// checksums. A tar needs libarchive: the trait `Packaging`, on Linux. In a tar a leading `./` is removed from names,
/// and only zeros may follow its end. The checksum of gzip is checked, and that of zstd if present.
@_spi(Packaging) public struct ArchiveReader: ArchiveReading {
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
        switch try ArchiveKind(of: file) {
        case .zip: try readZip(file, limits, visit)
        case .gzip, .zstandard:
            #if Packaging && os(Linux)
                try LibarchiveTarReader(file, limits: limits).read(visit)
            #else
                throw PackageError(.unsupported, "a tar needs libarchive: the trait Packaging, on Linux", at: archive)
            #endif
        }
    }

    private func readZip(
        _ file: InputFile, _ limits: ArchiveLimits,
        _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        // The validator and the entries read through one descriptor, so that both see the same file.
        let directory = try ZipValidator(limits: limits, names: names).validate(file)
        let input = ReadAhead(file)
        let zlib = try ZlibInflater.make(.raw)
        for entry in directory.entries {
            let whole = try ZipEntryReader(entry, from: input, zlib: zlib)
            defer { whole.close() }
            var reader: any ArchiveEntryReading = whole
            try visit(ArchiveEntry(path: entry.path, size: entry.size), &reader)
            // `reader` is not used here, because the visitor may have replaced it.
            while try whole.next() != nil {}
        }
    }
}
