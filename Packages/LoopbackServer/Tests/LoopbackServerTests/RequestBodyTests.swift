// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Request bodies", .timeLimit(.minutes(2)))
struct RequestBodyTests {
    private static let head = "POST /up HTTP/1.1\r\nHost: shop.test\r\n"
    /// A loader that responds with the length and the body of the request.
    private let echo = RecordingLoader { request in
        let length = request.body.length.map { "\($0)" } ?? "-"
        return .text("\(length) \(String(decoding: try await request.body.collect(upTo: 8 << 20), as: UTF8.self))")
    }

    @Test("Bodies with a length or chunks arrive complete, and the connection is reused")
    func whole() async throws {
        try await Fixture.with(echo) { fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Content-Length: 5\r\n\r\nhello")
            #expect(try await peer.answer().text == "5 hello")
            try await peer.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n")
            try await peer.send("1\r\n!\r\n0\r\nX-Trailer: 1\r\nHost: other.test\r\n\r\n")
            #expect(try await peer.answer().text == "- hello!")
            try await peer.send(Self.head + "Content-Length: 0\r\n\r\n")
            #expect(try await peer.answer().text == "0 ")
        }
    }

    @Test("Large bodies arrive complete")
    func large() async throws {
        let content = String(repeating: "0123456789abcdef", count: 1 << 17)
        try await Fixture.with(echo) { fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Content-Length: \(content.utf8.count)\r\n\r\n" + content)
            #expect(try await peer.answer().text == "\(content.utf8.count) \(content)")
        }
    }

    @Test("A loader that does not read stops the engine")
    func backPressure() async throws {
        let gate = Gate()
        let loader = RecordingLoader { request in
            try await gate.passed()
            var count = 0
            if case .stream(let stream) = request.body { for try await piece in stream { count += piece.count } }
            return .text("\(count)")
        }
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            let (count, piece) = (256, [UInt8](repeating: 65, count: 1 << 18))
            try await peer.send(Self.head + "Content-Length: \(count * piece.count)\r\n\r\n")
            _ = try await loader.receivedRequests.entry(0)
            let sent = Mutex(0)
            let stall = Log<Int>()
            let sending = Task {
                for _ in 0..<count {
                    try await peer.send(piece)
                    stall.append(
                        sent.withLock {
                            $0 += 1; return $0
                        })
                }
            }
            // The buffers of the system contain a part of the body. Without back-pressure, all bytes would be sent.
            try await waitUntilStable(stall)
            #expect(sent.withLock { $0 } < count / 2)
            gate.open()
            try await sending.value
            #expect(try await peer.answer().text == "\(count * piece.count)")
        }
    }

    /// Waits until nothing was written during many round trips through a proxy.
    private func waitUntilStable(_ log: Log<Int>) async throws {
        var last = -1
        while last != log.entries.count {
            last = log.entries.count
            try await Fixture.with(RecordingLoader { _ in .text("") }) { fixture in
                let peer = try await fixture.open()
                for _ in 0..<50 { _ = try await peer.get("/") }
            }
        }
    }

    @Test("100 (Continue) is sent when the body is read")
    func expectation() async throws {
        try await Fixture.with(echo) { fixture in
            let peer = try await fixture.open()
            for _ in 0..<2 {
                try await peer.send(Self.head + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
                #expect(try await peer.answer().status == 100)
                try await peer.send("hello")
                #expect(try await peer.answer().text == "5 hello")
            }
        }
    }

    @Test("100 (Continue) is not sent after a response, or to a client that does not wait")
    func unexpected() async throws {
        try await Fixture.with(RecordingLoader { _ in ResourceResponse(413) }) { fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            let answer = try await peer.answer()
            #expect(answer.status == 413 && answer.fields["connection"] == "close")
            #expect(try await peer.rest() == [])
        }
        try await Fixture.with(echo) { fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
            var answer = try await peer.answer()
            if answer.status == 100 { answer = try await peer.answer() }
            #expect(answer.text == "5 hello")
            try await peer.send("POST /up HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await peer.answer().status == 200)
        }
    }

    @Test("An unknown expectation fails")
    func unknownExpectation() async throws {
        try await Fixture.with(echo) { [echo] fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Expect: the-unexpected\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await peer.answer().status == 417)
            #expect(echo.requests == [])
        }
    }

    @Test("An early response arrives, and no later request on its connection is served")
    func early() async throws {
        let loader = RecordingLoader { request in .text("early \(request.head.path ?? "")") }
        try await Fixture.with(loader) { [loader] fixture in
            let peer = try await fixture.open()
            try await peer.send(Self.head + "Content-Length: 300000\r\n\r\n")
            #expect(try await peer.answer().text == "early /up")
            try? await peer.send(
                String(repeating: "x", count: 300_000) + "GET /next HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.rest() == [])
            #expect(loader.requests == ["POST https://shop.test/up"])
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "finished")
        }
    }

    @Test("A truncated or malformed body is not complete")
    func broken() async throws {
        let read = Log<String>()
        let loader = RecordingLoader { request in
            do {
                read.append("whole \(try await request.body.collect(upTo: 1 << 20).count)")
            } catch {
                read.append("broken")
                throw error
            }
            return .text("ok")
        }
        try await Fixture.with(loader) { fixture in
            let cut = try await fixture.open()
            try await cut.send(Self.head + "Content-Length: 10\r\n\r\nhello")
            _ = try await fixture.loader.receivedRequests.entry(0)
            cut.close()
            #expect(try await read.entry(0) == "broken")
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "stopped")
            let garbled = try await fixture.open()
            try await garbled.send(Self.head + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            _ = try await fixture.loader.receivedRequests.entry(1)
            try await garbled.send("zz\r\n")
            #expect(try await read.entry(1) == "broken")
            #expect(try await garbled.answer().status == 400)
            #expect(try await garbled.rest() == [])
        }
    }

    @Test("A stalled request body is closed in time, but not while the loader does not read")
    func patience() async throws {
        let gate = Gate()
        let loader = RecordingLoader { request in
            if request.head.path == "/slow" { try await gate.passed() }
            return .text("\(try await request.body.collect(upTo: 8 << 20).count)")
        }
        try await Fixture.with(loader) {
            // Long enough that a machine that pauses for some seconds does not close the slow connection.
            $0.limits.patience = .seconds(8)
        } _: { fixture in
            // On a loaded machine the first certificate may take longer than the limit. Later connections reuse it.
            for _ in 0..<5 { if (try? await fixture.open()) != nil { break } }
            let slow = try await fixture.open()
            try await slow.send("POST /slow HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 2000000\r\n\r\n")
            async let sent: Void = slow.send([UInt8](repeating: 65, count: 2_000_000))
            let stalled = try await fixture.open()
            try await stalled.send(Self.head + "Content-Length: 10\r\n\r\nhello")
            // When the stalled connection has been closed, the limit of the slow connection would also have passed.
            _ = try await stalled.end()
            let second = try await fixture.open()
            try await second.send(Self.head + "Content-Length: 10\r\n\r\nhello")
            _ = try await second.end()
            gate.open()
            try await sent
            #expect(try await slow.answer().text == "2000000")
        }
    }
}
