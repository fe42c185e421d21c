// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContentDigest
import Foundation
import HTTPTypes
import PackageUpdates
import ResourceLoading
import Testing

@_spi(Facade) @testable import ResourceStore
@_spi(Facade) @testable import ResourceTable

/// A table library on a real store.
@Suite(.timeLimit(.minutes(2)))
struct TableStoreTests {
    /// A server of tables and files that records the requests.
    final class Server: ResourceLoader {
        struct State {
            var answers: [String: Data] = [:]
            var asked: [String] = []
        }

        let state = Mutex(State())

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let url = request.head.urlText
            let answer = state.withLock { state in
                state.asked.append(url)
                return state.answers[url]
            }
            guard let answer else { throw ResourceError(.offline, "no network", at: url) }
            return ResourceResponse(
                head: HTTPResponse(status: .ok), body: .bytes(answer), provenance: Provenance(.network, reason: "test"))
        }

        /// Serves a table and its files, in addition to the files of earlier tables.
        func publish(_ version: String, _ files: [String: String]) {
            let entries = files.sorted { $0.key < $1.key }.map { path, text in
                """
                "https://m.example/\(path)":{"version":"\(version)","md5":"\(MD5Digest(of: Data(text.utf8)))",
                "download":"\(Self.key(version, path))","ctype":"text/javascript"}
                """
            }
            let table =
                #"{"code":200,"data":{"version":"\#(version)","update":true,"resourcemap":{"#
                + entries.joined(separator: ",") + "}}}"
            state.withLock { state in
                state.answers["https://m.example/table"] = Data(table.utf8)
                for (path, text) in files { state.answers[Self.key(version, path)] = Data(text.utf8) }
            }
        }

        static func key(_ version: String, _ path: String) -> String { "https://cdn.example/\(version)/\(path)" }

        func goOffline() { state.withLock { $0.answers = [:] } }

