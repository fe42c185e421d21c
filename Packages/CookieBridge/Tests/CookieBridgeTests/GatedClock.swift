// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport

/// A clock whose sleepers sleep until the test opens the gate, however long they meant to.
final class GatedClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    let now = Instant()
    let minimumResolution = Swift.Duration.zero
    /// How long each sleeper wants to sleep.
    let sleeps: AsyncStream<Swift.Duration>
    private let sleep: AsyncStream<Swift.Duration>.Continuation
    /// One for each sleeper, as one that is cancelled ends its own; `nil` once the gate is open.
    private let gates = Mutex<[AsyncStream<Void>.Continuation]?>([])

    init() {
        (sleeps, sleep) = AsyncStream.makeStream()
    }

    func open() {
        let waiting = gates.withLock { gates in
            defer { gates = nil }
            return gates ?? []
        }
        for gate in waiting { gate.finish() }
    }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        sleep.yield(now.duration(to: deadline))
        let gate = AsyncStream.makeStream(of: Void.self)
        let isClosed = gates.withLock { gates in
            gates?.append(gate.continuation)
            return gates != nil
        }
        if isClosed { for await _ in gate.stream {} }
        try Task.checkCancellation()
    }
}
