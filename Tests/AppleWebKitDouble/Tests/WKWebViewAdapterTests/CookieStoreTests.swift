// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing
import WebEngine
@_spi(Driver) import WebKit

@testable import WKWebViewAdapter

@MainActor
@Suite("Cookie store", .timeLimit(.minutes(1)))
struct CookieStoreTests {
    private let store = WKWebsiteDataStore.nonPersistent().httpCookieStore
    private let cookies: WKWebViewCookieStore
    private let clock = ManualClock()

    init() { cookies = WKWebViewCookieStore(store, clock: clock) }

    private func cookie(_ name: String, _ value: String = "1", domain: String = "a.example") -> EngineCookie {
        EngineCookie(name: name, value: value, domain: domain)
    }

    private func names() async throws -> [String] { try await cookies.all().map(\.name) }

    // MARK: Reading and changing

    @Test("All attributes survive, except SameSite, which Foundation on Linux lacks")
    func attributes() async throws {
        let set = EngineCookie(
            name: "a", value: "\"x y\", =e\u{301}", domain: ".a.example", path: "/b", expires: 4_000_000_000,
            isSecure: true, isHTTPOnly: true, sameSite: .strict)
        try await cookies.set(set)
        try await cookies.set(EngineCookie(name: "", value: "", domain: "::1"))
        var expected = set
        expected.sameSite = .none
        #expect(try await cookies.all() == [expected, EngineCookie(name: "", value: "", domain: "::1")])
        #expect(try await cookies.all()[0].value.utf8.elementsEqual(set.value.utf8))
    }

