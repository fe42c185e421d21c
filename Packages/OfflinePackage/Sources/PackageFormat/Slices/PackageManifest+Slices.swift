// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PackageManifest {
    /// The manifest with the place of each file inside of `archive`.
    /// - Parameters:
    ///   - directory: the directory of that archive, as ``ZipValidator`` returned it.
    ///   - archive: the size and the digest of the zip, which become the manifest's.
    /// - Throws: ``PackageError`` with code `mismatch` where the directory has other
    ///   files or sizes.
    public func locating(files directory: ZipDirectory, in archive: Archive) throws -> PackageManifest {
        var located = self
        located.archive = archive
        var slices = try Self.slices(of: directory, matching: files)
        for index in located.files.indices {
            located.files[index].slice = slices.removeValue(forKey: located.files[index].path)
        }
        return located
    }

    /// The manifest without ``archive`` and slices: it then fits any archive that holds its files.
    public func withoutSlices() -> PackageManifest {
        var plain = self
        plain.archive = nil
        for index in plain.files.indices { plain.files[index].slice = nil }
        return plain
    }

    /// Checks that each file's slice is where the directory of the zip says it is.
    /// - Throws: ``PackageError`` with code `mismatch`.
    func checkSlices(against directory: ZipDirectory) throws {
        let slices = try Self.slices(of: directory, matching: files)
        for file in files where slices[file.path] != file.slice {
            throw PackageError(
                .mismatch, "the file lies elsewhere in the archive than the manifest says", at: file.path.description)
        }
    }

    /// The slices of a directory that holds exactly `files`.
    private static func slices(
        of directory: ZipDirectory, matching files: [File]
    ) throws -> [ArchivePath: ArchiveSlice] {
        var entries: [ArchivePath: ZipDirectory.Entry] = [:]
        for entry in directory.entries { entries[entry.path] = entry }
        var slices: [ArchivePath: ArchiveSlice] = [:]
        for file in files {
            let name = file.path.description
            guard let entry = entries.removeValue(forKey: file.path) else {
                throw PackageError(.mismatch, "file of the manifest that the archive lacks", at: name)
            }
            guard entry.size == file.size else {
                throw PackageError(.mismatch, "file of \(entry.size) bytes, \(file.size) in the manifest", at: name)
            }
            slices[file.path] = ArchiveSlice(entry)
        }
        if let extra = entries.keys.min() {
            throw PackageError(.mismatch, "file that the manifest does not name", at: extra.description)
        }
        return slices
    }

    /// Holds the manifest and its slices to the limits of an archive.
    func check(_ limits: ArchiveLimits) throws {
        guard files.count <= limits.maxEntries else {
            throw PackageError(.tooMany, "manifest of \(files.count) files, limit \(limits.maxEntries)")
        }
        var total: Int64 = 0
        for file in files {
            let (sum, overflow) = total.addingReportingOverflow(file.size)
            guard !overflow, sum <= limits.maxTotalBytes else {
                throw PackageError(.tooLarge, "files of more than \(limits.maxTotalBytes) bytes in the manifest")
            }
            total = sum
            try file.path.check(limits)
        }
        // How large the archive is was held to the manifest's own limits, or is of no matter: it is there.
        try validateSlices(
            limits: ManifestLimits(
                maxArchiveBytes: .max, maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor))
    }

    /// Checks that all files have slices and ``archive`` is there, or none and it is not; and that the slices can be:
    /// inside of an archive that is not too large, apart from each other, and no bombs.
    func validateSlices(limits: ManifestLimits) throws {
        guard let archive else {
            guard let file = files.first(where: { $0.slice != nil }) else { return }
            throw PackageError(
                .badManifest, "a place in an archive, and no archive is named", at: file.path.description)
        }
        guard archive.size >= 0 else { throw PackageError(.badManifest, "archive of a negative size") }
        guard archive.size <= limits.maxArchiveBytes else {
            throw PackageError(.tooLarge, "archive of \(archive.size) bytes, limit \(limits.maxArchiveBytes)")
        }
        let ratio = ArchiveLimits(maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor)
        var total: Int64 = 0
        var places: [(slice: ArchiveSlice, path: ArchivePath)] = []
        places.reserveCapacity(files.count)
        for file in files {
            let name = file.path.description
            guard let slice = file.slice else {
                throw PackageError(.badManifest, "no place in the archive that the manifest names", at: name)
            }
            guard slice.offset >= 0, slice.size >= 0, slice.offset <= archive.size,
                slice.size <= archive.size - slice.offset
            else { throw PackageError(.badManifest, "a place outside of the archive", at: name) }
            switch slice.method {
            case .stored where slice.size != file.size:
                throw PackageError(
                    .badManifest, "stored file of \(file.size) bytes in \(slice.size) of the archive", at: name)
            case .deflate where slice.size == 0:
                throw PackageError(.badManifest, "deflated file in no bytes of the archive", at: name)
            default: break
            }
            guard !ratio.isBomb(file.size, from: slice.size) else {
                throw PackageError(
                    .tooLarge, "unpacks to more than \(limits.maxRatio) times its size in the archive", at: name)
            }
            let (sum, overflow) = total.addingReportingOverflow(file.size)
            total = overflow ? .max : sum
            places.append((slice, file.path))
        }
        // Many small bombs are one large one.
        guard !ratio.isBomb(total, from: archive.size) else {
            throw PackageError(.tooLarge, "files of more than \(limits.maxRatio) times the archive's size")
        }
        places.sort { ($0.slice.offset, $0.slice.end) < ($1.slice.offset, $1.slice.end) }
        for (left, right) in zip(places, places.dropFirst()) where right.slice.offset < left.slice.end {
            throw PackageError(
                .badManifest, "shares bytes of the archive with \(left.path)", at: right.path.description)
        }
    }
}
