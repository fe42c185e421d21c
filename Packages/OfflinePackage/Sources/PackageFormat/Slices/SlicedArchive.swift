// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ZlibStreams

/// A zip in a file, read by the slices of its manifest alone: the archive's own headers are never looked at.
///
/// Nothing that comes out is proven before its digest was compared with the manifest's: that is the caller's part. The
/// archive as a whole is not hashed, since every byte that counts is.
///
/// Isolation: `Sendable`, and may be read by several threads at once; each call of ``read(_:visit:)`` has buffers of its
/// own, some 600 KB. Reading blocks its thread.
public struct SlicedArchive: Sendable {
    /// The manifest's files in the order in which their bytes lie in the archive.
    public let files: [PackageManifest.File]
    private let input: InputFile

    /// Opens an archive.
    /// - Parameters:
    ///   - archive: the path of the zip.
    ///   - manifest: the manifest of the zip, with the slices of its files.
    ///   - limits: what the manifest may ask for; `nil` where it was held to that before.
    ///   - isWhole: `false` for a file that has only the slices that will be read, at their places.
    /// - Throws: ``PackageError`` with code `badManifest` where the manifest has no
    ///   slices or they cannot be, `tooMany` and
    ///   `tooLarge` for the limits, `mismatch` where
    ///   the file has another size, `noInput` and
    ///   `io`.
    public init(
        _ archive: String, manifest: PackageManifest, limits: ArchiveLimits? = nil, isWhole: Bool = true
    ) throws {
        guard let promised = manifest.archive else {
            throw PackageError(.badManifest, "the manifest does not say where files lie in the archive", at: archive)
        }
        if let limits { try manifest.check(limits) }
        try manifest.validateSlices(limits: .unbounded)
        input = try InputFile(path: archive)
        guard !isWhole || input.size == promised.size else {
            throw PackageError(
                .mismatch, "archive of \(input.size) bytes, \(promised.size) in the manifest", at: archive)
        }
        files = Self.sorted(manifest.files)
    }

    /// Walks `files`, which are some of the manifest's. Neighbours in order of ``files`` are read fastest.
    ///
    /// What `visit` leaves unread of a file is read and checked all the same. The reader that `visit` is given is of use
    /// only until `visit` returns.
    /// - Parameters:
    ///   - files: the files to read, in this order.
    ///   - visit: called for each file; what it throws ends the walk and is thrown on.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    public func read(
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
            // Not through `reader`: the visitor may have put another one into it.
            var rest = whole
            while try rest.next() != nil {}
        }
    }

    /// Cuts files into at most `count` runs of neighbours that take about the same time, for as many threads.
    /// - Parameters:
    ///   - count: the maximum number of runs; less than one counts as one.
    ///   - some: which of the manifest's files, in any order; all where it is not given.
    public func shares(
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

    /// What a file costs, in bytes unpacked: to make a file is worth some 64 KiB.
    private static func cost(_ file: PackageManifest.File) -> Int64 {
        min(file.size, 1 << 40) + (64 << 10)
    }
}
