// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @testable import CookieBridge

/// Tests of the conversion between cookies of an engine and of a jar, and of clearing an engine's store.
@MainActor
@Suite("Engine cookies", .timeLimit(.minutes(1)))
struct EngineCookiesTests {
    private let store = FakeEngine().jar

    @Test(
        "A cookie is unchanged after conversion to the engine's form and back",
        arguments: [
            ("shop.example", true, "shop.example"), ("shop.example", false, ".shop.example"), ("[::1]", true, "::1"),
        ])
    func forms(_ domain: String, isHostOnly: Bool, _ shown: String) {
        let made = Cookie(
            Cookie.Identity(name: "a", domain: domain, isHostOnly: isHostOnly, path: "/a"), value: "1",
            expires: start.addingTimeInterval(0.7), created: start, isSecure: true, isHTTPOnly: true,
            sameSite: .strict)
        let stored = EngineCookie(made)
        #expect(stored.domain == shown && stored.expires == 1_800_000_000)
        let read = Cookie(stored, created: start)
        #expect(read.identity == made.identity && read.value == "1" && read.expires == start)
        #expect(read.isSecure && read.isHTTPOnly && read.sameSite == .strict)
    }

    @Test("An address gets brackets only once, and dates are limited to the range that an engine can represent")
    func limits() {
        let address = Cookie(EngineCookie(name: "a", value: "1", domain: "[::1]"), created: start)
        #expect(address.identity.domain == "[::1]")
        var made = cookie("a", "1")
        made.expires = .distantFuture.addingTimeInterval(1e15)
        #expect(EngineCookie(made).expires == 1_000_000_000_000)
    }

    @Test("Cookies of an engine are compared by the bytes of their texts")
    func bytes() async throws {
        let texts = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        let cookies = texts.flatMap { text in
            [
                EngineCookie(name: text, value: "1", domain: "a.example"),
                EngineCookie(name: "a", value: text, domain: "a.example"),
                EngineCookie(name: "a", value: "1", domain: text),
                EngineCookie(name: "a", value: "1", domain: "a.example", path: "/\(text)"),
            ]
        }
        #expect(Set(cookies).count == cookies.count)
        #expect(Set(cookies + cookies).count == cookies.count)
        for text in texts { try await store.set(EngineCookie(name: text, value: "1", domain: "a.example")) }
        #expect(store.cookies.count == texts.count)
        try await store.remove(name: "e\u{301}", domain: "a.example", path: "/")
        #expect(store.cookies.map { Array($0.name.utf8) } == ["\u{E9}", "K", "\u{212A}"].map { Array($0.utf8) })
    }

    @Test("Clearing tries to remove every cookie of the scope, and no other cookie")
    func clearing() async throws {
        for (name, domain) in [("a", ".shop.example"), ("b", "WWW.shop.example"), ("c", "other.example"), ("d", "::1")]
        {
            try await store.set(EngineCookie(name: name, value: "1", domain: domain))
        }
        try await store.clear(.domains(["[::1]"]))
        #expect(store.cookies.map(\.name) == ["a", "b", "c"])
        store.stubborn = "a"
        await #expect(throws: EngineError.self) { try await store.clear(.domains(["shop.example"])) }
        #expect(store.cookies.map(\.name) == ["a", "c"])
        store.stubborn = nil
        // The closure changes the host to the real host.
        try await store.clear(.domains(["real.example"])) { cookie in
            guard cookie.name == "c" else { return nil }
            var cookie = cookie
            cookie.domain = "www.real.example"
            return cookie
        }
        #expect(store.cookies.map(\.name) == ["a"])
        try await store.clear(.all)
        #expect(store.cookies.isEmpty)
    }

    @Test("Pages have the cookies of an engine that stores cookies itself, as changed by the closure")
    func pages() async throws {
        try await store.set(EngineCookie(name: "token", value: "1", domain: "shop.localhost"))
        try await store.set(EngineCookie(name: "id", value: "7", domain: "shop.localhost"))
        let pages = try await PageCookies(of: store) { cookie in
            guard cookie.name != "token" else { return nil }
            var cookie = cookie
            cookie.domain = "shop.example"
            return cookie
        }
        #expect(pages.jar.cookies.map(\.identity.domain) == ["shop.example"])
        #expect(pages.jar.cookies.map(\.value) == ["7"])
    }

    @Test("A scope contains subdomains of its domains; an address has no subdomains")
    func scopes() {
        let scope = CookieScope.domains(["shop.example", "3.4", "1.2.3.4"])
        for (host, isReached) in [
            ("shop.example", true), ("www.shop.example", true), ("myshop.example", false), ("example", false),
            ("9.9.3.4", false), ("1.2.3.4", true),
        ] {
            #expect(scope.reaches(host) == isReached, "\(host)")
            #expect(scope.contains(name("a", domain: host)) == isReached, "\(host)")
        }
        #expect(CookieScope.all.reaches("any.example"))
    }
}
