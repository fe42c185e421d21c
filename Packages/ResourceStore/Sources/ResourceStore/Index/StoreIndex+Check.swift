// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import GRDB

extension StoreIndex {
    /// Every blob that an entry or a resource names, with a size that it is named with.
    func namedBlobs() throws -> [SHA256Digest: Int64] {
        try reading { database in
            let rows = try Row.fetchCursor(
                database,
                sql: "SELECT blob, MAX(size) FROM entry GROUP BY blob UNION ALL SELECT blob, size FROM resource")
            var named: [SHA256Digest: Int64] = [:]
            while let row = try rows.next() {
                // A name that is none has no blob; the seals tell of it.
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

    /// What generations name, each blob once, and the resources.
    func amounts() throws -> (packages: StoreStatistics.Amount, resources: StoreStatistics.Amount) {
        try reading { database in
            func amount(_ source: String) throws -> StoreStatistics.Amount {
                guard
                    // A sum of integers that is too large would be an error.
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

    /// What SQLite finds wrong with the database's structure; empty where it is sound.
    func faults() throws -> [String] {
        try database.faults(at: path, limit)
    }
}
