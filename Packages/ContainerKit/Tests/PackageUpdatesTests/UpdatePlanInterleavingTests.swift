// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

@testable import PackageUpdates
@_spi(Facade) @testable import ResourceTable

/// The plan of updates under random orders of triggers, outcomes, conditions and kills.
@Suite("Orders of updates", .timeLimit(.minutes(2)))
struct UpdatePlanInterleavingTests {
    /// A container of a plan, which compares the plan's steps with the rules.
    private struct World {
        static let maxConcurrent = 2
        var generator: SeededGenerator
        var now = Date(timeIntervalSince1970: 1_000_000)
        var conditions = HostConditions()
        var isAway = false
        /// A Boolean value that indicates whether every update fails.
        var isServerDown = false
        var plan: UpdatePlan
        let options: UpdatePlan.Options
        /// The catalogue of the server.
        var served: PackageCatalogue
        /// The catalogue that the plan has received last.
        var known: PackageCatalogue?
        var checks: [SourceCheck.Attempt] = []
        var running: [DueUpdate] = []
        /// The running updates that wait for a background download.
        var background: Set<String> = []
        /// The running updates that fail, because their package was removed meanwhile.
        var overtaken: Set<String> = []
        var removals: Set<PackageID> = []
        var starts: [String: Date] = [:]
        /// The times of failures after which no request and no other network has allowed an early attempt.
        var failures: [String: Date] = [:]
        /// The requests of the app that have not ended.
        var requests: Set<String> = []
        var installed: Set<PackageID> = []
        var listedOnce: Set<PackageID> = []
        var counts: [String: Int] = [:]

        init(seed: UInt64) throws {
            generator = SeededGenerator(seed: seed)
            served = try PackageCatalogue(sequence: 0, packages: [])
            options = try UpdatePlan.Options(
                policy: [.onLaunch, .onForeground, .whenOpened, .periodic(.seconds(900))],
                sources: [PackageSource("https://named.example/n.json")], catalogueURL: "https://c.example/c.json",
                hasMirror: true, scopes: [PackageBaseURL("https://c.example/")], maxConcurrent: Self.maxConcurrent)
            plan = UpdatePlan(options)
        }

        /// The number of running updates that do not wait for a background download.
        var occupied: Int { running.count { !background.contains($0.key) } }

        mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

        mutating func count(_ what: String) { counts[what, default: 0] += 1 }

        // MARK: Steps of the plan

        mutating func advance() {
            let due = Set(plan.stored.due.map(\.key))
            failures = failures.filter { due.contains($0.key) }
            for step in plan.advance(at: now, in: conditions) {
                switch step {
                case .check(let attempt):
                    checks.append(attempt)
                    #expect(checks.count == 1)
                case .update(let update): start(update)
                case .remove(let id):
                    #expect(removals.insert(id).inserted && !isAway)
                    for update in running where update.source.package == id { overtaken.insert(update.key) }
                case .announceWaiting(let source, _): #expect(!source.manifestURL.isEmpty)
                case .announceProgress(let progress):
                    #expect(progress.finished + progress.failed + occupied <= progress.total)
                }
            }
            #expect(occupied <= Self.maxConcurrent)
            #expect(Set(plan.stored.due.map(\.key)).count == plan.stored.due.count)
            #expect(plan.isResting == (checks.isEmpty && occupied == 0 && removals.isEmpty))
            #expect(!isAway || plan.nextWake(at: now) == nil)
        }

