// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Request heads", .timeLimit(.minutes(2)))
struct RequestHeadTests {
    private let loader = RecordingLoader { request in
        .text("\(try await request.body.collect(upTo: 1 << 20).count)")
    }

    @Test("Any token is a method, in the case of its letters")
    func methods() async throws {
        let methods = [
            "patch", "Patch", "QUERY", "CHICKEN", "M-SEARCH", "MSEARCH", "get", "PROPFIND", "!#$%&'*+-.^_`|~",
        ]
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            for method in methods {
                try await peer.send("\(method) /a HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2\r\n\r\nhi")
                #expect(try await peer.answer().text == "2")
                try await peer.send(
                    "\(method) /b HTTP/1.1\r\nHost: shop.test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                )
                #expect(try await peer.answer().text == "3")
            }
            #expect(
                loader.requests == methods.flatMap { ["\($0) https://shop.test/a", "\($0) https://shop.test/b"] })
        }
    }

    @Test(
        "The target, many fields and control characters in values arrive as sent",
        arguments: [70_000, 150_000, 200_000])
    func spelling(length: Int) async throws {
        let target = "/[a]|^?" + String(repeating: "q", count: length) + "%"
        let fields = (0..<400).map { "X-\($0): \($0)\r\n" }.joined()
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            for _ in 0..<2 {
                try await peer.send(
                    "GET \(target) HTTP/1.1\r\nHost: shop.test\r\nX: a\u{B}b\u{1}\u{7F}\r\n\(fields)\r\n")
                #expect(try await peer.answer().status == 200)
            }
            let head = try #require(loader.receivedRequests.entries.first).head
            #expect(head.path == target)
            #expect(head.headerFields[try #require(HTTPField.Name("x"))] == "a\u{B}b\u{1}\u{7F}")
            #expect(head.headerFields.count == 401)
        }
    }

    @Test("An empty body is distinct from a missing one", arguments: ["PATCH", "DELETE", "QUERY"])
    func emptyBody(method: String) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            for field in ["Content-Length: 0\r\n", "", "Content-Length: 2\r\n"] {
                let body = field.hasSuffix("2\r\n") ? "hi" : ""
                try await peer.send("\(method) / HTTP/1.1\r\nHost: shop.test\r\n\(field)\r\n\(body)")
                #expect(try await peer.answer().text == "\(body.count)")
            }
            #expect(loader.receivedRequests.entries.map(\.head.headerFields[.contentLength]) == ["0", nil, nil])
        }
    }

    @Test("A head that is too long is refused")
    func tooLong() async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            try? await peer.send("GET /\(String(repeating: "q", count: 300_000)) HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            // The close with unread bytes may reset the connection before the response arrives.
            let text = String(decoding: (try? await peer.rest()) ?? [], as: UTF8.self)
            #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 400 "), "\(text.prefix(100))")
            #expect(loader.requests == [])
        }
    }

    @Test("The status and the reason phrase are sent as the loader returns them")
    func reason() async throws {
        let loader = RecordingLoader { request in
            let phrase = request.head.path == "/none" ? "" : "Fine thing"
            return ResourceResponse(
                head: HTTPResponse(status: .init(code: request.head.path == "/999" ? 999 : 200, reasonPhrase: phrase)),
                body: .empty, provenance: Provenance(.synthetic, reason: "a test"))
        }
        try await Fixture.with(loader) { fixture in
            for (path, line) in [
                ("/", "HTTP/1.1 200 Fine thing\r\n"), ("/none", "HTTP/1.1 200 \r\n"),
                ("/999", "HTTP/1.1 999 Fine thing\r\n"),
            ] {
                let peer = try await fixture.open()
                try await peer.send("GET \(path) HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                #expect(try await peer.read(until: "\r\n").hasPrefix(line.dropLast(2)))
            }
        }
    }
}
