// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Reads archives.
///
/// Isolation: blocks its thread while it reads; keep it off the main actor and off actors that others wait for.
public protocol ArchiveReading: Sendable {
    /// Walks every regular file of an archive, in the archive's order.
    ///
    /// Anything that is neither a regular file nor a folder is an error, and so is a name that is not safe or
    /// comes twice. Limits are enforced while bytes flow. What `visit` leaves unread is read and checked all
    /// the same, so that an archive which was walked to the end was whole. The reader that `visit` is given is
    /// of use only until `visit` returns.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - limits: what the archive may ask for.
    ///   - visit: called for each file; what it throws ends the walk and is thrown on.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws
}

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

/// Hands out the bytes of one entry of an archive.
public protocol ArchiveEntryReading {
    /// The next bytes, at most 256 KiB and never none; `nil` at the end. The end is reached only when size
    /// and checksum, where the archive has them, agree.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    mutating func next() throws -> Data?
}
