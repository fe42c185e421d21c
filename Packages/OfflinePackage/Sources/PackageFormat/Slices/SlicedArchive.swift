// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// A zip file that is read with the slices of its manifest, without the archive's own headers.
///
/// The output is authentic only after the caller has compared its digest with the manifest. The archive as a whole is
/// not hashed, because each file is.
///
/// Isolation: several threads may read at once. Each call of ``read(_:visit:)`` has its own buffers of about 600 KB
/// and blocks its thread.
package struct SlicedArchive: Sendable {
    /// The manifest's files in the order of their bytes in the archive.
    package let files: [PackageManifest.File]
    private let input: InputFile

    /// Opens an archive.
    /// - Parameters:
    ///   - archive: the path of the zip.
    ///   - manifest: the manifest of the zip, with the slices of its files.
    ///   - limits: the limits to check the manifest against, or `nil` if it was checked before.
    ///   - isWhole: `false` for a file that contains only the slices to read, at their offsets.
    /// - Throws: ``PackageError`` with code `badManifest` if the manifest has no slices or invalid slices, `tooMany`
    ///   or `tooLarge` if a limit is exceeded, `mismatch` if the file has another size, `noInput`, or `io`.
    package init(
        _ archive: String, manifest: PackageManifest, limits: ArchiveLimits? = nil, isWhole: Bool = true
    ) throws {
        guard let promised = manifest.archive else {
            throw PackageError(.badManifest, "the manifest has no slices", at: archive)
        }
        if let limits { try manifest.check(limits) }
        try manifest.validateSlices(limits: .unbounded)
        input = try InputFile(path: archive)
        guard !isWhole || input.size == promised.size else {
            throw PackageError(
                .mismatch, "the archive has \(input.size) bytes, the manifest declares \(promised.size)", at: archive)
        }
        files = Self.sorted(manifest.files)
    }

    /// Reads some of the manifest's files in the given order. Neighbors in the order of ``files`` are read fastest.
    ///
    /// The bytes that `visit` leaves unread are still read and checked. The reader that `visit` receives is valid
    /// only until `visit` returns.
    /// - Parameters:
    ///   - files: the files to read, in this order.
    ///   - visit: a closure that is called for each file. If it throws, reading ends and the error is rethrown.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    package func read(
        _ files: some Sequence<PackageManifest.File>,
        visit: (PackageManifest.File, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        let readAhead = ReadAhead(input)
        let zlib = try ZlibInflater.make(.raw)
        let inflater = WholeInflater()
        for file in files {
            let whole = try SliceReader(file, from: readAhead, zlib: zlib, whole: inflater)
            defer { whole.close() }
            var reader: any ArchiveEntryReading = whole
            try visit(file, &reader)
            // `reader` is not used here, because the visitor may have replaced it.
            var rest = whole
            while try rest.next() != nil {}
        }
    }

    /// Divides files into at most `count` runs of neighbors that take about the same time, one for each thread.
    /// - Parameters:
    ///   - count: the maximum number of runs; less than one counts as one.
    ///   - some: the files to divide, in any order. Default: all files of the manifest.
    package func shares(
        _ count: Int, of some: [PackageManifest.File]? = nil
    ) -> [ArraySlice<PackageManifest.File>] {
        let files = some.map(Self.sorted) ?? files
        guard !files.isEmpty else { return [] }
        let total = files.reduce(0) { $0 + Self.cost($1) }
        let share = max(total / Int64(max(count, 1)), 1)
        var shares: [ArraySlice<PackageManifest.File>] = []
        var start = files.startIndex
        var sum: Int64 = 0
        for index in files.indices {
            sum += Self.cost(files[index])
            guard sum >= share, shares.count + 1 < count else { continue }
            shares.append(files[start...index])
            start = index + 1
            sum = 0
        }
        if start < files.endIndex { shares.append(files[start...]) }
        return shares
    }

    private static func sorted(_ files: [PackageManifest.File]) -> [PackageManifest.File] {
        files.sorted { ($0.slice?.offset ?? 0, $0.path) < ($1.slice?.offset ?? 0, $1.path) }
    }

    /// Returns the cost of a file in bytes. The fixed cost of creating a file is counted as 64 KiB.
    private static func cost(_ file: PackageManifest.File) -> Int64 {
        min(file.size, 1 << 40) + (64 << 10)
    }
}
