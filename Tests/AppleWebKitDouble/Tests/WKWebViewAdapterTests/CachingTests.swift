// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite("Caches", .timeLimit(.minutes(1)))
struct CachingTests {
    private let store = WKWebsiteDataStore.nonPersistent()
    private let clock = ManualClock()
    private let caching: WKWebViewCaching
    private let http: Set<String> = [WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeMemoryCache]
    private let scripted: Set<String> = [
        WKWebsiteDataTypeFetchCache, WKWebsiteDataTypeServiceWorkerRegistrations,
    ]

    init() { caching = WKWebViewCaching(store, clock: clock) }

    /// Returns the names of the sites with data, sorted.
    private func sites(_ types: Set<String>) async -> [String] {
        await store.dataRecords(ofTypes: types).map(\.displayName).sorted()
    }

    private func fill(_ names: String...) throws {
        for name in names { store.receive(http.union(scripted), of: name) }
        store.httpCookieStore.receive(
            try #require(
                HTTPCookie(properties: [.name: "a", .value: "1", .domain: "a.example", .path: "/"])))
    }

    @Test("Clearing the HTTP cache affects all sites and no other data")
    func clear() async throws {
        try fill("a.example", "b.example")
        store.receive(http, of: "c.example", modified: Date(timeIntervalSince1970: 0))
        try await caching.clearHTTPCache()
        #expect(await sites(http).isEmpty)
        #expect(await sites(scripted) == ["a.example", "b.example"])
        #expect(await store.httpCookieStore.allCookies().count == 1)
    }

    @Test("Workers and caches of the whole site are removed, and those of other sites stay")
    func removal() async throws {
        try fill("a.example", "b.example", "xa.example")
        try await caching.removeFiles(
            under: ["https://www.A.example:8443/app/"], at: ["https://www.A.example:8443/"], lastGiven: nil)
        #expect(await sites(http).isEmpty)
        #expect(await sites(scripted) == ["b.example", "xa.example"])
        #expect(await store.httpCookieStore.allCookies().count == 1)
        try await caching.removeFiles(under: ["https://xb.example/"], at: ["https://xb.example/"], lastGiven: nil)
        #expect(await sites(scripted) == ["b.example", "xa.example"])
    }

    @Test("Addresses and localhost have records of their own", arguments: ["127.0.0.1", "[::1]", "localhost", "::1"])
    func addresses(_ name: String) async throws {
        try fill(name, "1.0.0.127", "b.example")
        let host = name == "::1" ? "[0:0::1]" : name
        try await caching.removeFiles(under: ["https://\(host)/"], at: ["https://\(host)/"], lastGiven: nil)
        #expect(await sites(scripted) == ["1.0.0.127", "b.example"])
    }

    @Test(
        "A site that WebKit may not list removes the data of all sites",
        arguments: ["app://a.example/", "https://intranet/", "", "https:///"])
    func unlisted(_ origin: String) async throws {
        try fill("a.example", "b.example")
        try await caching.removeFiles(under: ["\(origin)a/"], at: ["https://b.example/", origin], lastGiven: nil)
        #expect(await sites(scripted).isEmpty)
    }

    @Test("A display name in Unicode may belong to each host with such a label")
    func unicode() async throws {
        try fill("b\u{FC}cher.example", "b.example")
        try await caching.removeFiles(under: ["https://a.example/"], at: ["https://a.example/"], lastGiven: nil)
        #expect(await sites(scripted) == ["b.example", "b\u{FC}cher.example"])
        try await caching.removeFiles(
            under: ["https://xn--bcher-kva.example/"], at: ["https://xn--bcher-kva.example/"], lastGiven: nil)
        #expect(await sites(scripted) == ["b.example"])
    }

    @Test("No URL removes nothing, and no origin keeps workers and caches")
    func nothing() async throws {
        try fill("a.example")
        try await caching.removeFiles(under: [], at: ["https://a.example/"], lastGiven: nil)
        #expect(await sites(http) == ["a.example"])
        try await caching.removeFiles(under: ["https://a.example/"], at: [], lastGiven: nil)
        #expect(await sites(http).isEmpty)
        #expect(await sites(scripted) == ["a.example"])
    }

    @Test("A response that the engine has just received is removed too")
    func delay() async throws {
        let removal = Task {
            try await caching.removeFiles(under: ["https://a.example/"], at: [], lastGiven: .now + .seconds(3_600))
        }
        await clock.sleepers(atLeast: 1)
        // The engine writes the response to its cache late.
        store.receive(http, of: "a.example")
        clock.advance(by: .seconds(3_602))
        try await result(of: removal)
        #expect(await sites(http).isEmpty)
        // Without a pending response the clock is not used.
        try await caching.removeFiles(under: ["https://a.example/"], at: [], lastGiven: .now - .seconds(2))
    }

    @Test("A network process that does not respond is an error after 20 seconds")
    func silence() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        store.beforeResponse = { for await _ in gate {} }
        defer { open.finish() }
        let clear = Task { try await caching.clearHTTPCache() }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(20))
        #expect(await #expect(throws: EngineError.self) { try await result(of: clear) }?.code == .timedOut)
    }

    @Test("An error of the scripted part does not prevent the clearing of the HTTP cache")
    func scriptedFailure() async throws {
        try fill("a.example")
        let (gate, open) = AsyncStream<Void>.makeStream()
        store.beforeResponse = { for await _ in gate {} }
        let removal = Task {
            try await caching.removeFiles(under: ["https://a.example/"], at: ["https://a.example/"], lastGiven: nil)
        }
        await clock.sleepers(atLeast: 1)
        store.beforeResponse = nil
        clock.advance(by: .seconds(20))
        #expect(await #expect(throws: EngineError.self) { try await result(of: removal) }?.code == .timedOut)
        #expect(await sites(http).isEmpty)
        open.finish()
    }
}
