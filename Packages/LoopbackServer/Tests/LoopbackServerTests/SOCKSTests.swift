// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import NIOCore
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

/// SOCKS5 according to RFC 1928 and RFC 1929.
@Suite("The proxy over SOCKS5", .timeLimit(.minutes(2)))
struct SOCKSTests {
    private let loader = RecordingLoader { .text("\($0.head.urlText)") }
    private let greeting: [UInt8] = [5, 1, 2]

    private func introduction(_ credentials: ProxyCredentials, password: String? = nil) -> [UInt8] {
        let name = Array(credentials.username.utf8)
        let word = Array((password ?? credentials.password).utf8)
        var bytes: [UInt8] = [1, UInt8(name.count)]
        bytes += name
        bytes.append(UInt8(word.count))
        return bytes + word
    }

    private func connect(_ command: UInt8 = 1, to host: String, _ port: Int) -> [UInt8] {
        var bytes: [UInt8] = [5, command, 0, 3, UInt8(host.utf8.count)]
        bytes += Array(host.utf8)
        bytes.append(UInt8(port >> 8))
        bytes.append(UInt8(port & 0xFF))
        return bytes
    }

    /// Sends a request on a new connection, and returns the connection with the code of the reply.
    private func sendRequest(_ fixture: Fixture, _ request: [UInt8]) async throws -> (peer: Peer, reply: UInt8) {
        let peer = try await fixture.connect()
        try await peer.send(greeting)
        #expect(try await peer.read(2) == [5, 2])
        try await peer.send(introduction(fixture.proxy.credentials))
        #expect(try await peer.read(2) == [1, 0])
        try await peer.send(request)
        let reply = try await peer.read(4)
        // The reply repeats the requested address as the bound address.
        switch reply[3] {
        case 1: _ = try await peer.read(4 + 2)
        case 4: _ = try await peer.read(16 + 2)
        default: _ = try await peer.read(Int(try await peer.read(1)[0]) + 2)
        }
        return (peer, reply[1])
    }

    private func sendRequest(_ fixture: Fixture, for host: String, _ port: Int) async throws -> (
        peer: Peer, reply: UInt8
    ) {
        try await sendRequest(fixture, connect(to: host, port))
    }

    /// Returns a connection to a port of localhost over SOCKS5 or HTTP.
    private func connection(_ fixture: Fixture, to port: Int, overHTTP: Bool) async throws -> Peer {
        overHTTP
            ? try await fixture.tunnel(to: "localhost:\(port)")
            : try await sendRequest(fixture, for: "localhost", port).peer
    }

    @Test("An intercepted host is served over TLS")
    func opened() async throws {
        try await Fixture.with(loader) { fixture in
            let (peer, reply) = try await sendRequest(fixture, for: "shop.test", 443)
            #expect(reply == 0)
            try await peer.secure("shop.test", trusting: fixture.proxy.authority)
            for path in ["/one", "/two"] {
                #expect(try await peer.get(path).text == "https://shop.test\(path)")
            }
            let other = try await sendRequest(fixture, for: "shop.test", 8_443).peer
            try await other.secure("shop.test", trusting: fixture.proxy.authority)
            #expect(try await other.get("/", host: "shop.test:8443").text == "https://shop.test:8443/")
        }
    }

    @Test("An intercepted host is served without TLS if the client sends plain HTTP")
    func plain() async throws {
        try await Fixture.with(loader) { fixture in
            let (peer, reply) = try await sendRequest(fixture, for: "shop.test", 8_080)
            #expect(reply == 0)
            #expect(try await peer.get("/x", host: "shop.test:8080").text == "http://shop.test:8080/x")
            #expect(try await sendRequest(fixture, for: "shop.test", 80).peer.get("/").text == "http://shop.test/")
            // A request for another host is refused.
            let misled = try await sendRequest(fixture, for: "shop.test", 80).peer
            #expect(try await misled.get("/", host: "other.test").status == 421)
        }
    }

    @Test("Messages may arrive byte by byte")
    func slowly() async throws {
        try await Fixture.with(loader) {
            $0.limits.introduction = .seconds(60)
        } _: { fixture in
            let peer = try await fixture.connect()
            for byte in greeting { try await peer.send([byte]) }
            #expect(try await peer.read(2) == [5, 2])
            for byte in introduction(fixture.proxy.credentials) { try await peer.send([byte]) }
            #expect(try await peer.read(2) == [1, 0])
            for byte in connect(to: "shop.test", 80) { try await peer.send([byte]) }
            #expect(try await peer.read(5 + 9 + 2).prefix(2) == [5, 0])
            #expect(try await peer.get("/").text == "http://shop.test/")
        }
    }

