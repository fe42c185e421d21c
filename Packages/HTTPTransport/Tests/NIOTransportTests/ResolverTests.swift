// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOCore
import NIOTransport
import ResourceLoading
import Testing
import WebSyntax

@Suite("Resolvers that a transport receives", .timeLimit(.minutes(3)))
struct ResolverTests {
    /// A resolver that returns 127.0.0.1 for each name, can be switched off, and records its look-ups.
    private final class Switched: AddressResolving {
        let book = AddressBook.loopback
        private let isOn: Mutex<Bool>

        init(isOn: Bool = true) {
            self.isOn = Mutex(isOn)
        }

        func turn(on value: Bool) { isOn.withLock { $0 = value } }

        func resolves(_ host: String) -> Bool { isOn.withLock { $0 } }

        func addresses(of host: String) async throws -> [IPAddress] { try await book.addresses(of: host) }
    }

    private func withOrigin(
        _ configuration: AsyncHTTPTransport.Configuration = .init(),
        _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Void
    ) async throws {
        let route = try route(.get, "/*") { .text($0.path) }
        try await NIOTransportTests.withOrigin([route], transport: configuration, body)
    }

    @Test("Names are looked up once for each connection; addresses and localhost are not")
    func names() async throws {
        try await withOrigin { origin, transport async throws in
            let book = AddressBook(["shop.test": ["127.0.0.9", "127.0.0.1"]])
            transport.useAddresses(book)
            for path in ["/a", "/b"] {
                #expect(try await transport.get("http://Shop.test:\(origin.port)\(path)") == Data(path.utf8))
            }
            #expect(book.lookUps == ["shop.test"] && origin.connectionCount == 1)
            #expect(book.addresses(.failed).map(\.description) == ["127.0.0.9"])
            #expect(book.addresses(.connected).map(\.description) == ["127.0.0.1"])
            for host in ["127.0.0.1", "localhost", "a.localhost"] {
                #expect(try await transport.get("http://\(host):\(origin.port)/c") == Data("/c".utf8))
            }
            #expect(book.lookUps == ["shop.test"])
            let url = "http://none.test:\(origin.port)/"
            await expectFailure(.unknownHost, at: url) { try await transport.get(url) }
        }
    }

    @Test("A resolver that is switched off or on takes effect at the next request")
    func switching() async throws {
        try await withOrigin { origin, transport async throws in
            let resolver = Switched()
            transport.useAddresses(resolver)
            let url = "http://shop.test:\(origin.port)/a"
            #expect(try await transport.get(url) == Data("/a".utf8))
            resolver.turn(on: false)
            await expectFailure(.unknownHost, at: url) { try await transport.get(url) }
            #expect(resolver.book.lookUps.count == 1)
            resolver.turn(on: true)
            #expect(try await transport.get(url) == Data("/a".utf8))
        }
    }

    @Test("A later resolver replaces the earlier one, also for direct routes of the system's proxies")
    func replacement() async throws {
        try await withOrigin { origin, transport async throws in
            let closed = try RefusingPort()
            transport.useSystemProxies(
                SystemProxies(PartlyProxied(proxy: HostPort(host: "127.0.0.1", port: closed.number))) { _, _ in })
            for _ in 0..<2 {
                let book = AddressBook.loopback
                transport.useAddresses(book)
                for host in ["shop.test", "proxied.test"] {
                    #expect(try await transport.get("http://\(host):\(origin.port)/a") == Data("/a".utf8))
                }
                #expect(book.lookUps == ["shop.test", "proxied.test"])
            }
        }
    }

    @Test("A host behind a proxy of the system is not looked up")
    func proxied() async throws {
        try await withOrigin { origin, transport async throws in
            var options = ForwardProxy.Configuration()
            options.route = { _ in .loopback(origin.port) }
            let proxy = try await ForwardProxy.start(options)
            transport.useSystemProxies(
                SystemProxies(
                    PartlyProxied(proxy: HostPort(host: "127.0.0.1", port: proxy.port), isDirectToo: false)
                ) { _, _ in })
            let book = AddressBook([:])
            transport.useAddresses(book)
            #expect(try await transport.get("http://proxied.test/a") == Data("/a".utf8))
            #expect(proxy.connections == 1 && book.lookUps == [])
            await proxy.stop()
        }
    }

