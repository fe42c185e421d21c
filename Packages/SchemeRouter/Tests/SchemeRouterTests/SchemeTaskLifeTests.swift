// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeRouter
import Testing

@Suite("Life of a scheme task", .timeLimit(.minutes(3)))
struct SchemeTaskLifeTests {
    /// What an engine may hear, written down independently of the state machine:
    /// `start redirect* (response data* finish? | ) fail?`, at most one ending, `fail` only after `start`.
    private struct Oracle {
        private var heard: [SchemeTaskLife.Event] = []
        private var isStopped = false

        /// What should become of an event; and notes it.
        mutating func verdict(on event: SchemeTaskLife.Event) -> SchemeTaskLife.Verdict {
            if isStopped || heard.contains(.finish) || heard.contains(.fail) { return .drop }
            if event == .stop {
                isStopped = true
                return .drop
            }
            guard mayFollow(event) else { return .outOfOrder }
            heard.append(event)
            return .deliver
        }

        private func mayFollow(_ event: SchemeTaskLife.Event) -> Bool {
            let hasStarted = heard.contains(.start)
            let hasResponse = heard.contains(.response)
            switch event {
            case .start: return !hasStarted
            case .redirect, .response: return hasStarted && !hasResponse
            case .data, .finish: return hasResponse
            case .fail: return hasStarted
            case .stop: return true
            }
        }
    }

    @Test("Every interleaving up to length 8 is judged as the engine's order asks")
    func interleavings() {
        var judged = 0
        var wrong: [[SchemeTaskLife.Event]] = []
        func walk(_ life: SchemeTaskLife, _ oracle: Oracle, _ path: [SchemeTaskLife.Event]) {
            guard path.count < 8 else { return }
            for event in SchemeTaskLife.Event.allCases {
                var life = life
                var oracle = oracle
                judged += 1
                if life.accept(event) != oracle.verdict(on: event) { wrong.append(path + [event]) }
                // All that follows an ending is dropped, whatever it is: two more steps show that it stays so.
                let next = life.isOver && path.count < 5 ? 6 : path.count + 1
                walk(life, oracle, Array(repeating: event, count: next - path.count).reduce(path) { $0 + [$1] })
            }
        }
        walk(SchemeTaskLife(), Oracle(), [])
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        #expect(judged > 50_000)
    }

    @Test("An event out of order changes nothing")
    func outOfOrder() {
        var life = SchemeTaskLife()
        let untouched = life
        #expect(life.accept(.data) == .outOfOrder)
        #expect(life == untouched)
        #expect(life.accept(.start) == .deliver && life.accept(.finish) == .outOfOrder)
        #expect(life.accept(.response) == .deliver && life.accept(.redirect) == .outOfOrder)
        #expect(life.accept(.finish) == .deliver && life.isOver)
        #expect(life.accept(.fail) == .drop)
    }
}
