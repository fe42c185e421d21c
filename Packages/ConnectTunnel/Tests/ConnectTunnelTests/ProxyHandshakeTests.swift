// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import Testing
import WebSyntax

@_spi(Facade) @testable import ConnectTunnel

@Suite("Handshakes with proxies")
struct ProxyHandshakeTests {
    private let proxy = HostPort(host: "proxy.example", port: 1)
    private let target = HostPort(host: "shop.example", port: 443)
    private let credentials = ProxyRoute.Credentials(username: "Aladdin", password: "open sesame")

    private func handshake(_ route: ProxyRoute, to target: HostPort? = nil) throws -> ProxyHandshake {
        try #require(try ProxyHandshake(route, to: target ?? self.target))
    }

    /// Passes bytes to a handshake, and returns the bytes to send.
    private func receive(_ bytes: [UInt8], in handshake: inout ProxyHandshake) throws -> [UInt8] {
        var buffer = ByteBuffer(bytes: bytes)
        let answer = try handshake.receive(&buffer)
        #expect(buffer.readableBytes == 0)
        return answer
    }

    @Test("A direct route has no handshake")
    func direct() throws {
        #expect(try ProxyHandshake(.direct, to: target) == nil)
    }

    // MARK: HTTP

    @Test("CONNECT names the host and has the credentials of the scheme Basic (RFC 7617, section 2)")
    func connect() throws {
        let plain = try handshake(.http(proxy, nil))
        let head = "CONNECT shop.example:443 HTTP/1.1\r\nHost: shop.example:443\r\n"
        #expect(String(decoding: plain.greeting, as: UTF8.self) == head + "\r\n")
        let known = try handshake(.http(proxy, credentials))
        let field = "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n"
        #expect(String(decoding: known.greeting, as: UTF8.self) == head + field + "\r\n")
        let address = try handshake(.http(proxy, nil), to: HostPort(host: "2001:db8::1", port: 80))
        #expect(String(decoding: address.greeting, as: UTF8.self).hasPrefix("CONNECT [2001:db8::1]:80 HTTP/1.1\r\n"))
    }

    @Test("Each 2xx response opens the tunnel, after informational responses, and bytes behind it are not read")
    func success() throws {
        for status in [200, 204, 299] {
            var handshake = try handshake(.http(proxy, nil))
            let head = "HTTP/1.1 102 Wait\r\n\r\nHTTP/1.0 \(status) OK\r\nContent-Length: 5\r\n\r\n"
            for byte in head.utf8.dropLast() {
                #expect(try receive([byte], in: &handshake) == [])
                #expect(!handshake.isOver)
            }
            var rest = ByteBuffer(string: "\nhello")
            #expect(try handshake.receive(&rest) == [] && handshake.isOver)
            #expect(String(buffer: rest) == "hello")
        }
    }

    @Test(
        "Other responses open no tunnel",
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 302 Found\r\n\r\n", "HTTP/1.1 403 Forbidden\r\n\r\n",
            "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "HTTP/1.1 502 Bad Gateway\r\n\r\n",
            "SSH-2.0-x\r\n\r\n",
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 101),
            "HTTP/1.1 200 OK\r\n" + String(repeating: "x: " + String(repeating: "x", count: 997) + "\r\n", count: 300),
        ])
    func refusals(response: String) throws {
        var handshake = try handshake(.http(proxy, nil))
        var bytes = ByteBuffer(string: response)
        #expect(throws: ProxyConnectError.self) { _ = try handshake.receive(&bytes) }
        #expect(!handshake.isOver)
    }

    // MARK: SOCKS5

    @Test("SOCKS5 without credentials offers no authentication and names the host (RFC 1928, sections 3 and 4)")
    func socks() throws {
        var handshake = try handshake(.socks5(proxy, nil))
        #expect(handshake.greeting == [5, 1, 0])
        #expect(try receive([5, 0], in: &handshake) == [5, 1, 0, 3, 12] + Array("shop.example".utf8) + [1, 187])
        // The bound address may be of any kind, and arrives in parts.
        for reply in [[1, 1, 2, 3, 4], [4] + Array(repeating: 9, count: 16), [3, 2, 97, 98]] as [[UInt8]] {
            var copy = handshake
            var buffer = ByteBuffer()
            for byte in [5, 0, 0] + reply + [0] {
                buffer.writeInteger(byte)
                #expect(try copy.receive(&buffer) == [] && !copy.isOver)
            }
            buffer.writeBytes([80] + Array("hello".utf8))
            #expect(try copy.receive(&buffer) == [] && copy.isOver)
            #expect(String(buffer: buffer) == "hello")
        }
    }

    @Test("SOCKS5 with credentials sends them if the proxy asks (RFC 1929), and addresses are sent as such")
    func socksCredentials() throws {
        var known = try handshake(.socks5(proxy, credentials), to: HostPort(host: "192.0.2.1", port: 80))
        #expect(known.greeting == [5, 2, 0, 2])
        var free = known
        let request: [UInt8] = [5, 1, 0, 1, 192, 0, 2, 1, 0, 80]
        #expect(try receive([5, 0], in: &free) == request)
        let login = [1, 7] + Array("Aladdin".utf8) + [11] + Array("open sesame".utf8)
        #expect(try receive([5, 2], in: &known) == login)
        #expect(try receive([1, 0], in: &known) == request)
        var other = try handshake(.socks5(proxy, nil), to: HostPort(host: "::1", port: 80))
        #expect(try receive([5, 0], in: &other) == [5, 1, 0, 4] + Array(repeating: 0, count: 15) + [1, 0, 80])
    }

    @Test(
        "Refusals and violations of SOCKS5 open no tunnel",
        arguments: [
            [4, 0], [5, 2], [5, 255], [5, 0, 5, 1, 0, 1], [5, 0, 4, 0], [5, 0, 5, 0, 0, 9], [5, 0, 5, 0, 0, 0],
        ] as [[UInt8]])
    func socksRefusals(response: [UInt8]) throws {
        var handshake = try handshake(.socks5(proxy, nil))
        var bytes = ByteBuffer(bytes: response)
        #expect(throws: ProxyConnectError.self) { _ = try handshake.receive(&bytes) }
        #expect(!handshake.isOver)
    }

    @Test("A refused password opens no tunnel")
    func socksPassword() throws {
        var handshake = try handshake(.socks5(proxy, credentials))
        #expect(throws: ProxyConnectError.self) { _ = try receive([5, 2, 1, 1], in: &handshake) }
    }

    @Test("Credentials and names that cannot be sent are refused")
    func invalid() {
        let long = String(repeating: "x", count: 256)
        let routes: [ProxyRoute] = [
            .http(proxy, .init(username: "a:b", password: "")), .socks5(proxy, .init(username: "", password: "p")),
            .socks5(proxy, .init(username: "u", password: "")), .socks5(proxy, .init(username: long, password: "p")),
            .socks5(proxy, .init(username: "u", password: long)),
        ]
        for route in routes {
            #expect(throws: ProxyConnectError.self) { try ProxyHandshake(route, to: target) }
        }
        #expect(throws: ProxyConnectError.self) {
            try ProxyHandshake(.socks5(proxy, nil), to: HostPort(host: long, port: 80))
        }
    }
}
