// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebSyntax

@testable import HTTPCache

/// A response that was read to its end serves the next request, even if it is still being stored.
@Suite(.timeLimit(.minutes(1)))
struct OvertakingTests {
    /// The time at which a delayed response is stored.
    enum Moment: CaseIterable {
        /// The second request reads the store before the response is stored, and gets the result afterwards.
        case whileAsked
        /// The second request gets the result of the store before or after the response is stored.
        case anyTime
    }

    private static let whole = "0123456789"

    private func partsOrigin() -> ScriptedOrigin {
        ScriptedOrigin { request, _ in
            let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]
            guard let range = request.head.headerFields[.range].flatMap({ ByteRange($0) })?.resolved(in: 10) else {
                return ScriptedOrigin.response(fields, Self.whole)
            }
            var part = fields
            part[.contentRange] = ContentRange.part(range, total: 10).description
            return ScriptedOrigin.response(
                part, String(Self.whole.dropFirst(Int(range.lowerBound)).prefix(range.count)), status: .partialContent)
        }
    }

    /// Sends two requests. The response to the first request is read to its end, but is stored only after the second
    /// request has read the store.
    /// - Returns: The text of the second response.
    private func second(
        _ cache: CachingLoader, _ store: HeldStore, _ requests: [ResourceRequest], at moment: Moment
    ) async throws -> String {
        store.hold()
        _ = try await cache.text(requests[0])
        store.onNextLookUp {
            store.release()
            if moment == .whileAsked { await cache.waitUntilIdle() }
        }
        return try await cache.text(requests[1]).text
    }

    @Test("A part that is being stored serves the next range request", arguments: Moment.allCases)
    func part(moment: Moment) async throws {
        let (origin, store) = (partsOrigin(), HeldStore())
        let cache = CachingLoader(next: origin, store: store)
        let requests = try ["3-5", "4-5"].map {
            try ResourceRequest.get("https://a.test/x", [.range: "bytes=\($0)"])
        }
        #expect(try await second(cache, store, requests, at: moment) == "45")
        #expect(origin.count == 1)
    }

    @Test("A part that is being stored is merged with the next one", arguments: Moment.allCases)
    func merge(moment: Moment) async throws {
        let (origin, store) = (partsOrigin(), HeldStore())
        let cache = CachingLoader(next: origin, store: store)
        let requests = try ["0-4", "5-9"].map {
            try ResourceRequest.get("https://a.test/x", [.range: "bytes=\($0)"])
        }
        #expect(try await second(cache, store, requests, at: moment) == "56789")
        #expect(try await cache.text(.get()).text == Self.whole)
        #expect(origin.count == 2)
    }

    @Test("A complete response to a range request serves the next request", arguments: Moment.allCases)
    func whole(moment: Moment) async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"], Self.whole)
        let store = HeldStore()
        let cache = CachingLoader(next: origin, store: store)
        let requests = try [ResourceRequest.get("https://a.test/x", [.range: "bytes=0-1"]), .get()]
        #expect(try await second(cache, store, requests, at: moment) == Self.whole)
        #expect(origin.count == 1)
    }

    @Test("After a reload, the older response is not used although it is fresh", arguments: Moment.allCases)
    func reload(moment: Moment) async throws {
        let origin = ScriptedOrigin { _, number in
            ScriptedOrigin.response([.cacheControl: "max-age=60"], number == 1 ? "old" : "new")
        }
        let store = HeldStore()
        let cache = CachingLoader(next: origin, store: store)
        _ = try await cache.text(.get())
        await cache.waitUntilIdle()
        let requests = try [ResourceRequest.get("https://a.test/x", [.cacheControl: "no-cache"]), .get()]
        #expect(try await second(cache, store, requests, at: moment) == "new")
        #expect(origin.count == 2)
    }

    @Test("After a reload, the older response is not an immediate response")
    func reloadAtOnce() async throws {
        let origin = ScriptedOrigin { _, number in
            ScriptedOrigin.response([.cacheControl: "max-age=60"], number == 1 ? "old" : "new")
        }
        let store = HeldStore()
        let cache = CachingLoader(next: origin, store: store)
        _ = try await cache.text(.get())
        await cache.waitUntilIdle()
        store.hold()
        _ = try await cache.text(.get("https://a.test/x", [.cacheControl: "no-cache"]))
        guard case .later = cache.immediateResponse(to: try .get()) else {
            Issue.record("the older response was used")
            return store.release()
        }
        store.release()
        await cache.waitUntilIdle()
        guard case .known(let response?) = cache.immediateResponse(to: try .get()) else {
            Issue.record("no immediate response")
            return
        }
        #expect(try await response.body.collect(upTo: 10) == Data("new".utf8))
    }

    @Test("HEAD is served by a response that is being stored", arguments: Moment.allCases)
    func head(moment: Moment) async throws {
        let origin = ScriptedOrigin([.cacheControl: "max-age=60"])
        let store = HeldStore()
        let cache = CachingLoader(next: origin, store: store)
        let requests = try [ResourceRequest.get(), .get(method: .head)]
        #expect(try await second(cache, store, requests, at: moment) == "")
        #expect(origin.count == 1)
    }
}

/// A memory store that can delay responses before they are stored.
private final class HeldStore: CacheStoring {
    private let store = MemoryCacheStore()
    private let gate = Mutex<Gate?>(nil)
    private let lookUp = Mutex<(@Sendable () async -> Void)?>(nil)

    func hold() { gate.withLock { $0 = Gate() } }

    func release() {
        gate.withLock { gate in
            defer { gate = nil }
            return gate
        }?.open()
    }

    /// Runs an action at the next look-up, after its result is determined.
    func onNextLookUp(_ action: @escaping @Sendable () async -> Void) { lookUp.withLock { $0 = action } }

    fileprivate func pass() async { await gate.withLock { $0 }?.wait() }

    private func removeLookUp() -> (@Sendable () async -> Void)? {
        lookUp.withLock { action in
            defer { action = nil }
            return action
        }
    }

    func responses(for key: CacheKey) async -> [StoredResponse] {
        let responses = await store.responses(for: key)
        await removeLookUp()?()
        return responses
    }

    func body(of response: StoredResponse, for key: CacheKey) async -> CachedBody? {
        await store.body(of: response, for: key)
    }

    func responsesInMemory(for key: CacheKey) -> [StoredResponse]? { store.responsesInMemory(for: key) }

    func bodyInMemory(of response: StoredResponse, for key: CacheKey) -> CachedBody? {
        store.bodyInMemory(of: response, for: key)
    }

    func makeWriter(for key: CacheKey) -> any CacheWriting { HeldWriter(self, store.makeWriter(for: key)) }

    func update(_ response: StoredResponse, for key: CacheKey) async { await store.update(response, for: key) }

    func remove(_ key: CacheKey, variant: String?) async { await store.remove(key, variant: variant) }

    func removeAll() async { await store.removeAll() }

    func accepts(_ bytes: Int64) -> Bool { store.accepts(bytes) }
}

private final class HeldWriter: CacheWriting {
    private let store: HeldStore
    private let writer: any CacheWriting

    init(_ store: HeldStore, _ writer: any CacheWriting) {
        self.store = store
        self.writer = writer
    }

    func write(_ chunk: Data) async -> Bool { await writer.write(chunk) }

    func finish(_ response: StoredResponse) async {
        await store.pass()
        await writer.finish(response)
    }
}
