// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing

@testable import HTTPTransport

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
