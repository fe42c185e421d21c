// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncHTTPClient
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import Testing

@testable import ContainerTesting

@Suite("ForwardProxy", .timeLimit(.minutes(1)))
struct ForwardProxyTests {
    private static let megabyte = pattern(1_048_576)

    /// Returns the configuration of a server with an echo and a stream. Every other path responds with a megabyte.
    private func configuration(tls: Bool = false) throws -> OriginServer.Configuration {
        let echo = try #require(OriginPathPattern("/echo"))
        let stream = try #require(OriginPathPattern("/stream"))
        let any = try #require(OriginPathPattern("/*"))
        var configuration = OriginServer.Configuration(routes: [
            OriginRoute(.post, echo) { OriginResponse(body: .bytes($0.body)) },
            OriginRoute(.get, stream) { _ in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        try await writer.write(Data("one ".utf8))
                        try await writer.write(Data("two".utf8))
                    })
            },
            OriginRoute(.get, any) { _ in OriginResponse(body: .bytes(Data(Self.megabyte))) },
        ])
        configuration.usesTLS = tls
        return configuration
    }

    @Test("A megabyte passes in both directions, and connections are persistent")
    func plain() async throws {
        try await withOrigin(try configuration()) { server async throws in
            try await withProxy { proxy async throws in
                try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                    let big = try await client.sendRequest(server.url + "/big")
                    #expect(big.status == 200)
                    #expect(big.body == Self.megabyte)
                    let echoed = try await client.sendRequest(server.url + "/echo", .POST, body: Self.megabyte)
                    #expect(echoed.body == Self.megabyte)
                    let chunked = try await client.sendRequest(
                        server.url + "/echo", .POST, headers: ["transfer-encoding": "chunked"], body: Self.megabyte)
                    #expect(chunked.body == Self.megabyte)
                    let stream = try await client.sendRequest(server.url + "/stream")
                    #expect(stream.text == "one two")
                    let head = try await client.sendRequest(server.url + "/big", .HEAD)
                    #expect(head.headers.first(name: "content-length") == "1048576")
                    let streamHead = try await client.sendRequest(server.url + "/stream", .HEAD)
                    #expect(streamHead.status == 200)
                    let none = try await client.sendRequest(server.url + "/none", .DELETE)
                    #expect(none.status == 404)
                    let again = try await client.sendRequest(server.url + "/stream")
                    #expect(again.text == "one two")
                }
                #expect(proxy.connections == 1)
            }
        }
    }

    @Test("The server receives a plain request without the fields for the proxy")
    func hopByHop() async throws {
        try await withOrigin(try configuration()) { server async throws in
            try await withProxy { proxy async throws in
                let answer = try await exchange(
                    """
                    GET HTTP://127.0.0.1:\(server.port)/stream?q=1#part HTTP/1.1\r
                    host: elsewhere.example\r
                    connection: close, x-mine\r
                    proxy-connection: keep-alive\r
                    proxy-authorization: Basic eDp5\r
                    keep-alive: timeout=5\r
                    te: trailers\r
                    upgrade: h2c\r
                    x-mine: 1\r
                    x-yours: 2\r
                    \r

                    """, with: proxy.port)
                #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
                #expect(answer.contains("transfer-encoding: chunked") || answer.contains("Transfer-Encoding: chunked"))
                #expect(answer.hasSuffix("\r\n0\r\n\r\n"))
                let seen = try #require(server.requests.first)
                #expect(seen.path == "/stream")
                #expect(seen.query == "q=1")
                #expect(Set(seen.headers.map(\.name.canonicalName)) == ["connection", "x-yours"])
            }
        }
    }

    @Test("An HTTP/1.0 client receives a response that ends with its connection")
    func oldClient() async throws {
        try await withOrigin(try configuration()) { server async throws in
            try await withProxy { proxy async throws in
                let answer = try await exchange("GET \(server.url)/stream HTTP/1.0\r\n\r\n", with: proxy.port)
                #expect(answer.hasSuffix("\r\n\r\none two"))
                #expect(!answer.lowercased().contains("chunked"))
            }
        }
    }

    @Test("Pipelined requests receive their responses in order")
    func pipelining() async throws {
        try await withOrigin(try configuration()) { server async throws in
            try await withProxy { proxy async throws in
                let request = "GET \(server.url)/stream HTTP/1.1\r\nhost: a\r\n"
                let answer = try await exchange(
                    request + "\r\n" + request + "\r\n" + request + "connection: close\r\n\r\n", with: proxy.port)
                #expect(answer.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
            }
        }
    }

    @Test("CONNECT opens a tunnel")
    func tunnel() async throws {
        try await withOrigin(try configuration(tls: true)) { server async throws in
            try await withProxy { proxy async throws in
                try await withClient(proxy: proxy.port, trusting: server.authorityPEM) { client async throws in
                    #expect(try await client.sendRequest(server.url + "/big").body == Self.megabyte)
                    let echoed = try await client.sendRequest(server.url + "/echo", .POST, body: Self.megabyte)
                    #expect(echoed.body == Self.megabyte)
                }
                #expect(proxy.connections == 1)
            }
        }
    }

    @Test("A tunnel passes a half-close and the remaining bytes of the other direction")
    func tunnelHalfClose() async throws {
        let countAtEnd: @Sendable (TCPChannel) async throws -> Void = { channel in
            try await channel.executeThenClose { inbound, outbound in
                var count = 0
                for try await buffer in inbound { count += buffer.readableBytes }
                try await outbound.write(ByteBuffer(string: "\(count) bytes"))
            }
        }
        try await withTCPServer(countAtEnd) { port in
            try await withProxy { proxy async throws in
                try await connect(to: proxy.port).executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\n\r\n"))
                    var iterator = inbound.makeAsyncIterator()
                    let head = try #require(try await iterator.next())
                    #expect(String(buffer: head) == "HTTP/1.1 200 OK\r\n\r\n")
                    for _ in 0..<10 { try await outbound.write(ByteBuffer(repeating: 1, count: 50_000)) }
                    outbound.finish()
                    let answer = try #require(try await iterator.next())
                    #expect(String(buffer: answer) == "500000 bytes")
                    #expect(try await iterator.next() == nil)
                }
            }
        }
    }

    @Test(
        "A request that is not for a proxy receives 400",
        arguments: [
            "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n",
            "GET https://a.example/ HTTP/1.1\r\n\r\n", "GET http:///x HTTP/1.1\r\n\r\n",
            "GET http://user@a.example/ HTTP/1.1\r\n\r\n", "GET http://a.example:99999/ HTTP/1.1\r\n\r\n",
            "GET http://a.example:0/ HTTP/1.1\r\n\r\n", "CONNECT a.example HTTP/1.1\r\n\r\n",
            "CONNECT a.example:x HTTP/1.1\r\n\r\n", "CONNECT [::1:443 HTTP/1.1\r\n\r\n", "hello\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            "POST http://a.example/ HTTP/1.1\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        ])
    func badRequest(_ request: String) async throws {
        try await withProxy { proxy async throws in
            let answer = try await exchange(request, with: proxy.port)
            #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n"), "\(answer)")
        }
    }

    @Test("A missing server results in 502, and the client connection is reused")
    func badGateway() async throws {
        let closed = try RefusingPort()
        let port = closed.number
        try await withProxy { proxy async throws in
            try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                for _ in 0..<2 {
                    let answer = try await client.sendRequest("http://127.0.0.1:\(port)/")
                    #expect(answer.status == 502)
                    #expect(answer.text.contains("127.0.0.1:\(port)"))
                }
            }
            #expect(proxy.connections == 1)
            let answer = try await exchange(
                "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nconnection: close\r\n\r\n", with: proxy.port)
            #expect(answer.hasPrefix("HTTP/1.1 502 Bad Gateway\r\n"))
        }
        withExtendedLifetime(closed) {}
    }

    @Test("A server that closes before its response results in 502; a later close results in a broken response")
    func brokenAnswers() async throws {
        var configuration = try configuration()
        configuration.faults = try Fault.parse("reset:/reset,truncate=1000:/truncate")
        try await withOrigin(configuration) { server async throws in
            try await withProxy { proxy async throws in
                try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                    let reset = try await client.sendRequest(server.url + "/reset")
                    #expect(reset.status == 502)
                    let big = try await client.sendRequest(server.url + "/big")
                    #expect(big.status == 200)
                }
                await #expect(throws: (any Error).self) {
                    try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                        try await client.sendRequest(server.url + "/truncate")
                    }
                }
                // In a tunnel, the client receives the reset.
                await #expect(throws: IOError.self) {
                    try await withClient(proxy: proxy.port) { client in
                        try await client.sendRequest(server.url + "/reset")
                    }
                }
            }
        }
    }

    @Test("A silent server results in 504")
    func timeout() async throws {
        var configuration = try configuration()
        configuration.faults = try Fault.parse("stall:/stall")
        try await withOrigin(configuration) { server async throws in
            var limits = ForwardProxy.Configuration()
            // The limit is long enough for a busy machine to deliver the request first.
            limits.idleTimeout = .seconds(3)
            try await withProxy(limits) { proxy async throws in
                let answer = try await exchange(
                    "GET \(server.url)/stall HTTP/1.1\r\nhost: a\r\n\r\n", with: proxy.port)
                #expect(answer.hasPrefix("HTTP/1.1 504 Gateway Timeout\r\n"))
            }
        }
    }

    @Test("A client that disconnects cancels the upstream request")
    func cancellation() async throws {
        let endless = try #require(OriginPathPattern("/endless"))
        let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
        let configuration = OriginServer.Configuration(routes: [
            OriginRoute(.get, endless) { _ in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        defer { ended.yield(true) }
                        while true { try await writer.write(Data(repeating: 1, count: 65_536)) }
                    })
            }
        ])
        try await withOrigin(configuration) { server async throws in
            try await withProxy { proxy async throws in
                try await connect(to: proxy.port).executeThenClose { inbound, outbound in
                    try await outbound.write(
                        ByteBuffer(string: "GET \(server.url)/endless HTTP/1.1\r\nhost: a\r\n\r\n"))
                    for try await _ in inbound { break }
                }
                for await _ in ends { break }
            }
        }
    }

    @Test("Stopping ends tunnels and requests")
    func stop() async throws {
        var configuration = try configuration()
        configuration.faults = try Fault.parse("stall:/stall")
        try await withOrigin(configuration) { server async throws in
            try await withProxy { proxy async throws in
                try await connect(to: proxy.port).executeThenClose { inbound, outbound in
                    try await outbound.write(
                        ByteBuffer(string: "CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\n\r\n"))
                    var iterator = inbound.makeAsyncIterator()
                    #expect(try await iterator.next() != nil)
                    await proxy.stop()
                    #expect((try? await iterator.next()) == nil)
                }
            }
        }
    }

    @Test("A port in use is reported")
    func portInUse() async throws {
        try await withProxy { proxy async throws in
            var second = ForwardProxy.Configuration()
            second.port = proxy.port
            await #expect {
                _ = try await ForwardProxy.start(second)
            } throws: { error in
                (error as? ContainerTestingError)?.code == .portInUse
            }
        }
    }
}

