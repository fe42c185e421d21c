// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite(.timeLimit(.minutes(1)))
struct AuthorityTests {
    @Test(
        arguments: [
            ("shop.example", "shop.example", nil), ("Shop.example:8443", "Shop.example", 8_443),
            ("shop.example:", "shop.example", nil), ("a:0", "a", 0), ("a:65535", "a", 65_535), ("a:000080", "a", 80),
            ("127.0.0.1:1", "127.0.0.1", 1), ("[::1]", "[::1]", nil), ("[2001:DB8::1]:8443", "[2001:DB8::1]", 8_443),
            ("[::1]:", "[::1]", nil), ("a-b_c~d.example.", "a-b_c~d.example.", nil),
        ] as [(String, String, Int?)])
    func `Reads a host and a port`(text: String, host: String, port: Int?) throws {
        let authority = try #require(Authority(text[...].utf8))
        #expect(String(Substring(authority.host)) == host)
        #expect(authority.port == port)
    }

    @Test(
        arguments: [
            "", ":", ":80", "a:65536", "a:99999999999999999999", "a:+1", "a:-1", "a: 80", "a:٤٤٣", "a:b", "a:b:80",
            "::1", "::1:80", "[::1", "::1]", "[]", "[]:80", "[::1]x", "[::1]x:80", "[a]:80", "[a/b]:80",
            "[::1%25lo]:80",
            "user@a", "a/b", "a b", "a%2fb", "ä.example", "a\u{301}", "a\n", "a\0", "a!b", "a\\b",
        ])
    func `Rejects invalid hosts and ports`(text: String) {
        #expect(Authority(text[...].utf8) == nil)
    }

    @Test(
        arguments: [
            ("a", true), ("a:1", true), ("a:65535", true), ("a:00080", true), ("a:", false), ("[::1]:", false),
            ("a:0", false), ("a:000080", false),
        ])
    func `A connectable port has up to five digits and is not 0`(text: String, isExplicit: Bool) throws {
        #expect(try #require(Authority(text[...].utf8)).hasConnectablePort == isExplicit)
    }

    @Test(
        arguments: [
            ("a", "a", nil), ("a:80", "a", "80"), ("a:", "a", ""), ("[::1]", "[::1]", nil), ("[::1]:x", "[::1]", "x"),
            ("a:b:c", "a:b", "c"),
        ] as [(String, String, String?)])
    func `Splits an authority without validation`(text: String, host: String, port: String?) {
        let parts = Authority.split(text[...].utf8)
        #expect(String(Substring(parts.host)) == host)
        #expect(parts.portDigits.map { String(Substring($0)) } == port)
    }

    @Test func `User information ends at the last at sign`() {
        for (text, rest) in [("a", "a"), ("u@a", "a"), ("u:p@x@a:80", "a:80"), ("@a", "a")] {
            #expect(String(Substring(Authority.withoutUser(text[...].utf8))) == rest)
        }
    }

    @Test func `Parses slices of arrays and buffers`() throws {
        let bytes = Array("x[::1]:8080y".utf8)
        #expect(Authority(bytes[1..<11])?.port == 8_080)
        bytes.withUnsafeBytes { #expect(Authority($0[1..<11])?.port == 8_080) }
    }
}
