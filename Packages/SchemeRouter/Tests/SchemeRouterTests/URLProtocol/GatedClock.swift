// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A clock whose sleepers sleep until the test opens the gate, however long they meant to. It stands still until then; each
/// sleep ends at its deadline.
final class GatedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let time = Mutex(Instant())
    var now: Instant { time.withLock { $0 } }
    let minimumResolution = Swift.Duration.zero
    /// How long each sleeper wants to sleep.
    let sleeps: AsyncStream<Swift.Duration>
    private let sleep: AsyncStream<Swift.Duration>.Continuation
    private let gate = AsyncStream.makeStream(of: Void.self)

    init() {
        (sleeps, sleep) = AsyncStream.makeStream()
    }

    func open() { gate.continuation.finish() }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        sleep.yield(now.duration(to: deadline))
        for await _ in gate.stream {}
        time.withLock { $0 = max($0, deadline) }
        try Task.checkCancellation()
    }
}
