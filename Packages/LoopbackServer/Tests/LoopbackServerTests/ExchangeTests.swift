// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Requests to intercepted hosts", .timeLimit(.minutes(2)))
struct ExchangeTests {
    private static let large = Data((0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })

    /// A loader that responds with the request line; some paths are special.
    private let loader = RecordingLoader { request in
        switch request.head.path {
        case "/empty": ResourceResponse(200, [.eTag: "\"1\""])
        case "/stream": .pieces(["one ", "two"])
        case "/length": .pieces(["one ", "two"], length: 7)
        case "/304": ResourceResponse(304, [.eTag: "\"1\""], .bytes(Data("never".utf8)))
        case "/304-stream": .pieces(["never"], 304)
        case "/204": ResourceResponse(204)
        case "/head": ResourceResponse(200, [.contentLength: "1234"])
        case "/head-stream": .pieces(["never"], length: 5)
        default: .text("\(request.head.method.rawValue) \(request.head.urlText)")
        }
    }

    @Test("Bodies of every kind arrive complete on one connection")
    func bodies() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            let first = try await peer.get("/a?b")
            #expect(first.status == 200 && first.text == "GET https://shop.test/a?b")
            #expect(first.fields["content-type"] == "text/plain" && first.fields["connection"] == nil)
            let empty = try await peer.get("/empty")
            #expect(empty.body.isEmpty && empty.fields["content-length"] == "0" && empty.fields["etag"] == "\"1\"")
            let stream = try await peer.get("/stream")
            #expect(stream.text == "one two" && stream.fields["transfer-encoding"] == "chunked")
            let length = try await peer.get("/length")
            #expect(length.text == "one two" && length.fields["content-length"] == "7")
            for path in ["/304", "/304-stream", "/204"] {
                let bodiless = try await peer.get(path)
                #expect("/\(bodiless.status)" == path.prefix(4))
                #expect(bodiless.fields["content-length"] == nil && bodiless.fields["transfer-encoding"] == nil)
            }
            #expect(try await peer.get("/last").text == "GET https://shop.test/last")
            let reports = try await fixture.witness.reports.value("8") { $0.count == 8 ? $0 : nil }
            #expect(reports.allSatisfy { $0.outcome.word == "finished" && $0.responded != nil && $0.provenance != nil })
            #expect(reports[0].bytes == 25 && reports[2].bytes == 7 && reports[4].bytes == 0)
            #expect(reports[4].head?.status.code == 304)
        }
    }

    @Test("HEAD receives only the head")
    func head() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            for (path, length) in [("/head", "1234"), ("/head-stream", nil)] {
                try await peer.send("HEAD \(path) HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                let answer = try await peer.answer(hasBody: false)
                #expect(answer.status == 200 && answer.fields["content-length"] == length)
            }
            #expect(try await peer.get("/a").text == "GET https://shop.test/a")
        }
    }

    @Test("Small and large files arrive complete")
    func files() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try Self.large.write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try OpenFile(path: path)
        let loader = RecordingLoader { request in
            let range: Range<Int64> = request.head.path == "/small" ? 5..<1_005 : 0..<Int64(Self.large.count)
            return ResourceResponse(200, [:], .file(FileSlice(file, range: range)))
        }
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            #expect(try await peer.get("/small").body == Array(Self.large[5..<1_005]))
            let large = try await peer.get("/large")
            #expect(large.body == Array(Self.large) && large.fields["content-length"] == "\(Self.large.count)")
            try await peer.send("HEAD /large HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.answer(hasBody: false).status == 200)
            #expect(try await peer.get("/small").body.count == 1_000)
        }
    }

    @Test("A response in memory is sent immediately, without a task")
    func immediate() async throws {
        var loader = loader
        loader.immediate = { $0.head.path == "/now" ? .text("now") : nil }
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            for _ in 0..<50 { #expect(try await peer.get("/now").text == "now") }
            #expect(loader.requests == [])
            #expect(try await peer.get("/later").text == "GET https://shop.test/later")
            try await peer.send("HEAD /now HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.answer(hasBody: false).status == 200)
            try await peer.send("POST /now HTTP/1.1\r\nHost: shop.test\r\ncontent-length: 0\r\n\r\n")
            #expect(try await peer.answer().text == "POST https://shop.test/now")
        }
    }

    @Test("A connection serves many requests, and pipelined ones in order")
    func pipelining() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            for number in 0..<100 { #expect(try await peer.get("/\(number)").text.hasSuffix("/\(number)")) }
            let requests = (0..<40).map { number in
                number % 3 == 0
                    ? "POST /\(number) HTTP/1.1\r\nHost: shop.test\r\ncontent-length: 3\r\n\r\nabc"
                    : "GET /\(number) HTTP/1.1\r\nHost: shop.test\r\n\r\n"
            }
            try await peer.send(requests.joined())
            for number in 0..<40 { #expect(try await peer.answer().text.hasSuffix("/\(number)")) }
            #expect(fixture.proxy.connections == 1)
        }
    }

    @Test("An idle connection is closed in time, but not while a response is awaited")
    func idle() async throws {
        let gate = Gate()
        let loader = RecordingLoader { request in
            if request.head.path == "/slow" { try await gate.passed() }
            return .text("ok")
        }
        try await Fixture.with(loader) {
            $0.limits.idle = .milliseconds(50)
        } _: { [loader] fixture in
            let busy = try await fixture.open()
            try await busy.send("GET /slow HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            _ = try await loader.receivedRequests.entry(0)
            let idle = try await fixture.open()
            #expect(try await idle.get("/").text == "ok")
            #expect(try await idle.rest() == [])
            gate.open()
            #expect(try await busy.answer().text == "ok")
            #expect(try await busy.rest() == [])
        }
    }

    @Test("The connection closes after a request with Connection: close, and later requests are ignored")
    func close() async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            try await peer.send(
                "GET /a HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n"
                    + "GET /b HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            let answer = try await peer.answer()
            #expect(answer.text.hasSuffix("/a") && answer.fields["connection"] == "close")
            #expect(try await peer.rest() == [])
            #expect(loader.requests == ["GET https://shop.test/a"])
        }
    }

    @Test("HTTP/1.0 clients receive HTTP/1.0 framing")
    func old() async throws {
        try await Fixture.with(loader) { fixture in
            let stream = try await fixture.open()
            try await stream.send("GET /stream HTTP/1.0\r\n\r\n")
            let text = String(decoding: try await stream.rest(), as: UTF8.self)
            #expect(text.hasSuffix("\r\n\r\none two") && !text.contains("chunked"))
            let kept = try await fixture.open()
            for _ in 0..<2 {
                try await kept.send("GET /length HTTP/1.0\r\nConnection: keep-alive\r\nHost: shop.test\r\n\r\n")
                let answer = try await kept.answer()
                #expect(answer.text == "one two" && answer.fields["connection"] == "keep-alive")
            }
            try await kept.send("GET /length HTTP/1.0\r\nHost: shop.test\r\n\r\n")
            #expect(String(decoding: try await kept.rest(), as: UTF8.self).hasSuffix("one two"))
        }
    }

    @Test("Connection-specific fields are not forwarded")
    func fields() async throws {
        let loader = RecordingLoader { request in
            var fields: HTTPFields = [.connection: "x-hop , close", .contentType: "text/plain"]
            for name in ["x-hop", "keep-alive", "te", "upgrade", "x-kept"] {
                if let name = HTTPField.Name(name) { fields[name] = "1" }
            }
            return ResourceResponse(200, fields, .bytes(Data("ok".utf8)))
        }
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            let answer = try await peer.get(
                "/", "Connection: x-mine\r\nX-Mine: 1\r\nTE: trailers\r\nX-Other: 2\r\nCookie: a=b\r\n")
            #expect(Set(answer.fields.keys) == ["content-type", "x-kept", "content-length"])
            let fields = try #require(loader.receivedRequests.entries.first).head.headerFields
            #expect(fields.map { $0.name.canonicalName } == ["x-other", "cookie"])
        }
    }

    @Test("A request for another host is misdirected", arguments: ["other.test", "shop.test:444", "shop.test."])
    func misdirected(host: String) async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            #expect(try await peer.get("/", host: host).status == 421)
            #expect(try await peer.rest() == [])
            #expect(loader.requests == [])
        }
    }

    @Test("The port must match the host, and the name is case-insensitive")
    func ports() async throws {
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open(port: 8443)
            #expect(try await peer.get("/", host: "SHOP.test:8443").text == "GET https://shop.test:8443/")
            let standard = try await fixture.open()
            #expect(try await standard.get("/", host: "shop.test:443").text == "GET https://shop.test/")
        }
    }

    @Test("http URLs are served, and each request needs credentials")
    func plain() async throws {
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.connect()
            for path in ["/a", "/b"] {
                try await peer.send("GET http://plain.test\(path) HTTP/1.1\r\nHost: plain.test\r\n\(fixture.field)\r\n")
                #expect(try await peer.answer().text == "GET http://plain.test\(path)")
            }
            try await peer.send("GET http://plain.test:81/c HTTP/1.1\r\nHost: other.test\r\n\(fixture.field)\r\n")
            #expect(try await peer.answer().text == "GET http://plain.test:81/c")
            #expect(loader.receivedRequests.entries.allSatisfy { $0.head.headerFields.isEmpty })
            try await peer.send("GET http://plain.test/d HTTP/1.1\r\nHost: plain.test\r\n\r\n")
            #expect(try await peer.answer().status == 407)
            #expect(try await peer.rest() == [])
            #expect(loader.requests.count == 3)
        }
    }
}
