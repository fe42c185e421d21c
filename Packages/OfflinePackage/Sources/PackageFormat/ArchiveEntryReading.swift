// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Hands out the bytes of one entry of an archive.
public protocol ArchiveEntryReading {
    /// The next bytes, at most 256 KiB and never none; `nil` at the end. The end is reached only when size
    /// and checksum, where the archive has them, agree.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    mutating func next() throws -> Data?
}
