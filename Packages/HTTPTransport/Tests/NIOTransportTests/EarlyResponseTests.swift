// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

/// Responses that arrive before the end of their request, and request bodies that pause.
@Suite("Uploads and their responses", .timeLimit(.minutes(3)))
struct EarlyResponseTests {
    /// The behaviour of a request body that does not end.
    enum Making: CaseIterable {
        /// One chunk, and then no further chunk and no end.
        case rests
        /// Chunks without end.
        case pours
    }

    /// Returns a body that does not end, and a stream that finishes when the body is released.
    private func endless(_ making: Making) -> (ResourceBody, AsyncStream<Void>) {
        let (ends, end) = AsyncStream<Void>.makeStream()
        switch making {
        case .rests:
            let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
            continuation.onTermination = { _ in end.finish() }
            continuation.yield(Data("abc".utf8))
            return (.stream(ByteStream(stream)), ends)
        case .pours:
            final class Source: Sendable {
                let end: AsyncStream<Void>.Continuation
                init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
                deinit { end.finish() }
            }
            let source = Source(end)
            let stream = AsyncThrowingStream<Data, any Error> {
                withExtendedLifetime(source) { Data(count: 100_000) }
            }
            return (.stream(ByteStream(stream)), ends)
        }
    }

    /// Returns the text of a body whose end is sent separately from its bytes, after the gate opens.
    private func text(
        of answer: TransportResponse, opening gate: AsyncStream<Void>.Continuation
    ) async throws -> String? {
        guard case .stream(let stream) = answer.body else { return nil }
        var text = ""
        for try await data in stream {
            text += String(decoding: data, as: UTF8.self)
            gate.yield()
        }
        return text
    }

    /// Sends a body without an end to a host that refuses it with a response body.
    private func refuse(
        _ transport: AsyncHTTPTransport, _ url: String, _ making: Making, opening gate: AsyncStream<Void>.Continuation
    ) async throws {
        let ends: AsyncStream<Void>
        do {
            let (body, ended) = endless(making)
            ends = ended
            let answer = try await transport.send(url, .post, body: body)
            #expect(answer.head.status.code == 413)
            #expect(try await text(of: answer, opening: gate) == "too large")
        }
        // The stream ends when the app's body is released.
        for await _ in ends {}
    }

