// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import HTTPTransport
@testable import NIOTransport

@Suite("Cancelled requests", .timeLimit(.minutes(3)))
struct CancellationTests {
    /// A response head followed by a body without an end.
    private static let endless = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"

    @Test("Cancelling before the response closes the connection")
    func beforeTheHead() async throws {
        let (asks, asked) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, _ in
            _ = try await input.next()
            asked.yield()
        } _: { server async throws in
            try await withTransport { transport async throws in
                let task = Task {
                    defer { asked.finish() }
                    return try await transport.send(server.url + "/")
                }
                for await _ in asks { break }
                task.cancel()
                await expectFailure(.cancelled) { try await task.value }
                await server.closed()
            }
        }
    }

    @Test("Cancelling during the body closes the connection")
    func withinTheBody() async throws {
        try await RawServer.with { input, output in
            _ = try await input.next()
            try await output.write(ByteBuffer(string: Self.endless))
        } _: { server async throws in
            try await withTransport { transport async throws in
                let (pieces, piece) = AsyncStream<Data>.makeStream()
                let task = Task {
                    defer { piece.finish() }
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

    @Test("Cancelling an HTTP/2 request resets its stream, before the head or in the body", arguments: [false, true])
    func stream(hasHead: Bool) async throws {
        let (asks, asked) = AsyncStream<UInt32>.makeStream()
        let (resets, reset) = AsyncStream<UInt32>.makeStream()
        try await RawHTTP2Server.with { peer in
            while let frame = try await peer.next(RawHTTP2Peer.headers) {
                if hasHead {
                    try await peer.head("200", of: frame.stream)
                    try await peer.body("abc", of: frame.stream, isLast: false)
                }
                asked.yield(frame.stream)
                if let end = try await peer.next(RawHTTP2Peer.reset) { reset.yield(end.stream) }
            }
        } _: { server async throws in
            var configuration = try server.configuration()
            // If cancelling did not release the pass, the next request would wait until then.
            configuration.readTimeout = .seconds(3_600)
            // A slow machine may stall for longer than the default of ten seconds.
            configuration.connectTimeout = .seconds(60)
            try await withTransport(configuration) { transport async throws in
                var (asks, resets) = (asks.makeAsyncIterator(), resets.makeAsyncIterator())
                for _ in 0..<200 {
                    let (pieces, piece) = AsyncStream<Void>.makeStream()
                    let task = Task {
                        defer {
                            piece.finish()
                            // The request failed without a cancellation, so no further request is sent.
                            if !Task.isCancelled { asked.finish() }
                        }
                        guard case .stream(let stream) = try await transport.send(server.url + "/").body else { return }
                        for try await _ in stream { piece.yield() }
                    }
                    guard let asked = await asks.next() else {
                        // The request has failed, or the time limit of the test has expired.
                        task.cancel()
                        return try await task.value
                    }
                    if hasHead { for await _ in pieces { break } }
                    task.cancel()
                    #expect(await resets.next() == asked)
                    await expectFailure(.cancelled) { try await task.value }
                }
                #expect(server.connections == 1)
            }
        }
    }

    @Test(
        "Cancelling through the address tunnel closes the connection to the host", arguments: [false, true])
    func throughTunnel(hasHead: Bool) async throws {
        let (asks, asked) = AsyncStream<Void>.makeStream()
        try await RawServer.with { input, output in
            _ = try await input.next()
            if hasHead { try await output.write(ByteBuffer(string: Self.endless)) }
            asked.yield()
        } _: { server async throws in
            var configuration = AsyncHTTPTransport.Configuration()
            configuration.addresses = AddressBook.loopback
            try await withTransport(configuration) { transport async throws in
                let (pieces, piece) = AsyncStream<Void>.makeStream()
                let task = Task {
                    defer {
                        asked.finish()
                        piece.finish()
                    }
                    let body = try await transport.send("http://shop.test:\(server.port)/").body
                    guard case .stream(let stream) = body else { return }
                    for try await _ in stream { piece.yield() }
                }
                for await _ in asks { break }
                if hasHead { for await _ in pieces { break } }
                task.cancel()
                await expectFailure(.cancelled) { try await task.value }
                await server.closed()
            }
        }
    }

    @Test("Releasing a body, read in part or not at all, closes the connection", arguments: [true, false])
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

    @Test("A request that was cancelled before it was sent is not sent")
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
        try await expectBackPressure(.init(), host: "127.0.0.1")
    }
}
