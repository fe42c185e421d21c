// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The position and compression method of one file's data inside a zip.
///
/// A slice is enough to fetch a file from an archive on a server with one range request, without reading the
/// archive's own headers.
@_spi(Packaging) public struct ArchiveSlice: Sendable, Hashable {
    /// The compression method of a slice.
    @_spi(Packaging) public enum Method: String, Codable, Sendable, Hashable, CaseIterable {
        /// Uncompressed bytes.
        case stored
        /// Raw deflate (RFC 1951), without the header and trailer of zlib or gzip.
        case deflate
    }

    /// The offset of the first byte of the data from the start of the archive. The data follows the entry's local
    /// header.
    public var offset: Int64
    /// The number of bytes inside the archive.
    public var size: Int64
    /// The compression method of the data.
    public var method: Method

    /// Creates a slice.
    public init(offset: Int64, size: Int64, method: Method) {
        self.offset = offset
        self.size = size
        self.method = method
    }

    /// Creates the slice of an entry of a validated zip.
    public init(_ entry: ZipDirectory.Entry) {
        self.init(offset: entry.dataOffset, size: entry.compressedSize, method: Method(entry.method))
    }

    /// The offset of the first byte after the data.
    ///
    /// The value is only meaningful for a validated slice. If the sum overflows, the value is `Int64.max`.
    public var end: Int64 { offset.addingSaturated(size) }
}

extension ArchiveSlice.Method {
    /// Creates the slice method that corresponds to a zip compression method.
    fileprivate init(_ method: ZipMethod) {
        switch method {
        case .stored: self = .stored
        case .deflated: self = .deflate
        }
    }
}

/// A reader that locates the files of a zip with the slices of a manifest.
///
/// It is faster than ``ArchiveReader`` and never parses the archive's headers. Only the digests of the manifest
/// authenticate the output, so the consumer must compare them, as ``PackageVerifier`` and an install do. To read on
/// several threads, use ``SlicedArchive``.
@_spi(Packaging) public struct ArchiveSlices: ArchiveReading {
    public var manifest: PackageManifest

    /// Creates the slices of the archive that a manifest describes.
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
