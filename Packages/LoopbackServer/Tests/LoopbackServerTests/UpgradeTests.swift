// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Requests that upgrade to another protocol", .timeLimit(.minutes(2)))
struct UpgradeTests {
    private static let fields = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: a\r\n"
    private static let agreed = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
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
        arguments: [
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n",
            "HTTP/1.1 101 Switching Protocols\r\n\r\nabc", "nonsense\r\n\r\n", "HTTP/1.1 10",
            // Response splitting (RFC 9112, section 11.1).
            "HTTP/1.1 403 Forbidden\r\nLocation: /\rSet-Cookie: a=b\r\n\r\n",
            "HTTP/1.1 403 Forbidden\r\nLocation: /\nSet-Cookie: a=b\r\n\r\n",
            "HTTP/1.1 403 Forbidden\r\nLocation: /\r\n Set-Cookie: a=b\r\n\r\n",
        ])
    func nonsense(text: String) async throws {
        try await with(tls: true) { fixture, client, host in
            _ = try await host.read(until: "\r\n\r\n")
            try await host.send(text)
            if text.hasSuffix("10") { host.close() }
            let rest = String(decoding: try await client.rest(), as: UTF8.self)
            #expect(!rest.hasPrefix("HTTP/1.1 101") && !rest.contains("Cookie"))
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed connection-lost")
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
