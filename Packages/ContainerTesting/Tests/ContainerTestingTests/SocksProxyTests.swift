// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import NIOCore
import Testing

@testable import ContainerTesting

@Suite("SocksProxy", .timeLimit(.minutes(1)))
struct SocksProxyTests {
    private static let credentials = TestProxyCredentials(username: "user", password: "pass")
    /// Version 1, `user`, `pass`.
    private static let right: [UInt8] = [1, 4] + Array("user".utf8) + [4] + Array("pass".utf8)
    private static let wrong: [UInt8] = [1, 4] + Array("user".utf8) + [4] + Array("nope".utf8)
    private static let request = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"

    private func withSocksProxy(
        _ configuration: ForwardProxy.Configuration, _ body: @Sendable (SocksProxy) async throws -> Void
    ) async throws {
        let proxy = try await SocksProxy.start(configuration)
        do {
            try await body(proxy)
            await proxy.stop()
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// Sends all bytes at once, or one by one, and returns the bytes received until the end.
    private func answer(to bytes: [UInt8], from port: Int, inPieces: Bool = false) async throws -> [UInt8] {
        try await connect(to: port).executeThenClose { inbound, outbound in
            if inPieces {
                for byte in bytes { try await outbound.write(ByteBuffer(bytes: [byte])) }
            } else {
                try await outbound.write(ByteBuffer(bytes: bytes))
            }
            var answer: [UInt8] = []
            for try await buffer in inbound { answer += buffer.readableBytesView }
            return answer
        }
    }

    private func connectMessage(_ name: String, _ port: Int) -> [UInt8] {
        [5, 1, 0, 3, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }

    @Test("With the right credentials a tunnel opens, for any fragmentation", arguments: [false, true])
    func tunnel(inPieces: Bool) async throws {
        let any = try #require(OriginPathPattern("/*"))
        let site = OriginServer.Configuration(routes: [OriginRoute(.get, any) { _ in .text("the page") }])
        try await withOrigin(site) { server async throws in
            var configuration = ForwardProxy.Configuration()
            configuration.credentials = Self.credentials
            let port = server.port
            configuration.route = { target in
                #expect(target == Endpoint(host: "shop.example", port: 80))
                return .loopback(port)
            }
            try await withSocksProxy(configuration) { proxy async throws in
                let bytes = try await answer(
                    to: [5, 2, 0, 2] + Self.right + connectMessage("shop.example", 80) + Array(Self.request.utf8),
                    from: proxy.port, inPieces: inPieces)
                #expect(Array(bytes.prefix(14)) == [5, 2, 1, 0, 5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                let text = String(decoding: bytes.dropFirst(14), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && text.hasSuffix("the page"))
                #expect(proxy.refusals == 0)
                #expect(proxy.connections == 1)
            }
        }
    }

    @Test("Missing or wrong credentials end the connection and are counted")
    func refusal() async throws {
        var configuration = ForwardProxy.Configuration()
        configuration.credentials = Self.credentials
        try await withSocksProxy(configuration) { proxy async throws in
            #expect(try await answer(to: [5, 1, 0], from: proxy.port) == [5, 0xFF])
            #expect(proxy.refusals == 1)
            #expect(try await answer(to: [5, 1, 2] + Self.wrong, from: proxy.port) == [5, 2, 1, 1])
            #expect(proxy.refusals == 2)
        }
    }

    @Test("A proxy without credentials serves all clients, and reports an unreachable target")
    func open() async throws {
        let closed = try RefusingPort()
        let port = closed.number
        try await withSocksProxy(ForwardProxy.Configuration()) { proxy async throws in
            let address: [UInt8] = [5, 1, 0, 1, 127, 0, 0, 1, UInt8(port >> 8), UInt8(port & 0xFF)]
            let bytes = try await answer(to: [5, 1, 0] + address, from: proxy.port)
            #expect(bytes == [5, 0, 5, 1, 0, 1, 0, 0, 0, 0, 0, 0])
        }
        withExtendedLifetime(closed) {}
    }

    @Test(
        "Bytes that are not SOCKS5 end the connection",
        arguments: [[4, 1, 0, 80], [0x47, 0x45, 0x54], [5, 1, 0, 5, 2, 0, 1], [5, 1, 0, 5, 1, 0, 9]] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) async throws {
        try await withSocksProxy(ForwardProxy.Configuration()) { proxy async throws in
            let answer = try await answer(to: bytes, from: proxy.port)
            #expect(answer.isEmpty || answer == [5, 0])
        }
    }

    @Test("An IPv6 address is parsed")
    func address() throws {
        var buffer = ByteBuffer(bytes: [5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 1, 0xBB])
        #expect(try SocksMessage.target(in: &buffer) == Endpoint(host: "0:0:0:0:0:0:0:1", port: 443))
        #expect(buffer.readableBytes == 0)
    }
}
