// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@Suite("Byte budget", .timeLimit(.minutes(1)))
struct ByteBudgetTests {
    @Test("A reservation gets all of its bytes or none, and bytes can be released")
    func takes() {
        let budget = ByteBudget(limit: 10)
        #expect(budget.reserve(7))
        #expect(!budget.reserve(4))
        #expect(budget.used == 7)
        #expect(budget.reserve(3))
        budget.release(7)
        #expect(budget.reserve(7))
        #expect(budget.used == 10)
    }

    @Test("Invalid counts reserve and release nothing", arguments: [-1, Int.min, Int.max])
    func hostile(count: Int) {
        let budget = ByteBudget(limit: 10)
        #expect(!budget.reserve(count))
        #expect(budget.used == 0)
        budget.release(count)
        #expect(budget.used == 0)
        #expect(budget.reserve(10))
        #expect(ByteBudget(limit: -5).limit == 0)
    }

    @Test("Concurrent reservations never exceed the limit")
    func concurrent() async {
        let budget = ByteBudget(limit: 100)
        let taken = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { budget.reserve(3) ? 3 : 0 } }
            return await group.reduce(0, +)
        }
        #expect(taken == 99)
        #expect(budget.used == 99)
    }
}
