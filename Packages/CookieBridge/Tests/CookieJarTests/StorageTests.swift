// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing
import WebSyntax

/// Tests of storage (RFC 6265bis, section 5.7).
@Suite(.timeLimit(.minutes(3)))
struct StorageTests {
    let jar = Jar()

    @Test(
        arguments: [
            ("a.shop.example", "shop.example", nil), ("a.shop.example", "a.shop.example", nil),
            ("shop.example", "a.shop.example", .otherDomain), ("shop.example", "hop.example", .otherDomain),
            ("shop.example", "other.example", .otherDomain), ("shop.example", "example", .publicSuffix),
            ("a.co.uk", "co.uk", .publicSuffix), ("a.co.uk", "uk", .publicSuffix), ("a.co.uk", "a.co.uk", nil),
            // The host of the public suffix sets a cookie for itself.
            ("github.io", "github.io", nil), ("localhost", "localhost", nil), ("127.0.0.1", "127.0.0.1", nil),
            ("127.0.0.1", "0.0.1", .otherDomain), ("127.0.0.1", "1", .otherDomain), ("[::1]", "[::1]", nil),
            // The domain is not a public suffix, but is above a public suffix.
            ("b.s3.cloud.example", "cloud.example", .publicSuffix), ("x.cloud.example", "cloud.example", nil),
            ("shop.example", "shöp.example", .otherDomain), ("shop.example", "shop.example.", .otherDomain),
            ("shop.example.", "shop.example.", nil),
        ] as [(String, String, CookieRefusal.Code?)])
    func `A domain is the host or a parent domain below a public suffix`(
        host: String, domain: String, expected: CookieRefusal.Code?
    ) throws {
        #expect(try jar.set("a=b; Domain=\(domain)", from: "https://\(host)/") == expected)
        #expect(try jar.sent(to: "https://\(host)/") == (expected == nil ? "a=b" : ""))
    }

    @Test func `A public suffix's own cookie is host-only`() throws {
        try jar.set("a=b; Domain=github.io", from: "https://github.io/")
        #expect(jar.jar.cookies.map(\.identity.isHostOnly) == [true])
        #expect(try jar.sent(to: "https://x.github.io/") == "")
    }

    @Test func `An empty field is no cookie`() throws {
        #expect(try jar.set("") == .empty)
        #expect(try jar.set("=; Secure") == .empty)
        #expect(try jar.set("=v") == nil)
        #expect(try jar.sent() == "v")
    }

    @Test func `A path that is too long is refused`() throws {
        let folder = "/" + String(repeating: "p", count: 1_023)
        #expect(try jar.set("a=b", from: "https://shop.example\(folder)/x") == nil)
        #expect(try jar.set("a=b", from: "https://shop.example\(folder)p/x") == .tooLong)
    }

    @Test func `Secure cookies need a secure origin`() throws {
        #expect(try jar.set("a=b; Secure", from: "http://shop.example/") == .insecureOrigin)
        #expect(try jar.set("a=b; Secure", from: "http://localhost/") == nil)
        #expect(try jar.set("a=b; Secure", from: "https://shop.example/") == nil)
        #expect(try jar.sent(to: "http://shop.example/") == "")
        #expect(try jar.sent(to: "wss://shop.example/") == "a=b")
    }

    @Test(
        arguments: [
            ("a=x; Path=/login", "shop.example", .hidesSecure), ("a=x; Path=/login/en", "shop.example", .hidesSecure),
            ("a=x; Path=/", "shop.example", nil), ("a=x; Path=/foo", "shop.example", nil),
            ("b=x; Path=/login", "shop.example", nil),
            ("a=x; Path=/login; Domain=shop.example", "shop.example", .hidesSecure),
            ("a=x; Path=/login; Domain=shop.example", "www.shop.example", .hidesSecure),
            ("a=x; Path=/login", "www.shop.example", .hidesSecure), ("a=x; Path=/login", "other.example", nil),
            ("a=x; Path=/login; Max-Age=0", "shop.example", .hidesSecure),
        ] as [(String, String, CookieRefusal.Code?)])
    func `Insecure origins do not change secure cookies`(
        field: String, host: String, expected: CookieRefusal.Code?
    ) throws {
        try jar.set("a=b; Secure; Path=/login")
        #expect(try jar.set(field, from: "http://\(host)/") == expected)
        #expect(try jar.script(field, at: "http://\(host)/") == expected)
        #expect(try jar.sent(to: "https://shop.example/login").hasPrefix("a=b"))
        // A secure origin may set the cookie.
        #expect(try jar.set(field, from: "https://\(host)/") == nil)
    }

    @Test(
        arguments: [
            ("__Secure-a=b", .prefix), ("__secure-a=b; Domain=shop.example", .prefix), ("__SECURE-a=b; Secure", nil),
            ("__Secure-a=b; Secure; Domain=shop.example", nil), ("__Host-a=b", .prefix),
            ("__Host-a=b; Secure", .prefix),
            ("__host-a=b; Secure; Path=/x", .prefix), ("__HOST-a=b; Secure; Path=/; Domain=shop.example", .prefix),
            ("__Host-a=b; Secure; Path=/", nil), ("__Host-a=b; Secure; Path=/; Domain=", nil),
            ("__Secure-a", .prefix), ("=__HOST-a=b; Secure; Path=/", .prefix), ("__Host-; Secure; Path=/", .prefix),
            (" __Host-a =b", .prefix), ("x__Host-a=b", nil), ("__Hos-a=b", nil), ("_Secure-=1", nil),
        ] as [(String, CookieRefusal.Code?)])
    func `Name prefixes are enforced in any case`(field: String, expected: CookieRefusal.Code?) throws {
        #expect(try jar.set(field) == expected)
        #expect(try jar.script(field) == expected)
        #expect(jar.jar.cookies.count == (expected == nil ? 1 : 0))
    }

