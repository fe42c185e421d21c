// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import Testing

/// What transports declare beyond the mandatory is there, and what they do not declare is absent.
@Suite("Capabilities", .timeLimit(.minutes(3)))
struct CapabilityTests {
    @Test("What is declared")
    func declared() async throws {
        try await withTransport {
            #expect(
                $0.capabilities == [
                    .backPressure, .proxy, .separateCookies, .http2, .refusesAtOnce, .ownAddresses, .promptUploads,
                    .ownAuthorities, .connectTimeout,
                ])
            #expect(DecodingTransport($0).capabilities == $0.capabilities.union(.decodes))
        }
        try await Subject.urlSession.with { transport async in
            #if canImport(FoundationNetworking)
                #expect(transport.capabilities == [.decodes, .refusesAtOnce])
            #else
                #expect(transport.capabilities == [.decodes, .refusesAtOnce, .http2])
            #endif
        }
    }

    @Test("Several Set-Cookie come apart, or as one that nobody can take apart", arguments: Subject.allCases)
    func cookies(subject: Subject) async throws {
        let sent = ["a=1; Expires=Wed, 21 Oct 2035 07:28:00 GMT", "b=2, 3", "a=1"]
        let route = try route(.get, "/") { _ in
            var fields = HTTPFields()
            for cookie in sent { fields.append(HTTPField(name: .setCookie, value: cookie)) }
            return OriginResponse(headers: fields, body: .bytes(Data()))
        }
        let server = try await OriginServer.start(.init(routes: [route]))
        try await subject.with { transport async throws in
            let received = try await transport.send(server.url + "/").head.headerFields[values: .setCookie]
            #expect(
                received == (transport.capabilities.contains(.separateCookies) ? sent : [sent.joined(separator: ", ")]))
        }
        await server.stop()
    }

    @Test("An upload leaves while it is being made, or when it is whole", arguments: Subject.allCases)
    func promptUploads(subject: Subject) async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let routes = [
            try route(.get, "/ping") { _ in .text("pong") },
            try route(.post, "/upload") { .text("\($0.body.count)") },
        ]
        let server = try await OriginServer.start(.init(routes: routes))
        try await subject.with { transport async throws in
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.yield(Data(count: 1_000))
            let body = ResourceBody.stream(ByteStream(stream))
            let upload = Task {
                let request = try #require(HTTPRequest(method: .post, urlText: server.url + "/upload"))
                let answer = try await transport.send(request, body: body) { _ in arrival.yield() }
                return try await answer.body.collect(upTo: 10)
            }
            if transport.capabilities.contains(.promptUploads) {
                for await _ in arrivals { break }
                #expect(!upload.isCancelled)
            } else {
                for _ in 0..<20 { _ = try await transport.get(server.url + "/ping") }
                #expect(!server.requests.contains { $0.path == "/upload" })
            }
            continuation.yield(Data(count: 1_000))
            continuation.finish()
            #expect(try await upload.value == Data("2000".utf8))
        }
        await server.stop()
    }

    @Test("Where the sender is not held back a body that nobody reads fails, and stops")
    func unread() async throws {
        let route = try route(.get, "/") { _ in
            OriginResponse(
                body: .stream(length: 64 << 20) { writer in
                    for _ in 0..<64 { try await writer.write(Data(count: 1 << 20)) }
                })
        }
        let server = try await OriginServer.start(.init(routes: [route]))
        var configuration = URLSessionTransport.Configuration()
        configuration.unreadLimit = 8 << 20
        let transport = URLSessionTransport(configuration)
        #expect(!transport.capabilities.contains(.backPressure))
        let body = try await transport.send(server.url + "/").body
        // Other requests go there and back in the meantime, until the sender must have been broken off.
        for _ in 0..<100 { _ = try? await transport.send(server.url + "/none") }
        await expectFailure(.tooLarge) { try await body.collect(upTo: 64 << 20) }
        transport.shutDown()
        await server.stop()
    }

    @Test("The wait for a connection has a limit of its own, or none")
    func connectTimeout() async throws {
        try await RawServer.with({ _, _ in }) { server async throws in
            for subject in Subject.allCases {
                try await subject.with(.init(read: .milliseconds(200), connect: .milliseconds(200))) {
                    transport async in
                    let isOwn = transport.capabilities.contains(.connectTimeout)
                    await #expect {
                        try await transport.send("https://127.0.0.1:\(server.port)/")
                    } throws: { error in
                        let error = error as? ResourceError
                        return isOwn
                            ? [.connect, .tls].contains(error?.transportPhase) && error?.code == .cannotConnect
                            : error?.code == .timedOut && error?.transportPhase == .receive
                    }
                }
            }
        }
    }

    @Test("A session's encoded body has a limit too")
    func sessionBomb() async throws {
        let bomb = try Deflate.encode(Data(count: 4 << 20), window: 31)
        let route = try route(.get, "/") { _ in
            OriginResponse(headers: [.contentEncoding: "gzip"], body: .bytes(bomb))
        }
        let server = try await OriginServer.start(.init(routes: [route]))
        var configuration = URLSessionTransport.Configuration()
        configuration.decodedBodyLimit = 1 << 20
        let transport = URLSessionTransport(configuration)
        await expectFailure(.tooLarge) { try await transport.get(server.url + "/") }
        transport.shutDown()
        await server.stop()
    }
}
