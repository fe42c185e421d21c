// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import NIOCore
import ResourceLoading
import Testing

/// Response heads on which HTTP libraries end the process.
@Suite("Invalid response heads", .timeLimit(.minutes(3)))
struct ResponseHeadTests {
    private static let statuses = ["000", "001", "020", "099", "101", "9", "99", "-1", "1000", "2OO", ""]
    private static let rests = [
        "content-length: 0\r\n\r\n", "content-length: 2\r\n\r\nab", "transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        "\r\n",
        "upgrade: websocket\r\nconnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    ]

    @Test("HTTP/1.1: each fails its request alone", arguments: Subject.allCases, statuses)
    func http1(subject: Subject, status: String) async throws {
        let answers =
            Self.rests.map { "HTTP/1.1 \(status) Odd\r\n" + $0 } + ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"]
        try await RawServer.with(end: .server) { input, output in
            guard let head = try await input.next() else { return }
            let number = Int(String(buffer: head).dropFirst("GET /".count).prefix(1)) ?? 0
            try await output.write(ByteBuffer(string: answers[number]))
        } _: { server async throws in
            try await subject.with { transport async throws in
                for number in Self.rests.indices {
                    // URLSession has another code for some of them.
                    await #expect(throws: ResourceError.self) { try await transport.get(server.url + "/\(number)") }
                }
                #expect(try await transport.get(server.url + "/\(Self.rests.count)") == Data("ok".utf8))
            }
        }
    }

    @Test(
        "HTTP/2: each fails its request alone",
        arguments: [
            "", "-1", "-200", "0", "7", "12", "20", "99", "099", "101", "1000", "2000", "+200", "0200", "2 0", "abc",
        ],
        [true, false])
    func http2(status: String, endsWithHead: Bool) async throws {
        try await RawHTTP2Server.with { peer in
            var isFirst = true
            while let request = try await peer.next(RawHTTP2Peer.headers) {
                let isLast = isFirst && endsWithHead
                try await peer.head(isFirst ? status : "200", of: request.stream, isLast: isLast)
                if !isLast { try await peer.body("ok", of: request.stream, isLast: true) }
                isFirst = false
            }
        } _: { server async throws in
            try await withTransport(server.configuration()) { transport async throws in
                await expectFailure(.connectionLost) { try await transport.get(server.url + "/") }
                #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
            }
        }
    }

    @Test(
        "HTTP/2: heads out of order", arguments: [["200", "200"], ["101", "200"], ["200", "103"], ["103", "101"]])
    func http2Order(statuses: [String]) async throws {
        try await RawHTTP2Server.with { peer in
            var isFirst = true
            while let request = try await peer.next(RawHTTP2Peer.headers) {
                for status in isFirst ? statuses : ["103", "200"] { try await peer.head(status, of: request.stream) }
                try await peer.body("ok", of: request.stream, isLast: true)
                isFirst = false
            }
        } _: { server async throws in
            try await withTransport(server.configuration()) { transport async throws in
                await #expect(throws: ResourceError.self) { try await transport.get(server.url + "/") }
                #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
            }
        }
    }
}
