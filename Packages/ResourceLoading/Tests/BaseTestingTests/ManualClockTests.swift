// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Testing

@Suite("Manual clock", .timeLimit(.minutes(1)))
struct ManualClockTests {
    private let clock = ManualClock()

    @Test("Sleepers wake at their deadlines and not before")
    func order() async throws {
        let (wakes, woken) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask { [clock] in
                    try await clock.sleep(for: .seconds(seconds))
                    woken.yield(seconds)
                }
            }
            await clock.sleepers(atLeast: 3)
            var iterator = wakes.makeAsyncIterator()
            for expected in 1...3 {
                clock.advance(by: .milliseconds(999))
                #expect(clock.sleeperCount == 4 - expected)
                clock.advance(by: .milliseconds(1))
                #expect(await iterator.next() == expected)
                #expect(clock.sleeperCount == 3 - expected)
            }
            try await group.waitForAll()
        }
        #expect(clock.now.offset == .seconds(3))
    }

    @Test("A deadline in the past does not suspend")
    func past() async throws {
        clock.advance(by: .seconds(5))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)))
        try await clock.sleep(for: .zero)
        clock.advance(to: ManualClock.Instant(offset: .seconds(1)))
        #expect(clock.now.offset == .seconds(5))
    }

    @Test("A cancelled sleeper wakes with an error, and the other sleepers continue")
    func cancellation() async throws {
        let cancelled = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        let other = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await other.value
    }

    @Test("Sleeping in a cancelled task throws at once")
    func cancelledBefore() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test("Concurrent cancellation and advance wake each sleeper once")
    func race() async {
        for _ in 0..<200 {
            let clock = ManualClock()
            let task = Task { try? await clock.sleep(for: .seconds(1)) }
            await clock.sleepers(atLeast: 1)
            async let cancelled: Void = task.cancel()
            async let advanced: Void = clock.advance(by: .seconds(1))
            _ = await (cancelled, advanced)
            await task.value
            #expect(clock.sleeperCount == 0)
        }
    }
}
