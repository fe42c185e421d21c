// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

@testable import PackageUpdates
@_spi(Facade) @testable import ResourceTable

/// The plan of updates, step by step.
@Suite("Plan of updates", .timeLimit(.minutes(1)))
struct UpdatePlanTests {
    private var now = Date(timeIntervalSince1970: 1_000_000)
    private var conditions = HostConditions()

    private static let shop = PackageSource("https://shop.example/shop.json")
    private static let help = PackageSource("https://help.example/help.json")

    private static func options(
        _ policy: UpdatePolicy, _ sources: [PackageSource] = [shop, help], catalogue: Bool = false, most: Int = 2
    ) throws -> UpdatePlan.Options {
        try UpdatePlan.Options(
            policy: policy, sources: sources, catalogueURL: catalogue ? "https://c.example/c.json" : nil,
            hasMirror: true, scopes: [PackageBaseURL("https://c.example/")], maxConcurrent: most)
    }

    private static func catalogue(_ sequence: Int64, _ ids: [String]) throws -> PackageCatalogue {
        try PackageCatalogue(
            sequence: sequence,
            packages: ids.map {
                try .init(
                    package: PackageID($0), manifestURL: "https://c.example/\($0).json",
                    scope: PackageBaseURL("https://c.example/\($0)/"))
            })
    }

    /// Returns the manifests of the updates that start now.
    private func started(by plan: inout UpdatePlan) -> [String] {
        plan.advance(at: now, in: conditions).compactMap { step in
            if case .update(let update) = step { update.key } else { nil }
        }
    }

    /// Applies a catalogue to a plan as the result of the check that begins now.
    private func check(
        _ plan: inout UpdatePlan, _ fetch: UpdatePlan.Fetch
    ) throws -> (catalogue: PackageCatalogue?, steps: [UpdatePlan.Step]) {
        plan.record(.request, at: now)
        let attempt = try #require(plan.advance(at: now, in: conditions).compactMap(\.attempt).first)
        let catalogue = try plan.finish(attempt, with: fetch, at: now)
        return (catalogue, plan.advance(at: now, in: conditions))
    }

    @Test(
        "Each policy starts updates for its triggers only",
        arguments: [
            (.manual, []), (.onLaunch, [.launch]), (.onForeground, [.foreground]),
            (.whenOpened, [.opened("https://shop.example/a")]), ([.onLaunch, .onForeground], [.launch, .foreground]),
        ] as [(UpdatePolicy, [UpdatePlan.Trigger])])
    func policies(policy: UpdatePolicy, expected: [UpdatePlan.Trigger]) throws {
        for trigger in [.launch, .foreground, .opened("https://shop.example/a"), .timer] as [UpdatePlan.Trigger] {
            var plan = UpdatePlan(try Self.options(policy))
            plan.record(trigger, at: now)
            #expect(started(by: &plan).isEmpty == !expected.contains(trigger), "\(trigger)")
            #expect(plan.nextWake(at: now) == nil || expected.contains(trigger))
        }
        var plan = UpdatePlan(try Self.options(policy))
        plan.record(.request, at: now)
        #expect(started(by: &plan) == [Self.shop.manifestURL, Self.help.manifestURL])
    }

    @Test("A page starts updates of the packages whose scope contains it")
    func pages() throws {
        let app = PackageSource("https://cdn.example/app.json", scope: try PackageBaseURL("https://shop.example/app/"))
        for (url, expected) in [
            ("https://shop.example/x?y#z", [Self.shop]), ("https://shop.example/app/x", [Self.shop, app]),
            ("https://cdn.example/", []), ("http://shop.example/", []), ("about:blank", []),
        ] {
            var plan = UpdatePlan(try Self.options(.whenOpened, [Self.shop, app]))
            plan.record(.opened(url), at: now)
            #expect(started(by: &plan) == expected.map(\.manifestURL), "\(url)")
        }
    }

