// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

/// Connections that were created under an earlier policy.
@Suite("A policy that changes", .timeLimit(.minutes(2)))
struct TunnelTableTests {
    @Test("A tunnel to a host that is now intercepted ends, and a new connection is intercepted")
    func tunnel() async throws {
        let policy = SwitchablePolicy(opens: false)
        try await RawHost.with { host in
            try await Fixture.with(RecordingLoader { _ in .text("ours") }) {
                $0.policy = policy
                $0.limits.rest = .milliseconds(100)
            } _: { fixture in
                let kept = try await fixture.tunnel(to: "localhost:\(host.port)")
                fixture.proxy.policyChanged()
                try await kept.send("GET")
                let other = try await host.connections.entry(0)
                #expect(try await other.read(3) == Array("GET".utf8))
                policy.opens.store(true)
                fixture.proxy.policyChanged()
                fixture.proxy.policyChanged()
                // A client that waits for the host receives the response before the tunnel ends.
                try await other.send("theirs")
                #expect(String(decoding: try await kept.rest(), as: UTF8.self) == "theirs")
                let next = try await fixture.open("localhost", port: host.port)
                try await next.send("GET / HTTP/1.1\r\nHost: localhost:\(host.port)\r\n\r\n")
                #expect(try await next.answerHead().status == 200)
                #expect(host.connections.entries.count == 1)
            }
        }
    }

    @Test("An intercepted connection is reported, and `isConnected(to:)` is true until the connection closes")
    func connected() async throws {
        try await Fixture.with(RecordingLoader { _ in .text("ours") }) { fixture in
            let host = HostPort(host: "shop.test", port: 443)
            #expect(!fixture.proxy.isConnected(to: host))
            let peer = try await fixture.open()
            _ = try await fixture.witness.events.value("a connection") { events in
                events.contains { if case .connected(host) = $0 { true } else { false } } ? true : nil
            }
            #expect(fixture.proxy.isConnected(to: host))
            #expect(!fixture.proxy.isConnected(to: HostPort(host: "shop.test", port: 8_443)))
            #expect(try await peer.get("/").text == "ours")
            peer.close()
            // The proxy detects the close a little later.
            while fixture.proxy.isConnected(to: host) {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test("A connection to a host that is no longer intercepted ends after its current request")
    func opened() async throws {
        let policy = SwitchablePolicy(opens: true)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let loader = RecordingLoader { _ in
            ask.yield()
            for await _ in gate { break }
            return .text("ours")
        }
        try await Fixture.with(loader) {
            $0.policy = policy
        } _: { fixture in
            let idle = try await fixture.open()
            let busy = try await fixture.open()
            try await busy.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            for await _ in asked { break }
            policy.opens.store(false)
            fixture.proxy.policyChanged()
            #expect(try await idle.rest() == [])
            open.yield()
            #expect(try await busy.answerHead().status == 200)
            #expect(String(decoding: try await busy.rest(), as: UTF8.self).hasSuffix("ours"))
        }
    }
}
