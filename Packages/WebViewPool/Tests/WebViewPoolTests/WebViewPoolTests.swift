// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing
import WebViewPool

@MainActor
@Suite("Pool of views", .timeLimit(.minutes(1)))
struct WebViewPoolTests {
    private struct Broken: Error {}

    private final class View: PoolableView {
        var isAlive = true
        var failsToWarm = false
        var failsToReset = false
        private(set) var isWarm = false
        private(set) var resets = 0

        func warmUp() async throws {
            await Task.yield()
            if failsToWarm { throw Broken() }
            isWarm = true
        }

        func reset() async throws {
            if failsToReset { throw Broken() }
            resets += 1
        }

        func discard() { isAlive = false }
    }

    private final class Factory {
        var made: [View] = []
        var prepare: (View) -> Void = { _ in }

        func make() -> View {
            let view = View()
            prepare(view)
            made.append(view)
            return view
        }
    }

    private final class Holder {}

    private let factory = Factory()
    private let holder = Holder()

    private func pool(_ capacity: Int) -> WebViewPool<View> {
        WebViewPool(capacity: capacity) { [factory] in factory.make() }
    }

    @Test("Warm-up fills the pool, also when asked several times at once")
    func warmUp() async throws {
        let pool = pool(3)
        async let first: Void = pool.warmUp()
        async let second: Void = pool.warmUp()
        _ = try await (first, second)
        #expect(pool.warmCount == 3 && factory.made.count == 3 && factory.made.allSatisfy(\.isWarm))
    }

    @Test("A warm view is lent first, a dead one never, a new one last")
    func checkOut() async throws {
        let pool = pool(2)
        try await pool.warmUp()
        factory.made[1].isAlive = false
        let first = try pool.checkOut(for: holder)
        #expect(first === factory.made[0])
        let second = try pool.checkOut(for: holder)
        #expect(!second.isWarm && factory.made.count == 3)
        #expect(pool.counters.warmCheckOuts == 1 && pool.counters.coldCheckOuts == 1)
    }

    @Test("A returned view is cleaned and lent again; one that cannot be cleaned is ended")
    func checkIn() async throws {
        let pool = pool(1)
        let view = try pool.checkOut(for: holder)
        await pool.checkIn(view)
        #expect(view.resets == 1 && pool.warmCount == 1)
        #expect(try pool.checkOut(for: holder) === view)
        view.failsToReset = true
        await pool.checkIn(view)
        #expect(!view.isAlive && pool.warmCount == 0 && pool.counters.discarded == 1)
        await pool.checkIn(view)
        #expect(pool.counters.discarded == 1)
    }

    @Test("A view whose holder is gone comes back by itself")
    func reclaim() async throws {
        let pool = pool(1)
        var lender: Holder? = Holder()
        let view = try pool.checkOut(for: try #require(lender))
        await pool.reclaim()
        #expect(pool.warmCount == 0)
        lender = nil
        await pool.reclaim()
        #expect(pool.warmCount == 1 && view.resets == 1)
    }

    @Test("A view that does not warm up is ended, and the error is told")
    func warmUpFailure() async throws {
        let pool = pool(2)
        factory.prepare = { $0.failsToWarm = true }
        await #expect(throws: Broken.self) { try await pool.warmUp() }
        #expect(pool.warmCount == 0 && factory.made.allSatisfy { !$0.isAlive })
        factory.prepare = { _ in }
        try await pool.warmUp()
        #expect(pool.warmCount == 2)
    }

    @Test("Draining ends what is free and leaves what is lent")
    func drain() async throws {
        let pool = pool(2)
        try await pool.warmUp()
        let lent = try pool.checkOut(for: holder)
        pool.drain()
        #expect(pool.warmCount == 0 && lent.isAlive && pool.counters.discarded == 1)
    }
}
