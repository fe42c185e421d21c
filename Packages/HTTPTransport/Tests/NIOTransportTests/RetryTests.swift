// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

/// Requests that failed although the host has processed none of them.
@Suite("Requests that are sent again", .serialized, .timeLimit(.minutes(5)))
struct RetryTests {
    private static let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")

    /// Runs `body` with a server that responds to some requests on each connection, reads one more request and closes
    /// the connection.
    /// - Parameters:
    ///   - answering: The number of requests that receive a response.
    ///   - bytes: The bytes that are sent before the close.
    private func withForgetful<Result: Sendable>(
        _ subject: Subject = .asyncHTTPClient, answering: Int = 1, afterBytes bytes: String = "",
        _ body:
            @Sendable (RawServer, any HTTPTransporting, _ seen: @escaping @Sendable () -> [String]) async throws ->
            Result
    ) async throws -> Result {
        let seen = Mutex<[String]>([])
        return try await RawServer.with(concurrently: { _, input, output in
            for number in 0...answering {
                var text = ""
                // The bytes of a request body are ignored.
                while !text.contains(" HTTP/1.1\r\n") {
                    guard let bytes = try await input.next() else { return }
                    text = String(buffer: bytes)
                }
                let method = String(text.prefix { $0 != " " })
                seen.withLock { $0.append(method) }
                if number < answering { try await output.write(Self.answer) }
            }
            if !bytes.isEmpty { try await output.write(ByteBuffer(string: bytes)) }
        }) { server async throws in
            try await subject.with { transport async throws in
                try await body(server, transport) { seen.withLock { $0 } }
            }
        }
    }

    private func stream(_ pieces: [Data], length: Int64? = nil) -> ResourceBody {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for piece in pieces { continuation.yield(piece) }
        continuation.finish()
        return .stream(ByteStream(stream, length: length))
    }

    /// The transports that send a request again if it was not processed.
    private static var subjects: [Subject] {
        get async throws {
            var found: [Subject] = []
            for subject in Subject.allCases {
                let isCapable = try await subject.with { $0.capabilities.contains(.repeatsUnprocessed) }
                if isCapable { found.append(subject) }
            }
            try #require(!found.isEmpty)
            return found
        }
    }

    // MARK: HTTP/1.1

    @Test(
        "An idempotent request is sent again once, with its body",
        arguments: [(HTTPRequest.Method.get, ""), (.put, ""), (.put, "abc"), (.delete, "abc"), (.get, "abc")])
    func again(method: HTTPRequest.Method, body: String) async throws {
        for subject in try await Self.subjects {
            for isStream in [true, false] {
                try await withForgetful(subject) { server, transport, seen async throws in
                    #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                    let data = Data(body.utf8)
                    let body: ResourceBody = body.isEmpty ? .empty : isStream ? stream([data]) : .bytes(data)
                    let second = try await transport.send(server.url + "/", method, body: body)
                    #expect(try await second.body.collect(upTo: 2) == Data("ok".utf8))
                    // The server receives the first request, the request without a response, and its repetition.
                    #expect(seen() == ["GET", method.rawValue, method.rawValue])
                }
            }
        }
    }

    @Test(
        "A request that is not idempotent never uses a pooled connection", arguments: [HTTPRequest.Method.post, .patch])
    func fresh(method: HTTPRequest.Method) async throws {
        for subject in try await Self.subjects {
            for body in [ResourceBody.empty, .bytes(Data("abc".utf8)), stream([Data("abc".utf8)])] {
                try await withForgetful(subject) { server, transport, seen async throws in
                    #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                    for _ in 0..<2 {
                        // A stream can be read once.
                        if case .stream = body, seen().count > 1 { break }
                        let answer = try await transport.send(server.url + "/", method, body: body)
                        #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                    }
                    #expect(seen().filter { $0 == method.rawValue }.count == seen().count - 1)
                }
            }
        }
    }

    @Test("A connection that closes after it has read a POST causes one error and no second request")
    func unsafe() async throws {
        for subject in try await Self.subjects {
            let bodies: [ResourceBody] = [.empty, .bytes(Data("a".utf8)), stream([Data("a".utf8)])]
            for body in bodies {
                try await withForgetful(subject, answering: 0) { server, transport, seen async throws in
                    await expectFailure(.connectionLost) {
                        try await transport.send(server.url + "/", .post, body: body)
                    }
                    #expect(seen() == ["POST"])
                }
            }
        }
    }

