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

/// Responses that violate the grammar of HTTP and that the engines read.
@Suite("Response heads that engines read", .timeLimit(.minutes(2)))
struct TolerantHeadTests {
    private func with(
        _ text: String, closes: Bool = false, _ body: @Sendable (AsyncHTTPTransport, String) async throws -> Void
    ) async throws {
        try await RawServer.with(end: closes ? .server : .client) { input, output in
            while try await input.next() != nil {
                try await output.write(ByteBuffer(string: text))
                if closes { return }
            }
        } _: { server in
            try await withTransport(AsyncHTTPTransport.Configuration()) { try await body($0, server.url) }
        }
    }

    private static let plain = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

    @Test(
        "A response is read, and the next one on its connection too",
        arguments: [
            plain + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            plain + "X-A: a\r\n  b\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 2\n\nok",
            plain + "X-A : 1\r\nContent-Length: 2\r\n\r\nok",
            plain + "no field\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
            plain + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX : bad\r\nno field\r\n\r\n",
            plain + "Transfer-Encoding: chunked\r\n\r\n1 \no\n1\nk\n0\n\n",
            plain + "Content-Length: 2\r\n\r\nok\r\n",
            "HTTP/1.1 103 Early\nLink: </a>\n\n" + plain + "Content-Length: 2\r\n\r\nok",
            plain + (0..<400).map { "X-\($0): \($0)\r\n" }.joined() + "Content-Length: 2\r\n\r\nok",
            plain + "X: a\u{B}b\u{7F}\r\nContent-Length: 2\r\n\r\nok",
        ])
    func accepted(text: String) async throws {
        try await with(text) { transport, url async throws in
            for _ in 0..<2 { #expect(try await transport.get(url + "/") == Data("ok".utf8)) }
        }
    }

    @Test(
        "A connection on which another recipient may find another end of a body is not reused",
        arguments: [
            plain + "Content-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            plain + "Content-Length: 2\r\nTransfer-Encoding : chunked\r\n\r\nok",
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            plain + "Content-Length: 2\r\n\r\nokHTTP/1.1 204 X\r\nX: ",
            plain + "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n" + plain + "Content-Length: 3\r\n\r\nbad",
        ])
    func ambiguous(text: String) async throws {
        try await with(text) { transport, url async throws in
            // The server serves one connection after another, so the second request needs the close of the first.
            for _ in 0..<2 {
                let answer = try await transport.send(url + "/")
                #expect(try await answer.body.collect(upTo: 1 << 20) == Data("ok".utf8))
            }
        }
    }

    @Test("A connection of HTTP/1.0 with keep-alive is reused, also after HEAD and 204")
    func reuse() async throws {
        let connections = Mutex(0)
        try await RawServer.with { input, output in
            connections.withLock { $0 += 1 }
            while let request = try await input.next() {
                let text = String(buffer: request)
                let answer =
                    if text.hasPrefix("HEAD") {
                        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n"
                    } else if text.contains("/empty") {
                        "HTTP/1.0 204 No Content\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\n"
                    } else {
                        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok"
                    }
                try await output.write(ByteBuffer(string: answer))
            }
        } _: { server async throws in
            try await withTransport(AsyncHTTPTransport.Configuration()) { transport async throws in
                for _ in 0..<2 {
                    #expect(try await transport.get(server.url + "/") == Data("ok".utf8))
                    #expect(try await transport.send(server.url + "/", .head).head.status.code == 200)
                    #expect(try await transport.send(server.url + "/empty").head.status.code == 204)
                }
            }
        }
        #expect(connections.withLock { $0 } == 1)
    }

    @Test("The status, the reason phrase and the values of fields arrive as sent")
    func verbatim() async throws {
        try await with("HTTP/1.1 999 Request denied\r\nX: a\u{B}b\r\nContent-Length: 0\r\n\r\n") {
            transport, url async throws in
            let head = try await transport.send(url + "/").head
            #expect(head.status.code == 999 && head.status.reasonPhrase == "Request denied")
            #expect(head.headerFields[.init("x")!] == "a\u{B}b")
        }
        try await with("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n") { transport, url async throws in
            #expect(try await transport.send(url + "/").head.status.reasonPhrase == "Fine")
        }
    }

    @Test("A head that the connection ends within is a response that may be truncated")
    func endWithinHead() async throws {
        try await with("HTTP/1.1 280 HELLO\r\nContent-Length: 0\r\nX: 1\r\n", closes: true) {
            transport, url async throws in
            let answer = try await transport.send(url + "/")
            #expect(answer.head.status.code == 280 && answer.head.headerFields[.init("x")!] == "1")
            let error = await #expect(throws: ResourceError.self) { try await answer.body.collect(upTo: 1 << 20) }
            #expect(error?.isUnconfirmedResponseEnd == true)
        }
    }

    @Test(
        "Heads that are refused",
        arguments: [
            plain + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok", plain + "Content-Length: x\r\n\r\nok",
            plain + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok",
            plain + "X: a\u{0}b\r\nContent-Length: 2\r\n\r\nok", "ok\r\n\r\n",
            plain + "X: " + String(repeating: "a", count: 300_000),
            plain + String(repeating: "a:\n", count: 70_000) + "\n",
            String(repeating: "HTTP/1.1 103 Early\r\n\r\n", count: 101) + plain + "Content-Length: 2\r\n\r\nok",
        ])
    func refused(text: String) async throws {
        try await with(text, closes: true) { transport, url async throws in
            let error = await #expect(throws: ResourceError.self) { try await transport.get(url + "/") }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test(
        "A head that ends within a line, or whose response has no body, is refused",
        arguments: [
            "HTTP/1.1 200 OK\r\nX: 1", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
            "HTTP/1.1 304 Not Modified\r\nX: 1\r\n",
        ])
    func refusedEnd(text: String) async throws {
        try await with(text, closes: true) { transport, url async throws in
            _ = await #expect(throws: ResourceError.self) { try await transport.send(url + "/", .post) }
        }
    }
}
