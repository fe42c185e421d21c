// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation

/// A clock time that only the test advances.
final class TestTime: Sendable {
    private let date: Mutex<Date>

    init(_ date: Date = Date(timeIntervalSince1970: 1_790_000_000)) {
        self.date = Mutex(date)
    }

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: Double) {
        date.withLock { $0 += seconds }
    }
}

/// A clock whose first sleep ends when a gate opens. All later sleeps last until they are cancelled.
final class FirstSleepClock: Clock {
    typealias Instant = ContinuousClock.Instant

    let now = ContinuousClock.now
    let minimumResolution = Swift.Duration.zero
    private let gate: Gate
    private let first = Mutex<Swift.Duration?>(nil)

    init(until gate: Gate) {
        self.gate = gate
    }

    /// The length of the first sleep.
    var length: Swift.Duration? { first.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        let isFirst = first.withLock { first in
            defer { first = first ?? now.duration(to: deadline) }
            return first == nil
        }
        if isFirst { return await gate.wait() }
        for await _ in AsyncStream<Void>.makeStream().stream {}
        try Task.checkCancellation()
    }
}
