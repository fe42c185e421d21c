// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Requests that upgrade to another protocol", .timeLimit(.minutes(2)))
struct UpgradeTests {
    private static let fields = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: a\r\n"
    private static let agreed = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
    private static let line = "HTTP/1.1 101 Switching Protocols\r\n"
    private static let agreement = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
    /// Heads that violate the grammar of HTTP and that the engines read.
    private static let agreements: [String] = [
        "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\n",
        "HTTP/1.1 101\r\n\(agreement)\r\n", "\(line)X : 1\r\n\(agreement)\r\n",
        "\(line)no field\r\n\(agreement)\r\n", "\(line)X: a\r\n  b\r\n\(agreement)\r\n",
        line + (0..<400).map { "X-\($0): \($0)\r\n" }.joined() + agreement + "\r\n",
        "\r\n\(line)X: a\u{B}b\r\n\(agreement)\r\n", "HTTP/1.1 103 Early\nLink: </a>\n\n\(line)\(agreement)\r\n",
        "\(line)\(agreement)Content-Length: 5\r\nContent-Length: 5\r\n\r\n",
        "\(line)\(agreement)Transfer-Encoding: chunked\r\n\r\n",
    ]
    /// Heads that the engines do not read, and heads that accept no WebSocket.
    private static let invalid: [String] = [
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\n\r\nabc", "nonsense\r\n\r\n", "HTTP/1.1 10",
        "\(line)Upgrade : websocket\r\nConnection: Upgrade\r\n\r\n", "\(line)X: a\u{0}\r\n\(agreement)\r\n",
        // More than 100 informational heads, and a head of more than 256 KiB.
        String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 101) + agreed,
        line + "X: " + String(repeating: "a", count: 300_000) + "\r\n" + agreement + "\r\n",
    ]
    private let loader = RecordingLoader { _ in .text("never") }

    /// Runs `body` with a host, with or without TLS, and a client that has requested a WebSocket from the host.
    private func with(
        tls: Bool, trusted: Bool = true,
        _ body: @Sendable (_ fixture: Fixture, _ client: Peer, _ host: Peer) async throws -> Void
    ) async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: tls ? authority.leaf(for: "localhost").context : nil) { host in
            let certificate = (trusted ? authority : try LaunchAuthority()).certificate
            try await Fixture.with(loader) {
                $0.policy = HostListPolicy(hosts: ["localhost"])
                $0.trusted = { _ in [certificate] }
            } _: { fixture in
                let name = "localhost:\(host.port)"
                let client = tls ? try await fixture.open("localhost", port: host.port) : try await fixture.connect()
                let line = tls ? "GET /chat?x HTTP/1.1\r\n" : "GET http://\(name)/chat?x HTTP/1.1\r\n\(fixture.field)"
                try await client.send("\(line)Host: \(name)\r\nOrigin: https://localhost\r\n\(Self.fields)\r\n")
                try await body(fixture, client, try await host.connections.entry(0))
            }
        }
    }

    @Test("A WebSocket that the app refuses gets status 403, and no connection to its host is made")
    func refused() async throws {
        try await Fixture.with(loader) {
            $0.policy = HostListPolicy(hosts: ["shop.test"], permitsWebSockets: false)
        } _: { fixture in
            let client = try await fixture.open()
            try await client.send("GET /chat HTTP/1.1\r\nHost: shop.test\r\n\(Self.fields)\r\n")
            #expect(try await client.answerHead().status == 403)
            let report = try await fixture.witness.reports.entry(0)
            #expect(report.outcome.word == "finished" && report.head?.status == .forbidden)
            #expect(report.request.head.path == "/chat" && fixture.loader.requests == [])
        }
    }

    @Test("A WebSocket relays both directions until either side ends", arguments: [true, false], [true, false])
    func agreement(tls: Bool, clientEnds: Bool) async throws {
        try await with(tls: tls) { fixture, client, host in
            let head = try await host.read(until: "\r\n\r\n")
            #expect(head.hasPrefix("GET /chat?x HTTP/1.1\r\n"))
            #expect(head.lowercased().contains("\r\norigin: https://localhost\r\n"))
            #expect(!head.lowercased().contains("proxy-"))
            // The first bytes arrive with the response.
            try await host.send(Self.agreed + "welcome")
            #expect(try await client.answerHead().status == 101)
            #expect(try await client.read(7) == Array("welcome".utf8))
            try await client.send("GET is no request here")
            #expect(try await host.read(22) == Array("GET is no request here".utf8))
            let large = [UInt8](repeating: 3, count: 1 << 20)
            try await host.send(large)
            #expect(try await client.read(large.count) == large)
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "upgraded")
            let (first, second) = clientEnds ? (client, host) : (host, client)
            first.close()
            #expect(try await second.rest() == [])
            #expect(fixture.witness.reports.entries.count == 1 && fixture.loader.requests == [])
        }
    }

    @Test("The response of a host may take any time; only connecting has a limit")
    func late() async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: "localhost").context) { host in
            // The host accepts connections but sends nothing, so the TLS handshake does not complete.
            try await RawHost.with(tls: nil) { mute in
                try await Fixture.with(loader) {
                    $0.policy = HostListPolicy(hosts: ["localhost"])
                    $0.trusted = { _ in [authority.certificate] }
                    $0.limits.connect = .seconds(2)
                } _: { fixture in
                    func ask(_ port: Int) async throws -> Peer {
                        let client = try await fixture.open("localhost", port: port)
                        try await client.send("GET / HTTP/1.1\r\nHost: localhost:\(port)\r\n\(Self.fields)\r\n")
                        return client
                    }
                    let client = try await ask(host.port)
                    let peer = try await host.connections.entry(0)
                    _ = try await peer.read(until: "\r\n\r\n")
                    // This request starts later and ends by the time limit, while the first request still waits.
                    _ = try await ask(mute.port).rest()
                    #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed timed-out")
                    try await peer.send(Self.agreed)
                    #expect(try await client.answerHead().status == 101)
                }
            }
        }
    }

    @Test(
        "A response head that violates the grammar is read, and the bytes behind it arrive unchanged",
        arguments: agreements)
    func tolerance(head: String) async throws {
        try await with(tls: true) { fixture, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            // The first bytes arrive with the head, and are neither a head nor a body of HTTP.
            let first = Array("\r\n\r\nHTTP/1.1 200 OK\r\n\r\n0\r\n\r\n".utf8) + [0, 0x81, 0xFF, 0x0A]
            try await host.send(Array(head.utf8) + first)
            let answer = try await client.answerHead()
            #expect(answer.status == 101 && answer.fields["upgrade"] == "websocket")
            #expect(answer.fields["content-length"] == nil && answer.fields["transfer-encoding"] == nil)
            #expect(try await client.read(first.count) == first)
            try await host.send("HTTP/1.1 1\n\n")
            #expect(try await client.read(12) == Array("HTTP/1.1 1\n\n".utf8))
            try await client.send([0x81, 0])
            #expect(try await host.read(2) == [0x81, 0])
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "upgraded")
        }
    }

    @Test("A response head that arrives in parts is read")
    func parts() async throws {
        try await with(tls: true) { _, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            // Each byte is a TLS record of its own.
            for byte in Array("\(Self.line)\(Self.agreement)\r\nfirst".utf8) { try await host.send([byte]) }
            #expect(try await client.answerHead().status == 101)
            #expect(try await client.read(5) == Array("first".utf8))
        }
    }

    @Test("Bytes that the client sends before the response are not lost")
    func early() async throws {
        try await with(tls: true) { _, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            try await client.send("early")
            try await host.send(Self.agreed)
            #expect(try await client.answerHead().status == 101)
            #expect(try await host.read(5) == Array("early".utf8))
        }
    }

    @Test("A refusal of the host forwards the status", arguments: [true, false])
    func refusal(tls: Bool) async throws {
        try await with(tls: tls) { fixture, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            try await host.send("HTTP/1.1 403 Forbidden\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n\r\nno no")
            let answer = try await client.answer()
            #expect(answer.status == 403 && answer.body == [] && answer.fields["set-cookie"] == "a=b")
            #expect(try await client.rest() == [])
            let report = try await fixture.witness.reports.entry(0)
            #expect(report.outcome.word == "finished" && report.head?.status.code == 403)
        }
    }

    @Test(
        "An invalid or missing response of the host breaks the connection",
        arguments: invalid)
    func nonsense(text: String) async throws {
        try await with(tls: true) { fixture, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            // The connection may be closed before all bytes are sent.
            try? await host.send(text)
            if text.hasSuffix("10") { host.close() }
            #expect(try await client.rest() == [])
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed connection-lost")
        }
    }

    @Test(
        "A value of a refusal cannot add a field (RFC 9112, section 11.1)",
        arguments: ["Location: /\rSet-Cookie: a=b", "Location: /\r\n Set-Cookie: a=b"])
    func splitting(field: String) async throws {
        try await with(tls: true) { _, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            try await host.send("HTTP/1.1 403\n\(field)\r\n\r\n")
            let answer = try await client.answer()
            #expect(answer.status == 403 && answer.fields["set-cookie"] == nil)
            #expect(answer.fields["location"] == "/ Set-Cookie: a=b")
        }
    }

    @Test("A host with an untrusted certificate receives no request")
    func distrust() async throws {
        try await with(tls: true, trusted: false) { fixture, client, host in
            #expect(!String(decoding: try await client.rest(), as: UTF8.self).hasPrefix("HTTP/1.1 1"))
            _ = try await host.end()
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed tls")
        }
    }

    @Test("A certificate is trusted for the hosts only that the configuration names")
    func otherHosts() async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: "localhost").context) { host in
            try await Fixture.with(loader) {
                $0.policy = HostListPolicy(hosts: ["localhost"])
                $0.trusted = { $0 == "other.test" ? [authority.certificate] : [] }
            } _: { fixture in
                let client = try await fixture.open("localhost", port: host.port)
                try await client.send("GET / HTTP/1.1\r\nHost: localhost:\(host.port)\r\n\(Self.fields)\r\n")
                #expect(!String(decoding: try await client.rest(), as: UTF8.self).hasPrefix("HTTP/1.1 1"))
                #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed tls")
            }
        }
    }

    @Test("A host whose certificate is for another name receives no request", arguments: ["127.0.0.1", "other.test"])
    func otherHost(name: String) async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: name).context) { host in
            try await Fixture.with(loader) {
                $0.policy = HostListPolicy(hosts: ["localhost"])
                $0.trusted = { _ in [authority.certificate] }
            } _: { fixture in
                let client = try await fixture.open("localhost", port: host.port)
                try await client.send(
                    "GET / HTTP/1.1\r\nHost: localhost:\(host.port)\r\nCookie: secret\r\n\(Self.fields)\r\n")
                #expect(!String(decoding: try await client.rest(), as: UTF8.self).contains("101"))
                let other = try await host.connections.entry(0)
                #expect(try await other.rest() == [])
                #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed tls")
            }
        }
    }

    @Test(
        "At the address of a resolver, only a host with a certificate for its name receives the request",
        arguments: ["shop.test", "other.test"])
    func resolvedHost(name: String) async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: name).context) { host in
            let book = AddressBook(["shop.test": ["127.0.0.1"]])
            try await Fixture.with(loader) {
                $0.trusted = { _ in [authority.certificate] }
                $0.addresses = book
            } _: { fixture in
                let client = try await fixture.open("shop.test", port: host.port)
                try await client.send("GET / HTTP/1.1\r\nHost: shop.test:\(host.port)\r\n\(Self.fields)\r\n")
                let other = try await host.connections.entry(0)
                if name == "shop.test" {
                    let head = try await other.read(until: "\r\n\r\n")
                    #expect(head.contains("\r\nHost: shop.test:\(host.port)\r\n"))
                    try await other.send(Self.agreed)
                    #expect(try await client.answerHead().status == 101)
                } else {
                    #expect(try await other.rest() == [])
                    #expect(!String(decoding: try await client.rest(), as: UTF8.self).contains("101"))
                    #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed tls")
                }
                #expect(book.lookUps == ["shop.test"])
            }
        }
    }

    @Test("A client that disconnects while waiting closes the connection to the host")
    func abandoned() async throws {
        try await with(tls: true) { fixture, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            client.close()
            _ = try await host.end()
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "stopped")
        }
    }

    @Test("Other upgrades are ignored, and the loader responds")
    func others() async throws {
        try await Fixture.with(RecordingLoader { _ in .text("plain") }) { fixture in
            for fields in [
                "Upgrade: h2c\r\nConnection: Upgrade\r\n", "Upgrade: websocket\r\n",
                // U+212A KELVIN SIGN has the lowercase form k.
                "Upgrade: websoc\u{212A}et\r\nConnection: Upgrade\r\n",
            ] {
                let peer = try await fixture.open()
                #expect(try await peer.get("/", fields).text == "plain")
            }
        }
    }
}
