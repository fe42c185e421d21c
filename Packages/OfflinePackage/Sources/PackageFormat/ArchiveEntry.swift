// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A regular file of an archive.
public struct ArchiveEntry: Sendable, Hashable {
    public let path: ArchivePath
    /// Bytes when unpacked, where the archive says so beforehand.
    public let size: Int64?

    public init(path: ArchivePath, size: Int64?) {
        self.path = path
        self.size = size
    }
}
