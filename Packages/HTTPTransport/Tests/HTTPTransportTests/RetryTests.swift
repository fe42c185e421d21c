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

/// A connection that was kept open, and that the server closes just when it is used again.
@Suite("Connections that have ended", .timeLimit(.minutes(3)))
struct RetryTests {
    /// Runs `body` with a server that answers one request on each connection and closes it at the second one, without a
    /// word or after some bytes; and counts requests.
    private func withForgetful<Result: Sendable>(
        answering: Int = 1, afterBytes bytes: String = "",
        _ body: @Sendable (RawServer, AsyncHTTPTransport, @escaping @Sendable () -> Int) async throws -> Result
    ) async throws -> Result {
        let seen = Mutex(0)
        return try await RawServer.with { input, output in
            for _ in 0..<answering {
                guard try await input.next() != nil else { return }
                seen.withLock { $0 += 1 }
                try await output.write(ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"))
            }
            guard try await input.next() != nil else { return }
            seen.withLock { $0 += 1 }
            if !bytes.isEmpty { try await output.write(ByteBuffer(string: bytes)) }
            // Closes the connection.
            throw CancellationError()
        } _: { server async throws in
            try await withTransport { transport async throws in
                try await body(server, transport) { seen.withLock { $0 } }
            }
        }
    }

    @Test(
        "A safe request without a body is sent again, once, on a fresh connection",
        arguments: [HTTPRequest.Method.get, .put])
    func again(method: HTTPRequest.Method) async throws {
        try await withForgetful { server, transport, count async throws in
            #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
            let second = try await transport.send(server.url + "/", method)
            #expect(try await second.body.collect(upTo: 2) == Data("ok".utf8))
            // The first, the one that was dropped, and its repetition.
            #expect(count() == 3)
        }
    }

    @Test("What could be done twice is not sent again")
    func unsafe() async throws {
        let bodies: [(HTTPRequest.Method, ResourceBody)] = [
            (.post, .empty), (.patch, .empty), (.put, .bytes(Data("a".utf8))), (.get, .bytes(Data("a".utf8))),
        ]
        for (method, body) in bodies {
            try await withForgetful { server, transport, _ async throws in
                #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                await expectFailure(.connectionLost) {
                    try await transport.send(server.url + "/", method, body: body)
                }
            }
        }
    }

    @Test("One whose repetition fails too fails")
    func never() async throws {
        try await withForgetful(answering: 0) { server, transport, count async throws in
            await expectFailure(.connectionLost) { try await transport.send(server.url + "/") }
            #expect(count() == 2)
        }
    }

    @Test("An answer that has begun is not asked for again")
    func begun() async throws {
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbegun"
        try await withForgetful(answering: 0, afterBytes: head) { server, transport, count async throws in
            await expectFailure(.connectionLost) { try await transport.get(server.url + "/") }
            #expect(count() == 1)
        }
    }
}
