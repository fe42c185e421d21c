// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import ZlibStreams

@testable import HTTPTransport
@testable import NIOTransport

@Suite("Content codings", .timeLimit(.minutes(3)))
struct CodingTests {
    private let text = Data(repeating: 0x61, count: 100_000)

    /// Runs `body` with an origin whose response body is `content` with a content coding.
    private func withCoded<Result: Sendable>(
        _ content: Data, as coding: String = "gzip", status: Int = 200,
        _ change: (inout DecodingLimits) -> Void = { _ in },
        _ body: @Sendable (OriginServer, DecodingTransport) async throws -> Result
    ) async throws -> Result {
        var limits = DecodingLimits()
        change(&limits)
        let route = try route(.get, "/*") { _ in
            OriginResponse(
                .init(code: status), headers: [.contentEncoding: coding, .contentType: "text/plain"],
                body: .bytes(content))
        }
        return try await withOrigin([route]) { [limits] origin, transport async throws in
            try await body(origin, DecodingTransport(transport, limits: limits))
        }
    }

    @Test(
        "gzip is removed together with the fields that describe it",
        arguments: ["gzip", "GZIP", "x-gzip", "identity, gzip", "gzip, , identity"])
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

    @Test("deflate is removed, with or without the zlib header", arguments: [ZlibFormat.zlib, .raw])
    func deflate(format: ZlibFormat) async throws {
        try await withCoded(Deflate.encode(text, as: format), as: "deflate") { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(try await response.body.collect(upTo: 200_000) == text)
        }
    }

    @Test("Brotli is removed, also if the request did not accept it", arguments: ["br", "BR", "identity, br"])
    func brotli(coding: String) async throws {
        // The second text is the reference encoder's.
        let texts = [(text, Brotli.store(text)), (text, try #require(Data(base64Encoded: "W5+GgV8iLB4LBLL8AgA=")))]
        for (text, content) in texts {
            try await withCoded(content, as: coding) { origin, transport async throws in
                for fields in [[:], [.acceptEncoding: "gzip"], [.acceptEncoding: "identity"]] as [HTTPFields] {
                    let response = try await transport.send(origin.url + "/", .get, fields)
                    #expect(response.head.headerFields[.contentEncoding] == nil)
                    #expect(response.head.headerFields[.contentLength] == nil)
                    #expect(try await response.body.collect(upTo: 200_000) == text)
                }
            }
        }
    }

    @Test("Without DecodingTransport the head and the bytes stay unchanged")
    func undecoded() async throws {
        let content = Gzip.store(text)
        let route = try route(.get, "/*") { _ in
            OriginResponse(headers: [.contentEncoding: "gzip"], body: .bytes(content))
        }
        try await withOrigin([route]) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/", .get, [.acceptEncoding: "gzip, br"])
            #expect(response.head.headerFields[.contentEncoding] == "gzip")
            #expect(response.head.headerFields[.contentLength] == "\(content.count)")
            #expect(try await response.body.collect(upTo: 200_000) == content)
            #expect(origin.requests.first?.headers[.acceptEncoding] == "gzip, br")
        }
    }

    @Test(
        "An unknown coding is passed through with its name", arguments: ["zstd", "br, zstd", "gzip, zstd", "nonsense"])
    func unknown(coding: String) async throws {
        try await withCoded(Data("abc".utf8), as: coding) { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == coding)
            #expect(response.head.headerFields[.contentLength] == "3")
            #expect(try await response.body.collect(upTo: 10) == Data("abc".utf8))
        }
    }

    @Test("identity is not a coding")
    func identity() async throws {
        try await withCoded(Data("abc".utf8), as: "identity") { origin, transport async throws in
            let response = try await transport.send(origin.url + "/")
            #expect(response.head.headerFields[.contentEncoding] == nil)
            #expect(response.head.headerFields[.contentLength] == "3")
            #expect(try await response.body.collect(upTo: 10) == Data("abc".utf8))
        }
    }

