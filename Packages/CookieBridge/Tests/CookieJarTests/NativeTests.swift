// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

/// Tests of the methods for the app.
@Suite(.timeLimit(.minutes(3)))
struct NativeTests {
    let jar = Jar()

    @Test func `The app can replace cookies of responses and scripts`() throws {
        try jar.set("a=1; Secure; HttpOnly")
        try jar.jar.insert(jar.cookie("a", "2"))
        #expect(try jar.seen(at: "http://shop.example/") == "a=2")
        // The expiry is beyond the limit of 400 days for responses and scripts.
        let far = jar.cookie("b", expires: 10_000 * 86_400)
        try jar.jar.insert(far)
        #expect(jar.jar.cookie(far.identity) == far)
    }

    @Test func `The earlier creation time is kept`() throws {
        var cookie = jar.cookie("a")
        let made = cookie.created
        try jar.jar.insert(cookie)
        cookie.created += 10
        cookie.value = "later"
        try jar.jar.insert(cookie)
        #expect(jar.jar.cookie(cookie.identity)?.created == made)
        cookie.created -= 20
        try jar.jar.insert(cookie)
        #expect(jar.jar.cookie(cookie.identity)?.created == made - 10)
    }

    @Test func `Inserting an expired cookie removes the existing one`() throws {
        try jar.set("a=1")
        try jar.jar.insert(jar.cookie("a", expires: 0))
        try jar.jar.insert(jar.cookie("b", expires: -1))
        #expect(jar.jar.cookies.isEmpty && jar.jar.version == 2)
    }

    @Test(
        arguments: [
            ("a", "v", "Shop.example", "/", .malformed), ("a", "v", ".shop.example", "/", .malformed),
            ("a", "v", "", "/", .malformed),
            ("a", "v", "shöp.example", "/", .malformed), ("a", "v", "shop.example", "", .malformed),
            ("a", "v", "shop.example", "x", .malformed),
            ("a=b", "v", "shop.example", "/", .malformed), ("a", "v; Secure", "shop.example", "/", .malformed),
            ("a;", "v", "shop.example", "/", .malformed),
            ("", "", "shop.example", "/", .empty),
            ("a", "v\r\nX: y", "shop.example", "/", .controlCharacter),
            ("a\u{0}", "v", "shop.example", "/", .controlCharacter),
            ("a", String(repeating: "v", count: 4_096), "shop.example", "/", .tooLong),
            ("a", "v", "shop.example", "/" + String(repeating: "p", count: 1_024), .tooLong),
        ] as [(String, String, String, String, CookieRefusal.Code)])
    func `Cookies that no field could have set are refused`(
        name: String, value: String, domain: String, path: String, code: CookieRefusal.Code
    ) {
        let cookie = jar.cookie(name, value, domain: domain, path: path)
        let refusal = #expect(throws: CookieRefusal.self) { try jar.jar.insert(cookie) }
        #expect(refusal?.code == code)
        #expect(jar.jar.cookies.isEmpty)
    }

    @Test func `Any cookie of a jar can be inserted into another jar`() throws {
        try jar.set("a=b", from: "https://shop.example/x;y/z")
        let cookie = try #require(jar.jar.cookies.first)
        #expect(cookie.identity.path == "/x;y")
        let other = Jar()
        try other.jar.insert(cookie)
        #expect(other.jar.cookies == [cookie])
    }

    @Test func `A date that is not a number is refused`() {
        var cookie = jar.cookie("a")
        cookie.expires = Date(timeIntervalSince1970: .nan)
        #expect(throws: CookieRefusal.self) { try jar.jar.insert(cookie) }
        cookie.expires = nil
        cookie.lastAccess = Date(timeIntervalSince1970: .infinity)
        #expect(throws: CookieRefusal.self) { try jar.jar.insert(cookie) }
    }

    @Test func `Removes one cookie, those of a site, and all`() throws {
        try jar.set("a=1; Max-Age=60")
        try jar.set("b=2; Domain=shop.example")
        try jar.set("c=3", from: "https://www.shop.example/")
        try jar.set("d=4", from: "https://myshop.example/")
        let first = try #require(jar.jar.cookies.first)
        #expect(jar.jar.remove(first.identity) == first)
        #expect(jar.jar.remove(first.identity) == nil)
        #expect(jar.jar.removeCookies(ofSite: "SHOP.example") == 2)
        #expect(jar.jar.removeCookies(ofSite: "") == 0 && jar.jar.removeCookies(ofSite: ".") == 0)
        #expect(names == ["d"])
        #expect(jar.jar.removeAll() == 1)
        #expect(names.isEmpty)
    }

    @Test(arguments: [
        (#""cookies""#, "https://www.shop.example/", ["d"]), (#""*""#, "https://shop.example/", ["d"]),
        (#""cache""#, "https://shop.example/", ["a", "b", "c", "d"]),
        (#""cookies""#, "http://shop.example/", ["a", "b", "c", "d"]),
        (#""cookies""#, "https://other.example/", ["a", "b", "c", "d"]),
        (#""cookies""#, "https://myshop.example/", ["a", "b", "c"]),
    ])
    func `Clear-Site-Data clears the whole site, and only from secure origins`(
        field: String, url: String, left: [String]
    ) throws {
        try jar.set("a=1; Max-Age=60; HttpOnly")
        try jar.set("b=2; Domain=shop.example")
        try jar.set("c=3", from: "https://www.shop.example/")
        try jar.set("d=4", from: "https://myshop.example/")
        let count = jar.jar.clear(ClearSiteData(fieldValues: [field]), from: try #require(CookieURL(url)))
        #expect(names == left)
        #expect(count == 4 - left.count)
    }

    @Test func `For a host without a site, only the cookies of that host are removed`() throws {
        try jar.set("a=1", from: "http://localhost/")
        try jar.set("b=2", from: "http://127.0.0.1/")
        #expect(jar.jar.clear(.cookies, from: try #require(CookieURL("http://127.0.0.1/"))) == 1)
        #expect(names == ["a"])
        #expect(jar.jar.clear(.all, from: try #require(CookieURL("http://localhost:8080/x"))) == 1)
    }

    private var names: [String] { jar.jar.cookies.map(\.identity.name) }
}
