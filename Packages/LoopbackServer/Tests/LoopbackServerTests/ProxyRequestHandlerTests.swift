// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Authentication at the proxy", .timeLimit(.minutes(2)))
struct ProxyRequestHandlerTests {
    private let loader = RecordingLoader { _ in .text("ok") }

    @Test("A request without credentials receives only a challenge", arguments: ["CONNECT", "GET"])
    func challenge(method: String) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.connect()
            let target = method == "GET" ? "http://shop.test/" : "shop.test:443"
            try await peer.send("\(method) \(target) HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            let answer = try await peer.answer()
            #expect(answer.status == 407 && answer.fields["proxy-authenticate"] == "Basic realm=\"container\"")
            #expect(answer.body == [] && fixture.witness.refusals == [])
            if method == "GET" {
                // The engine may send credentials on the same connection.
                try await peer.send("GET \(target) HTTP/1.1\r\nHost: shop.test\r\n\(fixture.field)\r\n")
                #expect(try await peer.answer().text == "ok")
            } else {
                #expect(try await peer.rest() == [])
                #expect(loader.requests == [])
            }
        }
    }

    @Test("Wrong credentials are refused with an event")
    func wrong() async throws {
        try await Fixture.with(loader) { [loader] fixture in
            for fields in ["Proxy-Authorization: Basic YTpi\r\n", fixture.field + fixture.field] {
                let peer = try await fixture.connect()
                try await peer.send("CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test:443\r\n\(fields)\r\n")
                #expect(try await peer.answer().status == 407)
                #expect(try await peer.rest() == [])
            }
            try await fixture.witness.refusal(.credentials)
            #expect(loader.requests == [])
            let guessing = try await fixture.connect()
            for guess in 1...3 {
                try await guessing.send(
                    "GET http://a/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic YTpi\r\n\r\n")
                #expect(try await guessing.answer().fields["connection"] == (guess == 3 ? "close" : nil))
            }
            #expect(try await guessing.rest() == [])
        }
    }

    @Test(
        "Origin-form requests of pages receive no challenge, with or without credentials",
        arguments: ["GET /", "POST /a", "OPTIONS *", "GET https://shop.test/", "CONNECT /", "FOO /", "GET http://"],
        [true, false])
    func pages(line: String, knows: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.connect()
            try await peer.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(knows ? fixture.field : "")\r\n")
            let answer = try await peer.answer()
            #expect(answer.status == 400 && answer.fields["proxy-authenticate"] == nil && answer.body == [])
            #expect(Set(answer.fields.keys) == ["content-length", "connection"])
            #expect(try await peer.rest() == [])
            #expect(loader.requests == [])
            guard case .malformed = try #require(fixture.witness.refusals.first) else {
                Issue.record("\(fixture.witness.refusals)")
                return
            }
        }
    }

    @Test(
        "Bytes that are neither HTTP nor SOCKS receive only an error",
        arguments: ["\u{16}\u{3}\u{1}abc\r\n\r\n", "\u{4}\u{1}\u{0}"])
    func other(bytes: String) async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.connect()
            try await peer.send(bytes)
            if bytes.utf8.first == 4 { peer.close() }
            let text = String(decoding: try await peer.rest(), as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test("A silent connection is closed in time")
    func time() async throws {
        try await Fixture.with(loader) {
            $0.limits.introduction = .seconds(8)
        } _: { fixture in
            let silent = try await fixture.connect()
            let half = try await fixture.connect()
            try await half.send("CONNECT shop.test:443 HTTP/1.1\r\n")
            let asked = try await fixture.connect()
            try await asked.send("GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await asked.answer().status == 407)
            for peer in [silent, half, asked] { #expect(try await peer.rest() == []) }
            try await fixture.witness.refusal(.unidentified)
            // An authenticated connection stays open.
            let known = try await fixture.open()
            #expect(try await known.get("/").text == "ok")
        }
    }

    @Test("The oldest silent connection is closed if there are too many")
    func strangers() async throws {
        try await Fixture.with(loader) {
            $0.limits.unidentifiedPeers = 2
            $0.limits.introduction = .seconds(60)
        } _: { fixture in
            let known = try await fixture.open()
            _ = try await known.get("/")
            var silent: [Peer] = []
            for number in 0..<3 {
                silent.append(try await fixture.connect())
                // Concurrent connections may be accepted in another order.
                while number < 2, fixture.proxy.connections < number + 2 { try await Fixture.turn() }
            }
            #expect(try await silent[0].rest() == [])
            try await fixture.witness.refusal(.unidentified)
            while fixture.proxy.connections > 3 { try await Fixture.turn() }
            #expect(fixture.proxy.connections == 3)
            #expect(try await known.get("/").text == "ok")
        }
    }

    @Test("The number of connections is limited")
    func limit() async throws {
        try await Fixture.with(loader) {
            $0.limits.connections = 2
        } _: { fixture in
            let first = try await fixture.open()
            _ = try await first.get("/")
            let second = try await fixture.open()
            _ = try await second.get("/")
            let third = try await fixture.connect()
            #expect(try await third.rest() == [])
            try await fixture.witness.refusal(.tooMany)
            #expect(try await first.get("/").text == "ok")
        }
    }

    @Test("A client that closes its output before a response is disconnected")
    func halfClosed() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.connect()
            try await peer.send("CONNECT shop")
            peer.close()
            let silent = try await fixture.connect()
            silent.close()
            let other = try await fixture.open()
            #expect(try await other.get("/").text == "ok")
            #expect(fixture.witness.refusals == [])
        }
    }

    @Test("The proxy does not connect to itself", arguments: ["127.0.0.1", "127.1", "localhost", "[::ffff:127.0.0.1]"])
    func loop(host: String) async throws {
        try await Fixture.with(loader) { fixture in
            let port = fixture.proxy.port ?? 0
            let (peer, answer) = try await fixture.sendRequest(for: "\(host):\(port)")
            #expect(answer.status == 502)
            #expect(try await peer.rest() == [])
            let error = try await fixture.witness.events.value("unreachable") { events in
                events.compactMap { if case .unreachable(_, let error) = $0 { error } else { nil } }.first
            }
            #expect([.blocked, .cannotConnect].contains(error.code))
            let upgrade = try await fixture.connect()
            try await upgrade.send(
                "GET http://\(host):\(port)/ HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "\(fixture.field)\r\n")
            #expect(try await upgrade.rest() == [])
            // The proxy removes the closed connection a little later.
            while fixture.proxy.connections > 0 { try await Fixture.turn() }
        }
    }

    @Test("A host that the engine does not trust in time is not intercepted")
    func trust() async throws {
        var trusting = Trusting()
        trusting.act = { host in
            if host == "slow.test" { for await _ in AsyncStream<Void>.makeStream().stream {} }
            throw ResourceError(.internal, "a test")
        }
        try await Fixture.with(loader) { [trusting] in
            $0.policy = HostListPolicy(hosts: ["shop.test", "slow.test"])
            $0.trusting = trusting
            $0.limits.patience = .seconds(8)
        } _: { fixture in
            for host in ["shop.test", "slow.test"] {
                let (peer, answer) = try await fixture.sendRequest(for: "\(host):443")
                #expect(answer.status == 502)
                #expect(try await peer.rest() == [])
            }
            let codes = fixture.witness.events.entries.compactMap {
                if case .unreachable(_, let error) = $0 { error.code } else { nil }
            }
            #expect(codes == [.internal, .timedOut])
        }
    }

    @Test("A failed TLS handshake of the engine is reported, and the certificate is trusted again")
    func distrust() async throws {
        let trusting = Trusting()
        try await Fixture.with(loader) {
            $0.trusting = trusting
        } _: { fixture in
            let peer = try await fixture.tunnel(to: "shop.test:443")
            try await peer.secure("shop.test", trusting: LaunchAuthority().certificate)
            _ = try await peer.end()
            let error = try await fixture.witness.events.value("unreachable") { events in
                events.compactMap { if case .unreachable(_, let error) = $0 { error } else { nil } }.first
            }
            #expect(error.code == .tls)
            // The engine's network process may have been replaced and lost its trust.
            while trusting.shown.entries.count < 2 { _ = try await fixture.open().get("/") }
            #expect(trusting.shown.entries == ["shop.test", "shop.test"])
        }
    }
}
