// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import ConnectTunnel

@Suite("State of a race between addresses")
struct AddressRaceStateTests {
    /// The events and steps of a race so far, and the events that may follow.
    private struct Course {
        /// The state of the look-up of further addresses.
        enum LookUp { case possible, inProgress, ended }

        var count: Int
        var state: AddressRaceState
        var lookUp: LookUp
        var started: [Int] = []
        var pending: Set<Int> = []
        var isDelayed = false
        var isOver = false
        var events: [AddressRaceState.Event] = []

        init(count: Int, canLookUp: Bool) {
            self.count = count
            lookUp = canLookUp ? .possible : .ended
            state = AddressRaceState(count: count, canLookUp: canLookUp)
        }

        var next: [AddressRaceState.Event] {
            if events.isEmpty { return [.began] }
            return (isDelayed ? [.delayPassed] : []) + pending.sorted().flatMap { [.connected($0), .failed($0)] }
                + (lookUp == .possible ? [.halfPassed] : [])
                + (lookUp == .inProgress ? [.added(0), .added(1), .added(2)] : []) + [.timedOut]
        }

        /// Applies an event, and expects the steps of RFC 8305.
        mutating func apply(_ event: AddressRaceState.Event) {
            events.append(event)
            let steps = state.receive(event)
            switch event {
            case .connected(let number), .failed(let number): pending.remove(number)
            case .delayPassed: isDelayed = false
            case .began, .halfPassed, .added, .timedOut: break
            }
            #expect(steps == expected(after: event), "\(events)")
            if case .added(let further) = event {
                lookUp = .ended
                count += further
            }
            for step in steps {
                switch step {
                case .delay: isDelayed = true
                case .connect(let number):
                    started.append(number)
                    pending.insert(number)
                case .lookUp: lookUp = .inProgress
                case .succeed, .fail: isOver = true
                }
            }
            #expect(started == Array(0..<started.count) && started.count <= count, "\(events)")
            #expect(state.isOver == isOver, "\(events)")
        }

        private func expected(after event: AddressRaceState.Event) -> [AddressRaceState.Step] {
            let next = started.count
            switch event {
            case _ where isOver: return []
            case .connected(let number): return [.succeed(number)]
            case .timedOut: return [.fail]
            case .halfPassed: return [.lookUp]
            case .added(let further):
                // The delay before the next attempt is in progress.
                if next < count { return [] }
                if further > 0 { return further > 1 ? [.delay, .connect(next)] : [.connect(next)] }
                return pending.isEmpty ? [.fail] : []
            case .began, .delayPassed, .failed:
                if next < count { return next + 1 < count ? [.delay, .connect(next)] : [.connect(next)] }
                guard case .failed = event, pending.isEmpty else { return [] }
                return switch lookUp {
                case .possible: [.lookUp]
                case .inProgress: []
                case .ended: [.fail]
                }
            }
        }
    }

    @Test(
        "Each order of events starts the addresses in their order and ends once",
        arguments: [(1, false), (2, false), (3, false), (4, false), (1, true), (2, true)])
    func interleavings(count: Int, canLookUp: Bool) {
        var open = [Course(count: count, canLookUp: canLookUp)]
        var winners: Set<Int> = []
        while let course = open.popLast() {
            for event in course.next {
                var course = course
                course.apply(event)
                if course.isOver {
                    if case .connected(let number) = event { winners.insert(number) }
                    // Nothing follows from the events of losers.
                    for late in course.next { course.apply(late) }
                } else {
                    open.append(course)
                }
            }
        }
        #expect(winners == Set(0..<(canLookUp ? count + 2 : count)))
    }

    @Test("A failure starts the next attempt at once, and the delay begins again")
    func failure() {
        var state = AddressRaceState(count: 3, canLookUp: false)
        #expect(state.receive(.began) == [.delay, .connect(0)])
        #expect(state.receive(.failed(0)) == [.delay, .connect(1)])
        #expect(state.receive(.delayPassed) == [.connect(2)])
        #expect(state.receive(.failed(2)) == [])
        #expect(state.pending == [1])
        #expect(state.receive(.failed(1)) == [.fail])
    }
}
