// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebSyntax

@Suite("HTTP/1 message heads")
struct MessageHeadTests {
    private func response(_ text: String) throws -> ReceivedResponseHead {
        try ReceivedResponseHead(Array(text.utf8))
    }

    private func fields(_ text: String) throws -> [String] {
        try response("HTTP/1.1 200 OK\r\n" + text + "\r\n").fields.map { "\($0.name)=\($0.value)" }
    }

    private func framing(_ text: String) throws -> ReceivedResponseHead.Framing {
        try response("HTTP/1.1 200 OK\r\n" + text + "\r\n").framing
    }

    // MARK: Responses

    @Test(
        "Status lines that engines read",
        arguments: [
            ("HTTP/1.1 200 OK", 1, 200, "OK"), ("HTTP/1.0 404 ", 0, 404, ""), ("HTTP/1.1 200", 1, 200, ""),
            ("HTTP/1.1 999 Request denied", 1, 999, "Request denied"), ("HTTP/1.1\t280   HELLO \t", 1, 280, "HELLO"),
            ("HTTP/1.1 100 a\u{B}b", 1, 100, "a\u{B}b"), ("ICY 200 OK", 0, 200, "OK"),
            ("HTTP/1.1 200 Gr\u{FC}n", 1, 200, "Gr\u{FC}n"),
        ])
    func statusLine(line: String, minor: Int, status: Int, reason: String) throws {
        for ending in ["\r\n\r\n", "\n\n", "\n\r\n", "\r\n"] {
            let head = try response("\r\n\n" + line + ending)
            #expect(
                head.minorVersion == minor && head.status == status && head.reason == reason,
                "\(ending.debugDescription)")
            #expect(head.framing == .close && head.fields.isEmpty && !head.isAmbiguous)
        }
    }

    @Test(
        "Status lines that are refused",
        arguments: [
            "", "\r\n", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK",
            "HTTP/1.1 abc",
            "HTTP/1.1200 OK", "HTTP/2 200 OK", "HTTP/1.2 200 OK", "http/1.1 200 OK", " HTTP/1.1 200 OK",
            "HTTP/1.1 200 O\u{0}K",
        ])
    func refusedStatusLine(line: String) {
        #expect(throws: MessageHeadViolation.self) { try response(line + "\r\n\r\n") }
    }

    @Test("Fields: folds are joined, and lines that are no fields are ignored with their folds")
    func fields() throws {
        #expect(try fields("A:1\r\nb: 2 \t\n c : 3\r\nD:\r\n") == ["A=1", "b=2 c : 3", "D="])
        #expect(try fields("X-A: a\r\n  b\r\n\tc\r\n") == ["X-A=a b c"])
        #expect(try fields("X-A:\r\n b\r\n \r\n") == ["X-A=b"])
        #expect(try fields("no field\r\n folded\r\nX: 1\r\n") == ["X=1"])
        #expect(try fields("X-A : 1\r\nX\tB: 2\r\n: 3\r\nX\u{E9}: 4\r\nY: 5\r\n") == ["Y=5"])
        #expect(try fields(" folded first\r\nY: 5\r\n") == ["Y=5"])
        #expect(try fields("X: a\rb\u{B}c\u{7F}\r\n") == ["X=a b\u{B}c\u{7F}"])
        #expect(try fields("X: \rb\r\r\n \rc\r\r\n") == ["X=b c"])
        #expect(try response("HTTP/1.1 200 \rOK\r\r\n\r\n").reason == "OK")
        #expect(try fields((0..<400).map { "x-\($0): \($0)\r\n" }.joined()).count == 400)
        #expect(try fields("X: a\n" + String(repeating: " b\n", count: 50_000)).first?.utf8.count == 100_003)
        #expect(throws: MessageHeadViolation.self) { try fields("X: a\u{0}b\r\n") }
        #expect(throws: MessageHeadViolation.self) {
            try fields(String(repeating: "a:\r\n", count: MessageHeadField.mostInHead + 1))
        }
    }

    @Test("Framing follows RFC 9112, section 6.3, and equal lengths are one")
    func framing() throws {
        #expect(try framing("") == .close)
        #expect(try framing("Content-Length: 2\r\nContent-Length: 2\r\n") == .length(2))
        #expect(try framing("Content-Length: 2, 02\r\n") == .length(2))
        #expect(try framing("Content-Length:\r\n") == .length(0))
        #expect(try framing("Content-Length:\r\nContent-Length: ,\r\n") == .length(0))
        #expect(try fields("Content-Length:\r\nA: 1\r\nContent-Length: ,\r\n") == ["Content-Length=0", "A=1"])
        #expect(try framing("Transfer-Encoding: Chunked\r\n") == .chunked)
        #expect(try framing("Transfer-Encoding: identity\r\nContent-Length: 3\r\n") == .length(3))
        #expect(try framing("Transfer-Encoding: identity\r\n") == .close)
        let both = try response("HTTP/1.1 200 OK\nContent-Length: 99\nTransfer-Encoding: chunked\n\n")
        #expect(both.framing == .chunked && both.isAmbiguous && both.fields.map(\.name) == ["Transfer-Encoding"])
        #expect(try response("HTTP/1.1 200 OK\nTransfer-Encoding : chunked\nContent-Length: 2\n\n").isAmbiguous)
        #expect(try response("HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n").isAmbiguous)
        var cut = try response("HTTP/1.1 200 OK\nContent-Length: 5\nA: 1\nSet-Cookie: a=b\n")
        cut.endWithConnection()
        #expect(cut.framing == .close && cut.fields == [MessageHeadField("A", "1")])
        let twice = try response("HTTP/1.1 200 OK\nA: 1\ncontent-length: 2\nB: 2\nContent-Length: 2\nC: 3\n\n")
        #expect(twice.fields.map(\.name) == ["A", "content-length", "B", "C"] && !twice.isAmbiguous)
        for text in [
            "Content-Length: 2\r\nContent-Length: 3", "Content-Length: 2, 3", "Content-Length: -1",
            "Content-Length: +1",
            "Content-Length: 1 0", "Content-Length: 0x1", "Content-Length: 9223372036854775808",
            "Transfer-Encoding: gzip",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ] {
            #expect(throws: MessageHeadViolation.self, "\(text)") { try framing(text + "\r\n") }
        }
    }

    // MARK: Requests

    @Test("A request is read in the spelling of the sender")
    func request() throws {
        let head = try ReceivedRequestHead(
            Array("\r\nM-SEARCH /a?[x]|%2f HTTP/1.1\r\nHost: a\r\nX:  v\u{B}\u{7F} \r\nE:\r\n\r\n".utf8))
        #expect(head.method == "M-SEARCH" && head.target == "/a?[x]|%2f" && head.minorVersion == 1)
        #expect(head.fields == [.init("Host", "a"), .init("X", "v\u{B}\u{7F}"), .init("E", "")])
        #expect(try ReceivedRequestHead(Array("patch  /   HTTP/1.0\r\n\r\n".utf8)).method == "patch")
    }

    @Test(
        "Requests that are refused",
        arguments: [
            "\nGET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\n\r\n", "GET / HTTP/1.1\r\nX: a\n\r\n",
            "GET / HTTP/1.1\r\nX: a\rb\r\n\r\n",
            "GET / HTTP/1.1\r\nX: a\r\n b\r\n\r\n", "GET / HTTP/1.1\r\nX : a\r\n\r\n", "GET / HTTP/1.1\r\nX\r\n\r\n",
            "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nX: \u{0}\r\n\r\n", "GET /\tHTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n", "G T / HTTP/1.1\r\n\r\n", " / HTTP/1.1\r\n\r\n", "GET /\r\n\r\n",
            "GET / http/1.1\r\n\r\n", "GET / HTTP/1.10\r\n\r\n", "GET / HTTP/1.2\r\n\r\n", "GET / HTTP/2.0\r\n\r\n",
            "GET /\u{7F} HTTP/1.1\r\n\r\n", "\r\n\r\n",
            "G\u{E9}T / HTTP/1.1\r\n\r\n",
        ])
    func refusedRequest(text: String) {
        #expect(throws: MessageHeadViolation.self) { try ReceivedRequestHead(Array(text.utf8)) }
    }

    // MARK: Ends

    private func endOfHead(_ text: String, in parts: Int) -> Int? {
        var scanner = MessageHeadScanner()
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let part = bytes[start..<min(start + parts, bytes.count)]
            if let end = part.withUnsafeBytes({ scanner.end(in: $0) }) { return start + end }
            start += part.count
        }
        return nil
    }

    @Test(
        "The end of a head is the first empty line, in parts of any size",
        arguments: [
            ("A\r\nB\r\n\r\nrest", 8), ("A\n\nrest", 3), ("A\n\r\nrest", 4), ("\r\n\nA\r\n\r\n", 8), ("A\r\n", nil),
            ("A", nil),
            ("\r\n\r\n", nil), ("A\r\n \r\n\r\n", 8), ("A\n\r\r\n\n", 6),
        ] as [(String, Int?)])
    func endOfHead(text: String, end: Int?) {
        for size in 1...text.utf8.count { #expect(endOfHead(text, in: size) == end, "\(size)") }
    }

    /// Returns the data, and the numbers of bytes of trailers and after the body, or `nil` if the body is refused.
    private func chunked(_ text: String, in parts: Int, isTolerant: Bool) -> (data: String, trailers: Int, rest: Int)? {
        var scanner = ChunkedBodyScanner(isTolerant: isTolerant)
        let bytes = Array(text.utf8)
        var (data, trailers, start) = ("", 0, 0)
        do {
            while start < bytes.count, scanner.part != .end {
                let part = scanner.part
                let slice = bytes[start..<min(start + parts, bytes.count)]
                let count = try slice.withUnsafeBytes { try scanner.scan($0) }
                if part == .data { data += String(decoding: slice.prefix(count), as: UTF8.self) }
                if part == .trailers { trailers += count }
                start += count
            }
            return (data, trailers, bytes.count - start)
        } catch {
            return nil
        }
    }

    @Test(
        "The parts of a chunked body, in parts of any size",
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\nnext", "hello", 2, 4), ("0\r\n\r\n", "", 2, 0),
            ("A;x=\"1\"\r\n0123456789\r\n1\r\n!\r\n00\r\n\r\n", "0123456789!", 2, 0),
            ("0\r\nX: 1\r\nY : 2\nno field\r\n\r\nn", "", 24, 1), ("2\r\nok\r\n", "ok", 0, 0),
            ("0\r\nX: 1\r\n", "", 6, 0),
        ])
    func chunks(text: String, data: String, trailers: Int, rest: Int) {
        for size in 1...text.utf8.count {
            for isTolerant in [true, false] {
                let result = chunked(text, in: size, isTolerant: isTolerant)
                #expect(result.map { $0 == (data, trailers, rest) } == true, "\(size) \(isTolerant)")
            }
        }
    }

    @Test(
        "Chunks that only a tolerant scanner accepts",
        arguments: ["2\nok\n0\n\n", "2 \t\r\nok\r\n0\r\n\r\n", "2;a\nok\r\n0\r\n\n", "2 ;a\r\nok\n0 \n\n"])
    func tolerantChunks(text: String) {
        for size in 1...text.utf8.count {
            #expect(chunked(text, in: size, isTolerant: true)?.data == "ok", "\(size)")
            #expect(chunked(text, in: size, isTolerant: false) == nil, "\(size)")
        }
    }

    @Test(
        "Malformed chunks are refused",
        arguments: [
            "\r\n", "zz\r\n", " 5\r\n", "+5\r\n", "0x5\r\n", "5 5\r\n", "5;a\rb", "5\r\nhello!", "5\rhello",
            "10000000000000005\r\n", "5;" + String(repeating: "a", count: 20_000),
            "0\r\nX: " + String(repeating: "a", count: 70_000),
        ])
    func malformedChunks(text: String) {
        for size in [7, text.utf8.count] { #expect(chunked(text, in: size, isTolerant: true) == nil, "\(size)") }
    }
}
