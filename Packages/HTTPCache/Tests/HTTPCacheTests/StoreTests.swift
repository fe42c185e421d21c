// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import ResourceStore
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct StoreTests {
    private let key = CacheKey(partition: "https://site.test", url: "https://a.test/x?y=ü")
    private let directory: TemporaryFolder
    private let time = TestTime()

    init() throws {
        directory = try TemporaryFolder()
    }

    /// Opens the disk level after the previous owner has released the folder.
    private func open(_ folder: String = "", capacity: Int64 = 100 << 20) async throws -> DiskCacheStore {
        while true {
            do {
                return try DiskCacheStore(directory: directory.path + folder, capacity: capacity)
            } catch let error as StoreError where error.code == .inUse {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func response(_ length: Int, language: String? = nil, at date: Double = 0) -> StoredResponse {
        StoredResponse(
            head: HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=60", .setCookie: "a=b:c"]),
            selectors: [.init(name: "accept-language", value: language), .init(name: "x", value: "")],
            requestTime: Date(timeIntervalSince1970: 1_000.5), responseTime: Date(timeIntervalSince1970: 2_000 + date),
            range: 0..<Int64(length), length: Int64(length))
    }

    private func put(_ text: String, _ response: StoredResponse, _ key: CacheKey, in store: any CacheStoring) async {
        let writer = store.makeWriter(for: key)
        for piece in Pieces(Data(text.utf8)).pieces { _ = await writer.write(piece) }
        await writer.finish(response)
    }

    private func text(_ response: StoredResponse, _ key: CacheKey, in store: any CacheStoring) async throws -> String? {
        guard let body = await store.body(of: response, for: key)?.body else { return nil }
        return String(decoding: try await body.collect(upTo: 1 << 24), as: UTF8.self)
    }

    /// Returns an empty store of each kind.
    private func stores() async throws -> [any CacheStoring] {
        [
            MemoryCacheStore(), try await open("/one"),
            TieredCacheStore(
                memory: MemoryCacheStore(), disk: try await open("/two")),
        ]
    }

    @Test("Every level separates variants, returns stored bytes and removes entries")
    func levels() async throws {
        for store in try await stores() {
            let german = response(5, language: "de")
            let english = response(6, language: "en")
            await put("hallo", german, key, in: store)
            await put("hello!", english, key, in: store)
            let other = CacheKey(partition: "https://site.test", url: key.url + "z")
            await put("other", response(5), other, in: store)
            #expect(Set(await store.responses(for: key)) == [german, english])
            #expect(try await text(german, key, in: store) == "hallo")
            #expect(try await text(english, key, in: store) == "hello!")
            let newer = response(3, language: "de")
            await put("neu", newer, key, in: store)
            #expect(try await text(newer, key, in: store) == "neu")
            #expect(try await text(german, key, in: store) == nil)
            var fresh = newer
            fresh.head.headerFields[.age] = "3"
            await store.update(fresh, for: key)
            #expect(Set(await store.responses(for: key)) == [fresh, english])
            #expect(try await text(fresh, key, in: store) == "neu")
            await store.remove(key, variant: english.variant)
            #expect(await store.responses(for: key) == [fresh])
            await store.remove(key, variant: nil)
            #expect(await store.responses(for: key).isEmpty)
            #expect(await store.responses(for: other).count == 1)
            let empty = CacheKey(partition: "https://site.test", url: key.url + "empty")
            await put("", response(0), empty, in: store)
            #expect(await store.responses(for: empty).count == 1)
            await store.removeAll()
            #expect(await store.responses(for: other).isEmpty)
            #expect(await store.responses(for: empty).isEmpty)
        }
    }

    @Test("Memory is bounded, and the most recently used entries stay")
    func memoryBound() async throws {
        let store = MemoryCacheStore(capacity: 20_000)
        let text = String(repeating: "x", count: 2_000)
        let first = response(2_000)
        await put(text, first, key, in: store)
        for number in 1...20 {
            let other = CacheKey(partition: "", url: "https://a.test/\(number)")
            await put(text, response(2_000), other, in: store)
            #expect(store.bytes <= 20_000)
            #expect(try await self.text(first, key, in: store) == text)
        }
        await put(String(repeating: "y", count: 3_000), response(3_000, language: "de"), key, in: store)
        #expect(await store.responses(for: key) == [first])
    }

    @Test("The disk keeps small and large responses across restarts within its budget")
    func persistence() async throws {
        let large = String(repeating: "0123456789", count: 20_000)
        let kept = response(5), file = response(200_000, language: "de")
        do {
            let store = try await open(capacity: 4 << 20)
            await put("hello", kept, key, in: store)
            await put(large, file, key, in: store)
        }
        let store = try await open(capacity: 4 << 20)
        #expect(Set(await store.responses(for: key)) == [kept, file])
        #expect(try await text(kept, key, in: store) == "hello")
        #expect(try await text(file, key, in: store) == large)
        for number in 1...30 {
            let other = CacheKey(partition: "", url: "https://a.test/\(number)")
            await put(String(number) + large, response(200_000 + String(number).count), other, in: store)
        }
        #expect(await store.responses(for: key).isEmpty)
        let newest = CacheKey(partition: "", url: "https://a.test/30")
        #expect(await store.responses(for: newest).count == 1)
    }

    @Test("An unfinished writer stores nothing, and a response that is too large removes the previous one")
    func unfinished() async throws {
        let store = try await open(capacity: 8_000)
        let old = response(5)
        await put("hello", old, key, in: store)
        do {
            let writer = store.makeWriter(for: key)
            _ = await writer.write(Data("half".utf8))
        }
        #expect(await store.responses(for: key) == [old])
        let writer = store.makeWriter(for: key)
        #expect(await writer.write(Data(count: 900)))
        #expect(await !writer.write(Data(count: 900)))
        await writer.finish(response(1_800))
        #expect(await store.responses(for: key).isEmpty)
    }

    @Test("A damaged entry is a miss, and a damaged store is replaced by an empty one")
    func damage() async throws {
        let large = String(repeating: "0123456789", count: 20_000)
        let file = response(200_000)
        do {
            let store = try await open()
            await put(large, file, key, in: store)
        }
        let blobs = directory.path + "/blobs"
        for folder in try FileManager.default.contentsOfDirectory(atPath: blobs) {
            for name in try FileManager.default.contentsOfDirectory(atPath: "\(blobs)/\(folder)") {
                let path = URL(filePath: "\(blobs)/\(folder)/\(name)")
                var data = try Data(contentsOf: path)
                data[100_000] ^= 1
                try data.write(to: path)
            }
        }
        do {
            let store = try await open()
            #expect(await store.responses(for: key) == [file])
            #expect(try await text(file, key, in: store) == nil)
            #expect(await store.responses(for: key).isEmpty)
        }
        try Data(repeating: 7, count: 100_000).write(to: URL(filePath: directory.path + "/index.sqlite"))
        let store = try await open()
        #expect(await store.responses(for: key).isEmpty)
        await put(large, file, key, in: store)
        #expect(try await text(file, key, in: store) == large)
    }

    @Test("A tiered store serves from memory, and after a restart from disk; a damaged record is loaded again")
    func through() async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        func makeCache() async throws -> CachingLoader {
            CachingLoader(
                next: origin,
                store: TieredCacheStore(memory: MemoryCacheStore(), disk: try await open()),
                now: { [time] in time.now })
        }
        do {
            let cache = try await makeCache()
            _ = try await cache.text(.get())
            #expect(try await cache.text(.get()).response.provenance.source == .memory)
        }
        let cache = try await makeCache()
        #expect(try await cache.text(.get()).response.provenance.source == .disk)
        #expect(try await cache.text(.get()).response.provenance.source == .memory)
        #expect(origin.count == 1)
    }

    @Test("A record is parsed as it was written, and invalid records are rejected")
    func records() {
        let full = response(5, language: "de, en")
        #expect(StoredResponse(record: full.record) == full)
        let part = StoredResponse(
            head: HTTPResponse(status: .partialContent), selectors: [], requestTime: Date(timeIntervalSince1970: -5),
            responseTime: Date(timeIntervalSince1970: 0), range: 3..<7, length: nil)
        #expect(StoredResponse(record: part.record) == part)
        for text in [
            "", "\n\n", "1 200", "2 200 0 0 0 5 5 1\n\n", "1 999 0 0 0 5 5 1\n\n", "1 200 0 0 5 0 5 1\n\n",
            "1 200 0 0 0 5 5 1\nno colon\n\n", "1 200 0 0 0 5 5 -1\n\n", "1 200 0 0 0 5 5 1",
        ] {
            #expect(StoredResponse(record: text) == nil)
        }
    }
}
