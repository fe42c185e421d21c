// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import Testing

/// The transport against a real server.
@Suite("AsyncHTTPTransport", .timeLimit(.minutes(1)))
struct AsyncHTTPTransportTests {
    private func origin(
        _ method: HTTPRequest.Method = .get, faults: String = "",
        answer: @escaping @Sendable (OriginRequest) async throws -> OriginResponse
    ) async throws -> OriginServer {
        var settings = OriginServer.Configuration(routes: [
            OriginRoute(method, try #require(PathPattern("/*")), answer: answer)
        ])
        if !faults.isEmpty { settings.faults = try Fault.parse(faults) }
        return try await OriginServer.start(settings)
    }

    private func send(
        _ url: String, _ method: HTTPRequest.Method = .get, body: ResourceBody = .empty,
        configure: (inout AsyncHTTPTransport.Configuration) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var configuration = AsyncHTTPTransport.Configuration()
        configure(&configuration)
        let transport = AsyncHTTPTransport(configuration)
        return try await transport.send(try #require(HTTPRequest(method: method, urlText: url)), body: body)
    }

    private func code(_ work: () async throws -> Void) async -> ResourceError.Code? {
        do {
            try await work()
            return nil
        } catch {
            return (error as? ResourceError)?.code
        }
    }

    @Test("Repeated fields are kept apart, and a redirect is handed up")
    func fields() async throws {
        let cookie = HTTPField.Name.setCookie
        let origin = try await origin { _ in
            var fields: HTTPFields = [.location: "/next"]
            fields[values: cookie] = ["a=1", "b=2, c"]
            return OriginResponse(.found, headers: fields)
        }
        let response = try await send(origin.url + "/x")
        await origin.stop()
        #expect(response.head.status == .found && response.head.headerFields[.location] == "/next")
        #expect(response.head.headerFields[values: cookie] == ["a=1", "b=2, c"])
    }

    @Test("A large body arrives whole, HEAD has none")
    func bodies() async throws {
        let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let origin = try await origin { _ in OriginResponse(body: .bytes(bytes)) }
        let transport = AsyncHTTPTransport()
        let whole = try await transport.send(try #require(HTTPRequest(urlText: origin.url + "/x")), body: .empty)
        #expect(try await whole.body.collect(upTo: 1_000_000) == bytes)
        let head = try await transport.send(
            try #require(HTTPRequest(method: .head, urlText: origin.url + "/x")), body: .empty)
        #expect(head.body.length == 0 && head.head.status == .ok)
        await origin.stop()
    }

    @Test("A gzip body is decoded, and the head agrees with it")
    func decoding() async throws {
        // A gzip member with one stored block, "hello" (RFC 1952).
        let member: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 5, 0, 0xfa, 0xff, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x86, 0xa6, 0x10,
            0x36,
            5, 0, 0, 0,
        ]
        let origin = try await origin { _ in
            OriginResponse(headers: [.contentEncoding: "gzip"], body: .bytes(Data(member)))
        }
        let response = try await send(origin.url + "/x")
        let body = try await response.body.collect(upTo: 100)
        await origin.stop()
        #expect(body == Data("hello".utf8))
        #expect(
            response.head.headerFields[.contentEncoding] == nil && response.head.headerFields[.contentLength] == nil)
    }

    @Test("Uploads arrive whole, from memory and as a stream")
    func uploads() async throws {
        let origin = try await origin(.post) { request in OriginResponse(body: .bytes(request.body)) }
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for piece in ["one ", "two"] { continuation.yield(Data(piece.utf8)) }
        continuation.finish()
        for body in [ResourceBody.bytes(Data("one two".utf8)), .stream(ByteStream(stream))] {
            let response = try await send(origin.url + "/x", .post, body: body)
            #expect(try await response.body.collect(upTo: 100) == Data("one two".utf8))
        }
        await origin.stop()
    }

    @Test("Failures have the name of their phase")
    func failures() async throws {
        let origin = try await origin(faults: "stall:/stall,truncate=10:/short,reset:/reset") { _ in
            OriginResponse(body: .bytes(Data(repeating: 1, count: 1_000)))
        }
        let quick: (inout AsyncHTTPTransport.Configuration) -> Void = { $0.readTimeout = .milliseconds(300) }
        #expect(
            await code { _ = try await send(origin.url + "/stall", configure: quick).body.collect(upTo: 10_000) }
                == .timedOut)
        #expect(await code { _ = try await send(origin.url + "/short").body.collect(upTo: 10_000) } == .connectionLost)
        #expect(await code { _ = try await send(origin.url + "/reset") } == .connectionLost)
        await origin.stop()
        #expect(await code { _ = try await send(origin.url + "/gone") } == .cannotConnect)
        #expect(await code { _ = try await send("http://no-such-host.invalid/") } == .unknownHost)
        #expect(await code { _ = try await send("ftp://127.0.0.1/") } == .invalidRequest)
    }

    @Test("A cancelled request is closed upstream")
    func cancellation() async throws {
        let (closes, close) = AsyncStream<Void>.makeStream()
        let origin = try await origin { _ in
            OriginResponse(
                body: .stream(length: nil) { writer in
                    defer { close.yield() }
                    while true { try await writer.write(Data(repeating: 0, count: 65_536)) }
                })
        }
        let task = Task {
            let response = try await send(origin.url + "/x")
            guard case .stream(let stream) = response.body else { return }
            for try await _ in stream { withUnsafeCurrentTask { $0?.cancel() } }
        }
        _ = await task.result
        for await _ in closes { break }
        await origin.stop()
    }

    @Test("Many requests to one host all end, through a proxy too")
    func many() async throws {
        let origin = try await origin { .text($0.path) }
        let proxy = try await ForwardProxy.start()
        for port in [nil, proxy.port] {
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.proxy = port.map { AsyncHTTPTransport.Proxy(host: "127.0.0.1", port: $0) }
            let transport = AsyncHTTPTransport(configuration)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    let request = try #require(HTTPRequest(urlText: "\(origin.url)/\(number)"))
                    group.addTask {
                        let body = try await transport.send(request, body: .empty).body.collect(upTo: 100)
                        return body == Data("/\(number)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        await proxy.stop()
        await origin.stop()
        // Six connections at a time, straight and by way of the proxy.
        #expect(origin.connectionCount <= 12)
    }
}
