// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import HostLife
import ResourceLoading
import Testing
import WebEngineTesting

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
        #expect(idleState.wait == .quiet, "not idle yet")
        idleState.handle(.rested)
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
        #expect(idleState.wait == .event)
        idleState.handle(.back(.suspension))
        #expect(idleState.wait == .quiet && !idleState.isWorkDue, "still in the background")
        idleState.handle(.rested)
        #expect(idleState.wait == .event)
        idleState.handle(.back(.background))
        #expect(idleState.wait == .quiet && idleState.isWorkDue)
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
        idleState.handle(.rested)
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

    @Test("The app is idle after a quiet time, in the background too, and not while a page loads or it is suspended")
    func idleness() {
        var idleState = IdleState(HostConditions())
        #expect(!idleState.isIdle, "nothing is known at launch")
        idleState.handle(.rested)
        #expect(idleState.isIdle)
        idleState.handle(.away(.background))
        #expect(idleState.isIdle)
        idleState.handle(.away(.suspension))
        #expect(!idleState.isIdle)
        idleState.handle(.rested)
        #expect(!idleState.isIdle)
        idleState.handle(.back(.suspension))
        idleState.handle(.rested)
        #expect(idleState.isIdle)
        idleState.handle(.back(.background))
        #expect(!idleState.isIdle, "the user returns")
        idleState.handle(.rested)
        idleState.handle(.conditions(HostConditions(memory: .warning)))
        #expect(!idleState.isIdle)
        idleState.handle(.conditions(HostConditions()))
        #expect(!idleState.isIdle && idleState.wait == .quiet)
    }

    @Test("After any sequence of events, an idle app has neither a new page load nor a suspension", arguments: 0..<50)
    func interleaving(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var idleState = IdleState(HostConditions())
        var isSuspended = false
        var hasActivity = true
        for _ in 0..<200 {
            let page = Bool.random(using: &random) ? first : second
            let wasLoading = idleState.loading.contains(page)
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                idleState.handle(.loading(page))
                hasActivity = true
            case 1:
                idleState.handle(.loadingEnded(page))
                if wasLoading { hasActivity = true }
            case 2:
                idleState.handle(.away(.suspension))
                isSuspended = true
            case 3:
                idleState.handle(.back(.suspension))
                if isSuspended { hasActivity = true }
                isSuspended = false
            case 4: idleState.handle(.worked)
            case 5: idleState.handle(.released)
            case 6: idleState.handle(.lost)
            case 7: idleState.handle(.away(.background))
            default:
                idleState.handle(.rested)
                if !isSuspended { hasActivity = false }
            }
            #expect(idleState.isIdle == (!isSuspended && !hasActivity))
            // An app that is not idle waits for its rest, unless it is suspended: it never remains busy for ever.
            #expect(idleState.isIdle || isSuspended || idleState.wait != .event)
        }
    }

    @Test("Idleness is reported after the work, and ends with the next event")
    func reports() async throws {
        let clock = ManualClock()
        let (reports, report) = AsyncStream.makeStream(of: Bool.self)
        var reported = reports.makeAsyncIterator()
        var works = 0
        let scheduler = IdleScheduler(ChangingConditions(HostConditions()), delay: .seconds(2), clock: clock) {
            #expect(works > 0, "idle before the work")
            report.yield($0)
        } work: { _ in
            works += 1
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        #expect(await reported.next() == true)
        scheduler.handle(.loading(first))
        #expect(await reported.next() == false)
        // In the background no work runs, but the app becomes idle.
        scheduler.handle(.away(.background))
        scheduler.handle(.loadingEnded(first))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(2))
        #expect(await reported.next() == true)
        #expect(works == 1 && scheduler.isResting)
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
}
