// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOHTTP1
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Request targets", .timeLimit(.minutes(1)))
struct RequestTargetTests {
    private func target(_ method: HTTPMethod, _ uri: String) throws -> RequestTarget {
        try RequestTarget(HTTPRequestHead(version: .http1_1, method: method, uri: uri))
    }

    @Test("The four forms of a target are parsed")
    func forms() throws {
        let host = HostPort(host: "shop.test", port: 8080)
        let standard = HostPort(host: "shop.test", port: 80)
        #expect(try target(.CONNECT, "Shop.test:8080") == .authority(host))
        #expect(try target(.CONNECT, "[::1]:443") == .authority(HostPort(host: "::1", port: 443)))
        #expect(try target(.GET, "/a?b=c|d") == .origin(path: "/a?b=c|d"))
        #expect(try target(.OPTIONS, "*") == .asterisk)
        #expect(
            try target(.GET, "HTTP://Shop.test:8080/A?b")
                == .absolute(host, path: "/A?b"))
        #expect(try target(.GET, "http://shop.test") == .absolute(standard, path: "/"))
        // An empty port is the default port (RFC 3986, section 6.2.3).
        #expect(try target(.GET, "http://shop.test:/") == .absolute(standard, path: "/"))
        #expect(try target(.GET, "http://shop.test?q") == .absolute(standard, path: "/?q"))
        #expect(try target(.OPTIONS, "http://shop.test") == .absolute(standard, path: "*"))
    }

    @Test(
        "Invalid targets are refused",
        arguments: [
            (.CONNECT, "shop.test"), (.CONNECT, "http://shop.test/"), (.CONNECT, "shop.test:0"),
            (.CONNECT, "shop.test:65536"), (.CONNECT, "shop.test:+80"), (.CONNECT, ":80"), (.CONNECT, "/"),
            (.CONNECT, "shop.test:"), (.CONNECT, "a@shop.test:80"), (.GET, "*"), (.GET, "shop.test/"), (.GET, ""),
            (.GET, "https://shop.test/"),
            (.GET, "http://"), (.GET, "http:///a"), (.GET, "http://a@shop.test/"),
            (.GET, "http://shop.test\\@evil.test/"), (.GET, "/a b"), (.GET, "/a#b"), (.GET, "/a\u{0}"),
            (.GET, "/\u{E9}"), (.GET, "http://shop.test/a\u{7F}"), (.GET, "http://shop.te st/"),
            (.GET, "http://shop.test#/"), (.GET, "ftp://shop.test/"),
        ] as [(HTTPMethod, String)])
    func none(method: HTTPMethod, uri: String) {
        #expect(throws: RequestFault.self) { try target(method, uri) }
    }
}
