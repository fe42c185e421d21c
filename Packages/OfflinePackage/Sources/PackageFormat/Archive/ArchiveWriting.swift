// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Writes archives.
///
/// Equal entries in equal order give equal bytes, whatever the clock, the time zone, the locale and the user are.
///
/// Isolation: blocks its thread while it writes.
public protocol ArchiveWriting: Sendable {
    /// Writes an archive to a path where nothing is yet, and forces it to the disk.
    ///
    /// On an error the file is removed.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - contents: adds the entries; what it throws ends the writing and is thrown on.
    /// - Throws: ``PackageError``.
    func write(to archive: String, contents: (inout any ArchiveEntryWriting) throws -> Void) throws
}

/// Takes the entries of an archive, one after the other.
public protocol ArchiveEntryWriting {
    /// Ends the entry before, and begins one that will have exactly `size` bytes.
    mutating func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws
    /// Adds bytes to the entry.
    mutating func append(_ data: Data) throws
}