    @Test("An idempotent request fails if its repetition fails")
    func never() async throws {
        try await withForgetful(answering: 0) { server, transport, seen async throws in
            await expectFailure(.connectionLost) { try await transport.send(server.url + "/") }
            #expect(seen().count == 2)
        }
    }

    @Test("A request whose response has begun is not sent again")
    func begun() async throws {
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun"
        try await withForgetful(answering: 0, afterBytes: head) { server, transport, seen async throws in
            await expectFailure(.connectionLost) { try await transport.get(server.url + "/") }
            #expect(seen().count == 1)
        }
    }

    @Test("Of 200 requests none is lost or processed twice if idle connections are closed", arguments: 1...20)
    func flaky(seed: UInt64) async throws {
        for subject in try await Self.subjects {
            let processed = ProcessedRequests()
            try await RawServer.with(concurrently: { number, input, output in
                var connection = FlakyConnection(seed: seed, number: number, processed)
                try await connection.serve(&input, output)
            }) { server async throws in
                try await subject.with(.init(connect: .seconds(60))) { transport async throws in
                    try await expectAll(transport, at: server.url, seed, methods: [.get, .post, .post, .put, .delete])
                }
            }
            #expect(processed.counts.count == 200)
            #expect(processed.counts.values.allSatisfy { $0 == 1 })
        }
    }

