// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import NIOCore
import ResourceLoading
import Synchronization
import Testing

@Suite("Requests that are given up", .timeLimit(.minutes(3)))
struct CancellationTests {
    /// Answers with a head and bytes without end.
    private static let endless = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"

    @Test("Cancelled before the answer: the connection is closed")
    func beforeTheHead() async throws {
        let (asks, asked) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, _ in
            _ = try await input.next()
            asked.yield()
        } _: { server async throws in
            try await withTransport { transport async throws in
                let task = Task { try await transport.send(server.url + "/") }
                for await _ in asks { break }
                task.cancel()
                await expectFailure(.cancelled) { try await task.value }
                await server.closed()
            }
        }
    }

    @Test("Cancelled while the body arrives: the connection is closed")
    func withinTheBody() async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: Self.endless))
        } _: { server async throws in
            try await withTransport { transport async throws in
                let (pieces, piece) = AsyncStream<Data>.makeStream()
                let task = Task {
                    guard case .stream(let stream) = try await transport.send(server.url + "/").body else { return }
                    for try await data in stream { piece.yield(data) }
                }
                for await data in pieces {
                    #expect(data == Data("abc".utf8))
                    break
                }
                task.cancel()
                await #expect(throws: (any Error).self) { try await task.value }
                await server.closed()
            }
        }
    }

    @Test("A body that is dropped, read in part or not at all, closes the connection", arguments: [true, false])
    func dropped(isRead: Bool) async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: Self.endless))
        } _: { server async throws in
            try await withTransport { transport async throws in
                func take() async throws {
                    guard case .stream(let stream) = try await transport.send(server.url + "/").body else { return }
                    guard isRead else { return }
                    var iterator = stream.makeAsyncIterator()
                    #expect(try await iterator.next() == Data("abc".utf8))
                }
                try await take()
                await server.closed()
            }
        }
    }

    @Test("One that was cancelled before it was sent is not sent")
    func early() async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, transport async throws in
            let (gate, open) = AsyncStream<Void>.makeStream()
            let task = Task {
                for await _ in gate {}
                return try await transport.send(origin.url + "/")
            }
            task.cancel()
            open.finish()
            await #expect(throws: (any Error).self) { try await task.value }
            #expect(origin.requestCount == 0)
        }
    }

    @Test("A reader that does not read stops the sender")
    func backPressure() async throws {
        let total = 160 << 20
        // The largest buffers that the system gives two sockets, with room to spare.
        let most = 96 << 20
        let sent = Mutex(0)
        let routes = [
            try route(.get, "/large") { _ in
                OriginResponse(
                    body: .stream(length: total) { writer in
                        let piece = Data(count: 1 << 20)
                        for _ in 0..<total >> 20 {
                            try await writer.write(piece)
                            sent.withLock { $0 += piece.count }
                        }
                    })
            },
            try route(.get, "/ping") { _ in .text("pong") },
        ]
        try await withOrigin(routes) { origin, transport async throws in
            guard case .stream(let stream) = try await transport.send(origin.url + "/large").body else { return }
            // The sender has time to send all of it while other requests go there and back.
            for _ in 0..<300 { _ = try await transport.get(origin.url + "/ping") }
            #expect(sent.withLock { $0 } < most)
            var received = 0
            for try await data in stream {
                received += data.count
                let ahead = sent.withLock { $0 } - received
                guard ahead < most else {
                    Issue.record("\(ahead) bytes ahead of the reader")
                    return
                }
            }
            #expect(received == total)
        }
    }
}
