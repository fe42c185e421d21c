// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct GatedClockTests {
    private let clock = GatedClock()

    @Test func `Sleeps last until the gate is open, and end at their deadlines`() async throws {
        let short = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        let long = Task { [clock] in try await clock.sleep(for: .seconds(5)) }
        var lengths: Set<Duration> = []
        for await length in clock.sleeps {
            lengths.insert(length)
            if lengths.count == 2 { break }
        }
        #expect(lengths == [.seconds(1), .seconds(5)])
        #expect(clock.now.offset == .zero)
        clock.open()
        try await short.value
        try await long.value
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `A sleep ends immediately after the gate was opened`() async throws {
        clock.open()
        try await clock.sleep(for: .seconds(2))
        try await clock.sleep(for: .seconds(3))
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `A cancelled sleep ends no other sleep and does not move the time`() async throws {
        let cancelled = Task { [clock] in try await clock.sleep(for: .seconds(9)) }
        let other = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        var count = 0
        for await _ in clock.sleeps {
            count += 1
            if count == 2 { break }
        }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.now.offset == .zero)
        clock.open()
        try await other.value
        #expect(clock.now.offset == .seconds(1))
    }
}
