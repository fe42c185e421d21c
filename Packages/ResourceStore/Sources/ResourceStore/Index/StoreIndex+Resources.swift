// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import GRDB
internal import WebSyntax

extension StoreIndex {
    /// Returns the record of a key, or `nil` if there is none.
    /// - Throws: ``StoreError``, with code `damaged` if the record does not match its
    ///   seal.
    func resource(_ key: String) throws -> StoredResource? {
        try readingOnce { database in
            let statement = try database.cachedStatement(sql: Self.selectionByKey)
            return try Row.fetchOne(statement, arguments: [key]).map { try self.resource($0) }
        }
    }

    /// Returns all records that match their seals, sorted by key, and the keys of the other records.
    /// - Parameter prefix: the prefix of the keys, compared byte by byte.
    func allResources(withPrefix prefix: String = "") throws -> (sound: [StoredResource], damaged: [String]) {
        try readingOnce { database in
            var bound = Array(prefix.utf8)
            // UTF-8 contains no byte 255, so the last byte can be incremented to get the upper bound. The index serves
            // both bounds.
            if let last = bound.popLast() { bound.append(last + 1) }
            // Separate statements, because an `OR` in the condition would prevent the use of the index for the upper
            // bound.
            let statement = try database.cachedStatement(
                sql: prefix.isEmpty ? Self.selectionOfAll : Self.selectionByPrefix)
            let arguments: StatementArguments = prefix.isEmpty ? [] : [prefix, Data(bound)]
            let rows = try Row.fetchCursor(statement, arguments: arguments)
            var sound: [StoredResource] = []
            var damaged: [String] = []
            while let row = try rows.next() {
                do {
                    sound.append(try resource(row))
                } catch let error as StoreError where error.code == .damaged {
                    damaged.append(try row.decode(atIndex: 0))
                }
            }
            return (sound, damaged)
        }
    }

    /// The result of a removal of resources.
    struct Removal {
        var keys = 0
        /// Blobs that lost a reference and have no other reference.
        var blobs: Set<SHA256Digest> = []
    }

    /// Changes resources in one transaction, and then removes blobs before another write can begin.
    /// - Parameters:
    ///   - used: the keys that were used since the last change. Their last use becomes `day`.
    ///   - added: records to add. They replace the records with the same keys.
    ///   - removed: the keys to remove.
    ///   - budget: the limits for eviction. If the resources exceed `high`, the least recently used resources are
    ///     evicted down to `low`. Records in `added` are not evicted.
    ///   - removeBlobs: a closure that receives the removed resources after the commit.
    func changeResources(
        used: Set<ByteText>, on day: Int64, adding added: [StoredResource] = [], removing removed: [String] = [],
        budget: (high: Int64, low: Int64)?, removeBlobs: (Removal) throws -> Void
    ) throws {
        try writingWithoutTransaction { database in
            var removal = Removal()
            try database.limited(limit) { database in
                try database.inTransaction(repairs: "resource") {
                    removal = Removal()
                    try Self.touch(used, on: day, in: database)
                    for resource in added { try Self.put(resource, on: day, in: database, &removal) }
                    for key in removed { removal.keys += try Self.remove("key", key, in: database, &removal) }
                    if let budget {
                        let fresh = Set(added.map { ByteText($0.key) })
                        removal.keys += try evict(budget, sparing: fresh, in: database, &removal)
                    }
                    try onStep(.resourcesWritten)
                }
                try onStep(.resourcesCommitted)
                removal.blobs.subtract(try Self.named(of: removal.blobs, in: database))
            }
            try removeBlobs(removal)
        }
    }
}

extension StoreIndex {
    private static let selection =
        "SELECT key, blob, size, media_type, validator, last_use, seal, overhead, number FROM resource"
    private static let selectionByKey = "\(selection) WHERE key = ?"
    private static let selectionOfAll = "\(selection) ORDER BY key"
    private static let selectionByPrefix = "\(selection) WHERE key >= ? AND key < CAST(? AS TEXT) ORDER BY key"

    /// Returns the recorded size of all resources in bytes. The seals are not checked: a flipped bit can make the
    /// result wrong, but not negative.
    private static func resourceBytes(in database: Database) throws -> Int64 {
        // `SUM` fails if an integer sum overflows. `TOTAL` returns a floating-point number instead.
        let sum = try Double.fetchOne(database, sql: "SELECT TOTAL(MAX(size, 0) + MAX(overhead, 0)) FROM resource")
        return Int64(exactly: sum ?? 0) ?? .max
    }