    @Test func `Scripts cannot set, change or see HttpOnly cookies`() throws {
        #expect(try jar.script("a=b; HttpOnly") == .httpOnly)
        try jar.set("a=b; HttpOnly")
        #expect(try jar.script("a=c") == .httpOnly)
        #expect(try jar.script("a=; Max-Age=0") == .httpOnly)
        #expect(try jar.seen() == "")
        #expect(try jar.sent() == "a=b")
        // A cookie with another path is a different cookie.
        #expect(try jar.script("a=d; Path=/x") == nil)
        #expect(try jar.seen(at: "https://shop.example/x") == "a=d")
    }

    @Test(
        arguments: [
            ("a=b", .crossSite, .crossSite), ("a=b; SameSite=Lax", .crossSite, .crossSite),
            ("a=b; SameSite=Strict", .crossSite, .crossSite),
            ("a=b; SameSite=None; Secure", .crossSite, nil), ("a=b; SameSite=None", .sameSite, .crossSiteInsecure),
            ("a=b; SameSite=Strict", .crossSiteNavigation(isSafe: false), nil),
            ("a=b", .crossSiteNavigation(isSafe: true), nil),
            ("a=b; SameSite=Strict", .sameSite, nil),
        ] as [(String, CookieContext, CookieRefusal.Code?)])
    func `SameSite limits the requests that set a cookie`(
        field: String, context: CookieContext, expected: CookieRefusal.Code?
    ) throws {
        #expect(try jar.set(field, context) == expected)
    }

    @Test func `For scripts, a cross-site navigation counts as cross-site`() throws {
        #expect(try jar.script("a=b", .crossSiteNavigation(isSafe: true)) == .crossSite)
        #expect(try jar.script("a=b; SameSite=None; Secure", .crossSite) == nil)
        #expect(try jar.seen(.crossSite) == "a=b")
    }

    @Test func `Max-Age takes precedence over Expires, and both are limited to 400 days`() throws {
        let now = jar.clock.now
        let far = CookieDate.format(now.addingTimeInterval(500 * 86_400))
        try jar.set("a=1; Max-Age=10; Expires=\(far)")
        try jar.set("b=1; Expires=\(far)")
        try jar.set("c=1; Max-Age=99999999999999999999")
        try jar.set("d=1; Expires=\(CookieDate.format(now.addingTimeInterval(20)))")
        try jar.set("e=1")
        #expect(
            jar.jar.cookies.map { $0.expires?.timeIntervalSince(now) } == [10, 400 * 86_400, 400 * 86_400, 20, nil])
        jar.clock.advance(by: 10)
        #expect(try jar.sent() == "b=1; c=1; d=1; e=1")
        jar.clock.advance(by: 10)
        #expect(try jar.sent() == "b=1; c=1; e=1")
        jar.clock.advance(by: 400 * 86_400)
        #expect(try jar.sent() == "e=1")
    }

    @Test func `An expiry in the past removes the cookie`() throws {
        try jar.set("a=1; Path=/x")
        try jar.set("a=2")
        #expect(try jar.set("a=; Max-Age=0") == nil)
        #expect(try jar.sent(to: "https://shop.example/x") == "a=1")
        #expect(try jar.set("a=; Path=/x; Expires=Thu, 01 Jan 1970 00:00:00 GMT") == nil)
        #expect(jar.jar.cookies.isEmpty)
    }

    @Test func `A cookie with the same identity is replaced and keeps its creation time`() throws {
        try jar.set("a=1")
        let made = jar.clock.now
        jar.clock.advance(by: 5)
        try jar.set("b=2")
        try jar.set("a=3; Secure; HttpOnly; SameSite=Lax")
        #expect(try jar.sent() == "a=3; b=2")
        let cookie = try #require(jar.jar.cookies.first)
        #expect(cookie.created == made && cookie.lastAccess == jar.clock.now)
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == .lax)
        // A host-only cookie and a domain cookie are two cookies.
        try jar.set("a=4; Domain=shop.example")
        #expect(jar.jar.cookies.count == 3)
    }

    @Test func `Canonically equivalent names are different cookies`() throws {
        try jar.set("\u{E9}=1")
        try jar.set("e\u{301}=2")
        #expect(jar.jar.cookies.map(\.value) == ["1", "2"])
    }

    @Test func `Identities and cookies are compared by bytes`() {
        let texts = ["\u{E9}", "e\u{301}", "K", "\u{212A}"]
        func identity(_ name: String, path: String) -> Cookie.Identity {
            Cookie.Identity(name: name, domain: "shop.example", isHostOnly: true, path: path)
        }
        #expect(Set(texts.map { identity($0, path: "/") }).count == texts.count)
        #expect(Set(texts.map { identity("a", path: "/\($0)") }).count == texts.count)
        let cookies = texts.map { Cookie(identity("a", path: "/"), value: $0, created: .distantPast) }
        #expect(Set(cookies).count == texts.count)
        #expect(cookies[0] == Cookie(identity("a", path: "/"), value: "\u{E9}", created: .distantPast))
    }

    @Test func `A refusal is described in one line, and the jar is unchanged`() throws {
        try jar.set("a=1; Secure")
        let version = jar.jar.version
        let url = try #require(CookieURL("http://shop.example/"))
        let refusal = #expect(throws: CookieRefusal.self) {
            try jar.jar.store(setCookie: "a=secret", from: url)
        }
        #expect(refusal?.description == #"hides-secure: cookie "a""#)
        #expect(jar.jar.version == version)
    }
}
