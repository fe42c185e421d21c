// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Bytes that come one after the other.
protocol ByteStreaming: AnyObject {
    /// Reads up to as many bytes as the buffer has room for; at least one, or 0 at the proven end.
    /// - Throws: ``PackageError``.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
