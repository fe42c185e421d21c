// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebViewPool

@MainActor
@Suite("Lending", .timeLimit(.minutes(1)))
struct LendingTests {
    private let workshop = Workshop()
    private let holder = Holder()

    @Test("Warm views first, each to one holder; then new ones that are not warm")
    func order() async throws {
        let pool = workshop.pool(capacity: 2)
        try await pool.warmUp()
        let lent = try (0..<4).map { _ in try pool.checkOut(for: holder) }
        #expect(Set(lent.map(\.number)) == [1, 2, 3, 4])
        #expect(Set(lent.prefix(2).map(\.number)) == [1, 2])
        #expect(lent.map(\.calls) == [["warmUp"], ["warmUp"], [], []])
        #expect(pool.counters.warmCheckOuts == 2 && pool.counters.coldCheckOuts == 2)
        workshop.expectBalance(pool, lent: 4)
    }

    @Test("A warm view that died is passed over")
    func dead() async throws {
        let pool = workshop.pool(capacity: 3)
        try await pool.warmUp()
        workshop.views[0].isAlive = false
        workshop.views[2].isAlive = false
        #expect(try pool.checkOut(for: holder).number == 2)
        let second = try pool.checkOut(for: holder)
        #expect(second.number == 4 && second.isAlive)
        #expect(pool.counters.warmCheckOuts == 1 && pool.counters.coldCheckOuts == 1)
        workshop.expectBalance(pool, lent: 2)
    }

    @Test("What is taken back is cleaned and lent again")
    func recycle() async throws {
        let pool = workshop.pool(capacity: 1)
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        #expect(view.calls == ["reset"] && pool.warmCount == 1)
        #expect(try pool.checkOut(for: holder) === view)
        #expect(pool.counters.recycled == 1 && pool.counters.warmCheckOuts == 1)
        workshop.expectBalance(pool, lent: 1)
    }

    @Test("What cannot be cleaned, or is dead, or dies of it, is ended and never lent again")
    func uncleanable() async throws {
        let pool = workshop.pool(capacity: 3)
        let views = try (0..<3).map { _ in try pool.checkOut(for: holder) }
        views[0].onReset = .fails
        views[1].isAlive = false
        views[2].onReset = .dies
        for view in views { await pool.checkIn(view) }
        #expect(views.map(\.calls) == [["reset", "discard"], ["discard"], ["reset", "discard"]])
        #expect(pool.warmCount == 0 && pool.counters.recycled == 0)
        workshop.expectBalance(pool)
    }

    @Test("Beyond the capacity nothing is kept")
    func surplus() async throws {
        let pool = workshop.pool(capacity: 1)
        let views = try (0..<3).map { _ in try pool.checkOut(for: holder) }
        for view in views { await pool.checkIn(view) }
        #expect(pool.warmCount == 1)
        #expect(views.map(\.calls) == [["reset"], ["discard"], ["discard"]])
        workshop.expectBalance(pool)
    }

    @Test("Two that are cleaned at a time do not both take the last place")
    func concurrentRecycle() async throws {
        let pool = workshop.pool(capacity: 1)
        let views = try (0..<2).map { _ in try pool.checkOut(for: holder) }
        for view in views { view.onReset = .waits }
        let tasks = views.map { view in Task { await pool.checkIn(view) } }
        for view in views { await view.waits() }
        for view in views { view.goOn() }
        for task in tasks { await task.value }
        #expect(pool.warmCount == 1 && pool.counters.recycled == 1)
        workshop.expectBalance(pool)
    }

    @Test("A view that is not lent is not taken: one of elsewhere, one taken back before")
    func strangers() async throws {
        let pool = workshop.pool(capacity: 2)
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(FakeView(99))
        await pool.checkIn(view)
        await pool.checkIn(view)
        #expect(pool.warmCount == 1 && view.calls == ["reset"])
        workshop.expectBalance(pool)
    }

    @Test("A view whose holder is gone is taken back; one whose holder lives is not")
    func reclaim() async throws {
        let pool = workshop.pool(capacity: 2)
        var gone: Holder? = Holder()
        let orphan = try pool.checkOut(for: #require(gone))
        let kept = try pool.checkOut(for: holder)
        await pool.reclaim()
        #expect(orphan.calls.isEmpty)
        gone = nil
        await pool.reclaim()
        #expect(orphan.calls == ["reset"] && kept.calls.isEmpty && pool.warmCount == 1)
        workshop.expectBalance(pool, lent: 1)
        // Warming up looks for them too: only one more is needed.
        try await pool.warmUp()
        #expect(workshop.views.count == 3 && pool.warmCount == 2)
    }

    @Test("An orphan is cleaned once, though two ask for it")
    func concurrentReclaim() async throws {
        let pool = workshop.pool(capacity: 2)
        var gone: Holder? = Holder()
        let orphan = try pool.checkOut(for: #require(gone))
        orphan.onReset = .waits
        gone = nil
        let first = Task { await pool.reclaim() }
        await orphan.waits()
        await pool.reclaim()
        await pool.checkIn(orphan)
        orphan.goOn()
        await first.value
        #expect(orphan.calls == ["reset"] && pool.warmCount == 1)
        workshop.expectBalance(pool)
    }

    @Test("A drain ends the free views and leaves the lent ones")
    func drain() async throws {
        let pool = workshop.pool(capacity: 3)
        try await pool.warmUp()
        let lent = try pool.checkOut(for: holder)
        pool.drain()
        pool.drain()
        #expect(pool.warmCount == 0 && pool.counters.discarded == 2)
        #expect(lent.calls == ["warmUp"])
        workshop.expectBalance(pool, lent: 1)
        await pool.checkIn(lent)
        #expect(pool.warmCount == 1)
        workshop.expectBalance(pool)
    }

    @Test(
        "Whatever happens in whatever order, no view is lent twice, none is lost, and the books are right",
        arguments: 0..<50)
    func random(seed: UInt64) async throws {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let pool = workshop.pool(capacity: 3)
        var loans: [(holder: Holder, view: FakeView)] = []
        for _ in 0..<100 {
            switch next(8) {
            case 0...2:
                let holder = Holder()
                let view = try pool.checkOut(for: holder)
                #expect(view.isAlive && !loans.contains { $0.view === view } && view.calls.last != "discard")
                loans.append((holder, view))
            case 3 where !loans.isEmpty: await pool.checkIn(loans.remove(at: next(loans.count)).view)
            case 4 where !loans.isEmpty:
                loans.remove(at: next(loans.count))
                await pool.reclaim()
            case 5:
                workshop.behaviours = [next(4) == 0 ? .fails : next(4) == 0 ? .dies : .succeeds]
                try? await pool.warmUp()
                workshop.behaviours = []
            case 6:
                if !workshop.views.isEmpty { workshop.views[next(workshop.views.count)].isAlive = false }
            case 7 where next(4) == 0: pool.drain()
            default: loans.last?.view.onReset = .fails
            }
            #expect(pool.warmCount <= 3)
            workshop.expectBalance(pool, lent: loans.count)
        }
    }
}
