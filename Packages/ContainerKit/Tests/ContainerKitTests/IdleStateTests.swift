// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import ResourceLoading
import Testing
import WebEngineTesting
import WebViewPool

@testable import ContainerKit

@MainActor
@Suite("Idle work", .timeLimit(.minutes(1)))
struct IdleStateTests {
    private let first = PageID(rawValue: 1)
    private let second = PageID(rawValue: 2)

    @Test("Work is due at launch, and once after each page load and each absence of the app")
    func due() {
        var idleState = IdleState(HostConditions())
        #expect(idleState.wait == .quiet)
        idleState.handle(.worked)
        #expect(idleState.wait == .event)
        idleState.handle(.loadingEnded(first))
        #expect(idleState.wait == .event, "an unknown page has no effect")
        idleState.handle(.loading(first))
        idleState.handle(.loading(second))
        #expect(idleState.wait == .pages)
        idleState.handle(.loadingEnded(first))
        #expect(idleState.wait == .pages)
        idleState.handle(.loadingEnded(second))
        #expect(idleState.wait == .quiet)
        idleState.handle(.worked)
        idleState.handle(.away(.background))
        idleState.handle(.away(.suspension))
        idleState.handle(.back(.suspension))
        #expect(idleState.wait == .event, "still in the background")
        idleState.handle(.back(.background))
        #expect(idleState.wait == .quiet)
    }

    @Test(
        "No work runs while the conditions forbid it",
        arguments: [HostConditions(isIdle: false), HostConditions(memory: .warning), HostConditions(memory: .critical)])
    func conditions(_ conditions: HostConditions) {
        var idleState = IdleState(conditions)
        #expect(idleState.wait == .event)
        #expect(!idleState.mayContinue(beside: []))
        idleState.handle(.conditions(HostConditions(network: .none, power: .low)))
        #expect(idleState.wait == .quiet)
        idleState.handle(.worked)
        idleState.handle(.conditions(HostConditions(network: .metered)))
        #expect(idleState.wait == .event, "a change of the network requires no views")
        idleState.handle(.conditions(conditions))
        idleState.handle(.conditions(HostConditions()))
        #expect(idleState.wait == .quiet)
    }

    @Test("Work in progress continues while earlier pages load, but not while a new page loads")
    func goesOn() {
        var idleState = IdleState(HostConditions())
        idleState.handle(.loading(first))
        #expect(idleState.mayContinue(beside: [first]))
        idleState.handle(.loading(second))
        #expect(!idleState.mayContinue(beside: [first]))
        idleState.handle(.loadingEnded(second))
        #expect(idleState.mayContinue(beside: [first]))
        idleState.handle(.away(.background))
        #expect(!idleState.mayContinue(beside: [first]))
    }

    @Test("Work begins after a quiet period, later if a page never finishes, and never without a reason")
    func scheduler() async throws {
        let clock = ManualClock()
        let (works, work) = AsyncStream.makeStream(of: Void.self)
        var done = works.makeAsyncIterator()
        let scheduler = IdleScheduler(ChangingConditions(HostConditions()), delay: .seconds(2), clock: clock) { _ in
            work.yield()
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        await done.next()
        while !scheduler.isResting { await Task.yield() }
        // No timer is left, so that an idle app causes no work.
        #expect(clock.sleeperCount == 0)
        scheduler.handle(.lost)
        scheduler.handle(.released)
        #expect(scheduler.isResting)
        scheduler.handle(.lost)
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        await done.next()
        while !scheduler.isResting { await Task.yield() }
        scheduler.handle(.loading(first))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: IdleScheduler.pageLimit)
        await done.next()
        scheduler.handle(.loading(second))
        await scheduler.shutDown()
        scheduler.handle(.loadingEnded(second))
        // If a timer is left, the time limit of the suite ends the test.
        while clock.sleeperCount > 0 { await Task.yield() }
    }

    @Test("A container prewarms its views automatically, but not while a page loads")
    func container() async throws {
        let fixture = Fixture()
        let container = try await fixture.container {
            $0.views.warmsUpWhenIdle = true
            $0.views.idleDelay = .zero
            $0.views.pool = PoolCapacity(fixed: 2)
        }
        while container.pool.warmCount < 2 { await Task.yield() }
        // The pool is full. A page takes one view, which is not replaced while the page loads.
        let page = try await container.open("https://shop.example/")
        #expect(page.view.id.rawValue <= 2)
        page.view.onSignal?(.started(url: "https://shop.example/"))
        #expect(fixture.engine.views.count == 2)
        page.view.onSignal?(.finished(url: "https://shop.example/"))
        while container.pool.warmCount < 2 { await Task.yield() }
        #expect(fixture.engine.views.count == 3)
        await container.shutDown()
    }
}
