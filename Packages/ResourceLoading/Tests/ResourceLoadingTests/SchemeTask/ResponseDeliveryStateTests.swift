// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) import ResourceLoading
import Testing

@Suite("Scheme task state machine", .timeLimit(.minutes(3)))
struct ResponseDeliveryStateTests {
    /// A check of every sequence of events up to a length.
    private struct Walk {
        let length: Int
        private(set) var order = LegalOrder()
        private(set) var judged = 0
        private(set) var complete: Set<String> = []
        private(set) var faults: [String] = []

        init(length: Int) {
            self.length = length
        }

        /// Checks all continuations of a sequence of events.
        /// - Parameters:
        ///   - calls: the calls that have reached the engine, in the letters of `LegalOrder`.
        ///   - depth: the number of events so far.
        mutating func go(on life: ResponseDeliveryState, calls: String, isStopped: Bool, depth: Int) {
            guard depth < length else { return }
            // The expected result comes from `LegalOrder` and not from the state machine.
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

    @Test("Every interleaving up to length 8 delivers a legal order completely, and nothing after a stop")
    func interleavings() {
        var walk = Walk(length: 8)
        walk.go(on: ResponseDeliveryState(), calls: "", isStopped: false, depth: 0)
        #expect(walk.faults.isEmpty)
        // 7 + 7² + … + 7⁸
        #expect(walk.judged == 6_725_600)
        // The walk has covered complete sequences: redirects, an end after data, and an end before the response.
        #expect(walk.complete.contains("srrpddf") && walk.complete.contains("sx") && walk.complete.contains("spx"))
    }

    @Test(
        "The reference order accepts legal sequences and rejects others",
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

    @Test("An event out of order does not change the state")
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
