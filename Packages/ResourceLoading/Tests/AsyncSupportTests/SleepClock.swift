// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A clock whose time advances only when a task sleeps. Sleeps end immediately.
final class SleepClock: Clock {
    struct Instant: InstantProtocol {
        var time: Duration
        func advanced(by duration: Duration) -> Instant { Instant(time: time + duration) }
        func duration(to other: Instant) -> Duration { other.time - time }
        static func < (one: Instant, other: Instant) -> Bool { one.time < other.time }
    }

    private let time = Mutex(Duration.zero)
    private let sleeps = Mutex<[Duration]>([])
    /// A closure that receives the number of each sleep before the time advances.
    private let onSleep: @Sendable (Int) -> Void

    init(onSleep: @escaping @Sendable (Int) -> Void = { _ in }) {
        self.onSleep = onSleep
    }

    var now: Instant { Instant(time: time.withLock { $0 }) }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// The lengths of all sleeps.
    var lengths: [Duration] { sleeps.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 += duration }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let length = now.duration(to: deadline)
        let number = sleeps.withLock { sleeps in
            sleeps.append(length)
            return sleeps.count
        }
        onSleep(number)
        time.withLock { $0 = max($0, deadline.time) }
    }
}