    @Test("A periodic check is due after its interval, which is at least 10 minutes, also across launches")
    mutating func periodic() throws {
        let options = try Self.options([.periodic(.seconds(3_600)), .periodic(.seconds(1))], [Self.shop])
        var plan = UpdatePlan(options)
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [Self.shop.manifestURL])
        plan.finish(Self.shop.manifestURL, with: .finished, at: now)
        #expect(plan.nextWake(at: now) == now + 600)
        plan = UpdatePlan(options, stored: plan.stored)
        now += 599
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [])
        plan.setAway(true)
        #expect(plan.nextWake(at: now) == nil)
        plan.setAway(false)
        now += 1
        plan.record(.timer, at: now)
        #expect(started(by: &plan) == [Self.shop.manifestURL])
        // A clock that was set back delays nothing.
        plan.finish(Self.shop.manifestURL, with: .finished, at: now)
        now -= 10_000
        #expect(plan.nextWake(at: now) == now)
    }

    @Test("A package is not attempted again within 30 seconds, also across launches")
    mutating func fatigue() throws {
        let options = try Self.options(.onForeground, [Self.shop])
        var plan = UpdatePlan(options)
        plan.record(.foreground, at: now)
        #expect(started(by: &plan).count == 1)
        plan.finish(Self.shop.manifestURL, with: .finished, at: now)
        now += 29
        plan = UpdatePlan(options, stored: plan.stored)
        plan.record(.foreground, at: now)
        #expect(started(by: &plan) == [])
        now += 1
        plan.record(.foreground, at: now)
        #expect(started(by: &plan).count == 1)
    }

    @Test("An update whose conditions do not hold waits, is announced once, and starts in a later process")
    mutating func waiting() throws {
        let options = try Self.options(.manual, [])
        conditions.network = .metered
        var plan = UpdatePlan(options)
        let isAccepted = plan.request(Self.shop, .now)
        #expect(isAccepted)
        let steps = plan.advance(at: now, in: conditions)
        #expect(steps == [.announceWaiting(Self.shop, reason: "the network is metered")])
        #expect(plan.obstacle(to: Self.shop.manifestURL, in: conditions) == "the network is metered")
        #expect(plan.advance(at: now, in: conditions) == [])
        conditions.isIdle = false
        plan.conditionsDidChange(at: now)
        #expect(plan.advance(at: now, in: conditions).count == 1)
        plan = UpdatePlan(options, stored: try plan.stored.reopened())
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [])
        conditions = HostConditions()
        plan.conditionsDidChange(at: now)
        let update = try #require(plan.advance(at: now, in: conditions).compactMap(\.update).first)
        #expect(update.source == Self.shop && update.timing == .now && update.urgency == .whenConvenient)
        plan.finish(update.key, with: .finished, at: now)
        #expect(plan.stored.due == [])
    }

    @Test("An update that failed is retried after 10 minutes, one of the app without a limit; a refused one is not")
    mutating func failures() throws {
        var plan = UpdatePlan(try Self.options(.onForeground, [Self.help]))
        _ = plan.request(Self.shop, .now)
        plan.record(.foreground, at: now)
        for attempt in 1...8 {
            #expect(started(by: &plan).count == (attempt <= 5 ? 2 : 1), "\(attempt)")
            plan.finish(Self.shop.manifestURL, with: .failed, at: now)
            plan.finish(Self.help.manifestURL, with: .failed, at: now)
            let end = now
            now += 599
            for trigger in [.timer, .opened("https://a.example/")] as [UpdatePlan.Trigger] {
                plan.record(trigger, at: now)
                #expect(started(by: &plan) == [] && plan.nextWake(at: now) == end + 600)
            }
            now += 1
            plan.record(.timer, at: now)
        }
        #expect(plan.stored.due.map(\.source) == [Self.shop])
        _ = plan.advance(at: now, in: conditions)
        plan.finish(Self.shop.manifestURL, with: .refused, at: now)
        #expect(plan.stored.due == [])
    }

    @Test("An update that failed is retried at once after a request or with another network")
    mutating func earlyRetries() throws {
        var plan = UpdatePlan(try Self.options(.manual, []))
        _ = plan.request(Self.shop, .now)
        #expect(started(by: &plan).count == 1)
        for step in 0..<4 {
            plan.finish(Self.shop.manifestURL, with: .failed, at: now)
            now += 30
            conditions.kind = [.wifi, .wired][step % 2]
            plan.conditionsDidChange(at: now)
            plan.record(.foreground, at: now)
            #expect(started(by: &plan) == [], "\(step)")
            switch step {
            case 0: plan.record(.request, at: now)
            case 1: _ = plan.request(Self.shop, .now)
            case 2:
                conditions.network = .none
                #expect(started(by: &plan) == [])
                conditions.network = .unmetered
            // The clock was set back.
            default: now -= 10_000
            }
            #expect(started(by: &plan).count == 1, "\(step)")
        }
    }

    @Test("A trigger within 30 seconds of a failure retries at the end of the 30 seconds")
    mutating func cooling() throws {
        var plan = UpdatePlan(try Self.options(.manual, []))
        _ = plan.request(Self.shop, .now)
        #expect(started(by: &plan).count == 1)
        plan.finish(Self.shop.manifestURL, with: .notNow("busy"), at: now)
        plan.record(.foreground, at: now + 5)
        now += 5
        #expect(started(by: &plan) == [] && plan.nextWake(at: now) == now + 25)
        now += 25
        plan.record(.timer, at: now)
        #expect(started(by: &plan).count == 1)
    }

    @Test("At most the configured number of updates run, and progress counts them")
    mutating func concurrency() throws {
        let sources = (0..<5).map { PackageSource("https://a.example/\($0).json") }
        var plan = UpdatePlan(try Self.options(.onLaunch, sources))
        plan.record(.launch, at: now)
        var steps = plan.advance(at: now, in: conditions)
        #expect(steps.compactMap(\.update).map(\.source) == Array(sources[..<2]))
        #expect(steps.contains(.announceProgress(.init(total: 5))))
        plan.finish(sources[0].manifestURL, with: .finished, at: now)
        plan.finish(sources[1].manifestURL, with: .refused, at: now)
        steps = plan.advance(at: now, in: conditions)
        #expect(steps.compactMap(\.update).count == 2)
        #expect(steps.contains(.announceProgress(.init(finished: 1, failed: 1, total: 5))))
        for source in sources[2..<4] { plan.finish(source.manifestURL, with: .finished, at: now) }
        #expect(started(by: &plan).count == 1)
        plan.finish(sources[4].manifestURL, with: .finished, at: now)
        #expect(
            plan.advance(at: now, in: conditions) == [.announceProgress(.init(finished: 4, failed: 1, total: 5))])
        #expect(plan.isResting && plan.advance(at: now, in: conditions) == [])
    }

    @Test("An update that a caller waits for does not delay automatic updates, and is due again after a kill")
    func calls() throws {
        let options = try Self.options(.onLaunch, [Self.help], most: 1)
        var plan = UpdatePlan(options)
        _ = plan.request(Self.shop, .now)
        var hasBegun = plan.beginCall(Self.shop.manifestURL, at: now)
        #expect(hasBegun && plan.isResting && plan.advance(at: now, in: conditions) == [])
        hasBegun = plan.beginCall(Self.shop.manifestURL, at: now)
        #expect(!hasBegun)
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [Self.help.manifestURL])
        var next = UpdatePlan(options, stored: plan.stored)
        #expect(next.advance(at: now + 60, in: conditions).compactMap(\.update).map(\.source) == [Self.shop])
        plan.finish(Self.shop.manifestURL, with: .finished, at: now)
        #expect(plan.stored.due.map(\.source) == [Self.help])
    }

    @Test("An update that waits for a background download does not delay others, and its failure counts")
    func backgroundWaits() throws {
        var plan = UpdatePlan(try Self.options(.onLaunch, most: 1))
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [Self.shop.manifestURL])
        plan.beginBackgroundWait(Self.shop.manifestURL)
        #expect(started(by: &plan) == [Self.help.manifestURL])
        plan.finish(Self.help.manifestURL, with: .finished, at: now)
        #expect(plan.isResting && started(by: &plan) == [])
        plan.finish(Self.shop.manifestURL, with: .failed, at: now)
        plan.beginBackgroundWait(Self.shop.manifestURL)
        #expect(plan.stored.due.map(\.failures) == [1] && plan.isResting)
    }

    @Test("Nothing starts while the app is away")
    func away() throws {
        var plan = UpdatePlan(try Self.options(.onLaunch))
        plan.setAway(true)
        plan.record(.launch, at: now)
        #expect(started(by: &plan) == [])
        plan.setAway(false)
        #expect(started(by: &plan).count == 2)
    }

    @Test("The updates of a check start at its end, with the new catalogue")
    mutating func catalogue() throws {
        var plan = UpdatePlan(try Self.options(.whenOpened, [], catalogue: true))
        plan.record(.opened("https://c.example/a/index.html"), at: now)
        let attempt = try #require(plan.advance(at: now, in: conditions).compactMap(\.attempt).first)
        plan.record(.opened("https://c.example/b/index.html"), at: now)
        #expect(plan.advance(at: now, in: conditions) == [] && !plan.isResting)
        let offered = try Self.catalogue(1, ["a", "b", "c"])
        #expect(try plan.finish(attempt, with: .catalogue(offered), at: now) == offered)
        #expect(started(by: &plan) == ["https://c.example/a.json", "https://c.example/b.json"])
        // A check within 30 seconds uses the catalogue that is known.
        plan.finish("https://c.example/a.json", with: .finished, at: now)
        now += 10
        plan.record(.opened("https://c.example/c/"), at: now)
        #expect(started(by: &plan) == ["https://c.example/c.json"])
    }

    @Test("A package that a newer catalogue does not list is removed, and may be listed again")
    mutating func withdrawal() throws {
        let options = try Self.options(.manual, [], catalogue: true)
        var plan = UpdatePlan(options)
        _ = try check(&plan, .catalogue(Self.catalogue(1, ["a", "b"])))
        for id in ["a", "b"] { plan.finish("https://c.example/\(id).json", with: .finished, at: now) }
        now += 30
        let steps = try check(&plan, .catalogue(Self.catalogue(2, ["b"]))).steps
        let a = try PackageID("a")
        #expect(steps.contains(.remove(a)) && plan.stored.withdrawn == [a])
        // The removal is repeated after a kill and, after an error, with the next trigger.
        plan = UpdatePlan(options, stored: plan.stored)
        #expect(plan.advance(at: now, in: conditions).contains(.remove(a)))
        plan.finishRemoval(of: a, isRemoved: false)
        #expect(!plan.advance(at: now, in: conditions).contains(.remove(a)))
        plan.record(.foreground, at: now)
        #expect(plan.advance(at: now, in: conditions).contains(.remove(a)))
        plan.finishRemoval(of: a, isRemoved: true)
        #expect(plan.stored.removals == [] && plan.stored.withdrawn == [a])
        now += 30
        _ = try check(&plan, .catalogue(Self.catalogue(3, ["a", "b"])))
        #expect(plan.stored.withdrawn == [])
    }

    @Test("A due update of a manifest that a newer catalogue replaces is dropped, and another one gets the new scope")
    mutating func replacement() throws {
        var plan = UpdatePlan(try Self.options(.manual, [], catalogue: true, most: 1))
        _ = try check(&plan, .catalogue(Self.catalogue(1, ["a", "b", "c"])))
        #expect(plan.running == ["https://c.example/a.json"])
        var entries = try Self.catalogue(2, ["a", "b", "c"]).packages
        for index in 0..<2 { entries[index].manifestURL = "https://c.example/new/\(index).json" }
        entries[2].scope = try PackageBaseURL("https://c.example/new/")
        now += 30
        _ = try check(&plan, .catalogue(PackageCatalogue(sequence: 2, packages: entries)))
        let c = try #require(plan.stored.due.first { $0.key == "https://c.example/c.json" })
        #expect(c.source.scope == entries[2].scope)
        // An update that runs is not attempted again.
        plan.finish("https://c.example/a.json", with: .failed, at: now)
        #expect(plan.stored.due.map(\.key).sorted() == entries.map(\.manifestURL).sorted())
    }

    @Test(
        "A package that the app names too, by its id or by its manifest, is not withdrawn",
        arguments: try [
            PackageSource("https://shop.example/a.json", package: PackageID("a")),
            PackageSource("https://c.example/a.json"),
        ])
    mutating func named(named: PackageSource) throws {
        var plan = UpdatePlan(try Self.options(.manual, [named], catalogue: true))
        _ = try check(&plan, .catalogue(Self.catalogue(1, ["a"])))
        now += 30
        let steps = try check(&plan, .catalogue(Self.catalogue(2, []))).steps
        let a = try PackageID("a")
        #expect(plan.stored.withdrawn == [] && !steps.contains(.remove(a)))
    }

    @Test("An older catalogue, another one of the same number and a foreign scope are refused as a whole")
    mutating func refusals() throws {
        var plan = UpdatePlan(try Self.options(.manual, [], catalogue: true))
        let known = try Self.catalogue(5, ["a"])
        _ = try check(&plan, .catalogue(known))
        var foreign = known.packages
        foreign[0].scope = try PackageBaseURL("https://other.example/")
        for (catalogue, code) in try [
            (Self.catalogue(4, ["a", "b"]), DeliveryError.Code.replayed), (Self.catalogue(5, []), .replayed),
            (PackageCatalogue(sequence: 6, packages: foreign), .outOfScope),
        ] {
            now += 30
            let error = #expect(throws: DeliveryError.self) { try check(&plan, .catalogue(catalogue)) }
            #expect(error?.code == code && plan.stored.catalogue == known && plan.stored.removals == [])
        }
        #expect(plan.stored.check.errors == 3)
        now += 30
        #expect(try check(&plan, .catalogue(known)).catalogue == nil && plan.stored.check.errors == 0)
    }

    @Test("After five errors the mirror is used, whose older catalogue changes nothing")
    mutating func mirror() throws {
        var plan = UpdatePlan(try Self.options(.manual, [], catalogue: true))
        _ = try check(&plan, .catalogue(Self.catalogue(5, ["a"])))
        for _ in 1...5 {
            now += 30
            #expect(throws: DeliveryError.self) { try check(&plan, .failed(DeliveryError(.network, "down"))) }
        }
        now += 30
        plan.record(.request, at: now)
        let attempt = try #require(plan.advance(at: now, in: conditions).compactMap(\.attempt).first)
        #expect(attempt.source == .mirror)
        #expect(try plan.finish(attempt, with: .catalogue(Self.catalogue(4, [])), at: now) == nil)
        #expect(plan.stored.catalogue?.sequence == 5 && plan.stored.removals == [])
    }

    @Test("A check without a network counts nothing and is repeated when the network returns")
    mutating func offline() throws {
        conditions.network = .none
        var plan = UpdatePlan(try Self.options(.onLaunch, [], catalogue: true))
        plan.record(.launch, at: now)
        let attempt = try #require(plan.advance(at: now, in: conditions).compactMap(\.attempt).first)
        #expect(try plan.finish(attempt, with: .offline, at: now) == nil)
        #expect(plan.advance(at: now, in: conditions) == [] && plan.isResting && plan.stored.check.errors == 0)
        conditions.network = .metered
        plan.conditionsDidChange(at: now)
        #expect(plan.advance(at: now, in: conditions).compactMap(\.attempt).count == 1)
    }

    @Test("The numbers of another server are not compared, and its first catalogue withdraws packages")
    mutating func otherServer() throws {
        var options = try Self.options(.manual, [], catalogue: true)
        var plan = UpdatePlan(options)
        _ = try check(&plan, .catalogue(Self.catalogue(9, ["a", "b"])))
        options.catalogueURL = "https://c.example/other.json"
        plan = UpdatePlan(options, stored: plan.stored)
        #expect(plan.stored.due == [])
        let (catalogue, steps) = try check(&plan, .catalogue(Self.catalogue(1, ["b"])))
        #expect(catalogue?.sequence == 1)
        let a = try PackageID("a")
        #expect(steps.contains(.remove(a)) && plan.stored.formerPackages == [])
    }

    @Test("Entries of the stored catalogue outside the scopes of a later configuration are not updated")
    mutating func narrowedScopes() throws {
        var options = try Self.options(.manual, [], catalogue: true, most: 1)
        var plan = UpdatePlan(options)
        _ = try check(&plan, .catalogue(Self.catalogue(1, ["a", "b"])))
        options.scopes = [try PackageBaseURL("https://c.example/b/")]
        plan = UpdatePlan(options, stored: try plan.stored.reopened())
        #expect(plan.stored.due.map(\.key) == ["https://c.example/b.json"])
        now += 60
        #expect(throws: DeliveryError.self) { try check(&plan, .catalogue(Self.catalogue(1, ["a", "b"]))) }
        #expect(plan.stored.due.map(\.key) == ["https://c.example/b.json"] && plan.stored.removals == [])
    }

    @Test("A stored catalogue that cannot be read is replaced by one that is not older, and nothing else is lost")
    mutating func damagedCatalogue() throws {
        let options = try Self.options(.manual, [], catalogue: true)
        var plan = UpdatePlan(options)
        _ = try check(&plan, .catalogue(Self.catalogue(4, ["a", "b"])))
        now += 30
        _ = try check(&plan, .catalogue(Self.catalogue(5, ["a", "c"])))
        _ = plan.request(Self.shop, .now)
        let data = try JSONEncoder().encode(plan.stored)
        var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
        object["catalogue"] = "{"
        let damaged = try JSONSerialization.data(withJSONObject: object)
        plan = UpdatePlan(options, stored: try JSONDecoder().decode(UpdatePlan.Stored.self, from: damaged))
        #expect(plan.stored.catalogue == nil && plan.stored.withdrawn.map(\.description) == ["b"])
        #expect(plan.stored.due.map(\.source) == [Self.shop])
        now += 30
        let error = #expect(throws: DeliveryError.self) { try check(&plan, .catalogue(Self.catalogue(4, ["b"]))) }
        #expect(error?.code == .replayed)
        now += 30
        // The list of packages outlives the catalogue, across further launches too.
        var newer = UpdatePlan(options, stored: try plan.stored.reopened())
        #expect(try check(&plan, .catalogue(Self.catalogue(5, ["a", "c"]))).catalogue?.sequence == 5)
        #expect(plan.stored.withdrawn.map(\.description) == ["b"])
        _ = try check(&newer, .catalogue(Self.catalogue(6, ["a"])))
        #expect(newer.stored.withdrawn.map(\.description) == ["b", "c"] && newer.stored.lostPackages.isEmpty)
    }

    @Test("Without a catalogue in the configuration, nothing of the stored one is updated or removed")
    func removedOption() throws {
        var plan = UpdatePlan(try Self.options(.onLaunch, [], catalogue: true))
        _ = try check(&plan, .catalogue(Self.catalogue(1, ["a"])))
        plan = UpdatePlan(try Self.options(.onLaunch, []), stored: plan.stored)
        plan.record(.launch, at: now + 60)
        #expect(plan.advance(at: now + 60, in: conditions) == [] && plan.stored.catalogue != nil)
    }

    @Test("An update of a source replaces those that wait, but not one that runs")
    func dropping() throws {
        var plan = UpdatePlan(try Self.options(.manual, [], most: 1))
        _ = plan.request(Self.shop, .now)
        _ = plan.request(Self.help, .now)
        #expect(started(by: &plan) == [Self.shop.manifestURL])
        plan.drop { _ in true }
        #expect(plan.stored.due.map(\.source) == [Self.shop])
    }
}

extension UpdatePlan.Stored {
    /// Returns the state that the next process reads, and expects that nothing but a check in progress is lost.
    func reopened() throws -> Self {
        var stored = try JSONDecoder().decode(Self.self, from: JSONEncoder().encode(self))
        let check = stored.check
        #expect(check.errors == self.check.errors && check.lastCheck == self.check.lastCheck)
        stored.check = self.check
        #expect(stored == self)
        stored.check = check
        return stored
    }
}

extension UpdatePlan.Step {
    var attempt: SourceCheck.Attempt? {
        if case .check(let attempt) = self { attempt } else { nil }
    }

    var update: DueUpdate? {
        if case .update(let update) = self { update } else { nil }
    }
}
