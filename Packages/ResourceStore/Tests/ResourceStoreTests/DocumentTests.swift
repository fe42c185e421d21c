// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import Testing

@_spi(Facade) @testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct DocumentTests {
    let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    @Test func documentRemainsAfterReopeningAndEviction() throws {
        do {
            let store = try BlobStore(directory: directory.path, configuration: .init(resourceBudget: 10))
            try store.putDocument(Data("one".utf8), as: "table")
            try store.putDocument(Data(), as: "empty")
            try store.putDocument(Data("two".utf8), as: "table")
            for key in ["a", "b", "c"] { try store.putResource("123456", for: key) }
            try store.sweep()
            #expect(store.counters.evictedResources == 2)
        }
        let store = try BlobStore(directory: directory.path)
        #expect(try store.document("table") == Data("two".utf8))
        #expect(try store.document("empty") == Data())
        #expect(try store.document("none") == nil)
        #expect(try directory.files(in: "staging") == [])
    }

    @Test(arguments: ["", "a/b", "..", ".", "A", "a b", "ä", String(repeating: "a", count: 65)])
    func rejectsInvalidNames(_ name: String) throws {
        let store = try BlobStore(directory: directory.path)
        #expect(code { try store.putDocument(Data(), as: name) } == .conflict)
        #expect(code { _ = try store.document(name) } == .conflict)
    }

    @Test(arguments: [0, 31, 32, 40])
    func damageIsDetected(_ offset: Int) throws {
        let store = try BlobStore(directory: directory.path)
        try store.putDocument(Data("some bytes".utf8), as: "table")
        let path = directory.path + "/documents/table"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[offset] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(try store.check().damagedDocuments == ["table"])
        #expect(try store.document("table") == nil)
        #expect(store.counters.damagedDocuments == 1)
        #expect(try store.document("table") == nil)
        #expect(store.counters.damagedDocuments == 1)
        try store.putDocument(Data("again".utf8), as: "table")
        #expect(try store.document("table") == Data("again".utf8))
    }

    @Test func truncatedDocumentIsDamaged() throws {
        let store = try BlobStore(directory: directory.path)
        for count in [0, 5, 32, 41] {
            try store.putDocument(Data("some bytes".utf8), as: "table")
            let path = directory.path + "/documents/table"
            try Data(contentsOf: URL(filePath: path)).prefix(count).write(to: URL(filePath: path))
            #expect(try store.document("table") == nil, "\(count) bytes")
        }
    }

    @Test func suspendedStoreRejectsWritesUntilResume() throws {
        let store = try BlobStore(directory: directory.path)
        try store.putDocument(Data("one".utf8), as: "table")
        try store.suspend()
        #expect(code { try store.putDocument(Data("two".utf8), as: "table") } == .suspended)
        #expect(try store.document("table") == Data("one".utf8))
        try store.resume()
        try store.putDocument(Data("two".utf8), as: "table")
    }
}
