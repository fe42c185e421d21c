// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import NIOCore
import NIOPosix
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Connections through the proxies of the system", .timeLimit(.minutes(2)))
struct SystemProxyTests {
    /// Settings that name the same routes for each host, and record the hosts.
    private final class Settings: ProxyResolving {
        let hosts = Mutex<[String]>([])
        private let routes: Mutex<[ProxyRoute]>

        init(_ routes: [ProxyRoute]) {
            self.routes = Mutex(routes)
        }

        func set(_ routes: [ProxyRoute]) { self.routes.withLock { $0 = routes } }

        var proxies: SystemProxies {
            SystemProxies(self, lifetime: .zero) { message, host in Issue.record("\(host): \(message)") }
        }

        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            hosts.withLock { $0.append("\(isSecure ? "https" : "http")://\(host)") }
            return routes.withLock { $0 }
        }
    }

    private let loader = RecordingLoader { _ in .text("never") }

    private func loopback(_ port: Int) -> HostPort { HostPort(host: "127.0.0.1", port: port) }

    /// The options of a proxy that connects to a port of this machine in place of each requested host.
    private func options(
        to port: Int, requiring credentials: TestProxyCredentials? = nil
    ) -> ForwardProxy.Configuration {
        var options = ForwardProxy.Configuration()
        options.credentials = credentials
        options.route = { _ in .loopback(port) }
        return options
    }

    @Test("Tunnels use the proxies in their order, with their credentials")
    func tunnels() async throws {
        let closed = try RefusingPort()
        let credentials = TestProxyCredentials(username: "app", password: "secret")
        try await RawHost.with { host in
            let other = try await ForwardProxy.start(options(to: host.port, requiring: credentials))
            let settings = Settings([
                .socks5(loopback(closed.number), nil),
                .http(loopback(other.port), .init(username: "app", password: "secret")),
            ])
            try await Fixture.with(loader) {
                $0.systemProxies = settings.proxies
            } _: { fixture in
                for (number, target) in ["far.test:8443", "far.test:80"].enumerated() {
                    let peer = try await fixture.tunnel(to: target)
                    try await peer.send("hello")
                    let far = try await host.connections.entry(number)
                    #expect(try await far.read(5) == Array("hello".utf8))
                    try await far.send("back")
                    #expect(try await peer.read(4) == Array("back".utf8))
                }
            }
            #expect(other.connections == 2 && other.refusals == 0)
            // The bytes of a tunnel do not show their scheme.
            #expect(settings.hosts.withLock { $0 } == ["https://far.test:8443", "http://far.test:80"])
            await other.stop()
        }
    }

    @Test("Bytes that a host sends at once are not lost behind the response of the proxy")
    func greeting() async throws {
        // The response of the proxy and the first bytes of the host arrive together.
        try await RawHost.with { proxy in
            let settings = Settings([.http(loopback(proxy.port), nil)])
            try await Fixture.with(loader) {
                $0.systemProxies = settings.proxies
            } _: { fixture in
                let peer = try await fixture.connect()
                try await peer.send("CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n\(fixture.field)\r\n")
                let far = try await proxy.connections.entry(0)
                let head = "CONNECT far.test:443 HTTP/1.1\r\nHost: far.test:443\r\n\r\n"
                #expect(try await far.read(head.utf8.count) == Array(head.utf8))
                try await far.send("HTTP/1.1 200 OK\r\n\r\ngreeting")
                #expect(try await peer.answerHead().status == 200)
                #expect(try await peer.read(8) == Array("greeting".utf8))
            }
        }
    }

    @Test(
        "WebSockets of intercepted hosts use the proxies of the system, with or without TLS", arguments: [false, true])
    func webSockets(tls: Bool) async throws {
        let authority = try LaunchAuthority()
        let certificate = authority.certificate
        let credentials = TestProxyCredentials(username: "app", password: "secret")
        try await RawHost.with(tls: tls ? authority.leaf(for: "far.test").context : nil) { host in
            let other = try await ForwardProxy.start(options(to: host.port, requiring: credentials))
            let settings = Settings([.http(loopback(other.port), .init(username: "app", password: "secret"))])
            try await Fixture.with(loader) {
                $0.policy = HostListPolicy(hosts: ["far.test"])
                $0.trusted = { _ in [certificate] }
                $0.systemProxies = settings.proxies
            } _: { fixture in
                let client = tls ? try await fixture.open("far.test") : try await fixture.connect()
                let line = tls ? "GET /chat HTTP/1.1\r\n" : "GET http://far.test/chat HTTP/1.1\r\n\(fixture.field)"
                let fields = "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                try await client.send("\(line)Host: far.test\r\n\(fields)Sec-WebSocket-Key: a\r\n\r\n")
                let far = try await host.connections.entry(0)
                let head = try await far.read(until: "\r\n\r\n")
                // The credentials of the system's proxy are not those of the host.
                #expect(head.hasPrefix("GET /chat HTTP/1.1\r\n") && !head.lowercased().contains("proxy-"))
                try await far.send("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n")
                #expect(try await client.answerHead().status == 101)
                try await client.send("ping")
                #expect(try await far.read(4) == Array("ping".utf8))
                try await far.send("pong")
                #expect(try await client.read(4) == Array("pong".utf8))
            }
            #expect(other.connections == 1 && other.refusals == 0)
            #expect(settings.hosts.withLock { $0 } == [tls ? "https://far.test:443" : "http://far.test:80"])
            await other.stop()
        }
    }

    @Test("Loopback hosts are never behind a proxy", arguments: ["127.0.0.1", "localhost", "a.localhost"])
    func loopbackHosts(name: String) async throws {
        let closed = try RefusingPort()
        let settings = Settings([.http(loopback(closed.number), nil)])
        try await RawHost.with { host in
            try await Fixture.with(loader) {
                $0.systemProxies = settings.proxies
            } _: { fixture in
                let peer = try await fixture.tunnel(to: "\(name):\(host.port)")
                try await peer.send("hello")
                #expect(try await host.connections.entry(0).read(5) == Array("hello".utf8))
            }
        }
        #expect(settings.hosts.withLock { $0 } == [])
    }

    @Test("A proxy of the options replaces those of the system")
    func explicit() async throws {
        let settings = Settings([.direct])
        try await RawHost.with { host in
            let other = try await ForwardProxy.start(options(to: host.port))
            try await Fixture.with(loader) {
                $0.systemProxies = settings.proxies
                $0.upstreamProxy = loopback(other.port)
            } _: { fixture in
                let peer = try await fixture.tunnel(to: "far.test:443")
                try await peer.send("hello")
                #expect(try await host.connections.entry(0).read(5) == Array("hello".utf8))
            }
            #expect(other.connections == 1)
            await other.stop()
        }
        #expect(settings.hosts.withLock { $0 } == [])
    }

    @Test("A proxy of the system that is the listener itself is left out")
    func ownListener() async throws {
        let settings = Settings([])
        try await RawHost.with { host in
            let other = try await ForwardProxy.start(options(to: host.port))
            try await Fixture.with(loader) {
                $0.systemProxies = settings.proxies
            } _: { fixture in
                let port = try #require(fixture.proxy.port)
                let own = ProxyRoute.Credentials(
                    username: fixture.proxy.credentials.username, password: fixture.proxy.credentials.password)
                settings.set([
                    .http(loopback(port), own), .socks5(HostPort(host: "localhost", port: port), own),
                    .http(loopback(other.port), nil),
                ])
                let connections = fixture.proxy.connections
                let peer = try await fixture.tunnel(to: "far.test:443")
                try await peer.send("hello")
                #expect(try await host.connections.entry(0).read(5) == Array("hello".utf8))
                #expect(other.connections == 1 && fixture.proxy.connections <= connections + 1)
            }
            await other.stop()
        }
    }

    @Test("Hosts that no proxy reaches are reported as unreachable")
    func unreachable() async throws {
        let closed = try RefusingPort()
        let other = try await ForwardProxy.start(options(to: closed.number))
        let settings = Settings([.http(loopback(closed.number), nil), .http(loopback(other.port), nil)])
        try await Fixture.with(loader) {
            $0.systemProxies = settings.proxies
        } _: { fixture in
            let (peer, answer) = try await fixture.sendRequest(for: "far.test:443")
            #expect(answer.status == 502)
            #expect(try await peer.rest() == [])
            let reported = fixture.witness.events.entries.compactMap {
                if case .unreachable(let host, let error) = $0 { (host, error) } else { nil }
            }
            #expect(reported.last?.0.description == "far.test:443" && reported.last?.1.code == .cannotConnect)
        }
        await other.stop()
    }
}
