// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import GRDB

extension StoreIndex {
    /// Returns every blob that an entry or a resource refers to, with one of the sizes that are recorded for it.
    func namedBlobs() throws -> [SHA256Digest: Int64] {
        try reading { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT blob, MAX(size) FROM entry GROUP BY blob UNION ALL SELECT blob, size FROM resource")
            var named: [SHA256Digest: Int64] = [:]
            while let row = try rows.next() {
                // An invalid digest has no blob; the seals detect it.
                guard let id = try? SHA256Digest(row, column: 0) else { continue }
                named[id] = try row.decode(atIndex: 1)
            }
            return named
        }
    }

    func generationNumbers() throws -> [Int64] {
        try reading { try Int64.fetchAll($0, sql: "SELECT number FROM generation ORDER BY number") }
    }

    func generationCounts() throws -> [StoredGeneration.State: Int] {
        try reading { database in
            let rows = try Row.fetchAll(database, sql: "SELECT state, COUNT(*) FROM generation GROUP BY state")
            return try rows.reduce(into: [:]) { counts, row in
                counts[StoredGeneration.State(rawValue: try row.decode(atIndex: 0))] = try row.decode(atIndex: 1)
            }
        }
    }

    /// Returns the number and size of the blobs of generations, each blob counted once, and of the resources.
    func amounts() throws -> (packages: StoreStatistics.Amount, resources: StoreStatistics.Amount) {
        try reading { database in
            func amount(_ source: String) throws -> StoreStatistics.Amount {
                guard
                    // `SUM` fails if an integer sum overflows. `TOTAL` returns a floating-point number instead.
                    let row = try Row.fetchOne(database, sql: "SELECT COUNT(*), TOTAL(MAX(size, 0)) FROM \(source)")
                else { return .init() }
                let bytes = try row.decode(Double.self, atIndex: 1)
                return .init(count: try row.decode(atIndex: 0), bytes: Int64(exactly: bytes) ?? .max)
            }
            return (
                try amount("(SELECT size FROM entry GROUP BY blob)"),
                try amount("(SELECT size + overhead AS size FROM resource)")
            )
        }
    }
}
