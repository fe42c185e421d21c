// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import HTTPCache

/// Immediate responses equal the responses of `load(_:)`; requests that may have to wait get none.
@Suite(.timeLimit(.minutes(1)))
struct ImmediateResponseTests {
    let time = TestTime()

    private static let fields: HTTPFields = [
        .cacheControl: "max-age=60", .eTag: "\"1\"", .contentType: "text/plain",
        .lastModified: "Wed, 01 Oct 2025 10:00:00 GMT",
    ]

    private func makeCache(
        _ origin: ScriptedOrigin, _ store: any CacheStoring = MemoryCacheStore(),
        _ configuration: CachingLoader.Configuration = .init()
    ) -> CachingLoader {
        CachingLoader(next: origin, store: store, configuration: configuration, now: { [time] in time.now })
    }

    /// Returns a cache that contains a complete response with these fields.
    private func filled(_ fields: HTTPFields, for request: ResourceRequest? = nil) async throws -> CachingLoader {
        let cache = makeCache(ScriptedOrigin(fields))
        _ = try await cache.text(try request ?? .get())
        await cache.waitUntilIdle()
        return cache
    }

    private func isLater(_ cache: CachingLoader, _ request: ResourceRequest) -> Bool {
        let before = cache.counters
        guard case .later = cache.immediateResponse(to: request) else { return false }
        return cache.counters == before
    }

    /// Compares the immediate response and its counters with those of `load(_:)`.
    private func expectSame(_ cache: CachingLoader, _ request: ResourceRequest) async throws {
        let start = cache.counters
        guard case .known(let answer?) = cache.immediateResponse(to: request) else {
            Issue.record("not immediate: \(request.head)")
            return
        }
        let between = cache.counters
        let loaded = try #require(try await cache.load(request))
        let end = cache.counters
        #expect(answer.head == loaded.head)
        #expect(answer.provenance == loaded.provenance)
        let bytes = try await answer.body.collect(upTo: 1 << 20)
        #expect(try await loaded.body.collect(upTo: 1 << 20) == bytes)
        #expect(between.memoryHits == start.memoryHits + 1 && end.memoryHits == between.memoryHits + 1)
        #expect(end.diskHits == start.diskHits && end.misses == start.misses && end.validated == start.validated)
    }

    @Test("For GET, HEAD, range and conditional requests, the immediate response equals the loaded one")
    func same() async throws {
        let cache = try await filled(Self.fields)
        time.advance(by: 7)
        let url = "https://a.test/x"
        try await expectSame(cache, .get())
        try await expectSame(cache, .get(url, method: .head))
        for fields: HTTPFields in [
            [.range: "bytes=1-3"], [.range: "bytes=-2"], [.range: "bytes=0-1,3-4"], [.range: "bytes=90-"],
            [.range: "bytes=1-3", .ifRange: "\"1\""], [.range: "bytes=1-3", .ifRange: "\"2\""],
            [.ifNoneMatch: "\"1\""], [.ifNoneMatch: "\"2\""], [.ifModifiedSince: "Wed, 01 Oct 2025 10:00:00 GMT"],
            [.cacheControl: "max-age=30"], [.cacheControl: "only-if-cached"],
        ] {
            guard case .known = cache.immediateResponse(to: try .get(url, fields)) else {
                // Some ranges cannot be served from a store at all; `load(_:)` also requests them from the origin.
                let misses = cache.counters.misses
                _ = try await cache.text(.get(url, fields))
                #expect(cache.counters.misses == misses + 1, "\(fields)")
                continue
            }
            try await expectSame(cache, .get(url, fields))
        }
    }

    @Test("Responses without a body and with other statuses are immediate too")
    func withoutBody() async throws {
        for status: HTTPResponse.Status in [.noContent, .notFound, .movedPermanently] {
            let origin = ScriptedOrigin(Self.fields, status == .noContent ? "" : "hello", status: status)
            let cache = makeCache(origin)
            _ = try await cache.text(.get())
            await cache.waitUntilIdle()
            try await expectSame(cache, .get())
        }
    }

