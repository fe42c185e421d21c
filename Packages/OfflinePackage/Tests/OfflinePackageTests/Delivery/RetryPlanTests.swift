// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct RetryPlanTests {
    /// 2026-11-21 12:00:00 UTC.
    let now = Date(timeIntervalSince1970: 1_795_262_400)
    var generator = SeededGenerator(seed: 7)

    @Test func waitsDoubleWithJitterUpToLimit() {
        var generator = generator
        var configuration = RetryPlan.Configuration()
        configuration.failuresInARow = 12
        var plan = RetryPlan(configuration)
        var waits: [Duration] = []
        for _ in 1...10 {
            guard
                case .retry(let wait) = plan.decide(
                    after: .transport(.connectionLost), now: now, using: &generator)
            else { break }
            waits.append(wait)
        }
        #expect(waits.count == 10)
        for (index, wait) in waits.enumerated() {
            let full = min(Duration.seconds(1 << index), .seconds(60))
            #expect((full / 2...full).contains(wait), "wait \(index) of \(wait)")
        }
        #expect(Set(waits).count == 10)
        // The same seed gives the same waits.
        var again = RetryPlan(configuration)
        var same = self.generator
        #expect(again.decide(after: .transport(.connectionLost), now: now, using: &same) == .retry(after: waits[0]))
    }

    @Test func failsAtBothLimits() {
        var generator = generator
        var plan = RetryPlan()
        func fail() -> Bool {
            plan.decide(after: .transport(.timedOut), now: now, using: &generator) == .fail
        }
        #expect((1...5).map { _ in fail() } == [false, false, false, false, true])
        plan = RetryPlan()
        var endless = 0
        while endless < 100, !fail() {
            plan.recordProgress()
            endless += 1
        }
        #expect(endless == 29)
    }

    @Test(
        arguments: [
            (.transport(.connectionLost), true), (.transport(.timedOut), true), (.transport(.cannotConnect), true),
            (.transport(.unknownHost), true), (.transport(.tls), false), (.transport(.offline), true),
            (.transport(.invalidRequest), false), (.damaged, true), (.status(503, retryAfter: nil), true),
            (.status(429, retryAfter: nil), true), (.status(408, retryAfter: nil), true),
            (.status(404, retryAfter: nil), false), (.status(403, retryAfter: nil), false),
            (.status(501, retryAfter: nil), false),
        ] as [(RetryPlan.Failure, Bool)])
    func retriesOnlyTemporaryFailures(_ failure: RetryPlan.Failure, _ isRetried: Bool) {
        var generator = generator
        var plan = RetryPlan()
        #expect((plan.decide(after: failure, now: now, using: &generator) != .fail) == isRetried)
    }

    @Test func respectsRetryAfterUpToLimit() {
        var generator = generator
        var plan = RetryPlan()
        #expect(
            plan.decide(after: .status(503, retryAfter: "120"), now: now, using: &generator)
                == .retry(after: .seconds(120)))
        #expect(plan.decide(after: .status(503, retryAfter: "301"), now: now, using: &generator) == .fail)
        plan = RetryPlan()
        guard case .retry(let wait) = plan.decide(after: .status(503, retryAfter: "0"), now: now, using: &generator)
        else {
            Issue.record("the plan does not retry")
            return
        }
        #expect(wait >= .milliseconds(500))
    }

    @Test func stallLimitBeginsAtLastActivity() async throws {
        let clock = ManualClock()
        let stall = StallLimit(limit: .seconds(10), clock: clock)
        let (signals, send) = AsyncStream.makeStream(of: Void.self)
        let (notifications, receive) = AsyncStream.makeStream(of: Void.self)
        async let outcome: Result<Int, any Error> = {
            do {
                return .success(
                    try await stall.run { alive in
                        for await _ in signals {
                            alive()
                            receive.yield()
                        }
                        try Task.checkCancellation()
                        return 1
                    })
            } catch {
                return .failure(error)
            }
        }()
        var ears = notifications.makeAsyncIterator()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(9))
        send.yield()
        await ears.next()
        clock.advance(by: .seconds(9))
        await clock.sleepers(atLeast: 1)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        guard case .failure(let error) = await outcome else {
            Issue.record("the attempt did not end")
            return
        }
        #expect((error as? DeliveryError)?.code == .stalled)
    }
}
