// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// A writer of archives.
///
/// Equal entries in equal order give equal bytes. Clock, time zone, locale and user have no influence.
///
/// Isolation: a writer blocks its thread.
public protocol ArchiveWriting: Sendable {
    /// Writes an archive to a path that does not exist yet, and syncs it to disk.
    ///
    /// On an error the file is removed.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - contents: adds the entries. If it throws, writing ends and the error is rethrown.
    /// - Throws: ``PackageError``.
    func write(to archive: String, contents: (inout any ArchiveEntryWriting) throws -> Void) throws
}

/// A receiver of the entries of an archive, one after the other.
public protocol ArchiveEntryWriting {
    /// Ends the previous entry and begins an entry of exactly `size` bytes.
    mutating func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws
    /// Appends bytes to the entry.
    mutating func append(_ data: Data) throws
}
