// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
@_spi(Facade) import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Connections and requests that would come back to the process", .timeLimit(.minutes(2)))
struct LoopTests {
    /// A policy that intercepts a host, and recognises the requests of a transport of the app.
    private struct MarkingPolicy: InterceptPolicy {
        let outgoing: OutgoingRequests

        func opens(_ target: HostPort) -> Bool { target.host == "shop.test" }

        func hasReturned(_ request: ResourceRequest, from isOwnProcess: () -> Bool) -> Bool {
            outgoing.contains(request.head, from: isOwnProcess)
        }
    }

    private let loader = RecordingLoader { _ in .text("never") }

    private func blockedHosts(_ witness: Witness) async throws -> [String] {
        try await witness.events.value("unreachable") { events in
            let hosts = events.compactMap { event in
                if case .unreachable(let host, let error) = event, error.code == .blocked {
                    "\(host.host)"
                } else {
                    nil
                }
            }
            return hosts.isEmpty ? nil : hosts
        }
    }

    @Test("A proxy opens no tunnel to the listener of another container", arguments: ["127.0.0.1", "a.localhost"])
    func otherContainer(host: String) async throws {
        try await Fixture.with(loader) { one in
            try await Fixture.with(loader) { other in
                let port = try #require(other.proxy.port)
                let (peer, answer) = try await one.sendRequest(for: "\(host):\(port)")
                #expect(answer.status == 502)
                #expect(try await peer.rest() == [])
                #expect(try await blockedHosts(one.witness) == [host])
            }
        }
    }

    @Test("A proxy opens no tunnel to the local server of another container, and reaches other local servers")
    func localServers() async throws {
        try await Fixture.with(loader) { fixture in
            try await SiteFixture.with(loader) { site in
                let port = try site.port
                #expect(try await fixture.sendRequest(for: "\(SiteFixture.name):\(port)").answer.status == 502)
                #expect(try await blockedHosts(fixture.witness) == [SiteFixture.name])
            }
            try await RawHost.with { host in
                let peer = try await fixture.tunnel(to: "\(SiteFixture.name):\(host.port)")
                try await peer.send("hello")
                #expect(try await host.connections.entry(0).read(5) == Array("hello".utf8))
            }
        }
    }

    @Test("A proxy whose upstream proxy is a listener of another container fails at once")
    func upstreamProxy() async throws {
        try await Fixture.with(loader) { other in
            let port = try #require(other.proxy.port)
            try await Fixture.with(loader) {
                $0.upstreamProxy = HostPort(host: "localhost", port: port)
            } _: { fixture async throws in
                #expect(try await fixture.sendRequest(for: "far.test:443").answer.status == 502)
                #expect(try await blockedHosts(fixture.witness) == ["far.test"])
            }
            #expect(other.witness.refusals == [])
        }
    }

    @Test("The port of a listener is that of the process while it listens")
    func life() async throws {
        let port = try await Fixture.with(loader) { fixture in
            let port = try #require(fixture.proxy.port)
            #expect(OwnListeners.contains(port: port))
            #expect(OwnListeners.contains(HostPort(host: "a.localhost", port: port)))
            #expect(!OwnListeners.contains(HostPort(host: "shop.test", port: port)))
            let next = try await fixture.proxy.renewListener()
            #expect(OwnListeners.contains(port: next))
            return next
        }
        #expect(!OwnListeners.contains(port: port))
    }

    @Test("A request that a transport of the app sends back to the proxy is refused at its first return")
    func returned() async throws {
        let outgoing = OutgoingRequests()
        let credentials = Log<(port: Int, field: String)>()
        let statuses = Log<Int>()
        let url = "http://shop.test/a?b=%7Ec"
        let loader = RecordingLoader { request in
            try await outgoing.marking(request.head) {
                let (port, field) = try await credentials.entry(0)
                let peer = try await Peer.connect(to: port)
                try await peer.send("GET http://shop.test:80/a?b=~c HTTP/1.1\r\nHost: shop.test\r\n\(field)\r\n")
                statuses.append(try await peer.answerHead().status)
                peer.close()
            }
            return .text("done")
        }
        try await Fixture.with(loader) {
            $0.policy = MarkingPolicy(outgoing: outgoing)
        } _: { fixture in
            credentials.append((try #require(fixture.proxy.port), fixture.field))
            for _ in 0..<2 {
                let peer = try await fixture.connect()
                try await peer.send("GET \(url) HTTP/1.1\r\nHost: shop.test\r\n\(fixture.field)\r\n")
                #expect(try await peer.answer().text == "done")
                peer.close()
            }
            #expect(statuses.entries == [508, 508] && outgoing.returned == 2)
            #expect(loader.requests == ["GET \(url)", "GET \(url)"])
            #expect(fixture.witness.refusals == Array(repeating: .returned("http://shop.test/a?b=~c"), count: 2))
        }
    }

    @Test("The other end of a connection is found if this process has it")
    func sockets() async throws {
        try await RawHost.with { host in
            let peer = try await Peer.connect(to: host.port)
            #expect(OwnSockets.containPeer(of: try await host.connections.entry(0).channel))
            peer.close()
            let other = Process()
            other.executableURL = URL(fileURLWithPath: "/bin/bash")
            other.arguments = ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(host.port); read -r -u 3"]
            try other.run()
            let far = try await host.connections.entry(1)
            #expect(!OwnSockets.containPeer(of: far.channel))
            far.close()
            other.waitUntilExit()
        }
    }
}
