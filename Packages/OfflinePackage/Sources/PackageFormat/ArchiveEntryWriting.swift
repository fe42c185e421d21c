// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Takes the entries of an archive, one after the other.
public protocol ArchiveEntryWriting {
    /// Ends the entry before, and begins one that will have exactly `size` bytes.
    mutating func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws
    /// Adds bytes to the entry.
    mutating func append(_ data: Data) throws
}