    @Test("Missing or wrong credentials are refused with an event")
    func strangers() async throws {
        try await Fixture.with(loader) { fixture in
            let silent = try await fixture.connect()
            try await silent.send([5, 1, 0])
            #expect(try await silent.rest() == [5, 0xFF])
            let wrong = try await fixture.connect()
            try await wrong.send(greeting)
            #expect(try await wrong.read(2) == [5, 2])
            try await wrong.send(
                introduction(fixture.proxy.credentials, password: String(repeating: "0", count: 64)))
            #expect(try await wrong.rest() == [1, 1])
            #expect(fixture.witness.refusals == [.credentials, .credentials])
            #expect(loader.requests == [])
        }
    }

    @Test(
        "A malformed handshake is closed",
        arguments: [[5, 1, 2, 9, 9, 9], [5, 1, 2, 5, 1, 0, 1, 127, 0, 0, 1, 0, 80], [5, 0], [5, 1, 2, 1, 0, 0, 0]]
            as [[UInt8]])
    func malformed(_ bytes: [UInt8]) async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.connect()
            try await peer.send(Array(bytes.prefix(3)))
            if bytes.count > 3 {
                #expect(try await peer.read(2) == [5, 2])
                try await peer.send(Array(bytes.dropFirst(3)))
            }
            let rest = (try? await peer.rest()) ?? []
            #expect(rest.count <= 2 && rest != [1, 0], "\(rest)")
            #expect(loader.requests == [])
        }
    }

    @Test("A silent or incomplete handshake is closed in time", arguments: [[], [5], [5, 1, 2]] as [[UInt8]])
    func patience(_ bytes: [UInt8]) async throws {
        try await Fixture.with(loader) {
            $0.limits.introduction = .seconds(1)
        } _: { fixture in
            let peer = try await fixture.connect()
            if !bytes.isEmpty { try? await peer.send(bytes) }
            _ = try await peer.end()
            #expect(fixture.witness.refusals == [.unidentified])
        }
    }

    @Test("An authenticated connection without a request is closed in time")
    func idle() async throws {
        try await Fixture.with(loader) {
            $0.limits.idle = .milliseconds(50)
        } _: { fixture in
            let peer = try await fixture.connect()
            try await peer.send(greeting)
            #expect(try await peer.read(2) == [5, 2])
            try await peer.send(introduction(fixture.proxy.credentials))
            #expect(try await peer.rest() == [1, 0])
            #expect(fixture.witness.refusals == [])
        }
    }

    @Test("A relayed host is reached end to end, by name and by address")
    func tunnels() async throws {
        try await RawHost.with { host in
            try await Fixture.with(loader) { fixture in
                let address: [UInt8] = [5, 1, 0, 1, 127, 0, 0, 1, UInt8(host.port >> 8), UInt8(host.port & 0xFF)]
                for (number, request) in [connect(to: "localhost", host.port), address].enumerated() {
                    let (peer, reply) = try await sendRequest(fixture, request)
                    #expect(reply == 0)
                    // The relayed bytes are neither TLS nor HTTP.
                    try await peer.send("hello")
                    let other = try await host.connections.entry(number)
                    #expect(try await other.read(5) == Array("hello".utf8))
                    try await other.send("you")
                    #expect(try await peer.read(3) == Array("you".utf8))
                    other.close()
                    #expect(try await peer.rest() == [])
                }
                #expect(loader.requests == [])
            }
        }
    }

    @Test("A host whose interception starts while the proxy connects to it is intercepted, over SOCKS5 and HTTP")
    func openedMeanwhile() async throws {
        for overHTTP in [false, true] {
            try await RawHost.with { host in
                let policy = SequencePolicy([false, true])
                try await Fixture.with(loader) {
                    $0.policy = policy
                } _: { fixture in
                    let peer = try await connection(fixture, to: host.port, overHTTP: overHTTP)
                    try await peer.secure("localhost", trusting: fixture.proxy.authority)
                    #expect(try await peer.get("/", host: "localhost:\(host.port)").status == 200)
                    #expect(loader.requests.count == (overHTTP ? 2 : 1))
                    // The dialed connection is closed.
                    #expect(try await host.connections.entry(0).rest() == [])
                }
            }
        }
    }

    @Test("A host whose interception starts while dialing fails is intercepted")
    func openedForWantOfAnother() async throws {
        for overHTTP in [false, true] {
            let policy = SequencePolicy([false, true])
            try await Fixture.with(loader) {
                $0.policy = policy
            } _: { fixture in
                let port = try await RawHost.with { $0.port }
                let peer = try await connection(fixture, to: port, overHTTP: overHTTP)
                try await peer.secure("localhost", trusting: fixture.proxy.authority)
                #expect(try await peer.get("/", host: "localhost:\(port)").status == 200)
            }
        }
    }

    @Test("A tunnel is closed if the interception of its host starts during the creation of the tunnel")
    func outdatedTunnel() async throws {
        try await RawHost.with { host in
            for (number, overHTTP) in [false, true].enumerated() {
                let policy = SequencePolicy([false, false, true])
                try await Fixture.with(loader) {
                    $0.policy = policy
                } _: { fixture in
                    let peer = try await connection(fixture, to: host.port, overHTTP: overHTTP)
                    #expect(try await peer.rest() == [])
                    #expect(try await host.connections.entry(number).rest() == [])
                }
            }
        }
    }

    @Test("A host whose interception ends before its certificate is ready is relayed")
    func passedMeanwhile() async throws {
        try await RawHost.with { host in
            let policy = SequencePolicy([true, false])
            try await Fixture.with(loader) {
                $0.policy = policy
            } _: { fixture in
                let peer = try await fixture.tunnel(to: "localhost:\(host.port)")
                try await peer.send("hello")
                #expect(try await host.connections.entry(0).read(5) == Array("hello".utf8))
            }
        }
    }

    @Test("A host whose interception ends before the first bytes is not served")
    func closedMeanwhile() async throws {
        // The policy is checked at the request, at the reply and at the first bytes.
        let policy = SequencePolicy([true, true, false])
        try await Fixture.with(loader) {
            $0.policy = policy
        } _: { fixture in
            let (peer, reply) = try await sendRequest(fixture, for: "shop.test", 80)
            #expect(reply == 0)
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.rest() == [])
            #expect(loader.requests == [])
        }
    }

    @Test("A silent intercepted connection closes when the interception of its host ends")
    func idleDoor() async throws {
        let policy = SwitchablePolicy(opens: true)
        try await Fixture.with(loader) {
            $0.policy = policy
        } _: { fixture in
            let (peer, reply) = try await sendRequest(fixture, for: "shop.test", 443)
            #expect(reply == 0)
            policy.opens.store(false)
            fixture.proxy.policyChanged()
            #expect(try await peer.rest() == [])
        }
    }

    @Test("Bytes after the request are not lost")
    func together() async throws {
        try await RawHost.with { host in
            try await Fixture.with(loader) { fixture in
                let hello = Array("hello".utf8)
                let (peer, reply) = try await sendRequest(fixture, connect(to: "127.0.0.1", host.port) + hello)
                #expect(reply == 0)
                let other = try await host.connections.entry(0)
                #expect(try await other.read(5) == hello)
                peer.close()
                #expect(try await other.rest() == [])
                let question = Array("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n".utf8)
                let opened = try await sendRequest(fixture, connect(to: "shop.test", 80) + question).peer
                #expect(try await opened.answer().text == "http://shop.test/")
            }
        }
    }

    @Test("A failed connection is reported to the client as a code and to the observer as an error")
    func unreachable() async throws {
        try await Fixture.with(loader) { fixture in
            let unknown = try await sendRequest(fixture, for: "nowhere.invalid", 443)
            #expect(unknown.reply == 4)
            let own = try await sendRequest(fixture, for: "127.0.0.1", try #require(fixture.proxy.port))
            #expect(own.reply == 5)
            #expect(try await own.peer.rest() == [])
            let codes = fixture.witness.events.entries.compactMap { event in
                if case .unreachable(_, let error) = event { "\(error.code)" } else { nil }
            }
            #expect(codes == ["unknown-host", "blocked"])
        }
    }

    @Test("Unsupported commands and invalid hosts or ports are refused")
    func commands() async throws {
        try await Fixture.with(loader) { fixture in
            for command in [2, 3] as [UInt8] {
                let (peer, reply) = try await sendRequest(fixture, connect(command, to: "shop.test", 443))
                #expect(reply == 7)
                #expect(try await peer.rest() == [])
            }
            #expect(try await sendRequest(fixture, for: "shop.test", 0).reply == 8)
            #expect(try await sendRequest(fixture, for: "user@shop.test", 443).reply == 8)
        }
    }

    @Test("A host whose certificate the engine does not trust is closed with an event")
    func untrusted() async throws {
        struct Refusal: Error {}
        try await Fixture.with(loader) {
            var trusting = Trusting()
            trusting.act = { _ in throw Refusal() }
            $0.trusting = trusting
        } _: { fixture in
            let peer = try await sendRequest(fixture, for: "shop.test", 443).peer
            try? await peer.secure("shop.test", trusting: fixture.proxy.authority)
            _ = try await peer.end()
            _ = try await fixture.witness.events.value("an event") { events in
                events.contains { if case .unreachable(let host, _) = $0 { host.host == "shop.test" } else { false } }
                    ? true : nil
            }
        }
    }

    @Test("A waiting connection is closed when the proxy stops")
    func stopping() async throws {
        let peers = try await Fixture.with(loader) { fixture in
            [try await fixture.connect(), try await sendRequest(fixture, for: "shop.test", 443).peer]
        }
        for peer in peers { _ = try await peer.end() }
    }
}
