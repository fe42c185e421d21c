// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import ResourceStore
import Testing

@testable import HTTPCache

/// Removals while the disk store is suspended or fails.
@Suite(.timeLimit(.minutes(3)))
struct ForgettingTests {
    private let directory: TemporaryFolder

    init() throws {
        directory = try TemporaryFolder()
    }

    /// Opens the disk level after the previous owner has released the folder.
    private func open() async throws -> DiskCacheStore {
        while true {
            do {
                return try DiskCacheStore(directory: directory.path)
            } catch let error as StoreError where error.code == .inUse {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private func key(_ name: some CustomStringConvertible) -> CacheKey {
        CacheKey(partition: "https://site.test", url: "https://a.test/\(name)")
    }

    private func response(_ control: String = "max-age=60", language: String? = nil) -> StoredResponse {
        StoredResponse(
            head: HTTPResponse(status: .ok, headerFields: [.cacheControl: control]),
            selectors: [.init(name: "accept-language", value: language)],
            requestTime: Date(timeIntervalSince1970: 1_000), responseTime: Date(timeIntervalSince1970: 1_000),
            range: 0..<5, length: 5)
    }

    @discardableResult
    private func put(
        _ name: String, _ response: StoredResponse, in store: any CacheStoring
    ) async -> StoredResponse {
        let writer = store.makeWriter(for: key(name))
        _ = await writer.write(Data("hello".utf8))
        await writer.finish(response)
        return response
    }

    private func isThere(_ name: String, in store: any CacheStoring) async -> Bool {
        await !store.responses(for: key(name)).isEmpty
    }

    @Test("A response that is removed, freshened or replaced during a suspension does not reappear in its old form")
    func suspended() async throws {
        let store = try await open()
        await put("all", response(), in: store)
        let (german, english) = (response(language: "de"), response(language: "en"))
        await put("one", german, in: store)
        await put("one", english, in: store)
        let old = await put("fresh", response(), in: store)
        await put("new", old, in: store)
        await put("left", response(), in: store)
        try store.suspend()
        await store.remove(key("all"), variant: nil)
        await store.remove(key("one"), variant: german.variant)
        var fresh = old
        fresh.head.headerFields[.cacheControl] = "no-cache"
        await store.update(fresh, for: key("fresh"))
        await put("new", response(), in: store)
        for _ in 1...2 {
            #expect(await !isThere("all", in: store))
            #expect(await store.responses(for: key("one")) == [english])
            #expect(await !store.responses(for: key("fresh")).contains(old))
            #expect(await !store.responses(for: key("new")).contains(old))
            #expect(await isThere("left", in: store))
            // Runs again after the store has resumed.
            try? store.resume()
        }
        await put("all", response(), in: store)
        #expect(await isThere("all", in: store))
    }

    @Test("More removals than the limit remove everything")
    func bound() async throws {
        let store = try await open()
        for name in ["1", "300", "other"] { await put(name, response(), in: store) }
        try store.suspend()
        for number in 1...300 { await store.remove(key(number), variant: nil) }
        try store.resume()
        for name in ["1", "300", "other"] { #expect(await !isThere(name, in: store)) }
    }

    @Test("A store cleared during a suspension is empty, also after the process has ended")
    func cleared() async throws {
        for ends in [false, true] {
            var store: DiskCacheStore? = try await open()
            if let store {
                await put("a", response(), in: store)
                try store.suspend()
                await store.removeAll()
                #expect(await !isThere("a", in: store))
                if !ends { try store.resume() }
            }
            if ends { store = nil }
            let next: DiskCacheStore
            if let store { next = store } else { next = try await open() }
            #expect(await !isThere("a", in: next))
            await put("b", response(), in: next)
            #expect(await isThere("b", in: next))
            await next.remove(key("b"), variant: nil)
        }
    }

    @Test(
        "If a process ends during a suspension, the entries that it did not change are still stored")
    func ended() async throws {
        do {
            let store = try await open()
            for name in ["kept", "old", "gone"] { await put(name, response(), in: store) }
            try store.suspend()
            for number in 1...300 { await put("new \(number)", response(), in: store) }
            await put("old", response("no-cache"), in: store)
            await store.remove(key("gone"), variant: nil)
        }
        let next = try await open()
        #expect(await isThere("kept", in: next))
        for name in ["old", "gone", "new 1"] { #expect(await !isThere(name, in: next)) }
    }

    @Test("Completed removals are not repeated by the next process")
    func told() async throws {
        do {
            let store = try await open()
            for name in ["a", "b"] { await put(name, response(), in: store) }
            try store.suspend()
            await store.remove(key("a"), variant: nil)
            try store.resume()
        }
        let store = try await open()
        #expect(await !isThere("a", in: store))
        #expect(await isThere("b", in: store))
    }

    @Test("After clearing a suspended tiered store, requests go to the origin")
    func through() async throws {
        let origin = ScriptedOrigin { _, number in
            ScriptedOrigin.response([.cacheControl: "max-age=60"], "answer \(number)")
        }
        let disk = try await open()
        let cache = CachingLoader(
            next: origin, store: TieredCacheStore(memory: MemoryCacheStore(), disk: disk), now: { TestTime().now })
        #expect(try await cache.text(.get()).text == "answer 1")
        await cache.waitUntilIdle()
        try disk.suspend()
        await cache.removeAll()
        try disk.resume()
        #expect(try await cache.text(.get()).text == "answer 2")
    }

    @Test("The budget includes heads and keys")
    func budget() async throws {
        let capacity: Int64 = 64 << 10
        let store = try DiskCacheStore(directory: directory.path + "/small", capacity: capacity)
        let head = response("max-age=60, x=" + String(repeating: "x", count: 1_000))
        for number in 1...100 { await put("\(number)", head, in: store) }
        var bytes: Int64 = 0
        for number in 1...100 {
            for response in await store.responses(for: key(number)) {
                bytes += 512 + 5 + Int64(key(number).url.utf8.count + response.record.utf8.count)
            }
        }
        #expect(await isThere("100", in: store))
        #expect(bytes <= capacity && bytes > capacity / 2)
    }

    @Test("Response lists are part of the memory budget")
    func lists() async throws {
        let memory = MemoryCacheStore(capacity: 100_000)
        let disk = try await open()
        let store = TieredCacheStore(memory: memory, disk: disk)
        let head = response("max-age=60, x=" + String(repeating: "x", count: 1_000))
        for number in 1...100 { await put("\(number)", head, in: disk) }
        for number in 1...100 {
            let before = memory.bytes
            _ = await store.responses(for: key(number))
            // Until the limit is reached.
            if number < 10 { #expect(memory.bytes > before + 1_000) }
            #expect(memory.bytes <= 100_000 / 4)
        }
        for number in 1...100 {
            guard let found = await store.responses(for: key(number)).first else {
                Issue.record("\(number) is missing")
                continue
            }
            #expect(await store.body(of: found, for: key(number)) != nil)
            #expect(memory.bytes <= 100_000)
        }
        #expect(memory.bytes > 100_000 / 2)
        store.releaseMemory()
        #expect(memory.bytes == 0)
    }
}
