// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

/// Tests of retrieval (RFC 6265bis, section 5.8).
@Suite(.timeLimit(.minutes(3)))
struct RetrievalTests {
    let jar = Jar()

    @Test func `Longer paths come first, then older cookies`() throws {
        try jar.set("a=1; Path=/")
        jar.clock.advance(by: 1)
        try jar.set("b=2; Path=/x")
        jar.clock.advance(by: 1)
        try jar.set("c=3; Path=/")
        try jar.set("d=4; Path=/")
        try jar.set("e=5; Path=/x; Domain=shop.example")
        #expect(try jar.sent(to: "https://shop.example/x/y") == "b=2; e=5; a=1; c=3; d=4")
    }

    @Test func `Host-only and domain cookies are sent to the matching hosts`() throws {
        try jar.set("host=1")
        try jar.set("all=2; Domain=shop.example")
        try jar.set("sub=3; Domain=a.shop.example", from: "https://a.shop.example/")
        #expect(try jar.sent() == "host=1; all=2")
        #expect(try jar.sent(to: "https://a.shop.example/") == "all=2; sub=3")
        #expect(try jar.sent(to: "https://b.a.shop.example/") == "all=2; sub=3")
        #expect(try jar.sent(to: "https://myshop.example/") == "")
        #expect(try jar.sent(to: "https://shop.example./") == "")
    }

    @Test(
        arguments: [
            (.sameSite, "n=1; l=2; s=3; u=4", "n=1; l=2; s=3; u=4"),
            (.crossSiteNavigation(isSafe: true), "n=1; l=2; u=4", "n=1"),
            (.crossSiteNavigation(isSafe: false), "n=1", "n=1"), (.crossSite, "n=1", "n=1"),
        ] as [(CookieContext, String, String)])
    func `Cookies are sent and read as SameSite allows`(context: CookieContext, sent: String, seen: String) throws {
        try jar.set("n=1; SameSite=None; Secure")
        try jar.set("l=2; SameSite=Lax")
        try jar.set("s=3; SameSite=Strict")
        try jar.set("u=4")
        #expect(try jar.sent(context) == sent)
        #expect(try jar.seen(context) == seen)
        let url = try #require(CookieURL("https://shop.example/"))
        #expect(jar.jar.cookies(matching: url, context: context).fieldValue == sent)
    }

    @Test func `Cookies of a domain that has become a public suffix are not sent`() throws {
        try jar.jar.insert(jar.cookie("a", domain: "co.uk", isHostOnly: false))
        try jar.jar.insert(jar.cookie("b", domain: "cloud.example", isHostOnly: false))
        #expect(try jar.sent(to: "https://x.co.uk/") == "")
        #expect(try jar.sent(to: "https://co.uk/") == "")
        #expect(try jar.sent(to: "https://x.s3.cloud.example/") == "")
        #expect(try jar.sent(to: "https://x.cloud.example/") == "b=v")
    }

    @Test func `Without cookies there is no field`() throws {
        let url = try #require(CookieURL("https://shop.example/"))
        #expect(jar.jar.cookieHeader(for: url) == nil)
        #expect(jar.jar.scriptCookieString(for: url) == "")
    }

    @Test func `Sending and reading update the last access time; inspection does not`() throws {
        try jar.set("a=1")
        let made = jar.clock.now
        let url = try #require(CookieURL("https://shop.example/"))
        jar.clock.advance(by: 1)
        _ = jar.jar.cookies(matching: url)
        #expect(jar.jar.cookies.map(\.lastAccess) == [made])
        _ = try jar.sent()
        #expect(jar.jar.cookies.map(\.lastAccess) == [made + 1])
        jar.clock.advance(by: 1)
        _ = try jar.seen()
        #expect(jar.jar.cookies.map(\.lastAccess) == [made + 2])
        // A clock that is set back does not lower the last access time.
        jar.clock.advance(by: -10)
        _ = try jar.sent()
        #expect(jar.jar.cookies.map(\.lastAccess) == [made + 2])
        #expect(jar.jar.version == 1)
    }

    @Test func `A nameless cookie is sent as its value`() throws {
        try jar.set("token")
        try jar.set("a=")
        #expect(try jar.sent() == "token; a=")
    }
}
