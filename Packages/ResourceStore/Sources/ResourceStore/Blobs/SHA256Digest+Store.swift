// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

extension SHA256Digest {
    /// Compares the digest of `size` bytes with the one that they should have.
    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/digestMismatch`` if they differ.
    func check(_ expected: SHA256Digest, size: Int64) throws {
        guard self == expected else {
            throw StoreError(.digestMismatch, "\(size) bytes with SHA-256 \(self), expected \(expected)")
        }
    }

    /// As it stands in a column.
    var data: Data { Data(bytes) }

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/damaged`` where the column is no digest.
    init(_ row: Row, column: Int) throws {
        guard let id = try row.withUnsafeData(atIndex: column, { $0.flatMap { SHA256Digest(bytes: $0) } }) else {
            throw StoreError(.damaged, "a row of the index names no blob")
        }
        self = id
    }
}
