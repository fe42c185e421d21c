// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// Hands out the bytes of the entry that libarchive stands at.
struct LibarchiveEntryReader: ArchiveEntryReading {
    let handle: LibarchiveReadHandle
    let serial: Int
    let name: String
    let expected: Int64?

    mutating func next() throws -> Data? {
        try handle.read(serial, name: name, expected: expected)
    }
}
