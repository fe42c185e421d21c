// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

@Suite("Network failures", .timeLimit(.minutes(3)))
struct FailureTests {
    #if os(Linux)
        private static let isLinux = true
    #else
        private static let isLinux = false
    #endif

    @Test("A refused connection fails immediately")
    func refused() async throws {
        // The port is free after the server has stopped.
        let server = try await OriginServer.start(.init())
        let url = server.url + "/"
        await server.stop()
        var configuration = AsyncHTTPTransport.Configuration()
        // If the transport retried, the test would exceed its time limit.
        configuration.connectTimeout = .seconds(600)
        configuration.readTimeout = .seconds(600)
        try await withTransport(configuration) { transport async in
            await expectFailure(.cannotConnect, at: url) { try await transport.send(url) }
        }
    }

    /// Tests a connection to a multicast group, for which TCP has no route. Linux reports an unreachable network, as
    /// for any address without a route.
    @Test(
        "A network without a route is reported as offline", .enabled(if: Self.isLinux, "skipped: requires Linux"))
    func unreachable() async throws {
        try await withTransport { transport async in
            let url = "http://224.0.0.1:9/"
            await expectFailure(.offline, at: url) { try await transport.send(url) }
        }
    }

    @Test(
        "Errors of connect(2) have the code of their cause",
        arguments: [
            (ENETUNREACH, .offline), (ENETDOWN, .offline), (ECONNREFUSED, .cannotConnect),
            (EHOSTUNREACH, .cannotConnect),
            (ECONNRESET, .connectionLost),
        ] as [(CInt, ResourceError.Code)])
    func systemErrors(number: CInt, code: ResourceError.Code) {
        let error = ResourceError(transport: IOError(errnoCode: number, reason: "connect"), at: "http://a.example/")
        #expect(error.code == code && error.location == "http://a.example/")
    }

    @Test("A name without an address", arguments: ["http://nothing.invalid/", "https://a.nothing.invalid:8443/x"])
    func unknownHost(url: String) async throws {
        try await withTransport { transport async in
            await expectFailure(.unknownHost, at: url) { try await transport.send(url) }
        }
    }

    @Test(
        "Silence before or during the response causes the read timeout", arguments: ["stall:/*", "stall=1000:/*"])
    func silence(fault: String) async throws {
        let route = try route(.get, "/*") { _ in OriginResponse(body: .bytes(Data(count: 100_000))) }
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.readTimeout = .milliseconds(200)
        try await withOrigin([route], faults: fault, transport: configuration) { origin, transport async in
            let url = origin.url + "/"
            await expectFailure(.timedOut, at: url) { try await transport.get(url) }
        }
    }

    @Test("A server that accepts without a TLS handshake causes the connect timeout")
    func handshake() async throws {
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.connectTimeout = .milliseconds(200)
        try await RawServer.with({ _, _ in }) { [configuration] server async throws in
            try await withTransport(configuration) { transport async in
                await expectFailure(.cannotConnect) { try await transport.send("https://127.0.0.1:\(server.port)/") }
            }
        }
    }

    @Test(
        "A connection that breaks before or during the response",
        arguments: ["reset:/*", "reset=1000:/*", "truncate=1000:/*", "truncate=0:/*"])
    func broken(fault: String) async throws {
        let route = try route(.get, "/*") { _ in OriginResponse(body: .bytes(Data(count: 100_000))) }
        try await withOrigin([route], faults: fault) { origin, transport async in
            let url = origin.url + "/"
            await expectFailure(.connectionLost, at: url) { try await transport.get(url) }
        }
    }

    @Test(
        "Responses that violate the protocol",
        arguments: [
            "garbage\r\n\r\n", "HTTP/1.1 two hundred\r\n\r\n",
            "HTTP/1.1 9999 Odd\r\ncontent-length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", "HTTP/1.1 200 OK\r\na: \0\r\n\r\n",
        ])
    func protocolErrors(answer: String) async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: answer))
            output.finish()
        } _: { server async throws in
            try await withTransport { transport async in
                await expectFailure(.connectionLost, at: server.url + "/") { try await transport.get(server.url + "/") }
            }
        }
    }

    @Test("An untrusted certificate")
    func certificate() async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("secret") }], tls: true) { origin, transport async in
            let url = origin.url + "/"
            await expectFailure(.tls, at: url) { try await transport.get(url) }
            #expect(origin.requestCount == 0)
        }
    }

    @Test("A request with another scheme is not sent", arguments: ["ftp", "file", "containerkit", "javascript", ""])
    func schemes(scheme: String) async throws {
        try await withTransport { transport async in
            let request = HTTPRequest(method: .get, scheme: scheme, authority: "127.0.0.1:1", path: "/")
            await expectFailure(.invalidRequest) { try await transport.send(request, body: .empty) }
        }
    }

    @Test(
        "An invalid authority",
        arguments: ["", ":80", "127.0.0.1:65536", "127.0.0.1:99999", "127.0.0.1:9999999999999999999999", "[::1", "a b"])
    func authorities(authority: String) async throws {
        try await withTransport { transport async in
            let request = HTTPRequest(method: .get, scheme: "http", authority: authority, path: "/")
            await #expect(throws: ResourceError.self) { try await transport.send(request, body: .empty) }
        }
    }

    @Test("A transport sends nothing after its shutdown")
    func afterShutdown() async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, _ async throws in
            let transport = AsyncHTTPTransport()
            try await transport.shutDown()
            await #expect(throws: ResourceError.self) { try await transport.send(origin.url + "/") }
            #expect(origin.requestCount == 0)
        }
    }
}
