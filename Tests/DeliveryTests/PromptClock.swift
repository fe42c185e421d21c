// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Synchronization

/// A clock on which every sleep ends at once and is written down, but for those of one length, which last until they are
/// cancelled.
final class PromptClock: Clock, Sendable {
    typealias Instant = ManualClock.Instant

    private let held: Duration
    private let slept = Mutex<[Duration]>([])

    init(holding held: Duration) {
        self.held = held
    }

    /// The sleeps that ended, in order.
    var sleeps: [Duration] { slept.withLock { $0 } }
    var now: Instant { Instant() }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let length = now.duration(to: deadline)
        if length == held {
            await Gate().pass()
        } else {
            slept.withLock { $0.append(length) }
        }
        try Task.checkCancellation()
    }
}
