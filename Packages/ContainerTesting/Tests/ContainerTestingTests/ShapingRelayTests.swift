// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOCore
import Testing

@testable import ContainerTesting

@Suite("A relay with a slow link", .timeLimit(.minutes(1)))
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

    /// Sends bytes, ends, and collects what comes back until the end.
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
        "a megabyte arrives whole and in order, both ways",
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

    @Test("bytes take the time that the profile says, by the link's clock")
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
        // Never sooner; how much later depends on the machine. A handshake, there and back, and the sending.
        #expect(ContinuousClock.now - begin >= .milliseconds(20 + 20 + 200))
    }

    @Test("a new connection waits a round trip before its first byte passes")
    func handshake() async throws {
        let profile = try NetworkProfile(roundTrip: .milliseconds(100))
        let begin = ContinuousClock.now
        let echoed = try await withRelay(profile) { relay in
            try await sendAndCollect([7], through: relay.port)
        }
        #expect(echoed == [7])
        #expect(ContinuousClock.now - begin >= .milliseconds(200))
    }

    @Test("connections share the rate fairly")
    func fairness() async throws {
        let endless: @Sendable (TCPChannel) async throws -> Void = { channel in
            try await channel.executeThenClose { _, outbound in
                while true { try await outbound.write(ByteBuffer(repeating: 1, count: 16_384)) }
            }
        }
        let profile = try NetworkProfile(downKilobits: 8_000)
        let counts = Shared([0, 0])
        let shares = try await withRelay(profile, to: endless) { relay in
            try await withThrowingTaskGroup(of: [Int]?.self) { group in
                for reader in 0..<2 {
                    group.addTask {
                        try await connect(to: relay.port).executeThenClose { inbound, _ in
                            var base: [Int]?
                            for try await buffer in inbound {
                                let now = counts.update { counts in
                                    counts[reader] += buffer.readableBytes
                                    return counts
                                }
                                // Counted from when both flow, until one has received 200,000 bytes.
                                guard now[0] > 0, now[1] > 0 else { continue }
                                let start = base ?? now
                                base = start
                                let shares = [now[0] - start[0], now[1] - start[1]]
                                if shares[reader] >= 200_000 { return shares }
                            }
                            return nil
                        }
                    }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
        let least = try #require(shares?.min())
        let most = try #require(shares?.max())
        #expect(Double(least) > 0.7 * Double(most), "\(least) and \(most) bytes")
    }

    @Test("a peer that sends faster than the link has to wait")
    func backPressure() async throws {
        // 40 Mbit/s: the limit is a quarter of a second, 1.25 MB, of the four that come at once.
        let profile = try NetworkProfile(upKilobits: 40_000)
        let bytes = pattern(4_000_000)
        let counters = try await withRelay(profile) { relay in
            let echoed = try await sendAndCollect(bytes, through: relay.port)
            #expect(echoed == bytes)
            return relay.counters
        }
        #expect(counters.mostHeld > 1_250_000)
        #expect(counters.mostHeld < 1_250_000 + 1_048_576)
    }

    @Test("a connection that is half closed still brings the answer")
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

    @Test("a server that breaks off breaks off here too")
    func reset() async throws {
        let breakOff: @Sendable (TCPChannel) async throws -> Void = { channel in
            let socket = channel.channel
            try await channel.executeThenClose { inbound, outbound in
                var iterator = inbound.makeAsyncIterator()
                _ = try await iterator.next()
                try await outbound.write(ByteBuffer(repeating: 1, count: 10_000))
                // Once the client has them.
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

    @Test("offline, connections are reset at once")
    func offline() async throws {
        let counters = try await withRelay(.offline) { relay in
            await #expect(throws: (any Error).self) {
                try await connect(to: relay.port).executeThenClose { inbound, outbound in
                    try await outbound.write(ByteBuffer(string: "hello"))
                    for try await _ in inbound {}
                }
            }
            return relay.counters
        }
        #expect(counters.connections == 1)
        #expect(counters.refused == 1)
        #expect(counters.bytesUp == 0)
    }

    @Test("a target that does not answer resets the connection")
    func deadTarget() async throws {
        let relay = try await ShapingRelay.start(profile: .none, target: .loopback(try await unusedPort()))
        await #expect(throws: (any Error).self) {
            try await connect(to: relay.port).executeThenClose { inbound, outbound in
                try await outbound.write(ByteBuffer(string: "hello"))
                for try await _ in inbound {}
                // An orderly end would be wrong too.
                try await outbound.write(ByteBuffer(string: "hello"))
                throw ContainerTestingError(.tls, "ended in order")
            }
        }
        await relay.stop()
        #expect(relay.counters.refused == 1)
    }

    @Test("a port in use is named")
    func portInUse() async throws {
        let relay = try await ShapingRelay.start(profile: .none, target: .loopback(1))
        await #expect {
            _ = try await ShapingRelay.start(profile: .none, target: .loopback(1), port: relay.port)
        } throws: { error in
            let error = error as? ContainerTestingError
            return error?.code == .portInUse && error?.message.contains("\(relay.port)") == true
        }
        await relay.stop()
        // And is free after the stop.
        let again = try await ShapingRelay.start(profile: .none, target: .loopback(1), port: relay.port)
        await again.stop()
        await again.stop()
    }

    @Test("stopping ends connections that are open")
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
