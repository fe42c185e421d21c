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
        let sliced = try SlicedArchive(archive, manifest: manifest, limits: limits)
        try sliced.read(sliced.files) { file, reader in
            try visit(ArchiveEntry(path: file.path, size: file.size), &reader)
        }
    }
}