@Suite("ShapedProxy", .timeLimit(.minutes(1)))
struct ShapedProxyTests {
    private func withShapedProxy<Result: Sendable>(
        _ profile: NetworkProfile, _ body: @Sendable (ShapedProxy) async throws -> Result
    ) async throws -> Result {
        let proxy = try await ShapedProxy.start(profile: profile)
        do {
            let result = try await body(proxy)
            await proxy.stop()
            return result
        } catch {
            await proxy.stop()
            throw error
        }
    }

    @Test("Pages pass at the rate of the profile, plain and in a tunnel", arguments: [false, true])
    func rate(tls: Bool) async throws {
        let folder = try Folder(["a.bin": pattern(1_048_576)])
        defer { folder.remove() }
        var configuration = OriginServer.Configuration(folder: folder.path)
        configuration.usesTLS = tls
        let profile = try NetworkProfile(roundTrip: .milliseconds(10), downKilobits: 40_000, upKilobits: 40_000)
        let begin = ContinuousClock.now
        try await withOrigin(configuration) { server async throws in
            try await withShapedProxy(profile) { proxy async throws in
                // The counters are read while the client is connected. Later they would include the reply to its
                // close_notify.
                let (answer, counters) =
                    tls
                    ? try await withClient(proxy: proxy.port, trusting: server.authorityPEM) { client in
                        (try await client.sendRequest(server.url + "/a.bin"), proxy.counters)
                    }
                    : try await PlainProxyClient.with(proxy: proxy.port) { client in
                        (try await client.sendRequest(server.url + "/a.bin"), proxy.counters)
                    }
                #expect(answer.body == pattern(1_048_576))
                #expect(counters.bytesDown > 1_048_576)
                #expect(counters.busyDown == .milliseconds(8 * counters.bytesDown) / 40_000)
            }
        }
        #expect(ContinuousClock.now - begin >= .milliseconds(1_048_576 * 8 / 40_000))
    }

