// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@Suite("Inactivity timers", .timeLimit(.minutes(1)))
struct InactivityTimerTests {
    private enum Failure: Error { case refused, silent }

    /// Suspends until the task is cancelled.
    private static func wait() async throws {
        for await _ in AsyncStream<Never>.makeStream().stream {}
        try Task.checkCancellation()
    }

    @Test("Work without activity is cancelled at the limit, and the error of the limit is thrown")
    func silence() async {
        let clock = SleepClock()
        let timer = InactivityTimer(clock)
        clock.advance(by: .seconds(100))
        await #expect(throws: Failure.silent) {
            try await timer.run(limit: .seconds(10), otherwise: { Failure.silent }, { try await Self.wait() })
        }
        // The start of the work counts as activity.
        #expect(clock.lengths == [.seconds(10)])
    }

    @Test("Activity restarts the limit")
    func activity() async {
        let box = Mutex<(SleepClock, InactivityTimer)?>(nil)
        let clock = SleepClock { number in
            guard number <= 2, let (clock, timer) = box.withLock({ $0 }) else { return }
            clock.advance(by: .seconds(4))
            timer.recordActivity()
        }
        let timer = InactivityTimer(clock)
        box.withLock { $0 = (clock, timer) }
        await #expect(throws: Failure.silent) {
            try await timer.run(limit: .seconds(10), otherwise: { Failure.silent }, { try await Self.wait() })
        }
        #expect(clock.lengths == [.seconds(10), .seconds(4), .seconds(10)])
        box.withLock { $0 = nil }
    }

    @Test("The value and the error of the work are returned, and cancelling the caller cancels the work")
    func ends() async throws {
        let timer = InactivityTimer(ContinuousClock())
        #expect(try await timer.run(limit: .seconds(60), otherwise: { Failure.silent }, { 7 }) == 7)
        await #expect(throws: Failure.refused) {
            try await timer.run(limit: .seconds(60), otherwise: { Failure.silent }, { throw Failure.refused })
        }
        let work = Task {
            try await timer.run(limit: .seconds(60), otherwise: { Failure.silent }, { try await Self.wait() })
        }
        work.cancel()
        await #expect(throws: CancellationError.self) { try await work.value }
    }
}