    @Test("An expiry time outside the range of the type does not trap", arguments: [1e300, -1e300, 0.5, -0.5])
    func farExpiry(_ seconds: Double) throws {
        let stored = try #require(
            HTTPCookie(properties: [
                .name: "a", .value: "1", .domain: "a.example", .path: "/",
                .expires: Date(timeIntervalSince1970: seconds),
            ]))
        let expected: Int64 = seconds > 1 ? .max : seconds < -1 ? .min : seconds > 0 ? 0 : -1
        // Part of a second does not extend the life of a cookie.
        #expect(EngineCookie(stored).expires == expected)
    }

    @Test("A cookie that cannot be in a header field is refused", arguments: ["a;b", "a\nb", "a=b", "a\u{7F}"])
    func unsendable(_ name: String) async throws {
        let refusal = await #expect(throws: EngineError.self) { try await cookies.set(cookie(name)) }
        #expect(refusal?.code == .cookie)
        #expect(refusal?.location?.contains("\n") == false)
        await #expect(throws: EngineError.self) { try await cookies.set(cookie("a", domain: "")) }
        #expect(await store.allCookies().isEmpty)
    }

    @Test("A lost cookie is set again, and then is an error")
    func readBack() async throws {
        var responses = 0
        store.beforeResponse = {
            responses += 1
            // Before the first list, after the first set.
            if responses == 2 { store.lose { $0.name == "a" } }
        }
        try await cookies.set(cookie("a"))
        #expect(responses == 4)
        #expect(await store.allCookies().map(\.name) == ["a"])

        // The value that stays from before does not count as stored.
        store.beforeResponse = { store.lose { $0.value == "2" } }
        let failure = await #expect(throws: EngineError.self) { try await cookies.set(cookie("a", "2")) }
        #expect(failure?.code == .cookie && failure?.location == "a")
        store.receive(try #require(cookie("a", "0").httpCookie))
        await #expect(throws: EngineError.self) { try await cookies.set(cookie("a", "2")) }
    }

    @Test("Setting an expired cookie removes it, without an error")
    func expired() async throws {
        try await cookies.set(cookie("a"))
        var gone = cookie("a")
        gone.expires = 1
        try await cookies.set(gone)
        #expect(try await names().isEmpty)
    }

    @Test("Name, domain and path select the removed cookie, compared by bytes")
    func removal() async throws {
        let other = EngineCookie(name: "a", value: "2", domain: "a.example", path: "/b")
        let decomposed = cookie("e\u{301}")
        for cookie in [cookie("a"), other, decomposed, cookie("a", domain: ".a.example")] {
            try await cookies.set(cookie)
        }
        try await cookies.remove(name: "a", domain: "a.example", path: "/")
        try await cookies.remove(name: "\u{E9}", domain: "a.example", path: "/")
        #expect(try await cookies.all() == [other, decomposed, cookie("a", domain: ".a.example")])
        try await cookies.remove(name: "a", domain: ".A.example", path: "/")
        #expect(try await cookies.all() == [other, decomposed])
    }

    @Test("A network process that does not respond is an error after 20 seconds")
    func silence() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        store.beforeResponse = { for await _ in gate {} }
        defer { open.finish() }
        let calls: [@MainActor () async throws -> Void] = [
            { _ = try await cookies.all() }, { try await cookies.set(cookie("a")) },
            { try await cookies.remove(name: "a", domain: "a.example", path: "/") },
        ]
        for call in calls {
            let pending = Task { try await call() }
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(20))
            let failure = await #expect(throws: EngineError.self) { try await result(of: pending) }
            #expect(failure?.code == .timedOut)
        }
    }

    // MARK: Losses

    @Test("The markers are not among the cookies, and a loss of session cookies counts once")
    func losses() async throws {
        try await cookies.set(cookie("a"))
        #expect(try await names() == ["a"])
        #expect(cookies.losses == 0)
        store.lose { $0.expiresDate == nil }
        #expect(try await names().isEmpty)
        #expect(cookies.losses == 1)
        #expect(try await names().isEmpty)
        #expect(cookies.losses == 1)
    }

    @Test("Cookies that the app has removed are not lost")
    func deletion() async throws {
        try await cookies.set(cookie("a"))
        #expect(try await names() == ["a"])
        store.lose { _ in true }
        #expect(try await names().isEmpty)
        #expect(cookies.losses == 0)
    }

    @Test("A marker that the engine refuses is not set again and again")
    func refusedMark() async throws {
        try await cookies.set(cookie("a"))
        var responses = 0
        store.beforeResponse = {
            responses += 1
            store.lose { $0.name == "containerkit-mark" }
        }
        for _ in 0..<10 { #expect(try await names() == ["a"]) }
        // Each of three attempts lists, sets two markers and lists again.
        #expect(responses == 3 * 4 + 7 && cookies.losses == 0)
        store.beforeResponse = { responses += 1 }
        #expect(try await names() == ["a"])
        #expect(responses == 20)
    }

    @Test("A marker that is lost once is set again")
    func lostMark() async throws {
        for _ in 0..<10 {
            _ = try await cookies.all()
            var isLost = false
            // Before the second list, which follows the markers.
            var responses = 0
            store.lose { $0.expiresDate == nil }
            store.beforeResponse = {
                responses += 1
                if responses == 4, !isLost {
                    isLost = true
                    store.lose { $0.expiresDate == nil }
                }
            }
            _ = try await cookies.all()
            store.beforeResponse = nil
            _ = try await cookies.all()
            #expect(isLost)
            #expect(await store.allCookies().contains { $0.name == "containerkit-mark" })
        }
    }

    @Test("A new store that finds the lasting marker of an earlier process reports no loss")
    func nextLaunch() async throws {
        _ = try await cookies.all()
        store.lose { $0.expiresDate == nil }
        let next = WKWebViewCookieStore(store)
        #expect(try await next.all().isEmpty)
        #expect(next.losses == 0)
    }

    // MARK: Changes

    @Test("Each stream signals changes of all origins, and ends alone")
    func changes() async throws {
        let (first, second) = (cookies.changes(), cookies.changes())
        #expect(store.observerCount == 1)
        store.receive(try #require(cookie("a").httpCookie))
        for await _ in first { break }
        var later = second.makeAsyncIterator()
        #expect(await later.next() != nil)
        try await cookies.set(cookie("b"))
        #expect(await later.next() != nil)
    }

    @Test("The observer is there as long as a stream, and not longer")
    func lifetime() async throws {
        let reader = Task { [cookies] in for await _ in cookies.changes() {} }
        try await until { store.observerCount == 1 }
        #expect(cookies.observer != nil)
        reader.cancel()
        await result(of: reader)
        try await until { store.observerCount == 0 }
        try await until { cookies.observer == nil }

        // A stream that is released without a reader ends too.
        _ = cookies.changes()
        try await until { store.observerCount == 0 && cookies.observer == nil }
    }

    @Test("A stream outlives the object that made it")
    func releasedStore() async throws {
        weak var released: WKWebViewCookieStore?
        weak var observer: CookieChangeObserver?
        var signals: AsyncStream<Void>.Iterator?
        do {
            let cookies = WKWebViewCookieStore(store)
            released = cookies
            signals = cookies.changes().makeAsyncIterator()
            observer = cookies.observer
        }
        #expect(released == nil)
        #expect(observer != nil)
        store.receive(try #require(cookie("a").httpCookie))
        #expect(await signals?.next() != nil)
        signals = nil
        try await until { observer == nil }
        #expect(store.observerCount == 0)
    }

    @Test("A stream that begins while the last one ends gets signals")
    func handover() async throws {
        _ = cookies.changes()
        var signals = cookies.changes().makeAsyncIterator()
        for _ in 0..<100 { await Task.yield() }
        #expect(store.observerCount == 1)
        store.receive(try #require(cookie("a").httpCookie))
        #expect(await signals.next() != nil)
    }
}
