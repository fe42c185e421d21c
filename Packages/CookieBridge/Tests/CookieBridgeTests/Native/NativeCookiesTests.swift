// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import CookieJar
import Foundation
import PublicSuffixList
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @testable import CookieBridge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests of the adapter with a real storage of Foundation in memory.
@Suite("Native cookies", .timeLimit(.minutes(1)))
struct NativeCookiesTests {
    private let storage: HTTPCookieStorage
    private let record = NativeCookieRecord(
        CookieStore(publicSuffixes: SuffixList(), limits: NativeCookieRecord.limits), file: nil)
    private let native: NativeCookies

    init() throws {
        storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        native = try #require(NativeCookies(.storage(storage), record: record))
    }

    private let end = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 600).rounded(.down))

    private func made(
        _ text: String, _ value: String, domain: String = "shop.example", isHostOnly: Bool = true, path: String = "/",
        isSecure: Bool = false, isHTTPOnly: Bool = false, sameSite: Cookie.SameSite = .unspecified
    ) -> Cookie {
        Cookie(
            Cookie.Identity(name: text, domain: domain, isHostOnly: isHostOnly, path: path), value: value, expires: end,
            created: end, isSecure: isSecure, isHTTPOnly: isHTTPOnly, sameSite: sameSite)
    }

    /// Sets a cookie as an app does.
    private func put(
        _ name: String, _ value: String, domain: String = "shop.example", path: String = "/", expires: Date? = nil,
        isSecure: Bool = false
    ) throws {
        var properties: [HTTPCookiePropertyKey: Any] = [.name: name, .value: value, .domain: domain, .path: path]
        if let expires { properties[.expires] = expires }
        if isSecure { properties[.secure] = "TRUE" }
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }

    private var stored: [String] { (storage.cookies ?? []).map { "\($0.name)=\($0.value)" }.sorted() }

    private func names() async throws -> [String] {
        try await native.snapshot().map(\.identity.name).sorted()
    }

    @Test("The option none has no adapter; the shared storage is the default")
    func none() {
        #expect(NativeCookies(.none, record: record) == nil && !NativeCookieStorage.none.isUsed)
        if case .shared = CookieOptions().native {} else { Issue.record("\(CookieOptions().native)") }
    }

    @Test(
        "A cookie is unchanged after a write and a read",
        arguments: [("shop.example", true), ("shop.example", false), ("127.0.0.1", true), ("[::1]", true)])
    func forms(_ domain: String, isHostOnly: Bool) async throws {
        let cookie = made(
            "a", "\"1\"", domain: domain, isHostOnly: isHostOnly, path: "/a", isSecure: true, isHTTPOnly: true,
            sameSite: .strict)
        try await native.set(cookie)
        let read = try #require(try await native.snapshot().first)
        #expect(native.representation.isSame(read, cookie), "\(read)")
        #expect(storage.cookies?.first?.isHTTPOnly == true && storage.cookies?.first?.isSecure == true)
        try await native.remove(cookie.identity)
        #expect(stored.isEmpty)
    }

    @Test("A host-only cookie and a cookie of the domain are two cookies")
    func hosts() async throws {
        for isHostOnly in [true, false] { try await native.set(made("a", "\(isHostOnly)", isHostOnly: isHostOnly)) }
        #expect(stored == ["a=false", "a=true"])
        try await native.remove(made("a", "", isHostOnly: false).identity)
        #expect(stored == ["a=true"])
    }

    @Test("A change of the app is noticed without a notification, and a read ends it")
    func changes() async throws {
        #expect(!native.hasChanged && native.isUnused)
        var signals = await native.changes().makeAsyncIterator()
        try put("a", "1")
        #expect(native.hasChanged && !native.isUnused)
        native.check()
        _ = await signals.next()
        #expect(try await names() == ["a"] && !native.hasChanged)
        // Composed and decomposed characters are different bytes.
        for value in ["\u{E9}", "e\u{301}"] {
            try put("a", value)
            #expect(native.hasChanged)
            _ = try await native.snapshot()
        }
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        #expect(native.hasChanged && !native.isUnused)
        #expect(try await names().isEmpty && !native.hasChanged)
        // Each own write is read back.
        try await native.set(made("b", "1"))
        #expect(native.hasChanged)
        _ = await signals.next()
    }

    @Test("A notification of Foundation is a signal")
    func notification() async throws {
        var signals = await native.changes().makeAsyncIterator()
        NotificationCenter.default.post(name: .NSHTTPCookieManagerCookiesChanged, object: storage)
        _ = await signals.next()
    }

    @Test("Expired cookies that the storage still returns are not read")
    func expired() async throws {
        try put("a", "1", expires: Date().addingTimeInterval(-10))
        try put("b", "1", expires: end)
        #expect(try await names() == ["b"])
    }

    @Test("Cookies that no response could have set are not read")
    func hostile() async throws {
        try put("__Secure-a", "1")
        try put("__Host-b", "1", domain: ".shop.example", isSecure: true)
        try put("__Host-c", "1", path: "/a", isSecure: true)
        try put("d", "1", domain: ".com")
        try put("e", "1", domain: ".co.uk")
        try put("f;g", "1")
        try put("h", "1\r\nSet-Cookie: i=1")
        try put("j", String(repeating: "a", count: 5_000))
        try put("k", "1", path: "relative")
        try put("l", "1", domain: "not a host")
        #expect(try await names().isEmpty)
        try put("__Secure-a", "1", isSecure: true)
        try put("__Host-b", "1", isSecure: true)
        try put("d", "1", domain: ".shop.example")
        #expect(try await names() == ["__Host-b", "__Secure-a", "d"])
    }

    @Test("A storage that accepts no cookies rejects each write")
    func policy() async throws {
        storage.cookieAcceptPolicy = .never
        await #expect(throws: CookieRejection.self) { try await native.set(made("a", "1")) }
        #expect(stored.isEmpty && !record.contains(name("a")))
    }

    @Test("Attributes that the storage loses are restored, until the cookie is removed")
    func attributes() async throws {
        try await native.set(made("a", "1", isSecure: true, isHTTPOnly: true, sameSite: .lax))
        // The file of Foundation on Linux has neither attribute, so the next process reads this cookie.
        try put("a", "1", expires: end)
        var read = try #require(try await native.snapshot().first)
        #expect(read.isSecure && read.isHTTPOnly && read.sameSite == .lax)
        for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
        _ = try await native.snapshot()
        try put("a", "2", expires: end)
        read = try #require(try await native.snapshot().first)
        #expect(!read.isSecure && !read.isHTTPOnly && read.sameSite == .unspecified)
    }

    #if !canImport(Darwin)
        @Test("A cookie with the same key in Foundation as another is rejected")
        func keys() async throws {
            try await native.set(made("b", "1", path: "/a", isHTTPOnly: true))
            // Foundation joins domain, path and name.
            await #expect(throws: CookieRejection.self) { try await native.set(made("ab", "2", path: "/")) }
            #expect(stored == ["b=1"])
        }

        @Test("What Foundation loses on Linux: HttpOnly in the properties, SameSite, and Max-Age of version 0")
        func losses() throws {
            let url = try #require(URL(string: "https://shop.example/"))
            let field = "a=1; Secure; HttpOnly; SameSite=Strict; Max-Age=600"
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field], for: url)
            let cookie = try #require(cookies.first)
            #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.expiresDate == nil)
            let copy = try #require(cookie.properties.flatMap { HTTPCookie(properties: $0) })
            #expect(!copy.isHTTPOnly && !copy.isSecure)
        }
    #endif

    @Test("Without an expiry in the storage, a cookie is read with its expiry, and removed at its end")
    func shortened() async throws {
        let time = Mutex(Date())
        let adapter = NativeCookies(.storage(storage), record: record, keepsExpiry: false) { time.withLock { $0 } }
        let native = try #require(adapter)
        try await native.set(made("a", "1"))
        #expect(storage.cookies?.map(\.expiresDate) == [nil])
        #expect(try await native.snapshot().map(\.expires) == [end])
        // A session cookie of the app has no expiry.
        try put("a", "2")
        #expect(try await native.snapshot().map(\.expires) == [nil])
        try await native.set(made("a", "3"))
        time.withLock { $0 = end.addingTimeInterval(1) }
        #expect(try await native.snapshot().isEmpty && stored.isEmpty)
    }

    @Test("Clearing removes the cookies of the scope, and their attributes")
    func clearing() async throws {
        try await native.set(made("a", "1", isHostOnly: false, isHTTPOnly: true))
        try await native.set(made("b", "1", domain: "other.example"))
        try put("__Host-c", "1", domain: ".shop.example")
        try await native.clear(.domains(["shop.example"]))
        #expect(stored == ["b=1"] && record.all.map(\.identity.name) == ["b"])
        try await native.clear(.all)
        #expect(stored.isEmpty && record.all.isEmpty)
    }

    @Test("Only the shared storage reports removals before the start, and only on Apple's systems")
    func reports() {
        #expect(!NativeCookies.reportsRemovals(.storage(storage)))
        #expect(NativeCookies.reportsRemovals(.shared) == !NativeCookies.losesAttributes)
    }

    @Test("A storage that the app names reports no cookies that were removed before the start")
    func removal() async throws {
        let seen = Cookie(name("a"), value: "seen-shared", expires: end, created: .distantPast)
        let record = NativeCookieRecord(CookieStore(publicSuffixes: SuffixList(), cookies: [seen]), file: nil)
        let native = try #require(NativeCookies(.storage(storage), record: record))
        #expect(await native.begin().isEmpty && record.all.isEmpty)
    }
}
