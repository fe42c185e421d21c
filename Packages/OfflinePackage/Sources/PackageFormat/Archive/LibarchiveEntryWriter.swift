// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// An entry writer that passes entries to libarchive.
struct LibarchiveEntryWriter: ArchiveEntryWriting {
    let handle: LibarchiveWriteHandle

    mutating func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws {
        try handle.begin(path, size: size, method: method)
    }

    mutating func append(_ data: Data) throws {
        try handle.append(data)
    }
}
