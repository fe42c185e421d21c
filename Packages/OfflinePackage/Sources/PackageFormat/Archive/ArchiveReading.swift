// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A reader of archives.
///
/// Isolation: a reader blocks its thread. Do not call it on the main actor.
@_spi(Packaging) public protocol ArchiveReading: Sendable {
    /// Visits every regular file of an archive, in the archive's order.
    ///
    /// An entry that is neither a regular file nor a folder is an error, and so is an unsafe or duplicate path. Limits
    /// are enforced while bytes are read. The bytes that `visit` leaves unread are still read and checked, so that the
    /// whole archive is valid if the call returns. The entry reader is valid only until `visit` returns.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - limits: the limits that the archive must not exceed.
    ///   - visit: a closure that is called for each file. If it throws, reading ends and the error is rethrown.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws
}

/// A regular file of an archive.
@_spi(Packaging) public struct ArchiveEntry: Sendable, Hashable {
    /// The path of the file.
    public let path: ArchivePath
    /// The number of uncompressed bytes, or `nil` if the archive does not declare it before the data.
    public let size: Int64?

    /// Creates an entry.
    public init(path: ArchivePath, size: Int64?) {
        self.path = path
        self.size = size
    }
}

/// A reader of the bytes of one entry of an archive.
@_spi(Packaging) public protocol ArchiveEntryReading {
    /// Returns the next bytes, at least 1 and at most 256 KiB, or `nil` at the end.
    ///
    /// The end is reached only if the declared size and checksum, if any, match.
    /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
    mutating func next() throws -> Data?
}
