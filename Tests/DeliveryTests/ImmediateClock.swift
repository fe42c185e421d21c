// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting

/// A clock that records each sleep and ends it immediately. Sleeps of the durations in `held` last until they are
/// cancelled.
final class ImmediateClock: Clock, Sendable {
    typealias Instant = ManualClock.Instant

    private let held: Set<Duration>
    private let slept = Mutex<[Duration]>([])

    init(holding held: Set<Duration>) {
        self.held = held
    }

    /// The durations of the completed sleeps, in order.
    var sleeps: [Duration] { slept.withLock { $0 } }
    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let length = now.duration(to: deadline)
        if held.contains(length) {
            await Gate().pass()
        } else {
            slept.withLock { $0.append(length) }
        }
        try Task.checkCancellation()
    }
}
