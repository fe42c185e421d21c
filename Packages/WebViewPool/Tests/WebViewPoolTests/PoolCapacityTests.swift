// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebViewPool

@Suite("Capacity of a pool")
struct PoolCapacityTests {
    @Test("Bounds are put in order", arguments: [(1, 3, 6, 1, 3, 6), (5, 3, 1, 3, 3, 3), (-2, -1, 0, 0, 0, 0)])
    func bounds(least: Int, standard: Int, most: Int, low: Int, middle: Int, high: Int) {
        let capacity = PoolCapacity(least: least, standard: standard, most: most)
        #expect([capacity.least, capacity.current, capacity.most] == [low, middle, high])
    }

    @Test("Each page that finds no warm view raises it, to the most")
    func misses() {
        var capacity = PoolCapacity.standard
        let seen = (0..<5).map { _ in
            capacity.missed()
            return capacity.current
        }
        #expect(seen == [4, 5, 6, 6, 6])
    }

    @Test("Ample reviews in a row lower it, to the least; idle ones change nothing")
    func reviews() {
        var capacity = PoolCapacity.standard
        for _ in 0..<20 { capacity.review() }
        #expect(capacity.current == 3)
        let seen = (0..<12).map { _ in
            capacity.served(left: 1)
            capacity.review()
            capacity.review()
            return capacity.current
        }
        #expect(seen == [3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1])
    }

    @Test("A review with nothing left over, or a page that found none, begins the row anew")
    func interruptions() {
        for interrupt in [{ $0.missed() }, { $0.served(left: 0) }] as [(inout PoolCapacity) -> Void] {
            var capacity = PoolCapacity(least: 1, standard: 3, most: 3)
            for round in 1...20 {
                capacity.served(left: 2)
                if round % 4 == 0 { interrupt(&capacity) }
                capacity.review()
            }
            #expect(capacity.current == 3)
        }
    }
}
