// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import CookieJar
import Foundation
import Testing

@_spi(Facade) @testable import CookieBridge

/// Tests of convergence under random changes and orders of events: all stores become equal, the last writer wins, and
/// the number of writes is bounded. They run one at a time, because other tests have time limits.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ConvergenceTests {
    /// The number of runs per test argument; `CONVERGENCE_RUNS` overrides it.
    static let runs = Int(ProcessInfo.processInfo.environment["CONVERGENCE_RUNS"] ?? "") ?? 40

    @Test(arguments: 0..<24) func storesConverge(_ batch: Int) async throws {
        for run in 0..<Self.runs {
            // Other tests, which have time limits, run in between.
            await Task.yield()
            let seed = UInt64(batch * Self.runs + run)
            // Every second run has no failures of stores, because such failures could hide faults of the rules.
            var simulation = Simulation(seed: seed)
            simulation.begin()
            simulation.converge()
            simulation.failurePercent = run.isMultiple(of: 2) ? 0 : 15
            for round in 0..<Int.random(in: 1...4, using: &simulation.generator) {
                for _ in 0..<Int.random(in: 1...25, using: &simulation.generator) {
                    if simulation.generator.chance(45) { Self.change(&simulation) } else { simulation.step() }
                }
                simulation.converge()
                // Operations that failed too many times wait for a signal of the store.
                let failures = simulation.failurePercent
                simulation.failurePercent = 0
                for store in simulation.stores.indices { simulation.signal(store) }
                simulation.converge()
                let fault = simulation.fault()
                try #require(fault == nil, "seed \(seed), round \(round): \(fault ?? "")")
                if simulation.generator.chance(40) { try Self.relaunch(&simulation, seed) }
                simulation.failurePercent = failures
            }
        }
    }

    /// Tests that stores with different initial cookies become equal without a deletion.
    @Test(arguments: 0..<8) func firstReadingsMerge(_ batch: Int) async throws {
        for run in 0..<Self.runs {
            await Task.yield()
            let seed = UInt64(1_000_000 + batch * Self.runs + run)
            var simulation = Simulation(seed: seed)
            var first: [Cookie.Identity: String] = [:]
            for store in [0, 1] {
                for _ in 0..<Int.random(in: 0...4, using: &simulation.generator) {
                    let value = "\(store) \(Int.random(in: 0..<4, using: &simulation.generator))"
                    let made = cookie(Self.name(&simulation), value)
                    simulation.stores[store].put(.set(made), .nobody)
                    if store == 0 || first[made.identity]?.hasPrefix("1") ?? true { first[made.identity] = value }
                }
            }
            simulation.begin()
            simulation.converge()
            #expect(simulation.isQuiet, "seed \(seed)")
            for store in simulation.stores {
                let values = Dictionary(
                    uniqueKeysWithValues: store.cookies(at: simulation.now).map { ($0.identity, $0.value) })
                #expect(values == first, "seed \(seed): \(store.id)")
            }
            // The second store may be read first, and written to the others before the first store wins.
            let bound = (2 * simulation.stores.count - 3) * first.count
            #expect(simulation.writes <= bound, "seed \(seed): \(simulation.writes) writes")
        }
    }

    /// Tests repeated losses of all cookies of a store: the cookies are written again, and no cookie is deleted. The
    /// test deletes no cookie, because it could not distinguish a deletion from a loss.
    @Test(arguments: 0..<12) func lostCookiesAreNotDeleted(_ batch: Int) async throws {
        var losses = 0
        for run in 0..<Self.runs {
            await Task.yield()
            let seed = UInt64(2_000_000 + batch * Self.runs + run)
            var simulation = Simulation(seed: seed)
            simulation.begin()
            simulation.converge()
            simulation.failurePercent = run.isMultiple(of: 2) ? 0 : 15
            for _ in 0..<Int.random(in: 5...60, using: &simulation.generator) {
                guard simulation.generator.chance(45) else {
                    simulation.step()
                    continue
                }
                // The app's storage loses no cookies while the process runs.
                let store = Int.random(in: 1...3, using: &simulation.generator)
                let made = cookie(Self.name(&simulation), "\(simulation.nextValue())")
                switch Int.random(in: 0..<100, using: &simulation.generator) {
                case 0..<80: simulation.change(store, .set(made))
                default: simulation.lose(store)
                }
            }
            simulation.converge()
            simulation.failurePercent = 0
            for store in simulation.stores.indices { simulation.signal(store) }
            simulation.converge()
            let fault = simulation.fault()
            try #require(fault == nil, "seed \(seed): \(fault ?? "")")
            let held = simulation.stores.map { $0.cookies(at: simulation.now).count }
            #expect(held.allSatisfy { $0 == simulation.lastHeard.count }, "seed \(seed): \(held)")
            losses += simulation.reconciliation.counters.losses
        }
        #expect(losses > Self.runs)
    }

    /// Tests processes that end at any moment: the next process reaches a state that is equal in all stores, and no
    /// attribute becomes weaker than in the stores that retain it.
    @Test(arguments: 0..<8) func killsWeakenNoAttributes(_ batch: Int) async throws {
        for run in 0..<Self.runs {
            await Task.yield()
            let seed = UInt64(3_000_000 + batch * Self.runs + run)
            var simulation = Simulation(seed: seed)
            simulation.begin()
            for _ in 0..<3 {
                for _ in 0..<Int.random(in: 1...40, using: &simulation.generator) {
                    if simulation.generator.chance(30) { Self.change(&simulation) } else { simulation.step() }
                }
                simulation.relaunch()
                let before = simulation.stores.dropFirst().flatMap { $0.cookies(at: simulation.now) }
                simulation.converge()
                simulation.learnAll()
                let fault = simulation.fault()
                try #require(fault == nil, "seed \(seed): \(fault ?? "")")
                for cookie in before {
                    guard let desired = simulation.reconciliation.cookie(cookie.identity),
                        desired.value == cookie.value
                    else { continue }
                    #expect(desired.isAsStrict(as: cookie), "seed \(seed): \(desired), not \(cookie)")
                }
            }
        }
    }

    /// Ends a process at rest. The next process writes nothing, unless the app has removed a cookie in between.
    private static func relaunch(_ simulation: inout Simulation, _ seed: UInt64) throws {
        // An engine rounds the expiry down, so that other cookies may have expired in some stores.
        let end = simulation.now + 1
        let persistent = simulation.stores[0].cookies(at: simulation.now)
            .filter { $0.expires.map { $0 > end } ?? false }
        let gone = simulation.generator.chance(50) ? persistent.randomElement(using: &simulation.generator) : nil
        let wasSeen = gone.map { simulation.seen.keys.contains($0.identity) } ?? false
        simulation.relaunch(after: gone.map { .remove($0.identity) })
        simulation.converge()
        for cookie in persistent {
            let desired = simulation.reconciliation.cookie(cookie.identity)
            if cookie == gone, wasSeen {
                try #require(desired == nil, "seed \(seed): \(cookie) came back")
            } else {
                try #require(desired?.value == cookie.value, "seed \(seed): \(cookie) was lost")
                try #require(desired?.isAsStrict(as: cookie) == true, "seed \(seed): \(cookie) was weakened")
            }
        }
        let bound = gone == nil ? 0 : wasSeen ? simulation.stores.count - 1 : 1
        try #require(simulation.writes <= bound, "seed \(seed): \(simulation.writes) writes after a launch")
        simulation.learnAll()
    }

    private static func name(_ simulation: inout Simulation) -> String {
        ["a", "b", "c"].randomElement(using: &simulation.generator) ?? "a"
    }

    /// Makes a random change. No two changes set the same value.
    private static func change(_ simulation: inout Simulation) {
        let store = Int.random(in: 0...3, using: &simulation.generator)
        let domain = simulation.generator.chance(70) ? "shop.example" : "bank.example"
        let made = cookie(
            name(&simulation), "\(simulation.nextValue())", domain: domain,
            expires: simulation.generator.chance(20)
                ? simulation.now.timeIntervalSince(start) + Double.random(in: 1...90, using: &simulation.generator)
                : nil,
            isSecure: simulation.generator.chance(30), isHTTPOnly: simulation.generator.chance(20),
            sameSite: simulation.generator.chance(50) ? .unspecified : .lax)
        switch Int.random(in: 0..<100, using: &simulation.generator) {
        case 0..<64:
            simulation.change(store, .set(made))
        case 64..<86:
            let there = simulation.stores[store].cookies(at: simulation.now)
            guard let gone = there.randomElement(using: &simulation.generator) else { return }
            simulation.change(store, .remove(gone.identity))
        case 86..<90:
            simulation.clear(simulation.generator.chance(50) ? .all : .domains(["bank.example"]))
        case 90..<95:
            simulation.signal(store)
        default:
            simulation.now += Double.random(in: 0...30, using: &simulation.generator)
        }
    }
}