        /// Returns the URLs of the files that were requested since the last call.
        func drainRequested() -> [String] {
            state.withLock { state in
                defer { state.asked = [] }
                return state.asked.filter { $0.hasPrefix("https://cdn") }.sorted()
            }
        }
    }

    let directory = FileManager.default.temporaryDirectory.path + "/table-\(UUID().uuidString)"
    let server = Server()
    /// Small files, each of which is stored in a database row, and a large file, which is stored as a file.
    let first = ["a.js": "first a", "b.js": String(repeating: "first b ", count: 20_000), "c.js": "same"]
    let second = ["a.js": "second a", "b.js": String(repeating: "second b", count: 20_000), "d.js": "new"]

    private func open(
        _ store: BlobStore
    ) async throws -> TableLibrary {
        let primary = try #require(TableURL("https://m.example/table"))
        var configuration = TableLibrary.Configuration(endpoints: TableEndpoints(primary: primary))
        configuration.scope = .unlimited
        return try await TableLibrary(
            store: TableStore(store), network: server, configuration: configuration,
            now: { Date(timeIntervalSince1970: 1_000_000) })
    }

    /// Opens the store again as soon as the tasks of the former store have released the folder.
    private func reopenStore() async throws -> BlobStore {
        while true {
            do {
                return try makeStore()
            } catch let error as StoreError where error.code == .inUse {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func makeStore(
        _ budget: Int64 = 100 << 20, onStep: @escaping @Sendable (StoreStep) throws -> Void = { _ in }
    ) throws -> BlobStore {
        try BlobStore(
            directory: directory, configuration: .init(resourceBudget: budget), onStep: onStep)
    }

    /// Performs the first check of a new library.
    private func update(_ store: BlobStore, to version: String, _ files: [String: String]) async throws
        -> TableLibrary
    {
        server.publish(version, files)
        try? FileManager.default.removeItem(atPath: store.directory + "/documents/table-check")
        let library = try await open(store)
        guard case .replaced = try await library.check(.launch) else { throw CocoaError(.featureUnsupported) }
        await library.downloadPending()
        return library
    }

    private func text(_ library: TableLibrary, _ path: String) async throws -> (text: String, Provenance.Source)? {
        let head = try #require(HTTPRequest(method: .get, urlText: "https://m.example/\(path)"))
        guard let response = try await TableLoader(library).load(ResourceRequest(head)) else { return nil }
        return (
            String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self), response.provenance.source
        )
    }

    @Test func tableRemainsAfterReopening() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            let library = try await update(makeStore(), to: "1", first)
            #expect(server.drainRequested().count == 3)
            #expect(library.counters.failedWrites == 0)
        }
        server.goOffline()
        let store = try await reopenStore()
        let library = try await open(store)
        #expect(library.table?.version == "1")
        #expect(await library.queue.count == 0)
        #expect(await library.policy != SourceCheck())
        for (path, content) in first {
            let answer = try #require(try await text(library, path))
            #expect(answer.text == content && answer.1 == .package)
        }
        #expect(try store.resources().map(\.key) == first.keys.sorted().map { Server.key("1", $0) })
        #expect(server.drainRequested() == [])
    }

    @Test func filesRemovedFromTableAreRemovedFromStore() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try makeStore()
        _ = try await update(store, to: "1", first)
        let library = try await update(store, to: "2", second)
        #expect(try store.resources().map(\.key) == second.keys.sorted().map { Server.key("2", $0) })
        #expect(try store.statistics().rowBlobs.count == 2 && store.statistics().fileBlobs.count == 1)
        #expect(try await text(library, "b.js")?.text == second["b.js"])
        #expect(try await text(library, "c.js") == nil)
    }

    @Test func copiesShareTheirBlobs() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try makeStore()
        let files = TableStore(store)
        func key(_ name: String) throws -> TableURL { try #require(TableURL("https://cdn.example/\(name)")) }
        let contents = [Data("small".utf8), Data(repeating: 7, count: 200_000)]
        let (old, new) = (try ["a", "b", "missing"].map(key), try ["b", "c", "d"].map(key))
        for (content, key) in zip(contents, old) {
            try await files.put(content, md5: MD5Digest(of: content), for: key)
        }
        try await files.copy(old, to: new)
        // The file of a key that is also replaced is read first.
        for (content, key) in zip(contents, new) {
            let file = try #require(try await files.file(for: key))
            #expect(try await file.body.collect(upTo: 1 << 20) == content && file.md5 == MD5Digest(of: content))
        }
        try await files.remove([old[0]])
        #expect(try store.resources().map(\.key) == new.prefix(2).map(\.description))
        #expect(try store.statistics().rowBlobs.count == 1 && store.statistics().fileBlobs.count == 1)
        #expect(try store.check().isSound)
        try await files.copy([], to: [])
        try await files.copy([old[0]], to: [new[2]])
        #expect(try store.resources().count == 2)
    }

    @Test func movedFilesEvictNoOthers() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let store = try makeStore(20_000)
        let files = TableStore(store)
        func keys(_ version: String) throws -> [TableURL] {
            try (0..<10).map { try #require(TableURL("https://cdn.example/\(version)/\($0)")) }
        }
        let (old, new) = (try keys("1"), try keys("2"))
        let kept = try #require(TableURL("https://cdn.example/kept"))
        for (number, key) in ([kept] + old).enumerated() {
            let content = Data(repeating: UInt8(number), count: 1_500)
            try await files.put(content, md5: MD5Digest(of: content), for: key)
        }
        try await files.copy(old, to: new)
        try await files.remove(old)
        #expect(try store.resources().map(\.key) == (new + [kept]).map(\.description))
        #expect(store.counters.evictedResources == 0)
    }

    @Test func damagedFileIsFetchedAgain() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do { _ = try await update(makeStore(), to: "1", first) }
        try? FileManager.default.removeItem(atPath: directory + "/clean")
        let store = try await reopenStore()
        let library = try await open(store)
        for path in ["a.js", "b.js"] {
            let resource = try #require(try store.resource(for: Server.key("1", path)))
            if case .file(let file) = try store.blob(resource.blob, size: resource.size).content {
                var bytes = try Data(contentsOf: URL(filePath: file.path))
                bytes[7] ^= 1
                try bytes.write(to: URL(filePath: file.path))
                store.state.withLock { _ = $0.checked.remove(resource.blob) }
            } else {
                let chunk = BlobChunk(capacity: 100)
                _ = chunk.append(Data("fjrst a".utf8), as: resource.blob)
                try store.rows.write(chunk)
                store.releaseMemory()
            }
            let asked = server.drainRequested()
            #expect(asked.isEmpty || path == "a.js")
            let repaired = try #require(try await text(library, path))
            #expect(repaired.text == first[path] && repaired.1 == .network)
            #expect(try #require(try await text(library, path)).1 == .package)
            #expect(server.drainRequested() == [Server.key("1", path)])
        }
        #expect(store.counters.damagedBlobs == 2)
        #expect(try store.check().isSound)
    }

    @Test func damagedTableIsFetchedAgainWithoutFiles() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do { _ = try await update(makeStore(), to: "1", first) }
        _ = server.drainRequested()
        let path = directory + "/documents/table-table"
        var bytes = try Data(contentsOf: URL(filePath: path))
        // The document remains valid JSON, of a table without this entry.
        let place = try #require(bytes.firstRange(of: Data("m.example/a.js".utf8)))
        bytes[place.upperBound - 4] ^= 2
        try bytes.write(to: URL(filePath: path))
        let store = try await reopenStore()
        #expect(try await open(store).table == nil)
        #expect(store.counters.damagedDocuments == 1)
        let library = try await update(store, to: "1", first)
        #expect(server.drainRequested() == [])
        #expect(try await text(library, "a.js")?.text == "first a")
    }

    @Test func budgetEvictsFilesButNotTable() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = Dictionary(
            uniqueKeysWithValues: (0..<30).map { ("f\($0).js", "\($0)" + String(repeating: ".", count: 998)) })
        let store = try makeStore(10_000)
        let library = try await update(store, to: "1", files)
        #expect(try store.statistics().resources.bytes <= 10_000)
        #expect(store.counters.evictedResources >= 20)
        #expect(library.table?.entries.count == 30)
        #expect(try store.document("table-table") != nil)
        for (path, content) in files { #expect(try await text(library, path)?.text == content, "\(path)") }
        #expect(try store.statistics().resources.bytes <= 10_000)
        #expect(library.counters.failedWrites == 0)
        // A file larger than the whole budget is served but not stored.
        let huge = ["huge.js": String(repeating: "h", count: 10_001)]
        let other = try await update(store, to: "2", huge)
        #expect(try await text(other, "huge.js")?.text == huge["huge.js"])
        #expect(other.counters.failedWrites > 0)
        #expect(try store.resources().isEmpty)
    }

    @Test func crashAtAnyStepLeavesOldOrNewTable() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let directory = directory
        let pictures = Mutex<[String]?>(nil)
        let store = try makeStore { step in
            try pictures.withLock { taken in
                guard taken != nil else { return }
                let copy = "\(directory)-\(taken?.count ?? 0)-\(step.rawValue)"
                try FileManager.default.copyItem(atPath: directory, toPath: copy)
                taken?.append(copy)
            }
        }
        _ = try await update(store, to: "1", first)
        pictures.withLock { $0 = [] }
        _ = try await update(store, to: "2", second)
        let taken = try #require(pictures.withLock { $0 })
        defer { for path in taken { try? FileManager.default.removeItem(atPath: path) } }
        #expect(taken.count > 10)
        var versions: [String] = []
        for path in taken {
            let picture = try BlobStore(directory: path)
            let library = try await open(picture)
            let version = try #require(library.table?.version)
            versions.append(version)
            for (path, content) in version == "1" ? first : second {
                // A missing file is downloaded.
                #expect(try await text(library, path)?.text == content, "\(path) in \(path)")
            }
            #expect(try picture.check().isSound)
            #expect(library.counters.damagedDocuments == 0)
        }
        #expect(versions == versions.sorted() && Set(versions) == ["1", "2"])
    }
}
