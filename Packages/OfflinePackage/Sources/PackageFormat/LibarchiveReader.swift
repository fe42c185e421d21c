// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

/// Reads zip, tar.gz and tar.zst through libarchive.
public struct LibarchiveReader: ArchiveReading {
    public init() {}

    public func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        throw PackageError(.unsupported, "cannot be read yet", at: archive)
    }
}