    @Test("A POST succeeds if the host responds and closes the connection after the announced bytes")
    func promptEnd() async throws {
        for subject in try await Self.subjects {
            try await RawServer.with(concurrently: { _, input, output in
                var text = ""
                while !text.hasSuffix("\r\n\r\nbody"), let bytes = try await input.next() {
                    text += String(buffer: bytes)
                }
                try await output.write(Self.answer)
            }) { server async throws in
                try await subject.with(.init(connect: .seconds(60))) { transport async throws in
                    for number in 0..<100 {
                        let data = Data("body".utf8)
                        // Empty chunks do not separate the last byte from the end.
                        let body: ResourceBody = number % 2 == 0 ? .bytes(data) : stream([data, Data()], length: 4)
                        let answer = try await transport.send(server.url + "/", .post, body: body)
                        #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                    }
                }
            }
        }
    }

    // MARK: HTTP/2

    @Test("Of 200 requests none is lost or processed twice if streams are refused or ended", arguments: 1...20)
    func flakyStreams(seed: UInt64) async throws {
        for subject in try await Self.subjects {
            let processed = ProcessedRequests()
            try await RawHTTP2Server.with { peer in
                var connection = FlakyHTTP2Connection(seed: seed, number: peer.number, processed)
                try await connection.serve(&peer)
            } _: { server async throws in
                try await subject.with(try server.limits()) { transport async throws in
                    try await expectAll(transport, at: server.url, seed, methods: [.post, .post, .put, .patch])
                }
            }
            #expect(processed.counts.count == 200)
            #expect(processed.counts.values.allSatisfy { $0 == 1 })
        }
    }

    /// Sends 200 requests, eight at a time, and expects each response to contain the identifier of its request.
    private func expectAll(
        _ transport: any HTTPTransporting, at url: String, _ seed: UInt64, methods: [HTTPRequest.Method]
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: seed << 8 | UInt64(lane))
                    for number in 0..<25 {
                        let id = "/\(lane)-\(number)"
                        let method = methods.randomElement(using: &random) ?? .post
                        let size = Int(random.next() % 3) * 6_000
                        let content = [Data("\(id) ".utf8), Data(repeating: 0x61, count: size)]
                        let body: ResourceBody =
                            switch (method, random.next() % 3) {
                            case (.get, _), (.delete, _): .empty
                            case (_, 0): stream(content)
                            case (_, 1): stream(content, length: Int64(content[0].count + size))
                            default: .bytes(content[0] + content[1])
                            }
                        do {
                            let answer = try await transport.send(url + id, method, body: body)
                            let text = try await answer.body.collect(upTo: 100)
                            #expect(String(decoding: text, as: UTF8.self) == id)
                        } catch {
                            let cause = ((error as? ResourceError)?.cause as? TransportFailure)?.underlying
                            Issue.record("\(method) \(id): \(error), \(cause.map { "\($0)" } ?? "")")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A body that was sent in part is sent again completely", arguments: [true, false])
    func wholeBody(isRefused: Bool) async throws {
        let pieces = (0..<10).map { Data(repeating: UInt8(0x61 + $0), count: 10_000) }
        let whole = String(decoding: Data(pieces.joined()), as: UTF8.self)
        for subject in try await Self.subjects {
            for body in [stream(pieces), .bytes(Data(pieces.joined()))] {
                let received = Mutex<[String]>([])
                try await RawHTTP2Server.with { peer in
                    // The host refuses the stream after a part of the body, or sends a GOAWAY with a lower last stream.
                    var refused: UInt32?
                    while let frame = try await peer.next(RawHTTP2Peer.data) {
                        let isOver = frame.stream == refused || frame.flags & 1 == 1
                        let isOpen = !isOver && received.withLock { !$0.isEmpty }
                        try await peer.permit(frame.payload.readableBytes, of: isOpen ? frame.stream : nil)
                        guard frame.stream != refused else { continue }
                        let isFirst = received.withLock { received in
                            let isFirst = received.isEmpty
                            if received.count < 2, !isFirst { received.append("") }
                            if isFirst { received = [""] } else { received[1] += String(buffer: frame.payload) }
                            return isFirst
                        }
                        if isFirst {
                            refused = frame.stream
                            if isRefused {
                                try await peer.reset(frame.stream)
                            } else {
                                try await peer.goAway(last: 0)
                            }
                        } else if frame.flags & 1 == 1 {
                            try await peer.head("200", of: frame.stream)
                            try await peer.body("ok", of: frame.stream, isLast: true)
                        }
                    }
                } _: { server async throws in
                    try await subject.with(try server.limits()) { transport async throws in
                        let sent = Mutex<[Int64]>([])
                        let request = try #require(HTTPRequest(method: .post, urlText: server.url + "/"))
                        let answer = try await transport.send(request, body: body) { progress in
                            sent.withLock { $0.append(progress.sent) }
                        }
                        #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                        let steps = sent.withLock { $0 }
                        #expect(steps == steps.sorted() && steps.last == 100_000)
                    }
                }
                #expect(received.withLock { $0.last } == whole)
            }
        }
    }

    @Test(
        "A POST that was read fails once if its stream is reset or its connection ends",
        arguments: [true, false])
    func read(isReset: Bool) async throws {
        for subject in try await Self.subjects {
            let count = Mutex(0)
            try await RawHTTP2Server.with { peer in
                while let frame = try await peer.next(RawHTTP2Peer.data) {
                    guard frame.flags & 1 == 1 else { continue }
                    count.withLock { $0 += 1 }
                    // CANCEL does not indicate whether the request was processed.
                    guard isReset else { return }
                    try await peer.reset(frame.stream, code: 8)
                }
            } _: { server async throws in
                try await subject.with(try server.limits()) { transport async in
                    await expectFailure(.connectionLost) {
                        try await transport.send(server.url + "/", .post, body: .bytes(Data("a".utf8)))
                    }
                }
            }
            #expect(count.withLock { $0 } == 1)
        }
    }

    @Test("POST requests to an HTTP/2 host share its connection")
    func sharedConnection() async throws {
        for subject in try await Self.subjects {
            try await RawHTTP2Server.with { peer in
                while let frame = try await peer.next(RawHTTP2Peer.data) {
                    guard frame.flags & 1 == 1 else { continue }
                    try await peer.head("200", of: frame.stream)
                    try await peer.body("ok", of: frame.stream, isLast: true)
                }
            } _: { server async throws in
                try await subject.with(try server.limits()) { transport async throws in
                    for _ in 0..<5 {
                        let answer = try await transport.send(
                            server.url + "/", .post, body: .bytes(Data("a".utf8)))
                        #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                    }
                    #expect(server.connections == 1)
                }
            }
        }
    }

    @Test("A host that always refuses streams causes an error")
    func refusing() async throws {
        for subject in try await Self.subjects {
            try await RawHTTP2Server.with { peer in
                while let frame = try await peer.next(RawHTTP2Peer.headers) { try await peer.reset(frame.stream) }
            } _: { server async throws in
                try await subject.with(try server.limits()) { transport async in
                    await expectFailure(.connectionLost) { try await transport.send(server.url + "/", .post) }
                }
            }
        }
    }
}