    @Test("Responses that are missing, stale, incomplete or subject to validation are not immediate")
    func later() async throws {
        let url = "https://a.test/x"
        #expect(isLater(makeCache(ScriptedOrigin(Self.fields)), try .get()))

        let cache = try await filled(Self.fields)
        for fields: HTTPFields in [
            [.cacheControl: "no-cache"], [.cacheControl: "no-store"], [.cacheControl: "max-age=0"],
            [.cacheControl: "min-fresh=61"], [.ifMatch: "\"1\""],
            [.ifUnmodifiedSince: "Wed, 01 Oct 2025 10:00:00 GMT"],
        ] {
            #expect(isLater(cache, try .get(url, fields)), "\(fields)")
        }
        #expect(isLater(cache, try .get(url, method: .post)))
        #expect(isLater(cache, try .get(url, method: .options)))
        var request = try ResourceRequest.get(url)
        request.body = .bytes(Data("x".utf8))
        #expect(isLater(cache, request))
        request = try .get(url)
        request.head.scheme = "app"
        #expect(isLater(cache, request))
        #expect(isLater(cache, try .get(url, page: "https://other.test/")))

        time.advance(by: 60)
        #expect(isLater(cache, try .get()))

        for control in ["no-cache", "max-age=1", "max-age=1, must-revalidate", "max-age=1, stale-while-revalidate=90"] {
            var fields = Self.fields
            fields[.cacheControl] = control
            let cache = try await filled(fields)
            time.advance(by: 2)
            #expect(isLater(cache, try .get()), "\(control)")
        }
    }

    @Test("A stored part is not immediate")
    func part() async throws {
        let url = "https://a.test/x"
        let origin = ScriptedOrigin { _, _ in
            var fields = Self.fields
            fields[.contentRange] = "bytes 1-3/5"
            return ScriptedOrigin.response(fields, "ell", status: .partialContent)
        }
        let cache = makeCache(origin)
        let request = try ResourceRequest.get(url, [.range: "bytes=1-3"])
        #expect(try await cache.text(request).text == "ell")
        await cache.waitUntilIdle()
        #expect(isLater(cache, request))
        #expect(try await cache.text(request).text == "ell")
        #expect(origin.count == 1)
    }

    @Test("The matching variant is immediate; responses that vary by server-only fields are not")
    func variants() async throws {
        let url = "https://a.test/x"
        var fields = Self.fields
        fields[.vary] = "Accept-Language"
        let german = try ResourceRequest.get(url, [.acceptLanguage: "de"])
        let cache = try await filled(fields, for: german)
        try await expectSame(cache, german)
        #expect(isLater(cache, try .get(url, [.acceptLanguage: "en"])))
        for name in ["Referer", "Sec-Fetch-Site"] {
            fields[.vary] = name
            let cache = try await filled(fields)
            #expect(isLater(cache, try .get()), "\(name)")
        }
        fields[.vary] = "*"
        let varied = try await filled(fields)
        #expect(isLater(varied, try .get()))
    }

    @Test("A removed response is not immediate")
    func removed() async throws {
        let cache = try await filled(Self.fields)
        try await expectSame(cache, .get())
        await cache.removeAll()
        #expect(isLater(cache, try .get()))
    }

    @Test("In a tiered store, only responses in memory are immediate")
    func levels() async throws {
        let folder = try TemporaryFolder()
        let memory = MemoryCacheStore()
        let store = TieredCacheStore(memory: memory, disk: try DiskCacheStore(directory: folder.path + "/store"))
        let cache = makeCache(ScriptedOrigin(Self.fields), store)
        _ = try await cache.text(.get())
        await cache.waitUntilIdle()
        try await expectSame(cache, .get())
        store.releaseMemory()
        #expect(isLater(cache, try .get()))
        #expect(try await cache.text(.get()).response.provenance.source == .disk)
        try await expectSame(cache, .get())
        // The list of responses may be cached while the bytes are not in memory.
        memory.releaseMemory()
        #expect(isLater(cache, try .get()))
        await cache.shutDown()
    }

    @Test("An immediate response counts as a use")
    func use() async throws {
        let cache = makeCache(
            ScriptedOrigin(Self.fields, String(repeating: "x", count: 2_000)), MemoryCacheStore(capacity: 20_000))
        _ = try await cache.text(.get())
        for number in 1...20 {
            _ = try await cache.text(.get("https://a.test/\(number)"))
            await cache.waitUntilIdle()
            guard case .known = cache.immediateResponse(to: try .get()) else {
                Issue.record("evicted after \(number)")
                return
            }
        }
        #expect(isLater(cache, try .get("https://a.test/1")))
    }

    @Test("Immediate responses are correct during concurrent removals and new responses")
    func concurrent() async throws {
        let cache = try await filled(Self.fields)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    for _ in 1...500 {
                        guard case .known(let answer?) = cache.immediateResponse(to: try .get()) else { continue }
                        #expect(try await answer.body.collect(upTo: 10) == Data("hello".utf8))
                    }
                }
            }
            group.addTask {
                for _ in 1...100 {
                    await cache.removeAll()
                    let text = try await cache.text(.get()).text
                    #expect(text == "hello")
                }
            }
            try await group.waitForAll()
        }
    }
}