    @Test("CONNECT is answered without the delay of the network, and the bytes after it have the delay")
    func connectExchange() async throws {
        // With the delay the response would take two round trips.
        let profile = try NetworkProfile(roundTrip: .seconds(30), downKilobits: nil, upKilobits: nil)
        try await withTCPServer(echo) { port in
            try await withShapedProxy(profile) { proxy async throws in
                let begin = ContinuousClock.now
                try await connect(to: proxy.port).executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: "CONNECT 127.0.0.1:\(port) HTTP/1.1\r\n\r\n"))
                    var answer = ""
                    for try await buffer in inbound {
                        answer += String(buffer: buffer)
                        if answer.hasSuffix("\r\n\r\n") { break }
                    }
                    #expect(answer.hasPrefix("HTTP/1.1 200 "))
                }
                #expect(ContinuousClock.now - begin < profile.roundTrip)
                #expect(proxy.counters.bytesDown == 0 && proxy.counters.bytesUp == 0)
            }
        }
    }

    @Test("Clients fail immediately with the offline profile")
    func offline() async throws {
        try await withOrigin(OriginServer.Configuration()) { server async throws in
            try await withShapedProxy(.offline) { proxy async throws in
                for url in [server.url, "https://127.0.0.1:\(server.port)"] {
                    await #expect(throws: (any Error).self) {
                        try await withClient(proxy: proxy.port) { client in try await client.sendRequest(url + "/") }
                    }
                }
                #expect(proxy.counters.refused == proxy.counters.connections)
                #expect(proxy.counters.connections >= 2)
            }
            #expect(server.requestCount == 0)
        }
    }
}
