// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import Testing

@Suite("Content codings", .timeLimit(.minutes(1)))
struct CodingTests {
    private let text = Data(repeating: 0x61, count: 100_000)

    /// Runs `body` with an origin whose answer is `content` in a coding.
    private func withCoded<Result: Sendable>(
        _ content: Data, as coding: String = "gzip", status: Int = 200,
        _ change: (inout AsyncHTTPTransport.Configuration) -> Void = { _ in },
        _ body: @Sendable (OriginServer, AsyncHTTPTransport) async throws -> Result
    ) async throws -> Result {
        var configuration = AsyncHTTPTransport.Configuration()
        change(&configuration)
        let route = try route(.get, "/*") { _ in
            OriginResponse(
                .init(code: status), headers: [.contentEncoding: coding, .contentType: "text/plain"],
                body: .bytes(content))
        }
        return try await withOrigin([route], transport: configuration, body)
    }

    @Test("gzip is removed, and so are the fields that speak of it", arguments: ["gzip", "GZIP"])
    func gzip(coding: String) async throws {
        try await withCoded(Gzip.store(text), as: coding) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == nil)
            #expect(response.head.headerFields[.contentType] == "text/plain")
            #expect(response.body.length == nil)
            #expect(try await response.body.collect(upTo: 200_000) == text)
        }
    }

    @Test("Where the engine decodes, the bytes stay as they came, and so does the head")
    func undecoded() async throws {
        let content = Gzip.store(text)
        try await withCoded(content) {
            $0.decodesBodies = false
        } _: { origin, transport async throws in
            let response = try await transport.send(origin.url + "/", .get, [.acceptEncoding: "gzip, br"])
            #expect(response.head.headerFields[.contentEncoding] == "gzip")
            #expect(response.head.headerFields[.contentLength] == "\(content.count)")
            #expect(try await response.body.collect(upTo: 200_000) == content)
            #expect(origin.requests.first?.headers[.acceptEncoding] == "gzip, br")
        }
    }

    @Test("A coding that is not decoded stays in the head", arguments: ["br", "zstd", "x-gzip", "identity"])
    func unknown(coding: String) async throws {
        try await withCoded(Data("abc".utf8), as: coding) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == coding)
            #expect(response.head.headerFields[.contentLength] == "3")
            #expect(try await response.body.collect(upTo: 10) == Data("abc".utf8))
        }
    }

    @Test("Of two codings one is removed, and the head names the other")
    func nested() async throws {
        let once = Gzip.store(text)
        try await withCoded(Gzip.store(once), as: "gzip, gzip") { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == "gzip")
            #expect(try await response.body.collect(upTo: 200_000) == once)
        }
    }

    @Test("A bomb ends at the limit", arguments: [200_000, 8 << 20])
    func bomb(size: Int) async throws {
        try await withCoded(Gzip.bomb(size)) {
            $0.decodedBodyLimit = 99_999
        } _: { origin, transport async throws in
            let url = origin.url + "/"
            await expectFailure(.tooLarge, at: url) { try await transport.get(url) }
        }
    }

    @Test("A body of exactly the limit is none")
    func limit() async throws {
        try await withCoded(Gzip.store(text)) {
            $0.decodedBodyLimit = 100_000
        } _: { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == text)
        }
    }

    @Test("Bytes that are no gzip, end early or go on break the protocol")
    func broken() async throws {
        let whole = Gzip.store(text)
        for content in [Data("no gzip at all".utf8), whole.prefix(50_000), whole + Data("more".utf8)] {
            try await withCoded(content) { origin, transport async throws in
                let url = origin.url + "/"
                await expectFailure(.connectionLost, at: url) { try await transport.get(url) }
            }
        }
    }

    @Test(
        "An answer without a body may name a coding",
        arguments: [(HTTPRequest.Method.head, 200), (.get, 304), (.get, 204)])
    func bodiless(method: HTTPRequest.Method, status: Int) async throws {
        let content = status == 200 ? Gzip.store(text) : Data()
        try await withCoded(content, status: status) { origin, transport async throws in
            for _ in 0..<2 {
                let response = try await transport.send(origin.url + "/", method)
                #expect(response.head.status.code == status)
                #expect(try await response.body.collect(upTo: 0) == Data())
            }
        }
    }

    @Test("An empty body may name a coding")
    func empty() async throws {
        try await withCoded(Data()) { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == Data())
        }
    }

    @Test("Part of a file is asked for as it is: a part of a gzip is of no use")
    func ranges() async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, transport async throws in
            _ = try await transport.send(origin.url + "/", .get, [.range: "bytes=0-1", .acceptEncoding: "gzip"])
            #expect(origin.requests.first?.headers[.acceptEncoding] == "identity")
        }
    }
}
