// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import LoopbackServer

@Suite("ExchangeState", .timeLimit(.minutes(2)))
struct ExchangeStateTests {
    /// The events of a sequence so far.
    private struct Seen {
        var isRequestWhole: Bool
        var heads = 0
        var ends = 0
        var isOver = false
    }

    /// Returns the event sequences of up to `depth` more events that lead to an incorrect step.
    private func faults(
        _ life: ExchangeState, _ seen: Seen, _ depth: Int, keepsAlive: Bool, _ path: [ExchangeState.Event] = []
    ) -> [[ExchangeState.Event]] {
        guard depth > 0 else { return [] }
        var found: [[ExchangeState.Event]] = []
        for event in ExchangeState.Event.allCases {
            var (life, seen) = (life, seen)
            let step = life.accept(event)
            if !isRight(step, event, &seen, keepsAlive: keepsAlive) { found.append(path + [event]) }
            found += faults(life, seen, depth - 1, keepsAlive: keepsAlive, path + [event])
        }
        return found
    }

    private func isRight(
        _ step: ExchangeState.Step, _ event: ExchangeState.Event, _ seen: inout Seen, keepsAlive: Bool
    ) -> Bool {
        if seen.isOver { return step == .drop }
        switch (event, step) {
        case (_, .drop): return false
        case (_, .outOfOrder): return event != .close
        case (.close, _), (.fail, _):
            seen.isOver = true
            return step == .close
        case (.requestEnd, _):
            defer { seen.isRequestWhole = true }
            return step == .proceed && !seen.isRequestWhole
        case (.head, _):
            seen.heads += 1
            return step == .proceed && seen.heads == 1
        case (.data, _): return step == .proceed && seen.heads == 1
        case (.end, _):
            seen.isOver = true
            seen.ends += 1
            guard seen.heads == 1, seen.ends == 1 else { return false }
            return step == .next ? seen.isRequestWhole && keepsAlive : step == .close
        }
    }

    @Test("No sequence of seven events leads to an incorrect step", arguments: [true, false], [true, false])
    func interleavings(keepsAlive: Bool, hasBody: Bool) {
        let life = ExchangeState(keepsAlive: keepsAlive, hasBody: hasBody)
        #expect(faults(life, Seen(isRequestWhole: !hasBody), 7, keepsAlive: keepsAlive).first == nil)
    }

    @Test("A connection is reused only if the request was complete before its response began")
    func keeping() {
        var whole = ExchangeState(keepsAlive: true, hasBody: true)
        #expect([.requestEnd, .head, .data, .end].map { whole.accept($0) } == [.proceed, .proceed, .proceed, .next])
        var early = ExchangeState(keepsAlive: true, hasBody: true)
        #expect([.head, .requestEnd, .end].map { early.accept($0) } == [.proceed, .proceed, .close])
        var given = ExchangeState(keepsAlive: true, hasBody: false)
        _ = given.accept(.head)
        given.preventReuse()
        #expect(given.accept(.end) == .close)
    }
}
