// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeRouter
import Testing

@Suite("Host patterns", .timeLimit(.minutes(1)))
struct HostPatternTests {
    @Test(
        "A pattern matches one host, or all hosts below a domain",
        arguments: [
            ("shop.example", "shop.example", true), ("shop.example", "SHOP.example", true),
            ("shop.example", "shop.example:8443", true), ("shop.example:443", "shop.example", true),
            ("shop.example:8443", "shop.example", false), ("shop.example", "a.shop.example", false),
            ("*.shop.example", "a.shop.example", true), ("*.shop.example", "b.a.shop.example", true),
            ("*.shop.example", "shop.example", false), ("*.shop.example", "eshop.example", false),
            ("[::1]:8080", "[::1]:8080", true), ("[::1]", "[::1]:9", true), ("127.0.0.1:80", "127.0.0.1:81", false),
        ])
    func matches(pattern: String, authority: String, isCovered: Bool) throws {
        let pattern = try #require(HostPattern(pattern))
        #expect(pattern.matches(authority, defaultPort: 443) == isCovered)
    }

    @Test(
        "Invalid patterns are rejected",
        arguments: [
            "", "*", "*.", "*.*.a", "a.*", "a*", "*a", "a/b", "a b", "a?b", "a#b", "a\\b", "user@host", "a%2fb",
            "ä.example",
            "a\n", "a\0", "a\u{301}", "https://a", "a:", "a:b", "a:0", "a:65536", "a:+80", "a:-1", "a: 80", "a:080000",
            "a:b:c", "a:b:80", "::1", "[::1", "::1]", "[]", "[a/b]:80", "[::1]x", "[::1]:", "[::1]:x", ":80", "*.:80",
            String(repeating: "a", count: 256),
        ])
    func refused(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test(
        "An invalid authority never matches",
        arguments: [
            "", ":", "shop.example:", "shop.example:x", "user@shop.example", "evil.example/.shop.example",
            "evil.example/\u{301}.shop.example", "evil.example\\.shop.example", "a:1:2.shop.example", "\0.shop.example",
        ])
    func hostileAuthority(authority: String) throws {
        for text in ["shop.example", "*.shop.example", "*.example"] {
            #expect(!(try #require(HostPattern(text)).matches(authority, defaultPort: 443)), "\(text)")
        }
    }

    @Test(
        "The description of a pattern is normalised",
        arguments: [
            ("Shop.Example:443", "shop.example:443"), ("*.A", "*.a"), ("[::AB]:1", "[::ab]:1"), ("a_b-c", "a_b-c"),
        ])
    func description(text: String, written: String) throws {
        let pattern = try #require(HostPattern(text))
        #expect(pattern.description == written)
        #expect(HostPattern(written) == pattern)
    }

    @Test("A port in the pattern is compared with the default port if the authority has none")
    func ports() throws {
        let pattern = try #require(HostPattern("*.shop.example:80"))
        #expect(pattern.matches("a.shop.example", defaultPort: 80))
        #expect(!pattern.matches("a.shop.example", defaultPort: 443))
        #expect(pattern.matches("a.shop.example:80", defaultPort: 443))
    }
}
