// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
import ResourceLoading
import Testing
import WebSyntax

@Suite("Requests through the proxies of the system", .timeLimit(.minutes(3)))
struct SystemProxyTests {
    /// Settings that name the same routes for each host, and record the hosts.
    private final class Settings: ProxyResolving {
        let hosts = Mutex<[String]>([])
        private let routes: Mutex<[ProxyRoute]>

        init(_ routes: [ProxyRoute]) {
            self.routes = Mutex(routes)
        }

        func set(_ routes: [ProxyRoute]) { self.routes.withLock { $0 = routes } }

        func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
            hosts.withLock { $0.append("\(isSecure ? "https" : "http")://\(host)") }
            return routes.withLock { $0 }
        }
    }

    private func loopback(_ port: Int) -> HostPort { HostPort(host: "127.0.0.1", port: port) }

    /// The options of a proxy that connects to an origin in place of each requested host.
    private func options(
        to origin: OriginServer, requiring credentials: TestProxyCredentials? = nil
    ) -> ForwardProxy.Configuration {
        var options = ForwardProxy.Configuration()
        options.credentials = credentials
        let port = origin.port
        options.route = { _ in .loopback(port) }
        return options
    }

    private func use(_ settings: Settings, in transport: AsyncHTTPTransport) {
        transport.useSystemProxies(
            SystemProxies(settings, lifetime: .zero) { message, host in Issue.record("\(host): \(message)") })
    }

    private func withOrigin(
        _ configuration: AsyncHTTPTransport.Configuration = .init(),
        _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Void
    ) async throws {
        let route = try route(.get, "/*") { .text($0.path) }
        try await NIOTransportTests.withOrigin([route], transport: configuration, body)
    }

    @Test("Requests use the proxies in their order, with their credentials, and keep their connections")
    func order() async throws {
        let closed = try RefusingPort()
        try await withOrigin { origin, transport async throws in
            let credentials = TestProxyCredentials(username: "app", password: "secret")
            let proxy = try await ForwardProxy.start(options(to: origin, requiring: credentials))
            let settings = Settings([
                .socks5(loopback(closed.number), nil),
                .http(loopback(proxy.port), .init(username: "app", password: "secret")),
            ])
            use(settings, in: transport)
            for path in ["/a", "/b"] {
                #expect(try await transport.get("http://shop.test:8080" + path) == Data(path.utf8))
            }
            #expect(proxy.connections == 1 && proxy.refusals == 0 && origin.connectionCount == 1)
            #expect(settings.hosts.withLock { $0 } == ["http://shop.test:8080", "http://shop.test:8080"])
            await proxy.stop()
        }
    }

    @Test("SOCKS5 proxies of the system are used")
    func socks() async throws {
        try await withOrigin { origin, transport async throws in
            let proxy = try await SocksProxy.start(options(to: origin))
            use(Settings([.socks5(loopback(proxy.port), nil)]), in: transport)
            #expect(try await transport.get("http://shop.test/a") == Data("/a".utf8))
            #expect(proxy.connections == 1)
            await proxy.stop()
        }
    }

    @Test("Loopback hosts are never behind a proxy, and not looked up")
    func loopbackHosts() async throws {
        let closed = try RefusingPort()
        try await withOrigin { origin, transport async throws in
            let settings = Settings([.http(loopback(closed.number), nil)])
            use(settings, in: transport)
            for host in ["127.0.0.1", "localhost", "LOCALHOST", "a.localhost"] {
                #expect(try await transport.get("http://\(host):\(origin.port)/a") == Data("/a".utf8))
            }
            #expect(settings.hosts.withLock { $0 } == [])
        }
    }

    @Test("A proxy of the configuration replaces those of the system")
    func explicit() async throws {
        let settings = Settings([.direct])
        let origin = try await OriginServer.start(
            .init(routes: [try route(.get, "/*") { .text($0.path) }]))
        let proxy = try await ForwardProxy.start(options(to: origin))
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = loopback(proxy.port)
        try await withTransport(configuration) { transport async throws in
            use(settings, in: transport)
            #expect(try await transport.get("http://shop.test/a") == Data("/a".utf8))
        }
        #expect(proxy.connections == 1 && settings.hosts.withLock { $0 } == [])
        await proxy.stop()
        await origin.stop()
    }

    @Test("A change of the settings applies to the next request, on another connection")
    func change() async throws {
        try await withOrigin { origin, transport async throws in
            let (one, two) = (
                try await ForwardProxy.start(options(to: origin)), try await SocksProxy.start(options(to: origin))
            )
            let settings = Settings([.http(loopback(one.port), nil)])
            use(settings, in: transport)
            #expect(try await transport.get("http://shop.test/a") == Data("/a".utf8))
            settings.set([.socks5(loopback(two.port), nil)])
            #expect(try await transport.get("http://shop.test/b") == Data("/b".utf8))
            #expect(one.connections == 1 && two.connections == 1)
            // A script of the network may name other proxies for each host.
            for number in 1...20 {
                settings.set([.socks5(loopback(two.port), nil), .http(HostPort(host: "p.test", port: number), nil)])
                #expect(try await transport.get("http://shop.test/\(number)") == Data("/\(number)".utf8))
            }
            #expect(two.connections == 21)
            for stop in [one.stop, two.stop] { await stop() }
        }
    }

    @Test("A further list of proxies removes only the clients that were used least recently")
    func manyLists() async throws {
        try await withOrigin { origin, transport async throws in
            let proxy = try await ForwardProxy.start(options(to: origin))
            let settings = Settings([])
            use(settings, in: transport)
            @Sendable func get(over list: Int) async throws {
                settings.set([.http(loopback(proxy.port), nil), .http(HostPort(host: "p.test", port: list), nil)])
                #expect(try await transport.get("http://shop.test/\(list)") == Data("/\(list)".utf8))
            }
            for list in 1...9 { try await get(over: list) }
            #expect(proxy.connections == 9)
            // The ninth list, and those that were used most recently, keep their connections.
            for list in [9, 9, 2, 8, 9] { try await get(over: list) }
            #expect(proxy.connections == 9)
            try await get(over: 10)
            // The tenth list removed the third.
            for list in [2, 9, 10] { try await get(over: list) }
            #expect(proxy.connections == 10)
            try await get(over: 3)
            #expect(proxy.connections == 11)
            await proxy.stop()
        }
    }

    @Test("A direct route uses the addresses of the app")
    func direct() async throws {
        let closed = try RefusingPort()
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.addresses = AddressBook.loopback
        try await withOrigin(configuration) { origin, transport async throws in
            let settings = Settings([.direct])
            use(settings, in: transport)
            let url = "http://shop.test:\(origin.port)/a"
            #expect(try await transport.get(url) == Data("/a".utf8))
            settings.set([.http(loopback(closed.number), nil), .direct])
            #expect(try await transport.get(url) == Data("/a".utf8))
        }
    }

    @Test("A request that no proxy serves fails with cannotConnect, and does not bypass the proxies")
    func unreachable() async throws {
        let closed = try RefusingPort()
        try await withOrigin { origin, transport async throws in
            let credentials = TestProxyCredentials(username: "app", password: "secret")
            let locked = try await ForwardProxy.start(options(to: origin, requiring: credentials))
            use(Settings([.http(loopback(closed.number), nil), .http(loopback(locked.port), nil)]), in: transport)
            let url = "http://shop.test/a"
            await expectFailure(.cannotConnect, at: url) { try await transport.get(url) }
            #expect(locked.refusals > 0 && origin.requestCount == 0)
            await locked.stop()
        }
    }

    @Test("A wrapping transport forwards the proxies")
    func wrapper() async throws {
        try await withOrigin { origin, transport async throws in
            let proxy = try await ForwardProxy.start(options(to: origin))
            let settings = Settings([.http(loopback(proxy.port), nil)])
            let decoding = DecodingTransport(transport)
            decoding.useSystemProxies(
                SystemProxies(settings) { message, host in Issue.record("\(host): \(message)") })
            #expect(try await decoding.get("http://shop.test/a") == Data("/a".utf8))
            #expect(proxy.connections == 1)
            await proxy.stop()
        }
    }
}
