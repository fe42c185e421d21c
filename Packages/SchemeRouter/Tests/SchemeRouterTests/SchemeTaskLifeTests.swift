// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import SchemeRouter
import Testing

@Suite("Life of a scheme task", .timeLimit(.minutes(3)))
struct SchemeTaskLifeTests {
    /// What an engine may hear, written down independently of the state machine:
    /// `start redirect* (response data* finish? | ) fail?`, at most one ending, `fail` only after `start`.
    private struct Oracle: Hashable {
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

    private struct Position: Hashable {
        var life = SchemeTaskLife()
        var oracle = Oracle()
    }

    @Test("Every interleaving up to length 8 is judged as the engine's order asks")
    func interleavings() {
        // Interleavings that lead to the same position go on as one, counted as many as they are.
        var positions = [Position(): 1]
        var judged = 0
        for _ in 1...8 {
            var next: [Position: Int] = [:]
            for (position, count) in positions {
                for event in SchemeTaskLife.Event.allCases {
                    var position = position
                    let verdict = position.life.accept(event)
                    #expect(verdict == position.oracle.verdict(on: event), "\(event) at \(position)")
                    judged += count
                    next[position, default: 0] += count
                }
            }
            positions = next
        }
        // 7 + 7² + … + 7⁸
        #expect(judged == 6_725_600)
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
