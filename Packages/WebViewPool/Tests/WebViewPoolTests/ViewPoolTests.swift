// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebEngine
import WebViewPool

@Suite("Web view pool", .timeLimit(.minutes(1)))
@MainActor
struct WebViewPoolTests {
    final class Holder {}

    let factory = FakeFactory()

    func pool(of capacity: Int = 3) -> ViewPool<FakeView, SiteKey> {
        ViewPool(.init(capacity: PoolCapacity(fixed: capacity))) { [factory] _ in try factory.make() }
    }

    // MARK: Warming up

    @Test("Warms views up to the capacity", arguments: [(-1, 0), (0, 0), (1, 1), (3, 3)])
    func warmUp(capacity: Int, expected: Int) async throws {
        let pool = pool(of: capacity)
        #expect(pool.warmCount == 0 && factory.views.isEmpty)
        try await pool.warmUp()
        try await pool.warmUp()
        #expect(pool.warmCount == expected)
        #expect(factory.views.map(\.warmUps) == Array(repeating: 1, count: expected))
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("Keeps three views by default")
    func standardCapacity() async throws {
        let pool = ViewPool<FakeView, SiteKey> { [factory] _ in try factory.make() }
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
    }

    @Test("A view that cannot be prepared is discarded, and the error is thrown")
    func failingWarmUp() async throws {
        let pool = pool()
        factory.adjust = { $0.failsToWarmUp = $0.number == 2 }
        await #expect(throws: FakeView.Broken.self) { try await pool.warmUp() }
        #expect(pool.warmCount == 1)
        #expect(factory.views.map(\.discards) == [0, 1])
        factory.expectBalance(of: pool, checkedOut: 0)

        try await pool.warmUp()
        #expect(pool.warmCount == 3)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("The preparation runs once in each new view, after its warm-up and before its first checkout")
    func preparing() async throws {
        var prepared: [Int] = []
        var pool: ViewPool<FakeView, SiteKey>?
        let made = ViewPool<FakeView, SiteKey>(.init(capacity: 2)) { [factory] _ in
            try factory.make()
        } prepare: { view in
            #expect(view.warmUps == 1 && pool?.warmCount == prepared.count)
            prepared.append(view.number)
        }
        pool = made
        try await made.warmUp()
        #expect(prepared == [1, 2])
        let holder = Holder()
        let view = try made.checkOut(for: holder)
        await made.checkIn(view)
        // A view that was reset is not prepared again, because its process has already shown a page.
        try await made.warmUp()
        #expect(made.warmCount == 2 && prepared == [1, 2])
    }

    @Test("A view whose preparation fails is discarded, and the error is thrown")
    func failingPreparation() async throws {
        let pool = ViewPool<FakeView, SiteKey>(.init(capacity: 2)) { [factory] _ in
            try factory.make()
        } prepare: { view in
            if view.number == 2 { throw FakeView.Broken() }
        }
        await #expect(throws: FakeView.Broken.self) { try await pool.warmUp() }
        #expect(pool.warmCount == 1 && factory.views.map(\.discards) == [0, 1])
    }

    @Test("There is an idle view if a view is warm, alive and not checked out")
    func idleView() async throws {
        let pool = pool(of: 2)
        #expect(pool.idleView == nil)
        try await pool.warmUp()
        let idle = try #require(pool.idleView)
        idle.isAlive = false
        let other = try #require(pool.idleView)
        #expect(other !== idle)
        let holder = Holder()
        #expect(try pool.checkOut(for: holder) === other)
        #expect(pool.idleView == nil)
    }

    @Test("Warm-up and checkout throw the error of a failing factory")
    func failingFactory() async throws {
        let pool = pool()
        let holder = Holder()
        factory.failsToMake = true
        await #expect(throws: FakeView.Broken.self) { try await pool.warmUp() }
        #expect(throws: FakeView.Broken.self) { try pool.checkOut(for: holder) }
        #expect(pool.counters.created == 0 && pool.counters.coldCheckOuts == 0 && pool.counters.discarded == 0)

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
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A view that is checked in while a new view is prepared does not exceed the capacity")
    func checkInDuringWarmUp() async throws {
        let pool = pool(of: 1)
        let holder = Holder()
        let checkedOut = try pool.checkOut(for: holder)
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let call = Task { try await pool.warmUp() }
        await gate.holds(1)
        await pool.checkIn(checkedOut)
        gate.open()
        try await call.value
        #expect(pool.warmCount == 1)
        #expect(checkedOut.discards == 1 && checkedOut.resets == 0)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("Warm views whose process ended are replaced")
    func deadViewsAtWarmUp() async throws {
        let pool = pool()
        try await pool.warmUp()
        factory.views[1].isAlive = false
        try await pool.warmUp()
        #expect(pool.warmCount == 3)
        #expect(factory.views.map(\.discards) == [0, 1, 0, 0])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    // MARK: Checking out

    @Test("Checks out the most recently warmed view first, and a new view if none is warm")
    func order() async throws {
        let pool = pool(of: 2)
        try await pool.warmUp()
        let holder = Holder()
        let numbers = try (1...3).map { _ in try pool.checkOut(for: holder).number }
        #expect(numbers == [2, 1, 3])
        #expect(factory.views.map(\.warmUps) == [1, 1, 0])
        #expect(pool.counters.warmCheckOuts == 2 && pool.counters.coldCheckOuts == 1)
        factory.expectBalance(of: pool, checkedOut: 3)
        withExtendedLifetime(holder) {}
    }

    @Test("Skips and discards warm views whose process ended")
    func deadViewsAtCheckOut() async throws {
        let pool = pool()
        try await pool.warmUp()
        factory.views[2].isAlive = false
        factory.views[1].isAlive = false
        let holder = Holder()
        #expect(try pool.checkOut(for: holder).number == 1)
        #expect(factory.views.map(\.discards) == [0, 1, 1])
        #expect(try pool.checkOut(for: holder).number == 4)
        factory.expectBalance(of: pool, checkedOut: 2)
        withExtendedLifetime(holder) {}
    }

    // MARK: Checking in

    @Test("A view that is checked in is reset and checked out again")
    func recycling() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        #expect(view.resets == 1 && pool.warmCount == 1 && pool.counters.recycled == 1)
        #expect(try pool.checkOut(for: holder) === view)
        #expect(pool.counters.warmCheckOuts == 1)
        factory.expectBalance(of: pool, checkedOut: 1)
        withExtendedLifetime(holder) {}
    }

    @Test("A view that is not checked out cannot be checked in")
    func strayCheckIn() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        await pool.checkIn(view)
        await pool.checkIn(FakeView(99))
        #expect(view.resets == 1 && pool.warmCount == 1 && pool.counters.recycled == 1)
    }

    @Test("A view whose reset fails is never checked out again")
    func failingReset() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        view.failsToReset = true
        await pool.checkIn(view)
        #expect(view.discards == 1 && pool.warmCount == 0 && pool.counters.recycled == 0)
        #expect(try pool.checkOut(for: holder) !== view)
        factory.expectBalance(of: pool, checkedOut: 1)
        withExtendedLifetime(holder) {}
    }

    @Test("A view whose process ended is not reset")
    func deadViewAtCheckIn() async throws {
        let pool = pool()
        let holder = Holder()
        let view = try pool.checkOut(for: holder)
        view.isAlive = false
        await pool.checkIn(view)
        #expect(view.resets == 0 && view.discards == 1)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A view whose process ends during the reset is discarded")
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
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("The number of views in a reset at the same time does not exceed the capacity")
    func concurrentCheckIns() async throws {
        let pool = pool(of: 1)
        let holder = Holder()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let views = try (1...3).map { _ in try pool.checkOut(for: holder) }
        let first = Task { await pool.checkIn(views[0]) }
        await gate.holds(1)
        for view in views[1...] { await pool.checkIn(view) }
        gate.open()
        await first.value
        #expect(pool.warmCount == 1 && views.map(\.resets) == [1, 0, 0])
        #expect(pool.counters.recycled == 1 && pool.counters.ended == [.surplus: 2])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("Views whose holders are released are checked in; other views stay checked out")
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
        factory.expectBalance(of: pool, checkedOut: 1)
        withExtendedLifetime(stays) {}
    }

    @Test("Warm-up checks in views of released holders before it makes views")
    func warmUpReclaims() async throws {
        let pool = pool(of: 1)
        _ = try pool.checkOut(for: Holder())
        try await pool.warmUp()
        #expect(factory.views.map(\.resets) == [1])
        #expect(pool.warmCount == 1)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("Critical memory pressure discards idle views, and no checked-out views")
    func draining() async throws {
        let pool = pool()
        try await pool.warmUp()
        let holder = Holder()
        let checkedOut = try pool.checkOut(for: holder)
        pool.trim(.critical)
        pool.trim(.critical)
        #expect(pool.warmCount == 0 && checkedOut.discards == 0)
        #expect(pool.counters.discarded == 2)
        factory.expectBalance(of: pool, checkedOut: 1)

        await pool.checkIn(checkedOut)
        #expect(pool.warmCount == 1)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A trim also discards views whose holders are released")
    func drainingOrphans() throws {
        let pool = pool()
        _ = try pool.checkOut(for: Holder())
        pool.trim(.critical)
        #expect(factory.views.map(\.discards) == [1])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A trim also discards views that are being prepared or reset")
    func drainingUnderWay() async throws {
        let pool = pool(of: 2)
        let holder = Holder()
        let gate = Gate()
        factory.adjust = { $0.gate = gate }
        let checkedOut = try pool.checkOut(for: holder)
        let cleaning = Task { await pool.checkIn(checkedOut) }
        await gate.holds(1)
        let warming = Task { try await pool.warmUp() }
        await gate.holds(2)
        pool.trim(.critical)
        gate.open()
        await cleaning.value
        try await warming.value
        #expect(pool.warmCount == 0 && pool.counters.recycled == 0)
        #expect(factory.views.map(\.discards) == [1, 1])
        // The next call warms views again.
        try await pool.warmUp()
        #expect(pool.warmCount == 2)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A cancelled warm-up throws an error and discards the view in preparation")
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
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    // MARK: Quarantine

    @Test("Residual state after a reset discards the view, and is counted by kind")
    func remains() async throws {
        let pool = pool()
        let holder = Holder()
        for left in [[ResidualState.history], [.zoom, .media], []] as [Set<ResidualState>] {
            let view = try pool.checkOut(for: holder)
            view.left = left
            await pool.checkIn(view)
            #expect(view.looks == 1 && view.discards == (left.isEmpty ? 0 : 1))
        }
        #expect(pool.counters.ended == [.residualState([.history]): 1, .residualState([.media, .zoom]): 1])
        #expect(pool.counters.quarantined == 2 && pool.counters.recycled == 1)
        #expect(DiscardReason.residualState([.zoom, .media]).description == "remains: media, zoom")
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A view whose check for residual state fails is not checked out again")
    func failingLook() async throws {
        let pool = pool()
        let view = try pool.checkOut(for: Holder())
        view.failsToLook = true
        await pool.checkIn(view)
        #expect(view.discards == 1 && pool.counters.ended == [.resetFailed: 1])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A replacement view is checked, checked out and counted in place of the original")
    func successors() async throws {
        let pool = pool()
        let holder = Holder()
        factory.adjust = { [factory] in $0.makeSuccessor = { factory.makeSuccessor() } }
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        let successor = try pool.checkOut(for: holder)
        #expect(successor !== view && view.discards == 1 && successor.looks == 1 && view.looks == 0)
        // After the replacement, checking in the original view has no effect.
        await pool.checkIn(view)
        #expect(successor.resets == 0 && pool.counters.recycled == 1 && pool.counters.created == 1)
        factory.expectBalance(of: pool, checkedOut: 1)
        withExtendedLifetime(holder) {}
    }

    @Test("A view is discarded after the maximum number of checkouts")
    func reuseLimit() async throws {
        let pool = ViewPool<FakeView, SiteKey>(.init(reuseLimit: 2)) { [factory] _ in try factory.make() }
        let holder = Holder()
        for _ in 1...4 { await pool.checkIn(try pool.checkOut(for: holder)) }
        #expect(factory.views.map(\.resets) == [1, 1] && pool.counters.reuseLimit == 2)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A retired view is discarded when it is checked in")
    func retiring() async throws {
        let pool = pool()
        let holder = Holder()
        let (kept, retired) = (try pool.checkOut(for: holder), try pool.checkOut(for: holder))
        let reason = DiscardReason(retired: "windows")
        pool.retire(because: reason) { view, _ in view === retired }
        #expect(retired.discards == 0)
        for view in [kept, retired] { await pool.checkIn(view) }
        #expect(kept.resets == 1 && retired.resets == 0 && pool.counters.ended == [reason: 1])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("A retired view is discarded at once if idle, or after its reset; a view that was never used is not retired")
    func retiringFree() async throws {
        let pool = pool(of: 4)
        let holder = Holder()
        try await pool.warmUp()
        let (free, cleaning) = (try pool.checkOut(for: holder), try pool.checkOut(for: holder))
        await pool.checkIn(free)
        let gate = Gate()
        cleaning.gate = gate
        let call = Task { await pool.checkIn(cleaning) }
        await gate.holds(1)
        let reason = DiscardReason(retired: "cleared")
        pool.retire(because: reason) { _, _ in true }
        #expect(free.discards == 1 && cleaning.discards == 0 && pool.warmCount == 2)
        gate.open()
        await call.value
        #expect(cleaning.discards == 1 && pool.warmCount == 2 && pool.counters.ended == [reason: 2])
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    // MARK: Keys

    @Test("A used view serves only its key, an unused view its kind, and used views are checked out first")
    func keys() async throws {
        let pool = ViewPool<FakeView, SiteKey>(.init(capacity: 2)) { [factory] _ in try factory.make() }
        let holder = Holder()
        try await pool.warmUp(for: SiteKey("none"))
        let used = try pool.checkOut(SiteKey("a"), for: holder)
        await pool.checkIn(used)
        #expect(pool.warmCount == 2)
        #expect(try pool.checkOut(SiteKey("a", kind: 2), for: holder).number == 3)
        #expect(try pool.checkOut(SiteKey("a"), for: holder) === used)
        #expect(try pool.checkOut(SiteKey("b"), for: holder).number == 1)
        #expect(try pool.checkOut(SiteKey("b"), for: holder).number == 4)
        #expect(pool.counters.warmCheckOuts == 3 && pool.counters.coldCheckOuts == 2)
        withExtendedLifetime(holder) {}
    }

    // MARK: Memory

    @Test("A memory warning discards half of the idle views, used views first, and no checked-out views")
    func warning() async throws {
        let pool = pool(of: 4)
        try await pool.warmUp()
        let holder = Holder()
        let used = try pool.checkOut(for: holder)
        await pool.checkIn(used)
        pool.trim(.warning)
        #expect(pool.warmCount == 2 && used.discards == 1 && pool.counters.trimmed == 2)
        pool.trim(.warning)
        pool.trim(.warning)
        #expect(pool.warmCount == 0)
        factory.expectBalance(of: pool, checkedOut: 0)
    }

    @Test("Critical memory pressure reduces the capacity to the minimum, and later misses increase it")
    func critical() async throws {
        let pool = ViewPool<FakeView, SiteKey> { [factory] _ in try factory.make() }
        pool.trim(.critical)
        try await pool.warmUp()
        #expect(pool.warmCount == 1)
        let holder = Holder()
        for _ in 1...2 { _ = try pool.checkOut(for: holder) }
        #expect(pool.capacity.current == 2)
        withExtendedLifetime(holder) {}
    }
}
