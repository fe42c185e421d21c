// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Synchronization
import Testing

@testable import HTTPTransport

@Suite("Addresses of the host app's own", .timeLimit(.minutes(3)))
struct TunnelTests {
    /// Knows some names, and notes what it was asked.
    private final class Book: AddressResolving {
        let asked = Mutex<[String]>([])
        private let entries: [String: [String]]

        init(_ entries: [String: [String]]) {
            self.entries = entries
        }

        func addresses(of host: String) async throws -> [String] {
            asked.withLock { $0.append(host) }
            guard let found = entries[host] else { throw CocoaError(.fileNoSuchFile) }
            return found
        }
    }

    private func configuration(_ book: any AddressResolving) -> AsyncHTTPTransport.Configuration {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.addresses = book
        return configuration
    }

    @Test("Names are found where the app says, and the host hears its own name")
    func names() async throws {
        let book = Book(["shop.test": ["127.0.0.1"]])
        try await withOrigin([try route(.get, "/*") { .text($0.path) }], transport: configuration(book)) {
            origin, transport async throws in
            for number in 0..<3 {
                let url = "http://Shop.test:\(origin.port)/\(number)"
                #expect(try await transport.get(url) == Data("/\(number)".utf8))
            }
            #expect(book.asked.withLock { $0 } == ["shop.test"])
            #expect(origin.connectionCount == 1)
            // An address stands for itself.
            #expect(try await transport.get(origin.url + "/a") == Data("/a".utf8))
            #expect(book.asked.withLock { $0.count } == 1)
        }
    }

    @Test(
        "Addresses are raced: one that refuses costs little",
        arguments: [["::1", "127.0.0.1"], ["127.0.0.9", "127.0.0.1"], ["nonsense", "127.0.0.1"]])
    func race(addresses: [String]) async throws {
        let book = Book(["shop.test": addresses])
        try await withOrigin([try route(.get, "/*") { _ in .text("ok") }], transport: configuration(book)) {
            origin, transport async throws in
            #expect(try await transport.get("http://shop.test:\(origin.port)/") == Data("ok".utf8))
        }
    }

    @Test("TLS stays between the client and the host, HTTP/2 with it")
    func tls() async throws {
        var settings = OriginServer.Configuration(routes: [try route(.get, "/*") { _ in .text("secret") }])
        settings.usesTLS = true
        settings.offersHTTP2 = true
        let server = try await OriginServer.start(settings)
        let book = Book(["localhost": ["127.0.0.1"]])
        var configuration = configuration(book)
        configuration.authorities = [try CertificateAuthority(pem: try #require(server.authorityPEM))]
        try await withTransport(configuration) { transport async throws in
            #expect(try await transport.get("https://localhost:\(server.port)/") == Data("secret".utf8))
        }
        await server.stop()
    }

    @Test("Large bodies pass both ways")
    func large() async throws {
        let content = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let book = Book(["shop.test": ["127.0.0.1"]])
        try await withOrigin(
            [try route(.post, "/") { OriginResponse(body: .bytes($0.body)) }], transport: configuration(book)
        ) {
            origin, transport async throws in
            let answer = try await transport.send("http://shop.test:\(origin.port)/", .post, body: .bytes(content))
            #expect(try await answer.body.collect(upTo: 4 << 20) == content)
        }
    }

    @Test("A reader that does not read stops the sender, through the tunnel too")
    func backPressure() async throws {
        let sent = Mutex(0)
        let total = 512 << 20
        let routes = [
            try route(.get, "/large") { _ in
                OriginResponse(
                    body: .stream(length: total) { writer in
                        for _ in 0..<total >> 20 {
                            try await writer.write(Data(count: 1 << 20))
                            sent.withLock { $0 += 1 << 20 }
                        }
                    })
            },
            try route(.get, "/ping") { _ in .text("pong") },
        ]
        let book = Book(["shop.test": ["127.0.0.1"]])
        try await withOrigin(routes, transport: configuration(book)) { origin, transport async throws in
            let url = "http://shop.test:\(origin.port)"
            let body = try await transport.send(url + "/large").body
            for _ in 0..<200 { _ = try await transport.get(url + "/ping") }
            // More than four sockets' buffers hold, the largest that the system gives.
            #expect(sent.withLock { $0 } < total)
            withExtendedLifetime(body) {}
        }
    }

    @Test("Failures say their phase: a name that is not found, and addresses that refuse")
    func failures() async throws {
        let closed = try await OriginServer.start(.init())
        await closed.stop()
        let book = Book(["shop.test": ["127.0.0.1"], "empty.test": []])
        try await withTransport(configuration(book)) { transport async in
            for (host, phase, code) in [
                ("none.test", .resolve, .unknownHost), ("empty.test", .resolve, .unknownHost),
                ("shop.test", .connect, .cannotConnect),
            ] as [(String, TransportFailure.Phase, ResourceError.Code)] {
                let url = "http://\(host):\(closed.port)/"
                await #expect {
                    try await transport.send(url)
                } throws: { error in
                    let error = error as? ResourceError
                    return error?.transportPhase == phase && error?.code == code && error?.location == url
                }
            }
        }
    }

    @Test("A look-up that never ends, ends by the connect timeout")
    func endless() async throws {
        struct Endless: AddressResolving {
            func addresses(of host: String) async throws -> [String] {
                for await _ in AsyncStream<Void>.makeStream().stream {}
                throw CancellationError()
            }
        }
        var configuration = configuration(Endless())
        configuration.connectTimeout = .milliseconds(300)
        try await withTransport(configuration) { transport async in
            _ = await #expect {
                try await transport.send("http://shop.test/")
            } throws: { error in
                [.resolve, .connect].contains((error as? ResourceError)?.transportPhase)
            }
        }
    }

    @Test("Who does not know the credentials gets nowhere")
    func strangers() async throws {
        let book = Book(["shop.test": ["127.0.0.1"]])
        let tunnel = try await AddressTunnel.start(book, timeout: .seconds(10))
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.proxy = .init(host: "127.0.0.1", port: tunnel.port)
        try await withOrigin([try route(.get, "/*") { _ in .text("") }], transport: configuration) {
            origin, transport async in
            await expectFailure(.cannotConnect) { try await transport.get("http://shop.test:\(origin.port)/") }
            #expect(origin.connectionCount == 0 && book.asked.withLock { $0.isEmpty })
        }
        tunnel.close()
    }
}