    @Test("All codings after the last unknown coding are removed")
    func nested() async throws {
        let twice = try Deflate.encode(Gzip.store(text), as: .zlib)
        let four = Brotli.store(try Deflate.encode(Brotli.store(Gzip.store(text)), as: .raw))
        let cases: [(String, Data, String?)] = [
            ("gzip, deflate", twice, nil), ("zstd, gzip, deflate", twice, "zstd"), ("gzip, br, deflate, br", four, nil),
        ]
        for (coding, content, rest) in cases {
            try await withCoded(content, as: coding) { origin, transport async throws in
                let response = try await transport.send(origin.url + "/")
                #expect(response.head.headerFields[.contentEncoding] == rest)
                #expect(try await response.body.collect(upTo: 200_000) == text)
            }
        }
    }

    @Test("More codings than the limit are an error")
    func codings() async throws {
        try await withCoded(Data(), as: "gzip, gzip, gzip, gzip, gzip") { origin, transport async in
            await expectFailure(.tooLarge) { try await transport.send(origin.url + "/") }
        }
    }

    @Test(
        "A body above the decoding ratio fails below the limit of bytes",
        arguments: [["gzip"], ["gzip", "gzip"], ["br"], ["br", "gzip"]])
    func ratio(codings: [String]) async throws {
        var content = codings[0] == "br" ? Brotli.zeros : try Deflate.encode(Data(count: 8 << 20), as: .gzip)
        if codings.count > 1 { content = try Deflate.encode(content, as: .gzip) }
        try await withCoded(content, as: codings.joined(separator: ",")) {
            $0.ratioFloor = 1 << 20
        } _: { [content] origin, transport async throws in
            guard case .stream(let stream) = try await transport.send(origin.url + "/").body else { return }
            var received = 0
            await #expect {
                for try await data in stream {
                    received += data.count
                    #expect(data.count <= 64 << 10)
                }
            } throws: { ($0 as? ResourceError)?.code == .tooLarge }
            #expect(received <= max(1 << 20, content.count * 200))
        }
    }

    @Test("Several gzip members form one body")
    func members() async throws {
        try await withCoded(Gzip.store(text) + Gzip.store(Data("more".utf8))) { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == text + Data("more".utf8))
        }
    }

    @Test("Decoded bytes are returned before the rest of the body arrives", arguments: ["gzip", "br"])
    func streaming(coding: String) async throws {
        let text = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })
        let whole = coding == "br" ? Brotli.store(text) : try Deflate.encode(text, as: .gzip)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let route = try route(.get, "/") { _ in
            OriginResponse(
                headers: [.contentEncoding: coding],
                body: .stream(length: nil) { writer in
                    try await writer.write(whole.prefix(whole.count / 2))
                    for await _ in gate { break }
                    try await writer.write(whole.dropFirst(whole.count / 2))
                })
        }
        try await withOrigin([route]) { origin, transport async throws in
            guard case .stream(let stream) = try await DecodingTransport(transport).send(origin.url + "/").body else {
                return
            }
            var count = 0
            for try await data in stream {
                if count == 0 { open.yield() }
                count += data.count
            }
            #expect(count == 300_000)
        }
    }

    @Test("DecodingLoader decodes bodies of bytes and files")
    func loader() async throws {
        struct Coded: ResourceLoader {
            let body: ResourceBody
            func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                #expect(request.head.headerFields[.acceptEncoding] == "gzip, deflate")
                return ResourceResponse(
                    head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: "gzip", .contentLength: "1"]),
                    body: body, provenance: Provenance(.network, reason: "test"))
            }
        }
        let content = try Deflate.encode(text, as: .gzip)
        let path = FileManager.default.temporaryDirectory.appending(path: "coded-\(UUID().uuidString)").path
        try content.write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = FileSlice(try OpenFile(path: path), range: 0..<Int64(content.count))
        let request = ResourceRequest(try #require(HTTPRequest(urlText: "http://a.example/")))
        for body in [ResourceBody.bytes(content), .file(file)] {
            let response = try #require(try await DecodingLoader(Coded(body: body)).load(request))
            #expect(response.head.headerFields.isEmpty)
            #expect(try await response.body.collect(upTo: 200_000) == text)
        }
    }

    @Test("Decoding a bomb stops at the limit", arguments: [200_000, 8 << 20])
    func bomb(size: Int) async throws {
        try await withCoded(Gzip.bomb(size)) {
            $0.bytes = 99_999
        } _: { origin, transport async throws in
            let url = origin.url + "/"
            await expectFailure(.tooLarge, at: url) { try await transport.get(url) }
        }
    }

    @Test("A Brotli bomb stops at the limit")
    func brotliBomb() async throws {
        for limit: Int64 in [99_999, 8 << 20 - 1] {
            try await withCoded(Brotli.zeros, as: "br") {
                $0.bytes = limit
            } _: { origin, transport async throws in
                let url = origin.url + "/"
                await expectFailure(.tooLarge, at: url) { try await transport.get(url) }
            }
        }
    }

    @Test("A body of exactly the limit succeeds", arguments: ["gzip", "br"])
    func limit(coding: String) async throws {
        try await withCoded(coding == "br" ? Brotli.store(text) : Gzip.store(text), as: coding) {
            $0.bytes = 100_000
        } _: { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == text)
        }
    }

    @Test("Bytes without their coding, that end early or continue after the end, fail", arguments: ["gzip", "br"])
    func broken(coding: String) async throws {
        let whole = coding == "br" ? Brotli.store(text) : Gzip.store(text)
        let broken = [
            Data("no coding at all".utf8), whole.prefix(50_000), whole.dropLast(), whole + Data("more".utf8),
            whole + Brotli.store(text),
        ]
        for content in broken {
            try await withCoded(content, as: coding) { origin, transport async throws in
                let url = origin.url + "/"
                await expectFailure(.connectionLost, at: url) { try await transport.get(url) }
            }
        }
    }

    @Test(
        "A response without a body may have a content coding",
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

    @Test("An empty body may have a content coding", arguments: ["gzip", "br"])
    func empty(coding: String) async throws {
        try await withCoded(Data(), as: coding) { origin, transport async throws in
            #expect(try await transport.get(origin.url + "/") == Data())
        }
    }

    @Test(
        "The accepted codings of a request are kept if they can be removed",
        arguments: [
            ([:], "gzip, deflate"), ([.acceptEncoding: "br"], "br"),
            ([.acceptEncoding: "gzip, deflate, br"], "gzip, deflate, br"),
            ([.acceptEncoding: "BR ;q=1.0,\tX-GZip;q=0.5, ,identity;q=0"], "BR ;q=1.0,\tX-GZip;q=0.5, ,identity;q=0"),
            ([.acceptEncoding: "gzip, deflate, br, zstd"], "gzip, deflate, br"),
            ([.acceptEncoding: "zstd, br;q=0.9,*;q=0.1, gzip"], "br;q=0.9, gzip"),
            // A Greek question mark is canonically equivalent to a semicolon.
            ([.acceptEncoding: "gzip\u{37E}q=1, br"], "br"),
            ([.acceptEncoding: "zstd"], "identity"), ([.acceptEncoding: "*"], "identity"),
            ([.acceptEncoding: ""], "identity"), ([.acceptEncoding: "identity"], "identity"),
            ([.range: "bytes=0-1", .acceptEncoding: "gzip, br"], "identity"), ([.range: "bytes=0-1"], "identity"),
        ] as [(HTTPFields, String)])
    func asking(fields: HTTPFields, asked: String) async throws {
        try await withOrigin([try route(.get, "/*") { _ in .text("") }]) { origin, transport async throws in
            _ = try await DecodingTransport(transport).send(origin.url + "/", .get, fields)
            #expect(origin.requests.first?.headers[.acceptEncoding] == asked)
        }
    }
}
