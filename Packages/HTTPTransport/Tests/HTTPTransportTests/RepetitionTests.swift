// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTP2
import ResourceLoading
import Testing

@testable import HTTPTransport

@Suite("Repetition")
struct RepetitionTests {
    private let unanswered = TransportFailure(.receive, "a", underlying: nil, isUnanswered: true)
    private let unsent = TransportFailure(.connect, "a", underlying: nil, isUnanswered: true)
    private let refused = TransportFailure(
        .receive, "a", underlying: NIOHTTP2Errors.streamClosed(streamID: 1, errorCode: .refusedStream),
        isUnanswered: true)

    private let rejected = TransportFailure(
        .receive, "a", underlying: ReuseGuard.Rejection(), isUnanswered: true)

    @Test("A request that is not idempotent uses a new HTTP/1.1 connection")
    func first() {
        for isShared in [nil, true, false] {
            #expect(Repetition(of: .get).first(isShared: isShared) == .pooled)
            #expect(Repetition(of: .post).first(isShared: isShared) == (isShared == false ? .fresh : .pooled))
        }
    }

    @Test("A request over https whose head may not fit into an HTTP/2 frame uses new HTTP/1.1 connections")
    func longHead() throws {
        func needsHTTP1(_ path: String, _ scheme: String = "https", _ fields: HTTPFields = [:]) -> Bool {
            !HTTPRequest(method: .get, scheme: scheme, authority: "a.test", path: path, headerFields: fields).fitsHTTP2
        }
        // HPACK codes an `a` in 5 bits and a `|` in 11 bits (RFC 7541, appendix B).
        let long = "/" + String(repeating: "|", count: 12_000)
        #expect(needsHTTP1(long) && !needsHTTP1(long, "http"))
        #expect(!needsHTTP1("/" + String(repeating: "a", count: 20_000)))
        #expect(needsHTTP1("/" + String(repeating: "a", count: 30_000)))
        // A server that permits no dynamic table receives equal fields one by one.
        var fields = HTTPFields()
        let name = try #require(HTTPField.Name("x"))
        for _ in 0..<1_000 { fields.append(HTTPField(name: name, value: "01234567890123456789")) }
        #expect(needsHTTP1("/", "https", fields))
        for isShared in [nil, true, false] {
            for failure in [unsent, refused, rejected, unanswered] {
                var put = Repetition(of: .put)
                put.needsHTTP1 = true
                #expect(put.first(isShared: isShared) == .freshHTTP1)
                #expect(put.next(after: failure, isShared: isShared)?.connection == .freshHTTP1)
            }
        }
    }

    @Test("A request that may have been processed is sent again once if it is idempotent")
    func processed() {
        var get = Repetition(of: .get)
        #expect(get.next(after: unanswered, isShared: false) == .init(connection: .fresh, delay: .zero))
        #expect(get.next(after: unanswered, isShared: false) == nil)
        var post = Repetition(of: .post)
        #expect(post.next(after: unanswered, isShared: true) == nil)
        for failure in [
            TransportFailure(.connect, "a"), TransportFailure(.receive, "a"), TransportFailure(.tls, "a"),
        ] {
            #expect(get.next(after: failure, isShared: nil) == nil)
        }
    }

    @Test("A request that was not processed is sent again, with growing delays and a limit")
    func unprocessed() {
        var post = Repetition(of: .post)
        var delays: [Duration] = []
        while let step = post.next(after: refused, isShared: true) {
            #expect(step.connection == .pooled)
            delays.append(step.delay)
        }
        #expect(delays.count == 24 && delays.prefix(2).allSatisfy { $0 == .zero })
        #expect(delays == delays.sorted() && delays.last == .milliseconds(250))
        var count = 0
        while post.next(after: unsent, isShared: false)?.connection == .fresh { count += 1 }
        #expect(count == 4)
    }

    @Test("A used HTTP/1.1 connection rejects requests that are not idempotent", arguments: [true, false])
    func guarded(isUsed: Bool) throws {
        let channel = EmbeddedChannel(handler: ReuseGuard())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        func write(_ method: HTTPMethod) throws {
            let head = HTTPRequestHead(version: .http1_1, method: method, uri: "/")
            try channel.writeOutbound(HTTPClientRequestPart.head(head))
            try channel.writeOutbound(HTTPClientRequestPart.end(nil))
        }
        if isUsed {
            try write(.GET)
            try write(.PUT)
            #expect(throws: ReuseGuard.Rejection.self) { try write(.POST) }
        } else {
            try write(.POST)
        }
        var count = 0
        while try channel.readOutbound(as: HTTPClientRequestPart.self) != nil { count += 1 }
        #expect(count == (isUsed ? 4 : 2))
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }
}

@Suite("Bodies that are sent again", .timeLimit(.minutes(1)))
struct RepeatableBodyTests {
    private func body(
        _ pieces: [Data], budget: Int = 32 << 20, error: (any Error)? = nil
    ) -> (RepeatableBody, AsyncThrowingStream<Data, any Error>.Continuation) {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        for piece in pieces { continuation.yield(piece) }
        let body = RepeatableBody(
            .stream(ByteStream(stream)), sentTo: "https://a.example/", budget: ByteBudget(limit: budget))
        return (body, continuation)
    }

    private func read(_ body: RepeatableBody) async throws -> Data {
        var data = Data()
        for try await piece in try #require(body.chunks) { data += piece }
        return data
    }

    @Test("A stream is read once and can be sent repeatedly")
    func twice() async throws {
        let (body, end) = body([Data("one".utf8), Data("two".utf8)])
        end.finish()
        for _ in 0..<3 { #expect(try await read(body) == Data("onetwo".utf8)) }
        #expect(body.isWhole)
        body.stopRecording()
        #expect(!body.isWhole)
    }

    @Test("Cancelling a waiting attempt loses no chunk for the next attempt")
    func cancelled() async throws {
        let (body, source) = body([Data("one".utf8)])
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let first = Task {
            for try await _ in try #require(body.chunks) { arrival.yield() }
        }
        for await _ in arrivals { break }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        source.yield(Data("two".utf8))
        source.finish()
        #expect(try await read(body) == Data("onetwo".utf8))
    }

    @Test("A stream that exceeds the limit cannot be sent again", arguments: [RepeatableBody.limit, 1_000])
    func limit(budget: Int) async throws {
        let piece = Data(count: RepeatableBody.limit / 4)
        let (body, end) = body(Array(repeating: piece, count: 6), budget: budget)
        end.finish()
        #expect(try await read(body).count == piece.count * 6)
        #expect(!body.isWhole)
    }

    @Test("Each attempt throws the error of the stream")
    func failing() async throws {
        let (body, end) = body([Data("one".utf8)])
        end.finish(throwing: ResourceError(.damaged, "blob"))
        for _ in 0..<2 {
            let error = await #expect(throws: ResourceError.self) { try await read(body) }
            #expect(error?.code == .damaged)
        }
    }

    @Test("A stream ends with the last reference to its body")
    func ended() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        do {
            let (body, source) = body([Data("one".utf8)])
            source.onTermination = { _ in end.yield() }
            var pieces = try #require(body.chunks).makeAsyncIterator()
            #expect(try await pieces.next() == Data("one".utf8))
            let reading = Task { [pieces] in
                var pieces = pieces
                return try await pieces.next()
            }
            reading.cancel()
            _ = await reading.result
        }
        for await _ in ends { break }
    }
}