    private static func touch(_ keys: Set<ByteText>, on day: Int64, in database: Database) throws {
        guard !keys.isEmpty else { return }
        let update = try database.cachedStatement(
            sql: "UPDATE resource SET last_use = ?1 WHERE key = ?2 AND last_use < ?1")
        for key in keys { try update.execute(arguments: [day, key.text]) }
    }

    private static func put(
        _ resource: StoredResource, on day: Int64, in database: Database, _ removal: inout Removal
    ) throws {
        // Replaced records are not counted as removed, but their blobs may be removed.
        _ = try remove("key", resource.key, in: database, &removal)
        try database.cachedStatement(
            sql: """
                INSERT INTO resource (key, blob, size, media_type, validator, last_use, seal, overhead)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: [
            resource.key, resource.blob.data, resource.size, resource.mediaType, resource.validator, day,
            resource.seal, resource.overhead,
        ])
    }

    /// Removes the record with a value in a column, and returns the number of removed records.
    /// - Parameter column: the column to look up the record by, `key` or `number`.
    private static func remove(
        _ column: String, _ value: some DatabaseValueConvertible, in database: Database, _ removal: inout Removal
    ) throws -> Int {
        let selection = try database.cachedStatement(sql: "SELECT blob FROM resource WHERE \(column) = ?")
        guard let row = try Row.fetchOne(selection, arguments: [value]) else { return 0 }
        // An invalid digest has no blob.
        if let blob = try? SHA256Digest(row, column: 0) { removal.blobs.insert(blob) }
        try database.cachedStatement(sql: "DELETE FROM resource WHERE \(column) = ?").execute(arguments: [value])
        return 1
    }

    private func evict(
        _ budget: (high: Int64, low: Int64), sparing fresh: Set<ByteText>, in database: Database,
        _ removal: inout Removal
    ) throws -> Int {
        guard try Self.resourceBytes(in: database) > budget.high else { return 0 }
        // Damaged records are removed first, so that a flipped bit in a size does not evict all sound records.
        var (bytes, doomed) = try audit(in: database)
        for number in doomed { _ = try Self.remove("number", number, in: database, &removal) }
        // If the sum still differs, an index is damaged.
        if try Self.resourceBytes(in: database) != bytes { try database.execute(sql: "REINDEX resource") }
        guard bytes > budget.high else { return doomed.count }
        let damaged = doomed.count
        doomed = []
        let oldest = try Row.fetchCursor(
            database, sql: "SELECT number, key, size + overhead FROM resource ORDER BY last_use, number")
        while bytes > budget.low, let row = try oldest.next() {
            if fresh.contains(ByteText(try row.decode(String.self, atIndex: 1))) { continue }
            doomed.append(try row.decode(atIndex: 0))
            bytes -= try row.decode(Int64.self, atIndex: 2)
        }
        for number in doomed { _ = try Self.remove("number", number, in: database, &removal) }
        return damaged + doomed.count
    }

    /// Reads every record from the table itself and not from an index.
    /// - Returns: the size in bytes of the records that match their seals, and the numbers of the other records.
    private func audit(in database: Database) throws -> (bytes: Int64, damaged: [Int64]) {
        let rows = try Row.fetchCursor(database, sql: "\(Self.selection) NOT INDEXED")
        var bytes: Int64 = 0
        var damaged: [Int64] = []
        while let row = try rows.next() {
            if let resource = try? resource(row) {
                for count in [resource.size, resource.overhead] {
                    let (sum, overflow) = bytes.addingReportingOverflow(count)
                    bytes = overflow ? .max : sum
                }
            } else {
                damaged.append(try row.decode(atIndex: 8))
            }
        }
        return (bytes, damaged)
    }

    /// Creates a resource from the columns of `selection`.
    private func resource(_ row: Row) throws -> StoredResource {
        var resource = StoredResource(
            key: try row.decode(atIndex: 0), blob: try SHA256Digest(row, column: 1), size: try row.decode(atIndex: 2),
            mediaType: try row.decode(atIndex: 3), validator: try row.decode(atIndex: 4))
        resource.lastUse = try row.decode(atIndex: 5)
        resource.overhead = try row.decode(atIndex: 7)
        guard try row.decode(Data.self, atIndex: 6) == resource.seal else {
            throw StoreError(.damaged, "the record of a resource does not match its seal", at: path)
        }
        return resource
    }
}
