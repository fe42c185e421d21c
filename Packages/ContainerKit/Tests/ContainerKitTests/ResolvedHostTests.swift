// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import LoopbackServer
import NIOTransport
@_spi(Facade) import ResourceLoading
import Testing
import WebSyntax

/// The loader of a proxy that sends requests with a transport and records the codes of errors.
private final class RecordingNetwork: ResourceLoader {
    let codes = Mutex<[ResourceError.Code]>([])
    private let network: NetworkLoader

    init(_ transport: any HTTPTransporting) {
        network = NetworkLoader(transport)
    }

    @concurrent
    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        do {
            return try await network.load(request)
        } catch let error as ResourceError {
            codes.withLock { $0.append(error.code) }
            throw error
        }
    }
}

/// A policy that intercepts all hosts.
private struct AllHosts: InterceptPolicy {
    func opens(_ target: HostPort) -> Bool { true }
}

/// A client that trusts the authority of the proxy needs no further certificates.
private struct NoTrust: CertificateTrusting {
    func trust(_ certificate: [UInt8], for host: String) async throws {}
}

/// Settings that name one proxy for all hosts.
private struct OneProxy: ProxyResolving {
    let route: ProxyRoute

    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute] { [route] }
}

@Suite("Hosts at the addresses of a resolver, behind the proxy", .timeLimit(.minutes(1)))
struct ResolvedHostTests {
    @Test(
        "A request of an intercepted host reaches only a server with a certificate for its name",
        arguments: ["shop.test", "other.test"])
    func certificate(name: String) async throws {
        let route = OriginRoute(.get, try #require(OriginPathPattern("/*"))) { _ in .text("secret") }
        var site = OriginServer.Configuration(routes: [route])
        site.usesTLS = true
        site.certificateNames = [name]
        let origin = try await OriginServer.start(site)
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [try CertificateAuthority(pem: try #require(origin.authorityPEM))]
        let upstream = AsyncHTTPTransport(configuration)
        let book = AddressBook(["shop.test": ["127.0.0.1"]])
        upstream.useAddresses(book)
        let network = RecordingNetwork(upstream)
        let proxy = try await InterceptingProxy.start(.init(loader: network, policy: AllHosts(), trusting: NoTrust()))
        let port = try #require(proxy.port)
        // The client is in the same process. It must reach the proxy, which other connections of the process must not.
        OwnListeners.remove(port)
        let client = try client(of: proxy, at: port)

        let url = "https://shop.test:\(origin.port)/a"
        let request = try #require(HTTPRequest(urlText: url))
        if name == "shop.test" {
            let response = try await client.send(request, body: .empty)
            #expect(try await response.body.collect(upTo: 100) == Data("secret".utf8))
            #expect(network.codes.withLock { $0 } == [] && origin.requestCount == 1)
        } else {
            await #expect(throws: ResourceError.self) { try await client.send(request, body: .empty) }
            let codes = network.codes.withLock { $0 }
            #expect(!codes.isEmpty && codes.allSatisfy { $0 == .tls })
            #expect(origin.requestCount == 0)
        }
        #expect(!book.lookUps.isEmpty && book.lookUps.allSatisfy { $0 == "shop.test" })
        try await client.shutDown()
        await proxy.stop()
        try await upstream.shutDown()
        await origin.stop()
    }

    /// Returns a client that sends all requests through the proxy and trusts its authority.
    private func client(of proxy: InterceptingProxy, at port: Int) throws -> AsyncHTTPTransport {
        let text = Data(proxy.authority).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorities = [
            try CertificateAuthority(pem: "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n")
        ]
        let client = AsyncHTTPTransport(configuration)
        let credentials = ProxyRoute.Credentials(
            username: proxy.credentials.username, password: proxy.credentials.password)
        let route = ProxyRoute.http(HostPort(host: "127.0.0.1", port: port), credentials)
        client.useSystemProxies(SystemProxies(OneProxy(route: route)) { message, _ in Issue.record("\(message)") })
        return client
    }
}
