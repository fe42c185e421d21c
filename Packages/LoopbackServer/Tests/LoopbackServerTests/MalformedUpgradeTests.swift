// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import NIOCore
import NIOPosix
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

/// Malformed responses that the proxy itself parses: responses to upgrades, and responses of another proxy.
@Suite("Malformed responses to the proxy", .timeLimit(.minutes(2)))
struct MalformedUpgradeTests {
    private func sendRequest(_ fixture: Fixture, _ origin: MalformedOrigin, _ url: String) async throws -> Peer {
        let client = try await fixture.connect()
        try await client.send(
            "GET \(url) HTTP/1.1\r\n\(fixture.field)Host: 127.0.0.1:\(origin.port)\r\n"
                + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: a\r\n\r\n")
        return client
    }

    @Test("A malformed response fails a WebSocket, and the next WebSocket opens", arguments: MalformedResponse.http1)
    func upgrade(response: MalformedResponse) async throws {
        try await MalformedOrigin.with(.http1) { origin in
            try await Fixture.with(RecordingLoader { _ in .text("never") }) {
                $0.policy = HostListPolicy(hosts: ["127.0.0.1"])
            } _: { fixture in
                let client = try await sendRequest(fixture, origin, origin.url(of: response))
                #expect(try await client.rest() == [])
                #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed connection-lost")
                let next = try await sendRequest(fixture, origin, origin.goodURL)
                #expect(try await next.answer().status == 200)
            }
        }
    }

    @Test("A malformed response of another proxy to CONNECT fails the connection", arguments: MalformedResponse.http1)
    func proxy(response: MalformedResponse) async throws {
        let text = try #require(response.text)
        try await RawHost.with { host in
            let dialer = Dialer(proxy: HostPort(host: "127.0.0.1", port: host.port), timeout: .seconds(20))
            let dialed = dialer.connect(
                to: HostPort(host: "shop.test", port: 443), on: MultiThreadedEventLoopGroup.singleton.any())
            let peer = try await host.connections.entry(0)
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.send(text)
            if response.closes { peer.close() }
            await #expect {
                try await dialed.get()
            } throws: {
                ($0 as? ResourceError)?.code == .cannotConnect
            }
        }
    }
}
