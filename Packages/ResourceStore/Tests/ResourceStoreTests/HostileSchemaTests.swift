// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import GRDB
import Testing

@_spi(Facade) @testable import ResourceStore

/// Tests of databases with an unknown schema.
@Suite(.timeLimit(.minutes(1)))
struct HostileSchemaTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
        let store = try BlobStore(directory: directory.path, configuration: .mixed)
        try store.install(["a": "small", "b": "large enough to be a file"], version: "1")
        try store.putResource("tiny", for: "key")
    }

    private func change(_ name: String, _ sql: String) throws {
        let database = try DatabaseQueue(path: "\(directory.path)/\(name)")
        try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        try database.close()
    }

    private func opened() -> StoreError.Code? { code { _ = try BlobStore(directory: directory.path) } }

    private func inspected() -> StoreError.Code? { code { _ = try BlobStore(inspecting: directory.path) } }

    private static let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"

    @Test(arguments: [
        "DROP TABLE resource; CREATE VIEW resource AS \(endless) i AS number, i AS key, i AS blob, i AS size FROM n",
        "DROP TABLE generation; CREATE VIEW generation AS \(endless) i AS number, 'active' AS state FROM n",
        "DROP TABLE grdb_migrations; CREATE VIEW grdb_migrations AS \(endless) i || '' AS identifier FROM n",
        "CREATE VIEW other AS \(endless) i FROM n",
        "CREATE TRIGGER late AFTER UPDATE ON generation BEGIN DELETE FROM entry; END",
        "CREATE TABLE other (a)",
        "CREATE INDEX other ON generation(abs(number))",
        "CREATE VIRTUAL TABLE other USING fts5(text)",
        "DROP INDEX resource_by_use; CREATE INDEX resource_by_use ON resource(hex(key))",
        "ALTER TABLE entry ADD COLUMN other BLOB AS (zeroblob(1000000000))",
    ])
    func rejectsOtherSchema(_ sql: String) throws {
        try change("index.sqlite", sql)
        let before = try Data(contentsOf: URL(filePath: directory.path + "/index.sqlite"))
        #expect(opened() == .damaged)
        #expect(inspected() == .damaged)
        #expect(try Data(contentsOf: URL(filePath: directory.path + "/index.sqlite")) == before)
    }

    @Test func blobDatabaseWithOtherSchemaIsReplaced() throws {
        try change(
            "blobs.sqlite",
            "DROP TABLE blob; CREATE VIEW blob AS \(Self.endless) i AS number, i AS digest, 1 AS size, i AS bytes FROM n"
        )
        do {
            let store = try BlobStore(inspecting: directory.path)
            #expect(store.counters.lostRowDatabases == 1)
            #expect(try !store.check().isSound)
        }
        #expect(try BlobStore(directory: directory.path).counters.lostRowDatabases == 1)
    }

    @Test func laterVersionIsReported() throws {
        try change(
            "index.sqlite", "CREATE TABLE trust (a); INSERT INTO grdb_migrations VALUES ('from the future')")
        #expect(opened() == .newerFormat)
        #expect(inspected() == .newerFormat)
    }

    @Test func acceptsOlderVersions() throws {
        for sql in [
            "DELETE FROM grdb_migrations WHERE identifier LIKE 'what the budget%'; DROP INDEX resource_by_use;"
                + "ALTER TABLE resource DROP COLUMN overhead;"
                + "CREATE INDEX resource_by_use ON resource(last_use, number, size)",
            "DELETE FROM grdb_migrations WHERE identifier LIKE 'seals%' OR identifier LIKE 'what the budget%';"
                + "DROP TABLE resource; DROP INDEX entry_by_blob; ALTER TABLE generation DROP COLUMN seal;"
                + "CREATE INDEX entry_by_blob ON entry(blob)",
        ] {
            try change("index.sqlite", sql)
            #expect(inspected() == nil)
            #expect(opened() == nil)
        }
    }

    /// All entries of each inner page link to the next inner page, so that a small file has an almost endless number of
    /// rows.
    @Test func rejectsPagesWithSharedChild() throws {
        let path = directory.path + "/index.sqlite"
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000) SELECT"
        try change(
            "index.sqlite",
            "INSERT INTO entry \(rows) 1, printf('%0160d', i), randomblob(32), 1, '' FROM n; PRAGMA wal_checkpoint(TRUNCATE)"
        )
        let database = try DatabaseQueue(path: path)
        let root = try database.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'entry'")
        }
        try database.close()
        var data = try Data(contentsOf: URL(filePath: path))
        func number(_ offset: Int, _ count: Int) -> Int {
            data[offset..<offset + count].reduce(0) { $0 << 8 | Int($1) }
        }
        let pageSize = number(16, 2)
        var (inner, page): ([[Int]], Int) = ([], try #require(root))
        var queue = [page]
        while let next = queue.popLast() {
            page = next
            let start = (next - 1) * pageSize
            guard data[start] == 2 else { continue }
            let children = (0..<number(start + 3, 2)).map { start + number(start + 12 + 2 * $0, 2) } + [start + 8]
            inner.append(children)
            queue += children.map { number($0, 4) }
        }
        try #require(inner.count > 4)
        // The root page stays the first.
        for (index, children) in inner.prefix(15).enumerated() where index + 1 < inner.count {
            let target = inner[index + 1][inner[index + 1].count - 1] / pageSize + 1
            for child in children {
                for byte in 0..<4 { data[child + byte] = UInt8(truncatingIfNeeded: target >> (8 * (3 - byte))) }
            }
        }
        try data.write(to: URL(filePath: path))
        #expect(inspected() == .damaged)
        // A store with an unclean end is checked in the same way.
        try? FileManager.default.removeItem(atPath: directory.path + "/clean")
        #expect(opened() == .damaged)
    }

    @Test func endlessAccessHasLimit() throws {
        let database = try DatabaseQueue()
        let limit = StepLimit(steps: 100_000, observesCancellation: false)
        let endless = "\(Self.endless) count(*) FROM n"
        try database.read { database in
            #expect(code { _ = try database.limited(limit) { try Int.fetchOne($0, sql: endless) } } == .damaged)
            // The next access has its own limit.
            let seven = try database.limited(limit) { try Int.fetchOne($0, sql: "SELECT 7") }
            #expect(seven == 7)
        }
    }

    @Test func endlessAccessCanBeCancelled() async throws {
        let task = Task {
            let database = try DatabaseQueue()
            let limit = StepLimit(steps: .max, observesCancellation: true)
            withUnsafeCurrentTask { $0?.cancel() }
            try database.writeWithoutTransaction { database in
                _ = try database.limited(limit) { try Int.fetchOne($0, sql: "\(Self.endless) count(*) FROM n") }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// The cost of inspecting a file is limited by its size.
    @Test func inspectionHasLimit() throws {
        let store = try BlobStore(inspecting: directory.path)
        #expect(
            code { try store.index.reading { _ = try Int.fetchOne($0, sql: "\(Self.endless) count(*) FROM n") } }
                == .damaged)
        #expect(try store.check().isSound)
    }
}