    @Test("A resolver or a proxy of the configuration has precedence")
    func precedence() async throws {
        let others = AddressBook([:])
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.addresses = AddressBook.loopback
        try await withOrigin(configuration) { origin, transport async throws in
            transport.useAddresses(others)
            #expect(try await transport.get("http://shop.test:\(origin.port)/a") == Data("/a".utf8))
        }
        let proxy = try await ForwardProxy.start()
        configuration = .init()
        configuration.proxy = HostPort(host: "127.0.0.1", port: proxy.port)
        try await withOrigin(configuration) { origin, transport async throws in
            transport.useAddresses(others)
            #expect(try await transport.get("http://localhost:\(origin.port)/a") == Data("/a".utf8))
            #expect(proxy.connections == 1)
        }
        await proxy.stop()
        #expect(others.lookUps == [])
    }

    @Test("A wrapping transport forwards the resolver")
    func wrapper() async throws {
        try await withOrigin { origin, transport async throws in
            let decoding = DecodingTransport(transport)
            decoding.useAddresses(AddressBook.loopback)
            #expect(try await decoding.get("http://shop.test:\(origin.port)/a") == Data("/a".utf8))
        }
    }

    /// The name of this machine and its address, if the system resolves it.
    private static let ownName: (name: String, address: String)? = {
        let name = ProcessInfo.processInfo.hostName.lowercased()
        guard !name.isEmpty, !name.hasPrefix("localhost"),
            case .v4? = try? SocketAddress.makeAddressResolvingHost(name, port: 0),
            let address = try? SocketAddress.makeAddressResolvingHost(name, port: 0).ipAddress
        else { return nil }
        return (name, address)
    }()

    @Test(
        "Without a resolver, and with one that is not used for the host, connections and bytes are the same",
        .enabled(if: ownName != nil, "skipped: the system has no IPv4 address of this machine's name"))
    func unused() async throws {
        let (name, address) = try #require(Self.ownName)
        let connections = Mutex<[String]>([])
        try await RawServer.with(address: address) { input, output in
            connections.withLock { $0.append("") }
            while let bytes = try await input.next() {
                let isWhole = connections.withLock { connections in
                    connections[connections.count - 1] += String(buffer: bytes)
                    return connections.last?.hasSuffix("\r\n\r\n") == true
                }
                guard isWhole else { continue }
                try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
            }
        } _: { server async throws in
            let resolver = Switched(isOn: false)
            var traffic: [[String]] = []
            for resolver in [nil, resolver] {
                try await withTransport { transport async throws in
                    if let resolver { transport.useAddresses(resolver) }
                    for path in ["a", "b"] {
                        #expect(try await transport.get("http://\(name):\(server.port)/\(path)") == Data("ok".utf8))
                    }
                }
                await server.closed()
                traffic.append(connections.withLock { $0 })
                connections.withLock { $0 = [] }
            }
            #expect(traffic[0].count == 1 && traffic[0][0].hasPrefix("GET /a HTTP/1.1\r\n"))
            #expect(traffic[0] == traffic[1])
            #expect(resolver.book.lookUps == [])
            // The control: a resolver that is used for the host is asked.
            try await withTransport { transport async throws in
                let book = AddressBook([name: [address]])
                transport.useAddresses(book)
                #expect(try await transport.get("http://\(name):\(server.port)/a") == Data("ok".utf8))
                #expect(book.lookUps == [name])
            }
        }
    }
}

/// Settings with a proxy for `proxied.test`, and a direct route after it. Other hosts have a direct route only.
private struct PartlyProxied: ProxyResolving {
    let proxy: HostPort
    var isDirectToo = true

    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] {
        host.host == "proxied.test" ? [.http(proxy, nil)] + (isDirectToo ? [.direct] : []) : [.direct]
    }
}
