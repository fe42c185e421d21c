// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import ContainerTesting

@Suite("A proxy that requires credentials", .timeLimit(.minutes(1)))
struct ProxyCredentialsTests {
    private static let credentials = TestProxyCredentials(username: "user", password: "pass:word")

    private var configuration: ForwardProxy.Configuration {
        var configuration = ForwardProxy.Configuration()
        configuration.credentials = Self.credentials
        return configuration
    }

    private func site() throws -> OriginServer.Configuration {
        let any = try #require(OriginPathPattern("/*"))
        return OriginServer.Configuration(routes: [OriginRoute(.get, any) { _ in .text("the page") }])
    }

    @Test(
        "Other credentials receive 407 and are counted, and the connection is reused",
        arguments: ["", "Basic", "Basic eDp5", "Bearer x", "Digest dXNlcjpwYXNzOndvcmQ="])
    func refusal(_ value: String) async throws {
        try await withOrigin(try site()) { server async throws in
            try await withProxy(configuration) { proxy async throws in
                try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                    let refused = try await client.sendRequest(
                        server.url + "/", headers: value.isEmpty ? [:] : ["proxy-authorization": value])
                    #expect(refused.status == 407)
                    #expect(refused.headers.first(name: "proxy-authenticate") == #"Basic realm="proxy""#)
                    #expect(proxy.refusals == 1)
                    #expect(server.requestCount == 0)
                    let answer = try await client.sendRequest(
                        server.url + "/", headers: ["proxy-authorization": Self.credentials.basic])
                    #expect(answer.text == "the page")
                }
                #expect(proxy.refusals == 1)
                #expect(proxy.connections == 1)
                #expect(server.requests.allSatisfy { !$0.headers.contains { $0.name == .proxyAuthorization } })
            }
        }
    }

    @Test("Two credentials fields are refused")
    func twice() async throws {
        try await withProxy(configuration) { proxy async throws in
            let field = "proxy-authorization: \(Self.credentials.basic)\r\n"
            let answer = try await exchange(
                "CONNECT 127.0.0.1:9 HTTP/1.1\r\n\(field)\(field)connection: close\r\n\r\n", with: proxy.port)
            #expect(answer.hasPrefix("HTTP/1.1 407 Proxy Authentication Required\r\n"))
        }
    }

    @Test("A tunnel requires credentials and uses the configured route")
    func tunnel() async throws {
        try await withOrigin(try site()) { server async throws in
            var configuration = configuration
            let port = server.port
            configuration.route = { target in
                #expect(target == Endpoint(host: "shop.example", port: 443))
                return .loopback(port)
            }
            try await withProxy(configuration) { proxy async throws in
                let head = "CONNECT shop.example:443 HTTP/1.1\r\n"
                let request = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"
                let refused = try await exchange(head + "\r\n", with: proxy.port)
                #expect(refused.hasPrefix("HTTP/1.1 407 "))
                try await connect(to: proxy.port).executeThenClose { inbound, outbound in
                    let field = "proxy-authorization: basic \(Self.credentials.basic.dropFirst(6))\r\n"
                    try await outbound.write(ByteBuffer(string: head + field + "\r\n"))
                    var iterator = inbound.makeAsyncIterator()
                    let opened = try #require(try await iterator.next())
                    #expect(String(buffer: opened) == "HTTP/1.1 200 OK\r\n\r\n")
                    try await outbound.write(ByteBuffer(string: request))
                    var answer = ByteBuffer()
                    while let buffer = try await iterator.next() { answer.writeImmutableBuffer(buffer) }
                    #expect(String(buffer: answer).hasSuffix("the page"))
                }
                #expect(proxy.refusals == 1)
            }
        }
    }

    @Test("A route that throws results in 502")
    func noRoute() async throws {
        struct NoRoute: Error {}
        var configuration = ForwardProxy.Configuration()
        configuration.route = { _ in throw NoRoute() }
        try await withProxy(configuration) { proxy async throws in
            let answer = try await exchange(
                "CONNECT shop.example:443 HTTP/1.1\r\nconnection: close\r\n\r\n", with: proxy.port)
            #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        }
    }
}
