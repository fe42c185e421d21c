// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebViewPool

@Suite("Web view pool", .timeLimit(.minutes(1)))
@MainActor
struct WebViewPoolTests {
    final class Holder {}

    let factory = FakeFactory()

    func pool(of capacity: Int = 3) -> WebViewPool<FakeView> {
        WebViewPool(capacity: capacity) { [factory] in try factory.make() }
    }

    // MARK: Warming up

    @Test("Warms views up to the capacity and no further", arguments: [(-1, 0), (0, 0), (1, 1), (3, 3)])
    func warmUp(capacity: Int, expected: Int) async throws {
        let pool = pool(of: capacity)
        #expect(pool.warmCount == 0 && factory.views.isEmpty)
        try await pool.warmUp()
        try await pool.warmUp()
        #expect(pool.warmCount == expected)
        #expect(factory.views.map(\.warmUps) == Array(repeating: 1, count: expected))
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("Keeps three views where nothing else is said")
    func standardCapacity() async throws {
        let pool = WebViewPool { [factory] in try factory.make() }
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
    }

    @Test("A view that cannot be prepared is ended, and the caller is told")
    func failingWarmUp() async throws {
        let pool = pool()
        factory.adjust = { $0.failsToWarmUp = $0.number == 2 }
        await #expect(throws: FakeView.Broken.self) { try await pool.warmUp() }
        #expect(pool.warmCount == 1)
        #expect(factory.views.map(\.discards) == [0, 1])
        factory.expectBalance(of: pool, lent: 0)

        try await pool.warmUp()
        #expect(pool.warmCount == 3)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("An engine that makes no view is heard, in both ways to a view")
    func failingFactory() async throws {
        let pool = pool()
        let holder = Holder()
        factory.failsToMake = true
        await #expect(throws: FakeView.Broken.self) { try await pool.warmUp() }
        #expect(throws: FakeView.Broken.self) { try pool.checkOut(for: holder) }
        #expect(pool.counters.made == 0 && pool.counters.coldCheckOuts == 0 && pool.counters.discarded == 0)

        factory.failsToMake = false
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
    }

    @Test("Concurrent calls never prepare more than the capacity")
    func concurrentWarmUps() async throws {
        let pool = pool()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let calls = (1...5).map { _ in Task { try await pool.warmUp() } }
        await gate.holds(3)
        #expect(factory.views.count == 3 && pool.warmCount == 0)
        gate.open()
        for call in calls { try await call.value }
        #expect(pool.warmCount == 3)
        #expect(factory.views.count == 3)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("A view that comes back takes no place that a new one is being made for")
    func checkInDuringWarmUp() async throws {
        let pool = pool(of: 1)
        let holder = Holder()
        let lent = try pool.checkOut(for: holder)
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let call = Task { try await pool.warmUp() }
        await gate.holds(1)
        await pool.checkIn(lent)
        gate.open()
        try await call.value
        #expect(pool.warmCount == 1)
        #expect(lent.discards == 1 && lent.resets == 0)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("Warm views that died are replaced")
    func deadViewsAtWarmUp() async throws {
        let pool = pool()
        try await pool.warmUp()
        factory.views[1].isAlive = false
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
        #expect(factory.views.map(\.discards) == [0, 1, 0, 0])
        factory.expectBalance(of: pool, lent: 0)
    }

    // MARK: Lending

    @Test("Lends the view that was warmed last first, and a cold one when none is warm")
    func order() async throws {
        let pool = pool(of: 2)
        try await pool.warmUp()
        let holder = Holder()
        let numbers = try (1...3).map { _ in try pool.checkOut(for: holder).number }
        #expect(numbers == [2, 1, 3])
        #expect(factory.views.map(\.warmUps) == [1, 1, 0])
        #expect(pool.counters.warmCheckOuts == 2 && pool.counters.coldCheckOuts == 1)
        factory.expectBalance(of: pool, lent: 3)
        withExtendedLifetime(holder) {}
    }

    @Test("Skips warm views that died, and ends them")
    func deadViewsAtCheckOut() async throws {
        let pool = pool()
        try await pool.warmUp()
        factory.views[2].isAlive = false
        factory.views[1].isAlive = false
        let holder = Holder()
        #expect(try pool.checkOut(for: holder).number == 1)
        #expect(factory.views.map(\.discards) == [0, 1, 1])
        #expect(try pool.checkOut(for: holder).number == 4)
        factory.expectBalance(of: pool, lent: 2)
        withExtendedLifetime(holder) {}
    }

    // MARK: Taking back

    @Test("A view that comes back is cleaned and lent again")
    func recycling() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        #expect(view.resets == 1 && pool.warmCount == 1 && pool.counters.recycled == 1)
        #expect(try pool.checkOut(for: holder) === view)
        #expect(pool.counters.warmCheckOuts == 1)
        factory.expectBalance(of: pool, lent: 1)
        withExtendedLifetime(holder) {}
    }

    @Test("A view that is not lent cannot come back")
    func strayCheckIn() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        await pool.checkIn(view)
        await pool.checkIn(FakeView(99))
        #expect(view.resets == 1 && pool.warmCount == 1 && pool.counters.recycled == 1)
    }

    @Test("A view that cannot be cleaned is never lent again")
    func failingReset() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        view.failsToReset = true
        await pool.checkIn(view)
        #expect(view.discards == 1 && pool.warmCount == 0 && pool.counters.recycled == 0)
        #expect(try pool.checkOut(for: holder) !== view)
        factory.expectBalance(of: pool, lent: 1)
        withExtendedLifetime(holder) {}
    }

    @Test("A view whose process died is not even cleaned")
    func deadViewAtCheckIn() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        view.isAlive = false
        await pool.checkIn(view)
        #expect(view.resets == 0 && view.discards == 1)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("A view that dies while it is cleaned is not kept")
    func deathDuringReset() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        let gate = Gate()
        view.gate = gate
        let call = Task { await pool.checkIn(view) }
        await gate.holds(1)
        view.isAlive = false
        gate.open()
        await call.value
        #expect(pool.warmCount == 0 && pool.counters.recycled == 0)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("Views cleaned at the same time are kept up to the capacity; only those count as recycled")
    func concurrentCheckIns() async throws {
        let pool = pool(of: 1)
        let holder = Holder()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let views = try (1...3).map { _ in try pool.checkOut(for: holder) }
        let calls = views.map { view in Task { await pool.checkIn(view) } }
        await gate.holds(3)
        gate.open()
        for call in calls { await call.value }
        #expect(pool.warmCount == 1)
        #expect(pool.counters.recycled == 1 && pool.counters.discarded == 2)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("Views whose holders are gone are taken back; the others stay lent")
    func reclaiming() async throws {
        let pool = pool()
        let stays = Holder()
        var goes: Holder? = Holder()
        let kept = try pool.checkOut(for: stays)
        let orphan = try goes.map { try pool.checkOut(for: $0) }
        await pool.reclaim()
        #expect(pool.warmCount == 0)

        goes = nil
        await pool.reclaim()
        #expect(pool.warmCount == 1 && orphan?.resets == 1 && kept.resets == 0)
        await pool.reclaim()
        #expect(orphan?.resets == 1)
        factory.expectBalance(of: pool, lent: 1)
        withExtendedLifetime(stays) {}
    }

    @Test("Warming up takes back what was left behind before it makes views")
    func warmUpReclaims() async throws {
        let pool = pool(of: 1)
        _ = try pool.checkOut(for: Holder())
        try await pool.warmUp()
        #expect(factory.views.map(\.resets) == [1])
        #expect(pool.warmCount == 1)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("Draining ends the free views and leaves the lent ones alone")
    func draining() async throws {
        let pool = pool()
        try await pool.warmUp()
        let holder = Holder()
        let lent = try pool.checkOut(for: holder)
        pool.drain()
        pool.drain()
        #expect(pool.warmCount == 0 && lent.discards == 0)
        #expect(pool.counters.discarded == 2)
        factory.expectBalance(of: pool, lent: 1)

        await pool.checkIn(lent)
        #expect(pool.warmCount == 1)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("A drain ends the views whose holders are gone too")
    func drainingOrphans() throws {
        let pool = pool()
        _ = try pool.checkOut(for: Holder())
        pool.drain()
        #expect(factory.views.map(\.discards) == [1])
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("A drain is not undone by views that were being prepared or cleaned")
    func drainingUnderWay() async throws {
        let pool = pool(of: 2)
        let holder = Holder()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let lent = try pool.checkOut(for: holder)
        let cleaning = Task { await pool.checkIn(lent) }
        await gate.holds(1)
        let warming = Task { try await pool.warmUp() }
        await gate.holds(2)
        pool.drain()
        gate.open()
        await cleaning.value
        try await warming.value
        #expect(pool.warmCount == 0 && pool.counters.recycled == 0)
        #expect(factory.views.map(\.discards) == [1, 1])
        // The next call warms again.
        try await pool.warmUp()
        #expect(pool.warmCount == 2)
        factory.expectBalance(of: pool, lent: 0)
    }

    @Test("A warm-up that is cancelled says so, and keeps no view that it cut short")
    func cancelledWarmUp() async throws {
        let pool = pool()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let call = Task { try await pool.warmUp() }
        await gate.holds(1)
        call.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(pool.warmCount == 0 && factory.views.count == 1)
        factory.expectBalance(of: pool, lent: 0)
    }
}
