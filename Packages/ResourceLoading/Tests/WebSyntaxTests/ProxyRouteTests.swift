// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite("Routes of proxies", .timeLimit(.minutes(1)))
struct ProxyRouteTests {
    private let proxy = HostPort(host: "proxy.example", port: 3_128)

    @Test("The URLs of supported proxies are parsed, and others are not")
    func parsing() {
        let forms: [(String, ProxyRoute?)] = [
            ("direct://", .direct), ("DIRECT://", .direct), ("http://proxy.example:3128", .http(proxy, nil)),
            ("http://proxy.example:3128/", .http(proxy, nil)), ("HTTP://Proxy.Example:3128", .http(proxy, nil)),
            ("http://proxy.example", .http(HostPort(host: "proxy.example", port: 80), nil)),
            ("http://[::1]:1", .http(HostPort(host: "::1", port: 1), nil)),
            ("socks://proxy.example:3128", .socks5(proxy, nil)),
            ("socks5://proxy.example:3128", .socks5(proxy, nil)),
            ("socks5h://proxy.example:3128", .socks5(proxy, nil)),
            ("socks5://proxy.example", .socks5(HostPort(host: "proxy.example", port: 1_080), nil)),
            ("http://u@proxy.example:3128", .http(proxy, .init(username: "u", password: ""))),
            ("http://u:p:q@proxy.example:3128", .http(proxy, .init(username: "u", password: "p:q"))),
            ("http://u%40:p%3A@proxy.example:3128", .http(proxy, .init(username: "u@", password: "p:"))),
            ("http://a@b:c@proxy.example:3128", .http(proxy, .init(username: "a@b", password: "c"))),
            ("socks4://proxy.example:1080", nil), ("socks4a://proxy.example:1080", nil),
            ("https://proxy.example:443", nil), ("ftp://proxy.example:21", nil), ("proxy.example:3128", nil),
            ("http://", nil), ("http://:80", nil), ("http://proxy.example:0", nil), ("http://a b:80", nil),
            ("http://proxy.example:65536", nil), ("http://%zz@proxy.example:80", nil), ("", nil), ("://", nil),
        ]
        for (text, route) in forms { #expect(ProxyRoute(proxyURL: text) == route, "\(text)") }
    }

    @Test("An IPv6 address has its octets in network order")
    func octets() {
        #expect(IPv6Address("2001:db8::1:ff".utf8)?.octets == [32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 255])
    }
}
