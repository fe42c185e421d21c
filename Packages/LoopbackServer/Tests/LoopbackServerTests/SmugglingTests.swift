// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

/// Requests that are ambiguous according to RFC 9112, sections 2.2, 3.2, 5.1, 5.2, 6, 7.1 and 11.
@Suite("Ambiguous requests", .timeLimit(.minutes(3)))
struct SmugglingTests {
    /// A raw request with its name and the bytes after the request line and `Host`.
    struct Attempt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The method.
        var line = "POST"
        var version = "HTTP/1.1"
        var host = true
        let rest: String

        init(_ name: String, _ rest: String) {
            testDescription = name
            self.rest = rest
        }

        init(_ name: String, version: String, _ rest: String) {
            self.init(name, rest)
            self.version = version
        }

        init(_ name: String, host: Bool, _ rest: String) {
            self.init(name, rest)
            self.host = host
        }
    }

    private static let hidden = "GET /hidden HTTP/1.1\r\nHost: shop.test\r\n\r\n"
    private static let te = "Transfer-Encoding"
    private static let cl = "Content-Length"
    private static let end = "\r\n\r\n0\r\n\r\n"

    /// Requests that are refused before they reach the loader.
    private static let refused: [Attempt] = [
        Attempt("both framings", "\(te): chunked\r\n\(cl): 3\(end)"),
        Attempt("both framings, turned", "\(cl): 5\r\n\(te): chunked\(end)"),
        Attempt("both framings, a length of 0", "\(cl): 0\r\n\(te): chunked\(end)"),
        Attempt("two lengths, the same", "\(cl): 3\r\n\(cl): 3\r\n\r\nabc"),
        Attempt("two lengths", "\(cl): 3\r\n\(cl): 0\r\n\r\nabc"),
        Attempt("a list of lengths", "\(cl): 3, 3\r\n\r\nabc"),
        Attempt("a signed length", "\(cl): +3\r\n\r\nabc"),
        Attempt("a negative length", "\(cl): -3\r\n\r\nabc"),
        Attempt("a hexadecimal length", "\(cl): 0x3\r\n\r\nabc"),
        Attempt("a length with a blank inside", "\(cl): 1 0\r\n\r\nabc"),
        Attempt("a length with a fraction", "\(cl): 3.0\r\n\r\nabc"),
        Attempt("a huge length", "\(cl): 18446744073709551619\r\n\r\nabc"),
        Attempt("a length beyond what fits", "\(cl): 9223372036854775808\r\n\r\nabc"),
        Attempt("no length", "\(cl):\r\n\r\nabc"),
        Attempt("a coding twice", "\(te): chunked\r\n\(te): chunked\(end)"),
        Attempt("a coding and identity", "\(te): chunked\r\n\(te): identity\(end)"),
        Attempt("identity and a coding", "\(te): identity\r\n\(te): chunked\(end)"),
        Attempt("chunked and then identity", "\(te): chunked, identity\(end)"),
        Attempt("chunked twice in a list", "\(te): chunked, chunked\(end)"),
        Attempt("another coding", "\(te): gzip, chunked\(end)"),
        Attempt("not quite chunked", "\(te): xchunked\(end)"),
        Attempt("chunked with a parameter", "\(te): chunked;a=b\(end)"),
        Attempt("quoted chunked", "\(te): \"chunked\"\(end)"),
        Attempt("a vertical tab before chunked", "\(te): \u{0B}chunked\(end)"),
        Attempt("a form feed after chunked", "\(te): chunked\u{0C}\(end)"),
        Attempt("an empty coding", "\(te):\(end)"),
        Attempt("a coding in HTTP/1.0", version: "HTTP/1.0", "\(te): chunked\(end)"),
        Attempt("a bare LF after a field", "X: a\n\(cl): 3\r\n\r\nabc"),
        Attempt("a bare LF at the end of the head", "X: a\r\n\n\(hidden)"),
        Attempt("a bare CR in a value", "X: a\rb\r\n\r\n"),
        Attempt("a bare CR before a field", "X: a\r\rTransfer-Encoding: chunked\r\n\r\n"),
        Attempt("NUL in a value", "X: a\u{0}b\r\n\r\n"),
        Attempt("NUL in a name", "X\u{0}: a\r\n\r\n"),
        Attempt("a folded line", "X: a\r\n b\r\n\r\n"),
        Attempt("a folded coding", "\(te):\r\n chunked\(end)"),
        Attempt("a folded first line", " X: a\r\n\r\n"),
        Attempt("a blank before the colon", "\(te) : chunked\(end)"),
        Attempt("a tab before the colon", "\(te)\t: chunked\(end)"),
        Attempt("a name with a blank", "X Y: a\r\n\r\n"),
        Attempt("a field without a name", ": a\r\n\r\n"),
        Attempt("a line without a colon", "abc\r\n\r\n"),
        Attempt("no Host", host: false, "\r\n"),
        Attempt("Host twice", "Host: shop.test\r\n\r\n"),
        Attempt("a second, other Host", "Host: other.test\r\n\r\n"),
        Attempt("HTTP/1.2", version: "HTTP/1.2", "\r\n"),
        Attempt("HTTP/2.0", version: "HTTP/2.0", "\r\n"),
        Attempt("HTTP/0.9", version: "HTTP/0.9", "\r\n"),
        Attempt("HTTP/1.10", version: "HTTP/1.10", "\r\n"),
        Attempt("a version in small letters", version: "http/1.1", "\r\n"),
        Attempt("a blank after the version", version: "HTTP/1.1 ", "\r\n"),
        Attempt("a tab before the version", version: "\tHTTP/1.1", "\r\n"),
        Attempt("a bare LF after the request line", version: "HTTP/1.1\nX: a", "\r\n"),
        Attempt("a bare CR in the request line", version: "HTTP/1.1\rX: a", "\r\n"),
    ]

    /// Bodies that are refused while they are read: the loader receives the request and an error of its body.
    private static let brokenBodies: [Attempt] = [
        Attempt("a negative chunk", "-5\r\nhello\r\n0\r\n\r\n"),
        Attempt("a signed chunk", "+5\r\nhello\r\n0\r\n\r\n"),
        Attempt("a hexadecimal prefix", "0x5\r\nhello\r\n0\r\n\r\n"),
        Attempt("a chunk beyond what fits", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
        Attempt("a chunk that overflows to 5", "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        Attempt("no number", "zz\r\nhello\r\n0\r\n\r\n"),
        Attempt("an empty size", "\r\nhello\r\n0\r\n\r\n"),
        Attempt("a blank before the size", " 5\r\nhello\r\n0\r\n\r\n"),
        Attempt("a blank after the size", "5 \r\nhello\r\n0\r\n\r\n"),
        Attempt("a bare LF after the size", "5\nhello\r\n0\r\n\r\n"),
        Attempt("a bare LF in an extension", "5;a\nhello\r\n0\r\n\r\n"),
        Attempt("a bare CR in an extension", "5;a\rb\r\nhello\r\n0\r\n\r\n"),
        Attempt("nothing after the data", "5\r\nhello0\r\n\r\n"),
        Attempt("a bare LF after the data", "5\r\nhello\n0\r\n\r\n"),
        Attempt("more data than the size", "5\r\nhello!\r\n0\r\n\r\n"),
        Attempt("a bare LF at the end", "5\r\nhello\r\n0\n\n"),
        Attempt("a length in a trailer", "5\r\nhello\r\n0\r\nContent-Length: 3\r\n\r\n"),
        Attempt("a coding in a trailer", "5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        Attempt("a trailer with a blank before the colon", "5\r\nhello\r\n0\r\nX : a\r\n\r\n"),
    ]

    private let loader = RecordingLoader { request in
        .text("\(try await request.body.collect(upTo: 1 << 20).count) \(request.head.path ?? "")")
    }

    /// Returns a connection for requests, with the prefix of request targets and the fields that each request needs on
    /// this connection.
    private func connection(_ fixture: Fixture, opened: Bool) async throws -> (peer: Peer, url: String, field: String) {
        opened
            ? (try await fixture.open(), "", "")
            : (try await fixture.connect(), "http://shop.test", fixture.field)
    }

    private func expectRefusal(_ peer: Peer, _ name: String) async throws {
        let text = String(decoding: try await peer.rest(), as: UTF8.self)
        let statuses = ["400", "417", "421", "501"]
        #expect(
            text.isEmpty || statuses.contains { text.hasPrefix("HTTP/1.1 \($0) ") }, "\(name): \(text.debugDescription)"
        )
        // At most one response.
        #expect(text.split(separator: "HTTP/1.1 ").count <= 1, "\(name): \(text.debugDescription)")
    }

    @Test("Ambiguous heads", arguments: refused, [true, false])
    func heads(attempt: Attempt, opened: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let (peer, url, field) = try await connection(fixture, opened: opened)
            let host = attempt.host ? "Host: shop.test\r\n" : ""
            try await peer.send("POST \(url)/up \(attempt.version)\r\n\(field)\(host)\(attempt.rest)\(Self.hidden)")
            try await expectRefusal(peer, attempt.testDescription)
            #expect(loader.requests == [])
        }
    }

    @Test("Ambiguous heads after a valid request are refused", arguments: refused, [true, false])
    func laterHeads(attempt: Attempt, opened: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let (peer, url, field) = try await connection(fixture, opened: opened)
            let host = attempt.host ? "Host: shop.test\r\n" : ""
            let good = "GET \(url)/good HTTP/1.1\r\nHost: shop.test\r\n\(field)\r\n"
            try await peer.send(
                good + "POST \(url)/up \(attempt.version)\r\n\(field)\(host)\(attempt.rest)\(good)")
            #expect(try await peer.answer().text == "0 /good")
            try await expectRefusal(peer, attempt.testDescription)
            #expect(loader.requests.count == 1)
        }
    }

    @Test("Ambiguous chunks end the request body with an error", arguments: brokenBodies, [true, false])
    func chunks(attempt: Attempt, opened: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let (peer, url, field) = try await connection(fixture, opened: opened)
            try await peer.send(
                "POST \(url)/up HTTP/1.1\r\nHost: shop.test\r\n\(field)\(Self.te): chunked\r\n\r\n"
                    + attempt.rest + Self.hidden)
            try await expectRefusal(peer, attempt.testDescription)
            #expect(loader.requests.count <= 1)
            let outcomes = fixture.witness.reports.entries.map(\.outcome.word)
            #expect(!outcomes.contains("finished"), "\(outcomes)")
        }
    }

    /// RFC 9112, section 3, permits a recipient to split a request line at any whitespace. The loader receives a parsed
    /// request, so no other recipient splits the line differently.
    @Test("Whitespace in the request line and empty lines before it are unambiguous", arguments: [true, false])
    func blanks(opened: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let (peer, url, field) = try await connection(fixture, opened: opened)
            let fields = "Host: shop.test\r\n\(field)\r\n"
            try await peer.send("GET  \(url)/a HTTP/1.1\r\n\(fields)GET \(url)/b  HTTP/1.1\r\n\(fields)")
            try await peer.send("\r\nGET \(url)/c HTTP/1.1\r\n\(fields)")
            for path in ["a", "b", "c"] { #expect(try await peer.answer().text == "0 /\(path)") }
            #expect(loader.requests.count == 3)
        }
    }

    @Test("A request within a body is part of the body", arguments: [true, false])
    func bodies(opened: Bool) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let (peer, url, field) = try await connection(fixture, opened: opened)
            let head = "POST \(url)/up HTTP/1.1\r\nHost: shop.test\r\n\(field)"
            try await peer.send(head + "\(Self.cl): \(Self.hidden.utf8.count)\r\n\r\n\(Self.hidden)")
            #expect(try await peer.answer().text == "\(Self.hidden.utf8.count) /up")
            let size = String(Self.hidden.utf8.count, radix: 16)
            try await peer.send(head + "\(Self.te): Chunked\r\n\r\n\(size)\r\n\(Self.hidden)\r\n0\r\n\r\n")
            #expect(try await peer.answer().text == "\(Self.hidden.utf8.count) /up")
            try await peer.send(head + "\(Self.cl): \t0003 \r\n\r\nabc")
            #expect(try await peer.answer().text == "3 /up")
            // A GET may have a body, too.
            try await peer.send(
                "GET \(url)/get HTTP/1.1\r\nHost: shop.test\r\n\(field)\(Self.cl): \(Self.hidden.utf8.count)\r\n\r\n"
                    + Self.hidden)
            #expect(try await peer.answer().text == "\(Self.hidden.utf8.count) /get")
            #expect(loader.requests.count == 4 && !loader.requests.contains { $0.contains("hidden") })
        }
    }

    @Test(
        "Requests that are not permitted on a connection are refused",
        arguments: [
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET http://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n",
            "GET https://shop.test/ HTTP/1.1\r\nHost: shop.test\r\n\r\n",
            "CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n", "GET / HTTP/1.1\r\nHost: \r\n\r\n",
            "GET / HTTP/1.1\r\nHost: shop.test, other.test\r\n\r\n", "GET / HTTP/1.1\r\nHost: a@shop.test\r\n\r\n",
            "GET /\r\n\r\n", "GET\t/\tHTTP/1.1\r\nHost: shop.test\r\n\r\n",
            "G\u{0}T / HTTP/1.1\r\nHost: shop.test\r\n\r\n", " GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n",
            "GET /a\u{E9} HTTP/1.1\r\nHost: shop.test\r\n\r\n",
        ])
    func others(text: String) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            try await peer.send(text + Self.hidden)
            try await expectRefusal(peer, text)
            #expect(loader.requests == [])
        }
    }

    /// Response splitting (RFC 9112, section 11.1). Line ends are replaced with spaces (RFC 9110, section 5.5).
    @Test("Neither a field nor the reason phrase can start another line", arguments: ["\r\n", "\n", "\r", "\r\n "])
    func splitting(end: String) async throws {
        let value = "a\(end)Set-Cookie: a=b\(end)\(end)HTTP/1.1 200 OK\(end)Content-Length: 0"
        let loader = RecordingLoader { _ in
            var fields: HTTPFields = [.location: value]
            fields.append(HTTPField(name: .eTag, lenientValue: Array(value.utf8)))
            var response = ResourceResponse(299, fields)
            response.head.status = HTTPResponse.Status(code: 299, reasonPhrase: value)
            return response
        }
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n")
            let text = String(decoding: try await peer.rest(), as: UTF8.self)
            let lines = text.split(whereSeparator: \.isNewline)
            #expect(lines.first?.hasPrefix("HTTP/1.1 299 ") == true)
            let names = lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
            #expect(names.sorted() == ["connection", "content-length", "etag", "location"], "\(text.debugDescription)")
        }
    }

    @Test("Heads that never end are refused", arguments: ["one field", "many fields", "the path"])
    func sizes(place: String) async throws {
        let piece = String(repeating: place == "many fields" ? "a\r\nX: " : "a", count: 1 << 12)
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            let sending = Task {
                try await peer.send(place == "the path" ? "GET /" : "GET / HTTP/1.1\r\nHost: shop.test\r\nX: ")
                for _ in 0..<1_000 { try await peer.send(piece) }
            }
            try await expectRefusal(peer, place)
            _ = await sending.result
            #expect(loader.requests == [])
        }
    }
}
