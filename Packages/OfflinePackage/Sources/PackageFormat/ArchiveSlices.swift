// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Reads a zip by the slices of its manifest: slice, inflate, hand out.
///
/// Faster than ``LibarchiveReader`` and smaller in surface, since the archive's headers are never parsed. What comes out
/// is proven by the digests of the manifest alone, so its consumer must compare them; ``PackageVerifier`` does, and so
/// does an install. For reading on several threads see ``SlicedArchive``.
public struct ArchiveSlices: ArchiveReading {
    public var manifest: PackageManifest

    public init(_ manifest: PackageManifest) {
        self.manifest = manifest
    }

    public func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        try check(limits)
        let sliced = try SlicedArchive(archive, manifest: manifest)
        try sliced.read(sliced.files) { file, reader in
            try visit(ArchiveEntry(path: file.path, size: file.size), &reader)
        }
    }

    /// Holds the manifest to the limits of an archive. What else must hold of it was checked when it was read.
    private func check(_ limits: ArchiveLimits) throws {
        guard manifest.files.count <= limits.maxEntries else {
            throw PackageError(.tooMany, "manifest of \(manifest.files.count) files, limit \(limits.maxEntries)")
        }
        var total: Int64 = 0
        for file in manifest.files {
            let (sum, overflow) = total.addingReportingOverflow(file.size)
            guard !overflow, sum <= limits.maxTotalBytes else {
                throw PackageError(.tooLarge, "files of more than \(limits.maxTotalBytes) bytes in the manifest")
            }
            total = sum
            _ = try ArchivePath(file.path.description, limits: limits)
        }
        try manifest.validateSlices(
            limits: ManifestLimits(maxRatio: limits.maxRatio, ratioFloor: limits.ratioFloor))
    }
}