    @Test("The body of an early refusal arrives complete, and the upload stops", arguments: Making.allCases)
    func refusal(making: Making) async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(
                ByteBuffer(
                    string: "HTTP/1.1 413 Content Too Large\r\ntransfer-encoding: chunked\r\n\r\n9\r\ntoo large\r\n"))
            for await _ in gates { break }
            try await output.write(ByteBuffer(string: "0\r\n\r\n"))
        } _: { server async throws in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.readTimeout = .seconds(20)
            try await withTransport(configuration) { transport async throws in
                try await refuse(transport, server.url + "/", making, opening: gate)
                await server.closed()
            }
        }
    }

    @Test("An early refusal over HTTP/2 arrives complete, and the stream is reset", arguments: Making.allCases)
    func refusedStream(making: Making) async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        let (resets, reset) = AsyncStream<Void>.makeStream()
        try await RawHTTP2Server.with { peer in
            guard let frame = try await peer.next(RawHTTP2Peer.headers) else { return }
            try await peer.head("413", of: frame.stream)
            try await peer.body("too large", of: frame.stream, isLast: false)
            for await _ in gates { break }
            try await peer.body("", of: frame.stream, isLast: true)
            if try await peer.next(RawHTTP2Peer.reset)?.stream == frame.stream { reset.yield() }
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                try await peer.head("200", of: frame.stream)
                try await peer.body("ok", of: frame.stream, isLast: true)
            }
        } _: { server async throws in
            var configuration = try server.configuration()
            configuration.readTimeout = .seconds(20)
            try await withTransport(configuration) { transport async throws in
                try await refuse(transport, server.url + "/", making, opening: gate)
                for await _ in resets { break }
                #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                #expect(server.connections == 1)
            }
        }
    }

    /// The action of a host after it has completed the response to an unfinished request.
    enum Ending: CaseIterable {
        case reset
        case close
    }

    @Test("The client receives a response that is complete before its request", arguments: Ending.allCases)
    func endedStream(ending: Ending) async throws {
        let (gates, gate) = AsyncStream<Void>.makeStream()
        try await RawHTTP2Server.with { peer in
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                try await peer.head("200", of: frame.stream)
                try await peer.body("ok", of: frame.stream, isLast: true)
                // A reset would discard bytes that the client has not read.
                for await _ in gates { break }
                switch ending {
                case .reset: try await peer.reset(frame.stream, code: 0)
                case .close: return
                }
            }
        } _: { server async throws in
            var configuration = try server.configuration()
            configuration.readTimeout = .seconds(20)
            try await withTransport(configuration) { transport async throws in
                for _ in 0..<3 {
                    let (body, _) = endless(.rests)
                    let answer = try await transport.send(server.url + "/", .post, body: body)
                    #expect(try await text(of: answer, opening: gate) == "ok")
                }
                #expect(server.connections == (ending == .close ? 3 : 1))
            }
        }
    }

    @Test("An early refusal without a body leaves the transport usable")
    func bodiless() async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: "HTTP/1.1 303 See Other\r\ncontent-length: 0\r\n\r\n"))
        } _: { server async throws in
            try await withTransport { transport async throws in
                func send() async throws -> AsyncStream<Void> {
                    let (body, ends) = endless(.rests)
                    let answer = try await transport.send(server.url + "/", .post, body: body)
                    #expect(answer.head.status.code == 303)
                    guard case .empty = answer.body else {
                        Issue.record("a body")
                        return ends
                    }
                    return ends
                }
                for await _ in try await send() {}
                await server.closed()
            }
        }
    }

    @Test("A response after the last body byte, before the end of the request, keeps its connection usable")
    func immediate() async throws {
        let count = 20
        // Serves one connection at a time.
        try await RawServer.with { input, output in
            for _ in 0..<count {
                var text = ""
                while !text.hasSuffix("\r\n\r\nabc"), let buffer = try await input.next() {
                    text += String(buffer: buffer)
                }
                try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
            }
        } _: { server async throws in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.readTimeout = .seconds(20)
            try await withTransport(configuration) { transport async throws in
                for _ in 0..<count {
                    let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
                    continuation.yield(Data("abc".utf8))
                    // A POST would use a new connection.
                    let answer = try await transport.send(
                        server.url + "/", .put, body: .stream(ByteStream(stream, length: 3)))
                    continuation.finish()
                    #expect(try await answer.body.collect(upTo: 2) == Data("ok".utf8))
                }
            }
        }
    }

    @Test("A request body may pause for any time")
    func resting() async throws {
        let (pieces, piece) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, output in
            var text = ""
            while !text.contains("one"), let buffer = try await input.next() { text += String(buffer: buffer) }
            piece.yield()
            while !text.hasSuffix("0\r\n\r\n"), let buffer = try await input.next() { text += String(buffer: buffer) }
            try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
        } _: { server async throws in
            try await RawServer.with(isReading: false) { full async throws in
                var configuration = AsyncHTTPTransport.Configuration()
                configuration.writeTimeout = .seconds(3)
                try await withTransport(configuration) { transport async throws in
                    let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
                    continuation.yield(Data("one".utf8))
                    let upload = Task {
                        try await transport.send(
                            server.url + "/", .post, body: .stream(ByteStream(stream))
                        ).body.collect(upTo: 2)
                    }
                    for await _ in pieces { break }
                    // Waits longer than the write timeout of a request to a host that does not read.
                    await expectFailure(.timedOut) {
                        try await transport.send(full.url + "/", .post, body: .bytes(Data(count: 64 << 20)))
                    }
                    continuation.yield(Data("two".utf8))
                    continuation.finish()
                    #expect(try await upload.value == Data("ok".utf8))
                }
            }
        }
    }

    @Test("A cancelled request body does not end as if it were complete")
    func brokenOff() async throws {
        let seen = Mutex("")
        let (pieces, piece) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, _ in
            while let buffer = try await input.next() {
                let text = seen.withLock { seen in
                    seen += String(buffer: buffer)
                    return seen
                }
                if text.hasSuffix("abc\r\n") { piece.yield() }
            }
        } _: { server async throws in
            try await withTransport { transport async throws in
                func send() async throws -> AsyncStream<Void> {
                    let (body, ends) = endless(.rests)
                    let upload = Task { try await transport.send(server.url + "/", .post, body: body) }
                    for await _ in pieces { break }
                    upload.cancel()
                    await expectFailure(.cancelled) { try await upload.value }
                    return ends
                }
                for await _ in try await send() {}
                await server.closed()
                #expect(!seen.withLock { $0 }.contains("0\r\n\r\n"))
            }
        }
    }

    @Test("A request body that waits for its host is released when the request ends", arguments: [true, false])
    func releaseEnd(isCancelled: Bool) async throws {
        try await RawServer.with(isReading: false) { server async throws in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.writeTimeout = isCancelled ? .seconds(600) : .milliseconds(300)
            let (sends, sent) = AsyncStream<Void>.makeStream()
            try await withTransport(configuration) { transport async throws in
                func send() async throws -> AsyncStream<Void> {
                    let (body, ends) = endless(.pours)
                    let request = try #require(HTTPRequest(method: .post, urlText: server.url + "/"))
                    let upload = Task { try await transport.send(request, body: body) { _ in sent.yield() } }
                    for await _ in sends { break }
                    if isCancelled { upload.cancel() }
                    await expectFailure(isCancelled ? .cancelled : .timedOut) { try await upload.value }
                    return ends
                }
                for await _ in try await send() {}
            }
        }
    }
}
