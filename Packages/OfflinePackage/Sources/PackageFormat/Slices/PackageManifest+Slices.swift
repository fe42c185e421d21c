// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PackageManifest {
    /// Returns the manifest with the slice of each file inside `archive`.
    /// - Parameters:
    ///   - directory: the directory of that archive, as ``ZipValidator`` returned it.
    ///   - archive: the size and the digest of the zip, for the manifest.
    /// - Throws: ``PackageError`` with code `mismatch` if the directory has other files or sizes than the manifest.
    @_spi(Packaging) public func locating(
        files directory: ZipDirectory, in archive: Archive
    ) throws -> PackageManifest {
        var located = self
        located.archive = archive
        var slices = try Self.slices(of: directory, matching: files)
        for index in located.files.indices {
            located.files[index].slice = slices.removeValue(forKey: located.files[index].path)
        }
        return located
    }

    /// Returns the manifest without archive and slices, so that it fits any archive that contains its files.
    package func withoutSlices() -> PackageManifest {
        var plain = self
        plain.archive = nil
        for index in plain.files.indices { plain.files[index].slice = nil }
        return plain
    }

    /// Checks that the slice of each file equals the position in the directory of the zip.
    /// - Throws: ``PackageError`` with code `mismatch`.
    func checkSlices(against directory: ZipDirectory) throws {
        let slices = try Self.slices(of: directory, matching: files)
        for file in files where slices[file.path] != file.slice {
            throw PackageError(
                .mismatch, "the file's position in the archive differs from the manifest", at: file.path.description)
        }
    }

    /// Returns the slice of each file of a directory that contains exactly `files`.
    private static func slices(
        of directory: ZipDirectory, matching files: [File]
    ) throws -> [ArchivePath: ArchiveSlice] {
        var entries: [ArchivePath: ZipDirectory.Entry] = [:]
        for entry in directory.entries { entries[entry.path] = entry }
        var slices: [ArchivePath: ArchiveSlice] = [:]
        for file in files {
            let name = file.path.description
            guard let entry = entries.removeValue(forKey: file.path) else {
                throw PackageError(.mismatch, "the archive does not contain the file", at: name)
            }
            guard entry.size == file.size else {
                throw PackageError(
                    .mismatch, "the file has \(entry.size) bytes, the manifest declares \(file.size)", at: name)
            }
            slices[file.path] = ArchiveSlice(entry)
        }
        if let extra = entries.keys.min() {
            throw PackageError(.mismatch, "the manifest does not list the file", at: extra.description)
        }
        return slices
    }

    /// Checks the manifest and its slices against the limits of an archive.
    func check(_ limits: ArchiveLimits) throws {
        guard files.count <= limits.maxEntries else {
            throw PackageError(.tooMany, "the manifest lists \(files.count) files, the limit is \(limits.maxEntries)")
        }
        var total: Int64 = 0
        for file in files {
            guard total.add(file.size, upTo: limits.maxTotalBytes) else {
                throw PackageError(.tooLarge, "the files have more than \(limits.maxTotalBytes) bytes in total")
            }
            try file.path.check(limits)
        }
        // The size of the archive is not limited here, because the archive is local or was checked against the manifest
        // limits.
        try validateSlices(
            limits: ManifestLimits(
                maxArchiveBytes: .max, maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor))
    }

    /// Checks that ``archive`` and slices are either all present or all absent, and that the slices are valid.
    ///
    /// Slices must lie inside the archive, must not overlap, and must not exceed the size and ratio limits.
    func validateSlices(limits: ManifestLimits) throws {
        guard let archive else {
            guard let file = files.first(where: { $0.slice != nil }) else { return }
            throw PackageError(
                .badManifest, "the file has a slice, but the manifest names no archive", at: file.path.description)
        }
        guard archive.size >= 0 else { throw PackageError(.badManifest, "the archive has a negative size") }
        guard archive.size <= limits.maxArchiveBytes else {
            throw PackageError(
                .tooLarge, "the archive has \(archive.size) bytes, the limit is \(limits.maxArchiveBytes)")
        }
        let ratio = ArchiveLimits(maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor)
        var total: Int64 = 0
        var places: [(slice: ArchiveSlice, path: ArchivePath)] = []
        places.reserveCapacity(files.count)
        for file in files {
            let name = file.path.description
            guard let slice = file.slice else {
                throw PackageError(.badManifest, "the manifest names an archive, but the file has no slice", at: name)
            }
            guard slice.offset >= 0, slice.size >= 0, slice.offset <= archive.size,
                slice.size <= archive.size - slice.offset
            else { throw PackageError(.badManifest, "the slice lies outside the archive", at: name) }
            switch slice.method {
            case .stored where slice.size != file.size:
                throw PackageError(
                    .badManifest, "stored file of \(file.size) bytes has a slice of \(slice.size) bytes", at: name)
            case .deflate where slice.size == 0:
                throw PackageError(.badManifest, "deflated file has an empty slice", at: name)
            default: break
            }
            guard !ratio.isBomb(file.size, from: slice.size) else {
                throw PackageError(
                    .tooLarge, "inflates to more than \(limits.maxRatio) times its size in the archive", at: name)
            }
            total = total.addingSaturated(file.size)
            places.append((slice, file.path))
        }
        // Many small compression bombs add up to a large one.
        guard !ratio.isBomb(total, from: archive.size) else {
            throw PackageError(.tooLarge, "the files have more than \(limits.maxRatio) times the archive's size")
        }
        places.sort { ($0.slice.offset, $0.slice.end) < ($1.slice.offset, $1.slice.end) }
        for (left, right) in zip(places, places.dropFirst()) where right.slice.offset < left.slice.end {
            throw PackageError(
                .badManifest, "the slice overlaps the slice of \(left.path)", at: right.path.description)
        }
    }
}
