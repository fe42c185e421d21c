// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeRouter
import Testing

@Suite("Host patterns")
struct HostPatternTests {
    @Test(
        "What a pattern covers",
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
        "What is no pattern", arguments: ["", "*", "a/b", "a b", "a:b", "a:0", "a:65536", "user@host", "*.*.a", "a?b"])
    func refused(text: String) {
        #expect(HostPattern(text) == nil)
    }
}
