// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB

extension SHA256Digest {
    /// Compares the digest of `size` bytes with the expected digest.
    /// - Throws: ``StoreError`` with code `digestMismatch` if they differ.
    func check(_ expected: SHA256Digest, size: Int64) throws {
        guard self == expected else {
            throw StoreError(.digestMismatch, "\(size) bytes with SHA-256 \(self), expected \(expected)")
        }
    }

    /// The digest in the format of a database column.
    var data: Data { Data(bytes) }

    /// Creates a digest from a column of a row.
    /// - Throws: ``StoreError`` with code `damaged` if the column does not hold a
    ///   digest.
    init(_ row: Row, column: Int) throws {
        guard let id = try row.withUnsafeData(atIndex: column, { $0.flatMap { SHA256Digest(bytes: $0) } }) else {
            throw StoreError(.damaged, "a row of the index has no valid digest")
        }
        self = id
    }
}
