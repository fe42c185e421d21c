// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import GRDB

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension BlobID {
    /// As it stands in a column.
    var data: Data { Data(bytes) }

    /// - Throws: ``StoreError`` with code ``StoreError/Code-swift.struct/damaged`` where the column is no digest.
    init(_ row: Row, column: Int) throws {
        guard let id = try row.withUnsafeData(atIndex: column, { $0.flatMap { BlobID(bytes: $0) } }) else {
            throw StoreError(.damaged, "a row of the index names no blob")
        }
        self = id
    }
}
