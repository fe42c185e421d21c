// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebViewPool

@MainActor
@Suite("Warming up", .timeLimit(.minutes(1)))
struct WarmUpTests {
    private let workshop = Workshop()

    @Test("As many views are prepared as the pool may keep, and no more later", arguments: [-1, 0, 1, 3])
    func capacity(_ capacity: Int) async throws {
        let pool = workshop.pool(capacity: capacity)
        #expect(pool.warmCount == 0 && workshop.views.isEmpty)
        for _ in 0..<2 {
            try await pool.warmUp()
            #expect(pool.warmCount == max(0, capacity))
            #expect(workshop.views.count == max(0, capacity))
        }
        #expect(workshop.views.allSatisfy { $0.calls == ["warmUp"] })
        workshop.expectBalance(pool)
    }

    @Test("What is missing is made up, and nothing else")
    func refill() async throws {
        let pool = workshop.pool(capacity: 3)
        try await pool.warmUp()
        let holder = Holder()
        _ = try pool.checkOut(for: holder)
        _ = try pool.checkOut(for: holder)
        try await pool.warmUp()
        #expect(pool.warmCount == 3 && workshop.views.count == 5)
        workshop.expectBalance(pool, lent: 2)
    }

    @Test("A view that cannot be prepared is ended, its error thrown, and the next try begins anew")
    func failure() async throws {
        let pool = workshop.pool(capacity: 3)
        workshop.behaviours = [.succeeds, .fails]
        await #expect(throws: FakeView.Failure.self) { try await pool.warmUp() }
        #expect(pool.warmCount == 1)
        #expect(workshop.views.map(\.calls) == [["warmUp"], ["warmUp", "discard"]])
        workshop.expectBalance(pool)
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
        workshop.expectBalance(pool)
    }

    @Test("Where no view can be made, the error is thrown, and nothing is left behind")
    func unmakeable() async throws {
        let pool = workshop.pool(capacity: 2)
        workshop.failsToMake = true
        for _ in 0..<5 { await #expect(throws: FakeView.Failure.self) { try await pool.warmUp() } }
        #expect(throws: FakeView.Failure.self) { try pool.checkOut(for: Holder()) }
        workshop.failsToMake = false
        try await pool.warmUp()
        #expect(pool.warmCount == 2)
        workshop.expectBalance(pool)
    }

    @Test("A view that dies while it warms up is not kept")
    func deadOnArrival() async throws {
        let pool = workshop.pool(capacity: 2)
        workshop.behaviours = [.dies]
        try await pool.warmUp()
        #expect(pool.warmCount == 2 && workshop.views.count == 3)
        #expect(workshop.views.first?.calls == ["warmUp", "discard"])
        workshop.expectBalance(pool)
    }

    @Test("Views that died while they were free are ended and replaced")
    func deadSince() async throws {
        let pool = workshop.pool(capacity: 3)
        try await pool.warmUp()
        workshop.views[0].isAlive = false
        workshop.views[2].isAlive = false
        try await pool.warmUp()
        #expect(pool.warmCount == 3 && workshop.views.count == 5)
        #expect(workshop.views[0].calls.last == "discard" && workshop.views[2].calls.last == "discard")
        workshop.expectBalance(pool)
    }

    @Test("Several calls at a time prepare no more views than one")
    func concurrent() async throws {
        let pool = workshop.pool(capacity: 2)
        workshop.behaviours = [.waits, .waits]
        let first = Task { try await pool.warmUp() }
        await workshop.made(1)
        let second = Task { try await pool.warmUp() }
        await workshop.made(2)
        // Both places are taken, though no view is ready.
        try await pool.warmUp()
        #expect(workshop.views.count == 2 && pool.warmCount == 0)
        for view in workshop.views.reversed() {
            await view.waits()
            view.goOn()
        }
        try await first.value
        try await second.value
        #expect(workshop.views.count == 2 && pool.warmCount == 2)
        workshop.expectBalance(pool)
    }
}
