// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// Turns the packed bytes of one slice into the bytes of its file, as they arrive.
///
/// Call ``append(_:_:)`` with the slice's bytes in order, in pieces of any size, then ``finish()``: only when that
/// returns was the slice whole. After an error nothing more comes out.
public protocol SliceInflating {
    /// Takes packed bytes, and hands out what they unpack to: pieces of at most 256 KiB and never empty, and never
    /// more in all than the file has.
    /// - Parameters:
    ///   - packed: the next bytes of the slice.
    ///   - consume: receives each piece. An error that it throws ends the unpacking and is thrown on.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/damaged`` for data that cannot be, that
    ///   ends before the slice does, or that unpacks to more or fewer bytes than the file has;
    ///   ``PackageError/Code-swift.struct/mismatch`` for more packed bytes than the slice has.
    mutating func append(_ packed: Data, _ consume: (Data) throws -> Void) throws

    /// Checks that the slice is whole.
    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/truncated`` where packed bytes are
    ///   missing, else ``PackageError/Code-swift.struct/damaged``.
    mutating func finish() throws
}
