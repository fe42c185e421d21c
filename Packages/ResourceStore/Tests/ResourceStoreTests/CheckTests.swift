// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import GRDB
import Testing

@_spi(Facade) @testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct CheckTests {
    let site = ["a": "small", "b": "large enough to be a file", "c": "another large one, a file"]
    let directory: TemporaryFolder
    let store: BlobStore

    init() throws {
        directory = try TemporaryFolder()
        store = try BlobStore(directory: directory.path, configuration: .mixed)
    }

    private func blob(_ path: String) -> SHA256Digest { SHA256Digest(of: Data((site[path] ?? "").utf8)) }

    private func fill() throws -> Int64 {
        let number = try store.install(site, version: "1")
        try store.putResource("a resource", for: "key")
        try store.putResource("tiny", for: "other")
        try store.putDocument(Data("text".utf8), as: "table")
        return number
    }

    @Test func countsStoredBlobs() throws {
        #expect(try store.statistics() == StoreStatistics())
        _ = try fill()
        try store.install(["a": "small", "d": "new"], version: "2")
        try store.stage(["e": "staged"], version: "3")
        let statistics = try store.statistics()
        // Rows: small, tiny, new, staged. Files: two of the site and a resource.
        #expect(statistics.rowBlobs == .init(count: 4, bytes: 18))
        #expect(statistics.fileBlobs == .init(count: 3, bytes: 60))
        #expect(statistics.orphanBlobs == .init())
        #expect(statistics.generations == [.retired: 1, .active: 1, .staged: 1])
        #expect(statistics.packages == .init(count: 5, bytes: 64))
        #expect(statistics.resources == .init(count: 2, bytes: 14))
        #expect(statistics.documents == .init(count: 1, bytes: 36))

        let batch = store.makeBatch()
        _ = try batch.add(Data("orphan".utf8))
        _ = try batch.add(Data("orphan as a file".utf8))
        try batch.finishWriting()
        #expect(try store.statistics().orphanBlobs == .init(count: 2, bytes: 22))
        #expect(try store.check().orphanBlobs == .init(count: 2, bytes: 22))
    }

    @Test(arguments: [true, false])
    func intactStoreHasNoFindings(_ repairs: Bool) throws {
        let number = try fill()
        var reports: [StoreCheck.Progress] = []
        let check = try store.check(repairs: repairs) { reports.append($0) }
        #expect(check.isSound)
        #expect(check.blobs == .init(count: 5, bytes: 69))
        #expect(reports.count == 5)
        #expect(zip(reports, reports.dropFirst()).allSatisfy { $0.completedBytes < $1.completedBytes })
        #expect(reports.last == .init(completedBytes: 69, totalBytes: 69))
        #expect(try store.read(number) == site)
        #expect(try store.readResources() == ["key": "a resource", "other": "tiny"])
    }

    @Test func damagedBlobsAreFoundAndRemoved() throws {
        let number = try fill()
        try store.overwriteRow(blob("a"), with: Data("smell".utf8))
        try Data("large enough to be a fine".utf8).write(to: URL(filePath: store.path(of: blob("b"))))
        let resource = try #require(try store.resource(for: "key")).blob
        try FileManager.default.removeItem(atPath: store.path(of: resource))
        let lacks: Set<StoreCheck.MissingReference> = [
            .init(generation: number, name: "a", blob: blob("a")),
            .init(generation: number, name: "b", blob: blob("b")),
            .init(generation: nil, name: "key", blob: resource),
        ]
        for repairs in [false, true] {
            let check = try store.check(repairs: repairs)
            #expect(Set(check.damagedBlobs) == [blob("a"), blob("b")])
            #expect(Set(check.missingReferences) == lacks && check.missingReferenceCount == 3 && !check.isSound)
        }
        // After the repair, the damaged blobs are missing and can be added again.
        let check = try store.check()
        #expect(check.damagedBlobs == [] && check.missingReferences.map(\.name) == ["a", "b"])
        #expect(try store.resources().map(\.key) == ["other"])
        try store.install(site, version: "2")
        #expect(try store.check().isSound)
        #expect(try store.read(number) == site)
    }

    @Test func findsChangedRecords() throws {
        let number = try fill()
        try store.index.writing { database in
            try database.execute(sql: "UPDATE entry SET media_type = 'x/y' WHERE path = 'b'")
            try database.execute(sql: "UPDATE resource SET validator = 'z' WHERE key = 'key'")
        }
        for repairs in [false, true] {
            let check = try store.check(repairs: repairs)
            #expect(check.damagedGenerations == [number] && check.damagedResources == 1 && !check.isSound)
        }
        #expect(try store.check().damagedResources == 0)
        #expect(try store.resources().map(\.key) == ["other"])
    }

    @Test func findsRowWithWrongSize() throws {
        _ = try fill()
        // Batches rely on the column `size`.
        let database = try DatabaseQueue(path: directory.path + "/blobs.sqlite")
        try database.write { try $0.execute(sql: "UPDATE blob SET size = size + 1 WHERE size = 4") }
        try database.close()
        #expect(try store.check().damagedBlobs == [SHA256Digest(of: Data("tiny".utf8))])
    }

    @Test func checkCanBeCancelled() throws {
        _ = try fill()
        struct Stop: Error {}
        var reports = 0
        #expect(throws: Stop.self) {
            try store.check { _ in
                reports += 1
                throw Stop()
            }
        }
        #expect(reports == 1)
    }
}