        mutating func start(_ update: DueUpdate) {
            count("start")
            #expect(!running.contains { $0.key == update.key } && !isAway)
            #expect(update.urgency == .wanted || conditions.allowsBackgroundTransfers)
            if let last = starts[update.key] { #expect(now.timeIntervalSince(last) >= 30, "\(update.key)") }
            if let last = failures[update.key] {
                #expect(now.timeIntervalSince(last) >= UpdatePlan.retryInterval, "\(update.key)")
            }
            #expect(update.source.package.map { !removals.contains($0) } ?? true)
            if !requests.contains(update.key), update.key != options.sources[0].manifestURL {
                let entry = known?.packages.first { $0.manifestURL == update.key }
                #expect(entry?.package == update.source.package && entry?.scope == update.source.scope)
                #expect(entry != nil, "\(update.key)")
            }
            starts[update.key] = now
            running.append(update)
        }

        // MARK: Events

        mutating func step() throws {
            switch random(16) {
            case 0...2: now += TimeInterval(random(60))
            case 3:
                let triggers: [UpdatePlan.Trigger] = [
                    .foreground, .request, .timer, .opened("https://c.example/\(random(4))/x"),
                ]
                let trigger = triggers[random(4)]
                if trigger == .request { failures = [:] }
                plan.record(trigger, at: now)
            case 4:
                let former = conditions.network
                conditions = HostConditions(
                    isIdle: random(3) > 0, network: [.none, .metered, .unmetered, .unmetered][random(4)])
                if conditions.network != former { failures = [:] }
                plan.conditionsDidChange(at: now)
            case 5:
                isAway = random(3) == 0
                plan.setAway(isAway)
            case 6: try serve()
            case 7, 8: try endCheck([.success, .success, .failure, .nothing][random(4)], isCurrent: random(4) > 0)
            case 9, 10: endUpdate(with: [.finished, .finished, .failed, .refused, .notNow("no")][random(5)])
            case 11: endRemoval(isRemoved: random(3) > 0)
            // A request resets the number of failures.
            case 12: if random(8) == 0 { request("https://app.example/\(random(3)).json") }
            case 13: beginBackgroundWait()
            case 14: if random(16) == 0 { isServerDown.toggle() }
            default: if random(5) == 0 { try kill() }
            }
            advance()
        }

        /// Changes the catalogue of the server: its packages, the URLs of their manifests, and their scopes.
        mutating func serve() throws {
            let ids = (0..<4).filter { _ in random(2) == 0 }
            served = try PackageCatalogue(
                sequence: served.sequence + 1,
                packages: ids.map { id in
                    let folder = ["", "/moved"][random(4) / 3]
                    return try .init(
                        package: PackageID("p\(id)"), manifestURL: "https://c.example\(folder)/\(id).json",
                        scope: PackageBaseURL("https://c.example/\(id)\(["", "/app"][random(4) / 3])/"))
                })
        }

        mutating func endCheck(_ outcome: SourceCheck.Outcome, isCurrent: Bool) throws {
            guard let attempt = checks.popLast() else { return }
            count("check")
            let fetch: UpdatePlan.Fetch =
                switch outcome {
                case .success where isCurrent: .catalogue(served)
                case .success: .catalogue(try PackageCatalogue(sequence: 0, packages: []))
                case .failure: .failed(DeliveryError(.network, "down"))
                case .nothing: .offline
                }
            guard let catalogue = try? plan.finish(attempt, with: fetch, at: now) else { return }
            #expect(catalogue.sequence > known?.sequence ?? -1)
            known = catalogue
            listedOnce.formUnion(catalogue.packages.map(\.package))
        }

        mutating func beginBackgroundWait() {
            guard let key = running.first?.key, background.insert(key).inserted else { return }
            count("wait")
            plan.beginBackgroundWait(key)
        }

        mutating func endUpdate(with ending: UpdatePlan.Ending) {
            guard !running.isEmpty else { return }
            let update = running.remove(at: random(running.count))
            background.remove(update.key)
            let isOvertaken = overtaken.remove(update.key) != nil
            let ending = isServerDown || (isOvertaken && ending == .finished) ? .failed : ending
            plan.finish(update.key, with: ending, at: now)
            switch ending {
            case .finished:
                count("finish")
                requests.remove(update.key)
                if let id = update.source.package { installed.insert(id) }
            case .refused: requests.remove(update.key)
            case .failed:
                if plan.stored.due.contains(where: { $0.key == update.key }) { failures[update.key] = now }
            case .notNow, .interrupted: break
            }
            #expect(!requests.contains(update.key) || plan.stored.due.contains { $0.key == update.key })
        }

        mutating func endRemoval(isRemoved: Bool) {
            guard let id = removals.sorted().first else { return }
            removals.remove(id)
            count("removal")
            if isRemoved { installed.remove(id) }
            plan.finishRemoval(of: id, isRemoved: isRemoved)
        }

        mutating func request(_ url: String) {
            let isAccepted = plan.request(PackageSource(url), .now)
            #expect(isAccepted)
            failures[url] = nil
            if !running.contains(where: { $0.key == url }) { requests.insert(url) }
        }

        /// Ends the process, and starts another one with the stored state.
        mutating func kill() throws {
            count("kill")
            let stored = try plan.stored.reopened()
            plan = UpdatePlan(options, stored: stored)
            (checks, running, removals, overtaken, isAway) = ([], [], [], [], false)
            (background, failures) = ([], [:])
            plan.record(.launch, at: now)
        }

        /// Lets everything succeed until nothing is due.
        mutating func rest() throws {
            (isAway, isServerDown) = (false, false)
            plan.setAway(false)
            conditions = HostConditions()
            for _ in 0..<20 {
                now += 31
                failures = [:]
                plan.conditionsDidChange(at: now)
                plan.record(.request, at: now)
                advance()
                while !plan.isResting || !running.isEmpty {
                    try endCheck(.success, isCurrent: true)
                    endUpdate(with: .finished)
                    endRemoval(isRemoved: true)
                    advance()
                }
            }
            #expect(plan.stored.due == [] && plan.stored.removals == [] && requests == [])
            let listed = Set(served.packages.map(\.package))
            #expect(known == served && installed == listed, "\(installed) \(listed)")
            #expect(Set(plan.stored.withdrawn) == listedOnce.subtracting(listed))
        }
    }

    @Test("The rules hold in any order, and nothing is lost", arguments: 1...20 as ClosedRange<UInt64>)
    func orders(seed: UInt64) throws {
        var world = try World(seed: seed)
        world.plan.record(.launch, at: world.now)
        world.advance()
        for _ in 0..<1_000 { try world.step() }
        try world.rest()
        for what in ["start", "check", "finish", "removal", "kill", "wait"] {
            #expect(world.counts[what, default: 0] > 0, "\(what)")
        }
    }
}
