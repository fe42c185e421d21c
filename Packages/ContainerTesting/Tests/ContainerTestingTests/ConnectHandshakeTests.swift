// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import Testing

@testable import ContainerTesting

@Suite("CONNECT at the beginning of a connection", .timeLimit(.minutes(1)))
struct ConnectHandshakeTests {
    private let request = "CONNECT a.test:443 HTTP/1.1\r\nhost: a.test:443\r\n\r\n"
    private let response = "HTTP/1.1 200 OK\r\n\r\n"

    private func split(head: String? = nil, rest: String? = nil) -> ConnectHandshake.HeadSplit {
        ConnectHandshake.HeadSplit(head: head.map { ByteBuffer(string: $0) }, rest: rest.map { ByteBuffer(string: $0) })
    }

    @Test("The two heads are recognized in pieces of any size", arguments: [1, 7, 1_000])
    func pieces(size: Int) {
        var handshake = ConnectHandshake()
        for (text, direction) in [(request, RelayDirection.up), (response, .down)] {
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                let end = min(start + size, bytes.count)
                let found = handshake.receive(ByteBuffer(bytes: bytes[start..<end]), direction)
                #expect(found == (end == bytes.count ? split(head: text) : split()))
            }
        }
        #expect(handshake.isOver)
        #expect(handshake.receive(ByteBuffer(string: "a"), .up) == split(rest: "a"))
    }

    @Test("Bytes after the heads are not part of the exchange")
    func following() {
        var handshake = ConnectHandshake()
        let sent = handshake.receive(ByteBuffer(string: request + "hello"), .up)
        #expect(sent == split(head: request, rest: "hello") && !handshake.isOver)
        #expect(handshake.receive(ByteBuffer(string: "more"), .up) == split(rest: "more"))
        #expect(
            handshake.receive(ByteBuffer(string: response + "hello"), .down) == split(head: response, rest: "hello"))
        #expect(handshake.isOver)
    }

    @Test("Other requests and heads without an end pass unchanged")
    func others() {
        for text in ["GET http://a.test/ HTTP/1.1\r\n\r\n", "CONN", "connect a:1 HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}"]
        {
            var handshake = ConnectHandshake()
            let found = handshake.receive(ByteBuffer(string: text), .up)
            #expect((found.rest ?? handshake.end(.up)) == ByteBuffer(string: text), "\(text)")
            #expect(handshake.isOver && found.head == nil)
        }
        var handshake = ConnectHandshake()
        let long = ByteBuffer(string: "CONNECT " + String(repeating: "a", count: ConnectHandshake.limit))
        #expect(handshake.receive(long, .up) == ConnectHandshake.HeadSplit(rest: long) && handshake.isOver)
    }

    @Test("An end within a head returns its bytes")
    func ends() {
        var handshake = ConnectHandshake()
        #expect(handshake.receive(ByteBuffer(string: "CONNECT a"), .up) == split())
        #expect(handshake.end(.down) == nil)
        #expect(handshake.end(.up) == ByteBuffer(string: "CONNECT a") && handshake.isOver)
    }
}
