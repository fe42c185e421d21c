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

@Suite("HTTP/2", .timeLimit(.minutes(3)))
struct HTTP2Tests {
    private func with<Result: Sendable>(
        _ routes: [OriginRoute], _ change: (inout AsyncHTTPTransport.Configuration) -> Void = { _ in },
        _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Result
    ) async throws -> Result {
        var settings = OriginServer.Configuration(routes: routes)
        settings.usesTLS = true
        settings.offersHTTP2 = true
        let server = try await OriginServer.start(settings)
        var configuration = AsyncHTTPTransport.Configuration()
        // Twenty TLS handshakes at once exceed the default on a busy machine.
        configuration.connectTimeout = .seconds(60)
        configuration.authorities = [try CertificateAuthority(pem: try #require(server.authorityPEM))]
        change(&configuration)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await withTransport(configuration) { try await body(server, $0) })
        } catch {
            result = .failure(error)
        }
        await server.stop()
        return try result.get()
    }

    @Test("Fifty concurrent requests use one connection")
    func concurrency() async throws {
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        let routes = [
            try route(.get, "/first") { _ in .text("first") },
            try route(.get, "/all/*") { request in
                // The response waits until all requests have arrived, which is impossible with six HTTP/1.1
                // connections.
                await withCheckedContinuation { continuation in
                    let all = waiting.withLock { waiting in
                        waiting.append(continuation)
                        return waiting.count == 50 ? waiting : []
                    }
                    for continuation in all { continuation.resume() }
                }
                return .text(request.path)
            },
        ]
        try await with(routes) { server, transport async throws in
            #expect(try await transport.get(server.url + "/first") == Data("first".utf8))
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        try await transport.get(server.url + "/all/\(number)") == Data("/all/\(number)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A head of more than 16 KiB is sent over HTTP/1.1, and the HTTP/2 connection stays open")
    func longHead() async throws {
        let name = try #require(HTTPField.Name("X-Long"))
        let routes = [
            try route(.get, "/") { .text("\($0.headers[name]?.utf8.count ?? 0)") },
            try route(.post, "/") { .text("\($0.headers[name]?.utf8.count ?? 0) \($0.body.count)") },
        ]
        try await with(routes) { server, transport async throws in
            func send(
                _ method: HTTPRequest.Method, _ value: String, body: ResourceBody = .empty
            ) async throws -> Data {
                try await transport.send(server.url + "/", method, [name: value], body: body).body.collect(upTo: 1_000)
            }
            #expect(try await send(.get, String(repeating: "a", count: 14_000)) == Data("14000".utf8))
            #expect(server.connectionCount == 1)
            let long = String(repeating: "|", count: 17_000)
            #expect(try await send(.get, long) == Data("17000".utf8))
            #expect(try await send(.post, long, body: .bytes(Data("body".utf8))) == Data("17000 4".utf8))
            #expect(server.connectionCount == 3)
            // The host still counts as one of HTTP/2, and its connection is open.
            #expect(try await send(.post, "a", body: .bytes(Data("body".utf8))) == Data("1 4".utf8))
            #expect(server.connectionCount == 3)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 { group.addTask { try await send(.get, long) == Data("17000".utf8) } }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("Fields, large bodies and uploads work as over HTTP/1.1")
    func exchange() async throws {
        let content = Data((0..<2 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let cookies = ["a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT", "b=2, 3"]
        let route = try route(.post, "/") { request in
            var fields = HTTPFields()
            for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
            return OriginResponse(headers: fields, body: .bytes(request.body))
        }
        try await with([route]) { server, transport async throws in
            let answer = try await transport.send(server.url + "/", .post, body: .bytes(content))
            #expect(answer.head.headerFields[values: .setCookie] == cookies)
            #expect(try await answer.body.collect(upTo: 4 << 20) == content)
        }
    }

    @Test("A cancelled stream leaves its connection usable")
    func cancellation() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let routes = [
            try route(.get, "/endless") { _ in
                OriginResponse(
                    body: .stream(length: nil) { writer in
                        defer { end.yield() }
                        while true { try await writer.write(Data(count: 1_000)) }
                    })
            },
            try route(.get, "/ping") { _ in .text("pong") },
        ]
        try await with(routes) { server, transport async throws in
            func take() async throws {
                guard case .stream(let stream) = try await transport.send(server.url + "/endless").body else { return }
                var iterator = stream.makeAsyncIterator()
                _ = try await iterator.next()
            }
            try await take()
            for await _ in ends { break }
            #expect(try await transport.get(server.url + "/ping") == Data("pong".utf8))
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A silent stream causes the read timeout")
    func silence() async throws {
        let route = try route(.get, "/") { _ in
            OriginResponse(
                body: .stream(length: nil) { writer in
                    try await writer.write(Data("1".utf8))
                    for await _ in AsyncStream<Void>.makeStream().stream {}
                })
        }
        try await with([route]) {
            $0.readTimeout = .seconds(1)
        } _: { server, transport async in
            await expectFailure(.timedOut) { try await transport.get(server.url + "/") }
        }
    }
}
