// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import Testing

@testable import ContainerTesting

@Suite("ShapingRelay", .timeLimit(.minutes(1)))
struct ShapingRelayTests {
    /// Runs `body` with a relay in front of a server.
    private func withRelay<Result: Sendable>(
        _ profile: NetworkProfile, to handler: @escaping @Sendable (TCPChannel) async throws -> Void = echo,
        _ body: @escaping @Sendable (ShapingRelay) async throws -> Result
    ) async throws -> Result {
        try await withTCPServer(handler) { port in
            let relay = try await ShapingRelay.start(profile: profile, target: .loopback(port))
            do {
                let result = try await body(relay)
                await relay.stop()
                return result
            } catch {
                await relay.stop()
                throw error
            }
        }
    }

    /// Sends bytes, closes the output, and returns the bytes received until the end.
    private func sendAndCollect(_ bytes: [UInt8], through port: Int) async throws -> [UInt8] {
        try await connect(to: port).executeThenClose { inbound, outbound in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for start in stride(from: 0, to: bytes.count, by: 50_000) {
                        try await outbound.write(ByteBuffer(bytes: bytes[start..<min(start + 50_000, bytes.count)]))
                    }
                    outbound.finish()
                }
                var collected: [UInt8] = []
                for try await buffer in inbound { collected += buffer.readableBytesView }
                try await group.waitForAll()
                return collected
            }
        }
    }

    @Test(
        "A megabyte arrives complete and in order in both directions",
        arguments: [
            NetworkProfile.none,
            try NetworkProfile(roundTrip: .milliseconds(10), downKilobits: 80_000, upKilobits: 60_000),
        ])
    func whole(_ profile: NetworkProfile) async throws {
        let bytes = pattern(1_048_576)
        let counters = try await withRelay(profile) { relay in
            let echoed = try await sendAndCollect(bytes, through: relay.port)
            #expect(echoed == bytes)
            return relay.counters
        }
        #expect(counters.bytesUp == 1_048_576)
        #expect(counters.bytesDown == 1_048_576)
        #expect(counters.connections == 1)
        #expect(counters.refused == 0)
    }

    @Test("Bytes take the time of the profile, by the link's clock")
    func rate() async throws {
        let profile = try NetworkProfile(roundTrip: .milliseconds(20), downKilobits: 1_600, upKilobits: 8_000)
        let begin = ContinuousClock.now
        let counters = try await withRelay(profile) { relay in
            _ = try await sendAndCollect(pattern(40_000), through: relay.port)
            return relay.counters
        }
        // 40,000 bytes are 320,000 bits.
        #expect(counters.busyDown == .milliseconds(200))
        #expect(counters.busyUp == .milliseconds(40))
        // The lower bound is a handshake, a round trip and the transmission. The upper bound depends on the machine.
        #expect(ContinuousClock.now - begin >= .milliseconds(20 + 20 + 200))
    }

    @Test("The first byte of a new connection waits one round trip")
    func handshake() async throws {
        let profile = try NetworkProfile(roundTrip: .milliseconds(100))
        let begin = ContinuousClock.now
        let echoed = try await withRelay(profile) { relay in
            try await sendAndCollect([7], through: relay.port)
        }
        #expect(echoed == [7])
        #expect(ContinuousClock.now - begin >= .milliseconds(200))
    }

    @Test("Connections share the rate fairly")
    func fairness() async throws {
        // The chunks are large enough that the relay always has data, also on a busy machine.
        let endless: @Sendable (TCPChannel) async throws -> Void = { channel in
            try await channel.executeThenClose { _, outbound in
                while true { try await outbound.write(ByteBuffer(repeating: 1, count: 2_000_000)) }
            }
        }
        let profile = try NetworkProfile(downKilobits: 8_000)
        let shares = try await withRelay(profile, to: endless) { relay in
            try await connect(to: relay.port).executeThenClose { first, _ in
                try await connect(to: relay.port).executeThenClose { second, _ in
                    var (one, other) = (first.makeAsyncIterator(), second.makeAsyncIterator())
                    // The relay counts the bytes while both connections receive, until the first connection has
                    // received 200,000 more bytes.
                    _ = try await (one.next(), other.next())
                    let begin = relay.bytesDownByConnection
                    while relay.bytesDownByConnection[0] - begin[0] < 200_000, try await one.next() != nil {}
                    return zip(relay.bytesDownByConnection, begin).map { $0 - $1 }
                }
            }
        }
        let least = try #require(shares.min())
        let most = try #require(shares.max())
        #expect(shares.count == 2)
        #expect(Double(least) > 0.8 * Double(most), "\(least) and \(most) bytes")
    }

    @Test("Data sent before the target is connected is not lost")
    func early() async throws {
        // With many connections, most have sent all bytes before the relay has connected them.
        let bytes = pattern(30_000)
        try await withRelay(.none) { relay in
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<50 {
                    group.addTask { try await sendAndCollect(bytes, through: relay.port) }
                }
                for try await echoed in group { #expect(echoed == bytes) }
            }
        }
    }

    @Test("A peer that sends faster than the link must wait")
    func backPressure() async throws {
        // At 40 Mbit/s the limit is a quarter of a second, 1.25 MB, of the 4 MB that are sent at once.
        let profile = try NetworkProfile(upKilobits: 40_000)
        let bytes = pattern(4_000_000)
        let counters = try await withRelay(profile) { relay in
            let echoed = try await sendAndCollect(bytes, through: relay.port)
            #expect(echoed == bytes)
            return relay.counters
        }
        // The limit may be exceeded by one read and one socket buffer.
        #expect(counters.mostHeld < 1_250_000 + 1_048_576)
    }

    @Test("A half-closed connection still delivers the response")
    func halfClose() async throws {
        let countAtEnd: @Sendable (TCPChannel) async throws -> Void = { channel in
            try await channel.executeThenClose { inbound, outbound in
                var count = 0
                for try await buffer in inbound { count += buffer.readableBytes }
                try await outbound.write(ByteBuffer(string: "\(count)"))
            }
        }
        let profile = try NetworkProfile(roundTrip: .milliseconds(4), downKilobits: 8_000, upKilobits: 8_000)
        let answer = try await withRelay(profile, to: countAtEnd) { relay in
            try await sendAndCollect(pattern(100_000), through: relay.port)
        }
        #expect(String(decoding: answer, as: UTF8.self) == "100000")
    }

    @Test("A reset of the server resets the client")
    func reset() async throws {
        let breakOff: @Sendable (TCPChannel) async throws -> Void = { channel in
            let socket = channel.channel
            try await channel.executeThenClose { inbound, outbound in
                var iterator = inbound.makeAsyncIterator()
                _ = try await iterator.next()
                try await outbound.write(ByteBuffer(repeating: 1, count: 10_000))
                // The server resets after the client has received the bytes.
                _ = try await iterator.next()
                try await socket.eventLoop.submit { socket.reset() }.get()
            }
        }
        let profile = try NetworkProfile(roundTrip: .milliseconds(2), downKilobits: 8_000)
        let received = Shared(0)
        await #expect(throws: IOError.self) {
            try await withRelay(profile, to: breakOff) { relay in
                try await connect(to: relay.port).executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: "go"))
                    for try await buffer in inbound {
                        let count = received.update { received in
                            received += buffer.readableBytes
                            return received
                        }
                        if count == 10_000 { try await outbound.write(ByteBuffer(string: "thanks")) }
                    }
                }
            }
        }
        #expect(received.value == 10_000)
    }

    @Test("Connections are reset immediately with the offline profile")
    func offline() async throws {
        let (received, counters) = try await withRelay(.offline) { relay in
            // The connection ends with an error or normally, depending on the system, but immediately and without a
            // byte.
            let received = try? await sendAndCollect([7], through: relay.port)
            return (received ?? [], relay.counters)
        }
        #expect(received.isEmpty)
        #expect(counters.connections == 1)
        #expect(counters.refused == 1)
        #expect(counters.bytesUp == 0)
    }

    @Test("A target that cannot be connected resets the connection")
    func deadTarget() async throws {
        let port = try RefusingPort()
        let relay = try await ShapingRelay.start(profile: .none, target: .loopback(port.number))
        await #expect(throws: (any Error).self) {
            try await connect(to: relay.port).executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "hello"))
                for try await _ in inbound {}
                // The expectation also accepts a normal end, which leads to this error.
                try await outbound.write(ByteBuffer(string: "hello"))
                throw ContainerTestingError(.tls, "ended in order")
            }
        }
        await relay.stop()
        withExtendedLifetime(port) {}
        #expect(relay.counters.refused == 1)
    }

    @Test("A port in use is reported")
    func portInUse() async throws {
        let relay = try await ShapingRelay.start(profile: .none, target: .loopback(1))
        await #expect {
            _ = try await ShapingRelay.start(profile: .none, target: .loopback(1), port: relay.port)
        } throws: { error in
            let error = error as? ContainerTestingError
            return error?.code == .portInUse && error?.message.contains("\(relay.port)") == true
        }
        await relay.stop()
    }

    @Test("A port is free after the stop")
    func portAfterStop() async throws {
        // A concurrent test may take the port before it is bound again. The next attempt then uses another port.
        for attempt in 1... {
            let relay = try await ShapingRelay.start(profile: .none, target: .loopback(1))
            await relay.stop()
            do {
                let again = try await ShapingRelay.start(profile: .none, target: .loopback(1), port: relay.port)
                await again.stop()
                await again.stop()
                return
            } catch let error as ContainerTestingError where error.code == .portInUse && attempt < 5 {
                continue
            }
        }
    }

    @Test("Stopping ends open connections")
    func stop() async throws {
        try await withRelay(.none) { relay in
            try await connect(to: relay.port).executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "hello"))
                var iterator = inbound.makeAsyncIterator()
                #expect(try await iterator.next() != nil)
                await relay.stop()
                #expect((try? await iterator.next()) == nil)
            }
        }
    }
}
