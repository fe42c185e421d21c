// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOTransport
@_spi(Facade) import ResourceLoading
import Testing
import WebSyntax

@Suite("Requests that would come back to a listener of the process", .timeLimit(.minutes(2)))
struct OwnListenerTests {
    private func withOrigin(
        _ configuration: AsyncHTTPTransport.Configuration = .init(),
        _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Void
    ) async throws {
        let route = try route(.get, "/*") { .text($0.path) }
        try await NIOTransportTests.withOrigin([route], transport: configuration, body)
    }

    /// Checks that a URL is reached, and is blocked while the origin counts as a listener of this process.
    private func check(
        _ host: String, _ origin: OriginServer, by transport: AsyncHTTPTransport
    ) async throws {
        let url = "http://\(host):\(origin.port)"
        OwnListeners.insert(origin.port)
        await expectFailure(.blocked, at: "\(url)/a") { try await transport.get("\(url)/a") }
        OwnListeners.remove(origin.port)
        #expect(try await transport.get("\(url)/b") == Data("/b".utf8))
    }

    @Test("A direct connection is refused", arguments: ["127.0.0.1", "localhost", "a.localhost"])
    func direct(host: String) async throws {
        try await withOrigin { origin, transport async throws in
            try await check(host, origin, by: transport)
        }
    }

    @Test("A connection to a name that resolves to loopback is refused")
    func resolved() async throws {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.addresses = AddressBook.loopback
        try await withOrigin(configuration) { origin, transport async throws in
            try await check("shop.test", origin, by: transport)
        }
    }

    @Test("A proxy of the transport that is a listener of this process is refused, without a connection")
    func proxy() async throws {
        let proxy = try await ForwardProxy.start()
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = HostPort(host: "localhost", port: proxy.port)
        try await withOrigin(configuration) { origin, transport async throws in
            OwnListeners.insert(proxy.port)
            await expectFailure(.blocked, at: origin.url + "/a") { try await transport.get(origin.url + "/a") }
            #expect(proxy.connections == 0)
            OwnListeners.remove(proxy.port)
            #expect(try await transport.get(origin.url + "/b") == Data("/b".utf8))
        }
        await proxy.stop()
    }

    @Test("The last loader refuses the URL for each transport, before the transport has it")
    func loader() async throws {
        try await withOrigin { origin, transport async throws in
            let network = NetworkLoader(transport)
            for host in ["127.0.0.1", "localhost", "a.localhost", "127.0.0.2", "[::1]"] {
                let url = "https://\(host):\(origin.port)/"
                let request = ResourceRequest(try #require(HTTPRequest(urlText: url)))
                OwnListeners.insert(origin.port)
                await expectFailure(.blocked, at: url) { try await network.load(request) }
                OwnListeners.remove(origin.port)
            }
            #expect(origin.connectionCount == 0)
        }
    }
}
