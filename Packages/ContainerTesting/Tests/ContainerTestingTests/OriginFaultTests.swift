// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Testing

@testable import ContainerTesting

@Suite("Faults of an origin server", .timeLimit(.minutes(1)))
struct OriginFaultTests {
    private static let size = 300_000

    /// The response that a client receives: the head, the number of body bytes, and the end of the connection.
    private struct Outcome: Equatable {
        enum End { case orderly, reset }
        var head = ""
        var bodyBytes = 0
        var end = End.orderly
    }

    private func withFaults<Result: Sendable>(
        _ faults: String, clock: (any Clock<Duration>)? = nil, tls: Bool = false,
        _ body: @Sendable (OriginServer) async throws -> Result
    ) async throws -> Result {
        let folder = try Folder([
            "a.js": pattern(Self.size), "b.js": pattern(Self.size), "small.js": pattern(10),
        ])
        defer { folder.remove() }
        var configuration = OriginServer.Configuration(folder: folder.path)
        configuration.faults = try Fault.parse(faults)
        configuration.usesTLS = tls
        if let clock { configuration.clock = clock }
        return try await withOrigin(configuration, body)
    }

    private func get(_ path: String, from server: OriginServer) async throws -> Outcome {
        let outcome = Shared(Outcome())
        let channel = try await connect(to: server.port)
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await outbound.write(
                    ByteBuffer(string: "GET \(path) HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"))
                var received: [UInt8] = []
                for try await buffer in inbound {
                    received += buffer.readableBytesView
                    let bytes = received
                    outcome.update { outcome in
                        let text = String(decoding: bytes.prefix(2_000), as: UTF8.self)
                        guard let end = text.firstRange(of: "\r\n\r\n") else { return }
                        outcome.head = String(text[..<end.lowerBound])
                        outcome.bodyBytes = bytes.count - text.utf8.distance(from: text.startIndex, to: end.upperBound)
                    }
                }
            }
        } catch is IOError {
            outcome.update { $0.end = .reset }
        }
        return outcome.value
    }

    @Test("reset: no byte and no normal end")
    func reset() async throws {
        try await withFaults("reset:/a.js") { server async throws in
            #expect(try await get("/a.js", from: server) == Outcome(head: "", bodyBytes: 0, end: .reset))
            #expect(try await get("/b.js", from: server).bodyBytes == Self.size)
        }
    }

    @Test("reset with a number: at most a part of the body, and no normal end")
    func resetLater() async throws {
        try await withFaults("reset=1000:/*") { server async throws in
            let outcome = try await get("/a.js", from: server)
            #expect(outcome.end == .reset)
            #expect(outcome.bodyBytes <= 1_000)
            // The file is shorter than the number of the fault, so it is sent completely.
            #expect(try await get("/small.js", from: server).bodyBytes == 10)
        }
    }

    @Test("status: the status, and the connection is reused")
    func status() async throws {
        try await withFaults("status=503:/a.js,status=204:/b.js") { server async throws in
            try await withClient { client async throws in
                let answer = try await client.sendRequest(server.url + "/a.js")
                #expect(answer.status == 503)
                #expect(answer.text == "503 Service Unavailable\n")
                #expect(try await client.sendRequest(server.url + "/b.js").status == 204)
                #expect(try await client.sendRequest(server.url + "/small.js").body == pattern(10))
                #expect(try await client.sendRequest(server.url + "/a.js", .HEAD).status == 503)
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("truncate: the full length is announced, and exactly N bytes arrive", arguments: [0, 1_000, 200_000])
    func truncate(_ bytes: Int) async throws {
        try await withFaults("truncate=\(bytes):/a.js") { server async throws in
            let outcome = try await get("/a.js", from: server)
            #expect(outcome.head.lowercased().contains("content-length: \(Self.size)"))
            #expect(outcome.bodyBytes == bytes)
            #expect(outcome.end == .orderly)
            await #expect(throws: (any Error).self) {
                try await withClient { client in try await client.sendRequest(server.url + "/a.js") }
            }
        }
    }

    @Test("truncate over TLS")
    func truncateTLS() async throws {
        try await withFaults("truncate=1000:/a.js,reset:/b.js", tls: true) { server async throws in
            try await withClient(trusting: server.authorityPEM) { client async throws in
                for path in ["/a.js", "/b.js"] {
                    await #expect(throws: (any Error).self) { try await client.sendRequest(server.url + path) }
                }
                #expect(try await client.sendRequest(server.url + "/small.js").body == pattern(10))
            }
        }
    }

    @Test("stall: no data arrives until the server stops", arguments: ["stall:/a.js", "stall=1000:/a.js"])
    func stall(_ fault: String) async throws {
        try await withFaults(fault) { server async throws in
            try await connect(to: server.port).executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "GET /a.js HTTP/1.1\r\nhost: a\r\n\r\n"))
                if fault.contains("=") {
                    var received = 0
                    var iterator = inbound.makeAsyncIterator()
                    while received < 1_000, let buffer = try await iterator.next() { received += buffer.readableBytes }
                    #expect(received >= 1_000)
                    await server.stop()
                    #expect((try? await iterator.next()) == nil)
                } else {
                    // The server continues to serve other requests. They are repeated until the stalled request has
                    // arrived.
                    repeat {
                        #expect(try await get("/small.js", from: server).bodyBytes == 10)
                    } while !server.requests.contains { $0.path == "/a.js" }
                    await server.stop()
                    var iterator = inbound.makeAsyncIterator()
                    #expect((try? await iterator.next()) == nil)
                }
            }
        }
    }

    @Test("delay: the response begins at the time of the clock")
    func delay() async throws {
        let clock = ManualClock()
        try await withFaults("delay=2000:/*,delay=500:/a.js,status=404:/a.js", clock: clock) { server async throws in
            async let outcome = get("/a.js", from: server)
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(1_999))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .milliseconds(500))
            #expect(try await outcome.head.hasPrefix("HTTP/1.1 404"))
        }
    }

    @Test("Stopping ends a delay")
    func delayedStop() async throws {
        let clock = ManualClock()
        try await withFaults("delay=2000:/*", clock: clock) { server async throws in
            async let outcome = get("/a.js", from: server)
            await clock.sleepers(atLeast: 1)
            await server.stop()
            #expect(clock.sleeperCount == 0)
            _ = try? await outcome
        }
    }
}
