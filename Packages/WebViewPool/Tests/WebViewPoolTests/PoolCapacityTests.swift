// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine

@testable import WebViewPool

@Suite("Pool capacity")
struct PoolCapacityTests {
    @Test("Invalid bounds are corrected", arguments: [(1, 3, 6, 1, 3, 6), (5, 3, 1, 3, 3, 3), (-2, -1, 0, 0, 0, 0)])
    func bounds(least: Int, standard: Int, most: Int, low: Int, middle: Int, high: Int) {
        let capacity = PoolCapacity(least: least, standard: standard, most: most)
        #expect([capacity.least, capacity.current, capacity.most] == [low, middle, high])
    }

    @Test("Each page without a warm view increases the capacity, up to the maximum")
    func misses() {
        var capacity = PoolCapacity.standard
        let seen = (0..<5).map { _ in
            capacity.missed()
            return capacity.current
        }
        #expect(seen == [4, 5, 6, 6, 6])
    }

    @Test("Consecutive ample reviews decrease the capacity, down to the minimum; idle reviews change nothing")
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

    @Test("A review that is not ample, and a page that finds no warm view, reset the count of ample reviews")
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
