// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import NameResolution

@Suite(.timeLimit(.minutes(1)))
final class SecureResolutionStateTests {
    private var state = SecureResolutionState()

    /// Records outcomes one second after the other, and returns the results.
    private func record(
        _ outcomes: [SecureResolutionState.Outcome], from seconds: Int = 0
    ) -> [Bool] {
        var results: [Bool] = []
        for (index, outcome) in outcomes.enumerated() {
            results.append(state.record(outcome, since: .seconds(seconds + index), now: .seconds(seconds + index)))
        }
        return results
    }

    @Test("Repeated failures turn the feature off, and are reported once")
    func repeatedFailures() {
        let limit = SecureResolutionState.maxFailures
        #expect(record(Array(repeating: .failed, count: limit - 1)).allSatisfy { !$0 })
        #expect(!state.isOff)
        #expect(record([.failed, .failed, .answered, .failed], from: 10) == [true, false, false, false])
        #expect(state.isOff)
    }

    @Test("An answer ends a series of failures, and a failure of the network does not count")
    func otherOutcomes() {
        let limit = SecureResolutionState.maxFailures
        let failures = Array(repeating: SecureResolutionState.Outcome.failed, count: limit - 1)
        #expect(record(failures + [.answered] + failures).allSatisfy { !$0 })
        #expect(record(Array(repeating: .unreachable, count: 100), from: 20).allSatisfy { !$0 })
        #expect(!state.isOff)
        #expect(record([.failed], from: 130) == [true])
    }

    @Test("Look-ups that run at the same time count as one failure")
    func sameTime() {
        for second in 1...20 {
            let isOff = state.record(.failed, since: .zero, now: .seconds(second))
            #expect(!isOff)
        }
        #expect(record(Array(repeating: .failed, count: 4), from: 21) == [false, false, false, true])
    }

    @Test("Failures of another network do not count")
    func forgotten() {
        let failures = Array(repeating: SecureResolutionState.Outcome.failed, count: 4)
        #expect(record(failures).allSatisfy { !$0 })
        state.forget()
        #expect(record(failures, from: 10).allSatisfy { !$0 } && record([.failed], from: 20) == [true])
        state.forget()
        #expect(state.isOff)
    }

    @Test("Failures far apart do not count together")
    func window() {
        for number in 0..<20 {
            #expect(record([.failed], from: number * 200) == [false], "\(number)")
        }
        #expect(!state.isOff)
    }
}
