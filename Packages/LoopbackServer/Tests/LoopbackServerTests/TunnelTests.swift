// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import NIOSSL
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Hosts that are relayed", .timeLimit(.minutes(2)))
struct TunnelTests {
    private let loader = RecordingLoader { _ in .text("never") }

    @Test("A tunnel is end to end: the certificate and the responses are those of the host")
    func endToEnd() async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: "localhost").context) { host in
            try await Fixture.with(loader) { [loader] fixture in
                let peer = try await fixture.tunnel(to: "localhost:\(host.port)")
                try await peer.secure("localhost", trusting: authority.certificate)
                try await peer.send("hello")
                let other = try await host.connections.entry(0)
                #expect(try await other.read(5) == Array("hello".utf8))
                let large = [UInt8](repeating: 7, count: 3 << 20)
                try await other.send(large)
                #expect(try await peer.read(large.count) == large)
                try await peer.send(large)
                #expect(try await other.read(large.count) == large)
                other.close()
                #expect(try await peer.rest() == [])
                #expect(loader.requests == [] && fixture.witness.reports.entries.isEmpty)
            }
        }
    }

    @Test(
        "A tunnel to the address of a resolver does not change the certificate, and the client refuses a foreign one",
        arguments: ["far.test", "other.test"])
    func foreignCertificate(name: String) async throws {
        let authority = try LaunchAuthority()
        try await RawHost.with(tls: authority.leaf(for: name).context) { host in
            let book = AddressBook(["far.test": ["127.0.0.1"]])
            try await Fixture.with(loader) {
                $0.addresses = book
            } _: { [loader] fixture in
                for (number, expected) in [name, "far.test"].enumerated() {
                    let peer = try await fixture.tunnel(to: "far.test:\(host.port)")
                    try await peer.secure(expected, trusting: authority.certificate)
                    let other = try await host.connections.entry(number)
                    if expected == name {
                        try await peer.send("hello")
                        #expect(try await other.read(5) == Array("hello".utf8))
                    } else {
                        // The chain is valid, so the certificate is that of the host.
                        guard case .broken(let error) = try await peer.end() else {
                            throw Overdue(description: "the end of the connection is no error")
                        }
                        #expect(error.contains("Couldn't find far.test in certificate"))
                        #expect(try await other.rest() == [])
                    }
                }
                #expect(book.lookUps == ["far.test", "far.test"] && loader.requests == [])
            }
        }
    }

    @Test("Bytes after the CONNECT request are not lost")
    func together() async throws {
        try await RawHost.with { host in
            try await Fixture.with(loader) { fixture in
                let peer = try await fixture.connect()
                try await peer.send(
                    "CONNECT 127.0.0.1:\(host.port) HTTP/1.1\r\nHost: a\r\n\(fixture.field)\r\nhello")
                #expect(try await peer.answerHead().status == 200)
                let other = try await host.connections.entry(0)
                #expect(try await other.read(5) == Array("hello".utf8))
                peer.close()
                #expect(try await other.rest() == [])
            }
        }
    }

    @Test("Either side may close only its output")
    func halves() async throws {
        try await RawHost.with { host in
            try await Fixture.with(loader) { fixture in
                let peer = try await fixture.tunnel(to: "127.0.0.1:\(host.port)")
                let other = try await host.connections.entry(0)
                try await other.send("last words")
                other.close()
                #expect(String(decoding: try await peer.rest(), as: UTF8.self) == "last words")
            }
        }
    }

    @Test("Unreachable hosts are reported")
    func unreachable() async throws {
        let closed = try RefusingPort()
        try await Fixture.with(loader) { fixture in
            for (target, code) in [
                ("nowhere.invalid:443", .unknownHost), ("127.0.0.1:\(closed.number)", .cannotConnect),
            ] as [(String, ResourceError.Code)] {
                let (peer, answer) = try await fixture.sendRequest(for: target)
                #expect(answer.status == 502 && answer.fields["connection"] == "close")
                #expect(try await peer.rest() == [])
                let events = fixture.witness.events.entries
                let reported = events.compactMap {
                    if case .unreachable(let host, let error) = $0 { (host, error) } else { nil }
                }
                #expect(reported.last?.0.description == target && reported.last?.1.code == code)
            }
        }
    }

    @Test("Tunnels use another proxy if there is one")
    func upstream() async throws {
        let other = try await ForwardProxy.start(.init())
        try await RawHost.with { host in
            try await Fixture.with(loader) {
                $0.upstreamProxy = .init(host: "127.0.0.1", port: other.port)
            } _: { fixture in
                let peer = try await fixture.connect()
                try await peer.send(
                    "CONNECT 127.0.0.1:\(host.port) HTTP/1.1\r\nHost: a\r\n\(fixture.field)\r\nhello")
                #expect(try await peer.answerHead().status == 200)
                let far = try await host.connections.entry(0)
                #expect(try await far.read(5) == Array("hello".utf8))
                try await far.send("back")
                #expect(try await peer.read(4) == Array("back".utf8))
            }
        }
        await other.stop()
    }
}
