// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Where the bytes of one file lie inside of a zip, and how they are packed.
///
/// Enough to fetch a file out of an archive on a server by one range of bytes, with no look at the archive's own
/// headers.
public struct ArchiveSlice: Sendable, Hashable {
    /// How the bytes are packed.
    public enum Method: String, Codable, Sendable, Hashable, CaseIterable {
        /// As they are.
        case stored
        /// Raw deflate (RFC 1951), without the header and trailer of zlib or gzip.
        case deflate
    }

    /// The first byte of the data, behind the entry's local header, counted from the start of the archive.
    public var offset: Int64
    /// Bytes inside of the archive.
    public var size: Int64
    public var method: Method

    public init(offset: Int64, size: Int64, method: Method) {
        self.offset = offset
        self.size = size
        self.method = method
    }

    /// The slice of an entry of a proven zip.
    public init(_ entry: ZipDirectory.Entry) {
        self.init(offset: entry.dataOffset, size: entry.compressedSize, method: Method(entry.method))
    }

    /// The first byte behind the data. Meaningful once the slice was validated: before that the sum could overflow,
    /// and is cut at the largest number instead.
    public var end: Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(size)
        return overflow ? .max : sum
    }
}

extension ArchiveSlice.Method {
    public init(_ method: ZipMethod) {
        switch method {
        case .stored: self = .stored
        case .deflated: self = .deflate
        }
    }
}

/// Reads a zip by the slices of its manifest: slice, inflate, hand out.
///
/// Faster than ``LibarchiveReader`` and smaller in surface, since the archive's headers are never parsed. What comes out
/// is proven by the digests of the manifest alone, so its consumer must compare them; ``PackageVerifier`` does, and so
/// does an install. For reading on several threads see ``SlicedArchive``.
@_spi(Fuzzing) public struct ArchiveSlices: ArchiveReading {
    public var manifest: PackageManifest

    public init(_ manifest: PackageManifest) {
        self.manifest = manifest
    }

    public func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let sliced = try SlicedArchive(archive, manifest: manifest, limits: limits)
        try sliced.read(sliced.files) { file, reader in
            try visit(ArchiveEntry(path: file.path, size: file.size), &reader)
        }
    }
}
