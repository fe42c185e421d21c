// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting

@testable import HTTPCache

@MainActor
@Suite("HTTP cache", .timeLimit(.minutes(1)))
struct HTTPCacheTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/a.js"
    private let real = "https://shop.example/a.js"

    private func put(_ text: String, _ fields: HTTPFields = [.cacheControl: "max-age=600"]) {
        fixture.network.put(.bytes(Data(text.utf8)), at: real, fields)
    }

    private func container(
        _ change: (inout HTTPCacheOptions) -> Void = { _ in }
    ) async throws -> Container<FakeEngine> {
        var options = HTTPCacheOptions()
        change(&options)
        return try await fixture.container(covering: ["shop.example", "other.example"]) {
            $0.network.httpCache = options
        }
    }

    private func sendRequest(
        _ container: Container<FakeEngine>, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:],
        from view: FakeView? = nil
    ) async throws -> (text: String, source: Provenance.Source?, sink: FakeSink) {
        let answer = try await fixture.answer(to: url, method, fields, from: view, of: container)
        return (String(decoding: answer.sink.body, as: UTF8.self), answer.record.provenance?.source, answer.sink)
    }

    @Test("The first response comes from the network, the second from memory, as the record and the counters show")
    func hit() async throws {
        put("one")
        let container = try await container()
        let first = try await sendRequest(container)
        #expect(first.text == "one" && first.source == .network)
        let second = try await sendRequest(container)
        #expect(second.text == "one" && second.source == .memory)
        #expect(second.sink.fields[.age] != nil && first.sink.fields[.age] == nil)
        #expect(fixture.network.urls == [real])
        let counters = try #require(container.counters.httpCache)
        #expect(counters.requests.misses == 1 && counters.requests.memoryHits == 1)
        #expect(counters.isOnDisk && counters.memoryBytes > 3)
    }

    @Test("A stored response is served by the next container, from disk")
    func restart() async throws {
        put("one")
        var container: Container<FakeEngine>? = try await container()
        if let container { _ = try await sendRequest(container) }
        await container?.shutDown()
        container = nil
        put("two")
        let next = try await self.container()
        let answer = try await sendRequest(next)
        #expect(answer.text == "one" && answer.source == .disk)
        #expect(next.counters.httpCache?.requests.diskHits == 1)
    }

    @Test("A stale response is revalidated, and a 304 avoids the transfer")
    func validation() async throws {
        put("one", [.cacheControl: "no-cache", .eTag: "\"1\""])
        let container = try await container()
        _ = try await sendRequest(container)
        let second = try await sendRequest(container)
        #expect(second.text == "one" && second.source == .memory)
        #expect(fixture.network.urls.count == 2)
        #expect(container.counters.httpCache?.requests.validated == 1)
    }

    @Test("no-store responses are not stored, and requests with no-cache or a range are respected")
    func requests() async throws {
        put("one", [.cacheControl: "no-store"])
        let container = try await container()
        _ = try await sendRequest(container)
        #expect(try await sendRequest(container).source == .network)
        put("two")
        #expect(try await sendRequest(container, .get, [.cacheControl: "no-store"]).text == "two")
        put("three")
        // The former response was not stored.
        #expect(try await sendRequest(container).text == "three")
        put("four")
        #expect(try await sendRequest(container).text == "three")
        #expect(try await sendRequest(container, .get, [.cacheControl: "no-cache"]).text == "four")
        let part = try await sendRequest(container, .get, [.range: "bytes=1-2"])
        #expect(part.text == "ou" && part.source == .memory && part.sink.status == 206)
        let head = try await sendRequest(container, .head)
        #expect(head.text.isEmpty && head.source == .memory)
    }

    @Test("An unsafe request invalidates the stored response for its URL, even if the rules bypass it")
    func unsafe() async throws {
        for rules in [RouteRules.none, try RouteRules([RouteRule(.pass, methods: [.delete])])] {
            put("one")
            let container = try await container()
            container.setRules(rules)
            await container.clearHTTPCache()
            let page = try await container.open("https://shop.example/")
            #expect(try await sendRequest(container, from: page.view).source == .network)
            put("two")
            #expect(try await sendRequest(container, from: page.view).text == "one")
            _ = try await sendRequest(container, .delete, from: page.view)
            #expect(try await sendRequest(container, from: page.view).text == "two")
            await container.close(page)
            await container.shutDown()
        }
    }

    @Test("A bypassed request gets no response from the cache")
    func passed() async throws {
        put("one")
        let container = try await container()
        let page = try await container.open("https://shop.example/")
        _ = try await sendRequest(container, from: page.view)
        put("two")
        #expect(try await sendRequest(container, from: page.view).text == "one")
        container.isEnabled = false
        #expect(try await sendRequest(container, from: page.view).text == "two")
    }

    @Test("The cache is partitioned by site")
    func partitions() async throws {
        put("one")
        let container = try await container()
        let shop = try await container.open("https://shop.example/")
        let other = try await container.open("https://other.example/")
        _ = try await sendRequest(container, from: shop.view)
        #expect(try await sendRequest(container, from: shop.view).source == .memory)
        #expect(try await sendRequest(container, from: other.view).source == .network)
        #expect(try await sendRequest(container, from: other.view).source == .memory)
        let sibling = try await container.open("https://www.shop.example/")
        #expect(try await sendRequest(container, from: sibling.view).source == .memory)
        let insecure = try await container.open("http://www.shop.example/")
        #expect(try await sendRequest(container, from: insecure.view).source == .network)
    }

    @Test("A package takes precedence over the cache")
    func packages() async throws {
        put("one")
        let container = try await container()
        _ = try await sendRequest(container)
        try await fixture.install(["a.js": "packed"], version: "1", into: container)
        #expect(try await sendRequest(container).text == "packed")
    }

    @Test("After the memory is released, responses come from disk; after clearing, from the network")
    func forgetting() async throws {
        put("one")
        let container = try await container()
        _ = try await sendRequest(container)
        try await container.hostEnteredBackground()
        container.releaseMemory()
        #expect(container.counters.httpCache?.memoryBytes == 0)
        #expect(try await sendRequest(container).source == .disk)
        await container.clearHTTPCache()
        put("two")
        #expect(try await sendRequest(container).text == "two")
    }

    @Test("During a suspension no response is written, and afterwards writing continues")
    func suspension() async throws {
        put("one")
        let container = try await container()
        // A response is complete before it is on disk.
        repeat { container.releaseMemory() } while try await sendRequest(container).source != .disk
        try await container.hostWillSuspend()
        #expect(try await sendRequest(container).text == "one")
        // The container has released the lock of the cache's folder.
        _ = try DiskCacheStore(directory: fixture.folder + "/store/http-cache")
        try await container.hostResumed()
        container.releaseMemory()
        #expect(try await sendRequest(container).source == .disk)
    }

    @Test("While the cache is off, each request reaches the network, and no folder is created")
    func off() async throws {
        put("one")
        let container = try await fixture.container(covering: ["shop.example"]) { $0.network.httpCache = nil }
        _ = try await sendRequest(container)
        #expect(try await sendRequest(container).source == .network)
        #expect(container.counters.httpCache == nil)
        #expect(!FileManager.default.fileExists(atPath: fixture.folder + "/store/http-cache"))
    }
}
