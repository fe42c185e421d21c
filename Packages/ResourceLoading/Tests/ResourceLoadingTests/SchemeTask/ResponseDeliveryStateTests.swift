// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@Suite("Life of a scheme task", .timeLimit(.minutes(3)))
struct ResponseDeliveryStateTests {
    /// Goes through every sequence of events up to a length, one after the other.
    private struct Walk {
        let length: Int
        private(set) var order = LegalOrder()
        private(set) var judged = 0
        private(set) var complete: Set<String> = []
        private(set) var faults: [String] = []

        init(length: Int) {
            self.length = length
        }

        /// - Parameters:
        ///   - calls: what has reached the engine, in the letters of `LegalOrder`.
        ///   - depth: how many events there were.
        mutating func go(on life: ResponseDeliveryState, calls: String, isStopped: Bool, depth: Int) {
            guard depth < length else { return }
            // The order says what may come; the machine is not asked.
            let isOver = isStopped || order.isComplete(calls)
            if isOver, !isStopped { complete.insert(calls) }
            for event in ResponseDeliveryState.Event.allCases {
                var next = life
                let verdict = next.accept(event)
                judged += 1
                let received = LegalOrder.letter(of: event).map { calls + $0 }
                let expected: ResponseDeliveryState.Verdict =
                    if isOver || event == .stop { .drop } else if let received, order.allows(received) { .deliver } else
                    {
                        .outOfOrder
                    }
                if verdict != expected, faults.count < 10 {
                    faults.append("\(event) after \(calls)\(isStopped ? " and a stop" : ""): \(verdict)")
                }
                if next.isOver != (isOver || event == .stop || received.map { order.isComplete($0) } ?? false)
                    && verdict != .outOfOrder, faults.count < 10
                {
                    faults.append("over after \(calls) and \(event): \(next.isOver)")
                }
                go(
                    on: next, calls: verdict == .deliver ? received ?? calls : calls,
                    isStopped: isStopped || event == .stop, depth: depth + 1)
            }
        }
    }

    @Test("Every interleaving up to length 8 lets the engine hear a legal order, all of it, and nothing after a stop")
    func interleavings() {
        var walk = Walk(length: 8)
        walk.go(on: ResponseDeliveryState(), calls: "", isStopped: false, depth: 0)
        #expect(walk.faults.isEmpty)
        // 7 + 7² + … + 7⁸
        #expect(walk.judged == 6_725_600)
        // The walk has seen whole lives: start, a redirects, an end after b pieces of data or before the response.
        #expect(walk.complete.contains("srrpddf") && walk.complete.contains("sx") && walk.complete.contains("spx"))
    }

    @Test(
        "The order itself: what it allows and what it does not",
        arguments: [
            ("", true), ("s", true), ("sr", true), ("srrp", true), ("spddf", true), ("spf", true), ("sx", true),
            ("srx", true), ("spdx", true), ("r", false), ("ss", false), ("sf", false), ("sd", false), ("spr", false),
            ("spp", false), ("spfx", false), ("sxx", false), ("spfd", false), ("x", false),
        ])
    func order(calls: String, isLegal: Bool) {
        var order = LegalOrder()
        let verdict = order.allows(calls)
        #expect(verdict == isLegal)
    }

    @Test("An event out of order changes nothing")
    func outOfOrder() {
        var life = ResponseDeliveryState()
        let untouched = life
        #expect(life.accept(.data) == .outOfOrder)
        #expect(life == untouched)
        #expect(life.accept(.start) == .deliver && life.accept(.finish) == .outOfOrder)
        #expect(life.accept(.response) == .deliver && life.accept(.redirect) == .outOfOrder)
        #expect(life.accept(.finish) == .deliver && life.isOver)
        #expect(life.accept(.fail) == .drop)
    }
}
