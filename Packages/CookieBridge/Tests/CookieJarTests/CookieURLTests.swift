// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

@Suite(.timeLimit(.minutes(3)))
struct CookieURLTests {
    @Test(arguments: [
        ("https://Shop.Example/A/b?c#d", "https", "shop.example", "/A/b"),
        ("HTTP://shop.example", "http", "shop.example", "/"),
        ("https://shop.example?a/b", "https", "shop.example", "/"),
        ("https://shop.example#/b", "https", "shop.example", "/"), ("wss://a.b:8443/c", "wss", "a.b", "/c"),
        ("https://user:pass@shop.example:/x", "https", "shop.example", "/x"),
        ("https://a@b@shop.example/@x", "https", "shop.example", "/@x"),
        ("http://127.0.0.1:80/", "http", "127.0.0.1", "/"),
        ("http://[::1]:8080/a", "http", "[::1]", "/a"), ("http://[0:0:0:0:0:0:0:1]/", "http", "[::1]", "/"),
        ("http://[2001:DB8:0:0:1:0:0:1]/", "http", "[2001:db8::1:0:0:1]", "/"),
        ("http://[::ffff:1.2.3.4]/", "http", "[::ffff:102:304]", "/"),
        ("http://[1:2:3:4:5:6:7:0]/", "http", "[1:2:3:4:5:6:7:0]", "/"),
        ("https://shop.example./", "https", "shop.example.", "/"),
        ("https://a_b.example/", "https", "a_b.example", "/"),
        ("https://shop.example/%2e/ü", "https", "shop.example", "/%2e/%C3%BC"),
        ("https://shop.example/a\\b", "https", "shop.example", "/a\\b"),
    ])
    func `Valid URLs are parsed`(text: String, scheme: String, host: String, path: String) throws {
        let url = try #require(CookieURL(text))
        #expect(url.scheme == scheme && url.host == host && url.path == path, "\(url)")
        #expect(CookieURL(scheme: url.scheme, host: url.host, path: url.path) == url)
    }

    @Test(arguments: [
        "", ":", "https", "https:", "https:/", "https://", "https:///a", "https:shop.example/", "ftp://shop.example/",
        "://a/",
        "https://shop .example/", "https://shop.example/a b", "https://shop.example/\n", "https://shop.\u{0}example/",
        "https://good.example\\@evil.example/", "https://good.example\\.evil.example/", "https://shop%2eexample/",
        "https://shöp.example/", "https://a..b/", "https://.a/", "https://a./..", "https://..", "https://a:b/",
        "https://a:65536/", "https://a:123456/", "https://a:-1/", "https://[::1/", "https://::1/", "https://[]/",
        "https://[::1]x/",
        "https://[fe80::1%25eth0]/", "https://[1.2.3.4]/", "https://1.2.3/", "https://01.2.3.4/", "https://256.1.1.1/",
        "https://0x7f.1/", "https://a.0x/", "https://1.2.3.4./", "https://a.1/", "https://shop.example;x/",
        "https://\(String(repeating: "a", count: 64)).example/",
        "https://\(String(repeating: "a.", count: 127))b.example/",
        "containerkit://shop.example/", "about:blank", "file:///etc/passwd",
    ])
    func `Invalid or ambiguous URLs are refused`(text: String) throws {
        // One argument is valid, to show that the other arguments are refused for the intended reason.
        guard text != "https://a./.." else {
            #expect(CookieURL(text)?.path == "/..")
            return
        }
        #expect(CookieURL(text) == nil)
    }

    @Test(arguments: [
        ("https://a.example/", true), ("wss://a.example/", true), ("http://a.example/", false),
        ("ws://a.example/", false),
        ("http://localhost/", true), ("http://LOCALHOST./", true), ("http://a.localhost:8080/", true),
        ("http://notlocalhost/", false), ("http://localhost.example/", false), ("http://127.9.9.9/", true),
        ("http://128.0.0.1/", false), ("http://127.example/", false), ("http://[::1]/", true), ("http://[::2]/", false),
    ])
    func `Secure means TLS or the local device`(text: String, isSecure: Bool) throws {
        #expect(try #require(CookieURL(text)).isSecure == isSecure)
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"), ("///", "//"),
    ])
    func `The default path is the folder`(path: String, expected: String) throws {
        #expect(try #require(CookieURL("https://a.example" + path)).defaultPath == expected)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/b", "/a", true), ("/a/b", "/a/", true),
        ("/ab", "/a", false),
        ("/a", "/a/", false), ("/a", "/A", false), ("/", "/a", false), ("/a%2Fb", "/a", false), ("/é", "/%C3%A9", true),
    ])
    func `A path matches all paths below it`(request: String, cookie: String, matches: Bool) throws {
        #expect(try #require(CookieURL("https://a.example" + request)).matches(path: cookie) == matches)
    }

    @Test func `A URL from parts has an absolute path`() {
        #expect(CookieURL(scheme: "https", host: "a.example", path: "b") == nil)
        #expect(CookieURL(scheme: "https", host: "a.example", path: "")?.path == "/")
    }
}
