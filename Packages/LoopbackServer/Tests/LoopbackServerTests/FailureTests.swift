// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import NIOCore
import ResourceLoading
import Testing

@testable import LoopbackServer

@Suite("Requests that fail", .timeLimit(.minutes(2)))
struct FailureTests {
    private static let failure = ResourceError(.connectionLost, "a test")

    @Test("A failure before the head breaks the connection within the status line")
    func beforeHead() async throws {
        try await Fixture.with(RecordingLoader { _ in throw Self.failure }) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(String(decoding: try await peer.rest(), as: UTF8.self) == "HTTP/1.1 ")
            let report = try await fixture.witness.reports.entry(0)
            #expect(report.outcome.word == "failed connection-lost" && report.head == nil)
        }
    }

    @Test("A loader that returns nil is an error")
    func none() async throws {
        try await Fixture.with(RecordingLoader { _ in nil }) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.rest().count == 9)
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed internal")
        }
    }

    @Test("An informational status from a loader is an error", arguments: [100, 101, 103])
    func interim(status: Int) async throws {
        try await Fixture.with(RecordingLoader { _ in ResourceResponse(status) }) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.rest().count == 9)
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed internal")
        }
    }

    @Test("A failure during the body breaks the connection detectably")
    func afterHead() async throws {
        let loader = RecordingLoader { request in
            .pieces(["one "], length: request.head.path == "/length" ? 10 : nil, error: Self.failure)
        }
        try await Fixture.with(loader) { fixture in
            for path in ["/length", "/chunks"] {
                let peer = try await fixture.open()
                try await peer.send("GET \(path) HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                #expect(try await peer.answerHead().status == 200)
                let rest = String(decoding: try await peer.rest(), as: UTF8.self)
                #expect(rest == (path == "/length" ? "one " : "4\r\none \r\n"))
            }
            let reports = try await fixture.witness.reports.value("2") { $0.count == 2 ? $0 : nil }
            #expect(reports.allSatisfy { $0.outcome.word == "failed connection-lost" && $0.bytes == 4 })
        }
    }

    @Test("A failure resets the connection if its end delimits the body")
    func withoutFraming() async throws {
        let gate = Gate()
        let loader = RecordingLoader { _ in
            let stream = AsyncThrowingStream<Data, any Error> {
                try await gate.passed()
                throw Self.failure
            }
            return ResourceResponse(200, [:], .stream(ByteStream(stream)))
        }
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try await peer.answerHead().status == 200)
            gate.open()
            let end = try await peer.end()
            #expect({ if case .broken = end { true } else { false } }(), "\(end)")
        }
    }

    @Test("A body that is longer or shorter than announced breaks the connection", arguments: [3, 5] as [Int64])
    func lengths(length: Int64) async throws {
        try await Fixture.with(RecordingLoader { _ in .pieces(["ab", "cd"], length: length) }) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            #expect(try await peer.answerHead().fields["content-length"] == "\(length)")
            #expect(try await peer.rest().count < length)
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "failed connection-lost")
        }
    }

    @Test("A client that disconnects cancels the loader", arguments: [true, false], ["loader", "body"])
    func cancellation(reset: Bool, place: String) async throws {
        let cancelled = Log<Bool>()
        let began = Gate()
        let endless: @Sendable () async throws -> Void = {
            began.open()
            for await _ in AsyncStream<Void>.makeStream().stream {}
            cancelled.append(Task.isCancelled)
            throw CancellationError()
        }
        let loader = RecordingLoader { _ in
            if place == "loader" { try await endless() }
            let stream = AsyncThrowingStream<Data, any Error> {
                try await endless()
                return nil
            }
            return ResourceResponse(200, [:], .stream(ByteStream(stream)))
        }
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            try await began.passed()
            if reset { peer.channel.breakOff() } else { peer.close() }
            #expect(try await cancelled.entry(0))
            #expect(try await fixture.witness.reports.entry(0).outcome.word == "stopped")
        }
    }

    @Test("A client that does not read stops the loader's body, and its disconnect is detected")
    func slowReader() async throws {
        let pulled = Log<Int>()
        let loader = RecordingLoader { _ in
            let stream = AsyncThrowingStream<Data, any Error> {
                pulled.append(1)
                return Data(count: 1 << 20)
            }
            return ResourceResponse(200, [:], .stream(ByteStream(stream)))
        }
        try await Fixture.with(loader) { fixture in
            let peer = try await fixture.open()
            try await peer.send("GET / HTTP/1.1\r\nHost: shop.test\r\n\r\n")
            _ = try await peer.answerHead()
            try await peer.channel.setOption(.autoRead, value: false).get()
            var last = -1
            while last != pulled.entries.count {
                last = pulled.entries.count
                let other = try await fixture.sendRequest(for: "shop.test:443").peer
                other.close()
                for _ in 0..<200 { await Task.yield() }
            }
            #expect(last < 256)
            peer.channel.breakOff()
            _ = try await fixture.witness.reports.value("an end") { $0.first { $0.outcome.word == "stopped" } }
        }
    }

    @Test("Closed connections retain no objects")
    func leaks() async throws {
        final class Token: Sendable {}
        let token = Log<Bool>()
        weak var weakToken: Token?
        do {
            let held = Token()
            weakToken = held
            let loader = RecordingLoader { request in
                _ = held
                if request.head.path == "/fail" { throw Self.failure }
                return .text("ok")
            }
            try await Fixture.with(loader) { fixture in
                let kept = try await fixture.open()
                _ = try await kept.get("/")
                let failed = try await fixture.open()
                try await failed.send("GET /fail HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                _ = try await failed.rest()
                _ = try await fixture.connect()
                let half = try await fixture.open()
                try await half.send("POST / HTTP/1.1\r\nHost: shop.test\r\nContent-Length: 5\r\n\r\n12")
                _ = try await half.answer()
            }
            token.append(true)
        }
        // Waits until the event loops have released their references.
        for _ in 0..<1_000 where weakToken != nil { try await Fixture.turn() }
        #expect(weakToken == nil)
    }
}
