// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(3)))
struct HTTPCookieTests {
    let jar = Jar()

    @Test func `Conversion to HTTPCookie and back changes nothing`() throws {
        let made = jar.clock.now
        for domain in ["shop.example", "localhost", "127.0.0.1"] {
            for isHostOnly in [true, false] {
                for expires in [nil, made + 86_400] {
                    for flag in [true, false] {
                        let cookie = Cookie(
                            Cookie.Identity(name: "a", domain: domain, isHostOnly: isHostOnly, path: "/x"),
                            value: "b=\"c\"",
                            expires: expires, created: made, isSecure: flag, isHTTPOnly: !flag)
                        let foundation = try #require(cookie.httpCookie)
                        #expect(foundation.domain == (isHostOnly ? domain : "." + domain))
                        #expect(Cookie(foundation, created: made) == cookie)
                    }
                }
            }
        }
    }

    @Test func `Foundation and the jar make the same cookie of a response field`() throws {
        let url = try #require(URL(string: "https://shop.example/x/y"))
        let fields = ["Set-Cookie": "a=b; Path=/x; Secure; HttpOnly"]
        let foundation = try #require(HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).first)
        try jar.set("a=b; Path=/x; Secure; HttpOnly", from: url.absoluteString)
        #expect(Cookie(foundation, created: jar.clock.now) == jar.jar.cookies.first)
    }

    @Test func `A cookie that the other type cannot represent is nil`() throws {
        #expect(jar.cookie("", "token").httpCookie == nil)
        let spoiled = HTTPCookie(properties: [.name: "a", .value: "b;c", .path: "/", .domain: "shop.example"])
        #expect(Cookie(try #require(spoiled), created: jar.clock.now) == nil)
    }
}
