// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

@Suite(.timeLimit(.minutes(1)))
struct HealthTests {
    let depot: Depot
    let old = ["index.html": Data("old".utf8)]
    let new = ["index.html": Data("new".utf8)]
    let clock = ManualClock()
    let steps = StepHook()

    init() throws {
        depot = try Depot(onStep: steps.pass)
    }

    func page(_ number: UInt64 = 1, of library: PackageLibrary? = nil) -> PageReference {
        PageReference(
            id: PageID(rawValue: number), documentURL: "https://shop.example/index.html",
            generations: (library ?? depot.library).installed.map(\.generation))
    }

    /// Runs a test with version 1 installed.
    /// - Parameter gate: A gate that delays the archive of version 3.
    func run(gate: Gate? = nil, _ body: (Network, PackageUpdater) async throws -> Void) async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network, holding: ("-3.zip", gate)) { $0.clock = clock }
            try await updater.start()
            try await updater.update(from: network.source())
            try await body(network, updater)
        }
    }

    /// Activates version 1 permanently and version 2 on trial.
    func runWithTrial(
        gate: Gate? = nil, _ body: (Network, PackageUpdater) async throws -> Void
    ) async throws {
        try await run(gate: gate) { (network, updater) async throws in
            for kind in [BootReport.Kind.began, .healthy, .closed] {
                await updater.report(BootReport(kind, of: page()))
            }
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source())
            #expect(try await depot.serves(new))
            try await body(network, updater)
        }
    }

    func next<Value>(_ events: AsyncStream<PackageEvent>, _ pick: (PackageEvent) -> Value?) async throws -> Value {
        for await event in events {
            if let value = pick(event) { return value }
        }
        throw CancellationError()
    }

    func rollback(_ events: AsyncStream<PackageEvent>) async throws -> PackageScopeChange {
        try await next(events) { event in
            if case .scopeChanged(let change) = event, case .rolledBack = change.reason { change } else { nil }
        }
    }

    @Test func missingReportRollsBack() async throws {
        try await runWithTrial { (network, updater) async throws in
            let events = updater.events()
            let page = page()
            await updater.report(BootReport(.began, of: page))
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(10))
            let change = try await rollback(events)
            #expect(change.reason == .rolledBack("the page did not report within 10.0 seconds"))
            #expect(change.former == page.generations.first && change.baseURL.description == "https://shop.example/")
            #expect(try await depot.serves(old))
            // The version is never tried again, not even by a later process.
            for updater in [updater, depot.updater(network)] {
                try await updater.start()
                let error = await #expect(throws: DeliveryError.self) {
                    try await updater.update(from: network.source())
                }
                #expect(error?.code == .quarantined)
            }
            try depot.publish(new, version: "2.1")
            try await updater.update(from: network.source())
            #expect(try await depot.serves(new))
        }
    }

    @Test func healthyPageEndsTrial() async throws {
        try await runWithTrial { (_, updater) async throws in
            let events = updater.events()
            await updater.report(BootReport(.began, of: page()))
            await updater.report(BootReport(.healthy, of: page()))
            let proven = try await next(events) { event in
                if case .confirmed(_, let version) = event { version.description } else { nil }
            }
            #expect(proven == "2")
            await updater.report(BootReport(.failed("later"), of: page()))
            clock.advance(by: .seconds(100))
            #expect(try await depot.serves(new))
        }
    }

    @Test(arguments: ["https://elsewhere.example/", "about:blank", "https://user@shop.example/"])
    func navigationOutOfScopeEndsBoot(to url: String) async throws {
        try await runWithTrial { (_, updater) async throws in
            let inside = page()
            let outside = PageReference(
                id: inside.id, documentURL: url, generations: inside.generations)
            await updater.report(BootReport(.began, of: inside))
            await clock.sleepers(atLeast: 1)
            await updater.report(BootReport(.moved, of: outside))
            // No deadline remains.
            #expect(clock.sleeperCount == 0)
            #expect(try await depot.serves(new))
        }
    }

    @Test func navigationInScopeContinuesBoot() async throws {
        try await runWithTrial { (_, updater) async throws in
            let events = updater.events()
            await updater.report(BootReport(.began, of: page()))
            await updater.report(BootReport(.moved, of: page()))
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(10))
            #expect(try await rollback(events).reason == .rolledBack("the page did not report within 10.0 seconds"))
        }
    }

    @Test func reportsAndRollbacksDoNotWaitForDownload() async throws {
        let gate = Gate()
        try await runWithTrial(gate: gate) { (network, updater) async throws in
            let events = updater.events()
            try depot.publish(["news.html": Data("news".utf8)], id: "news", version: "1", base: "https://news.example/")
            try await updater.update(from: network.source("news"))
            try depot.publish(new.merging(["more.js": Data("more".utf8)]) { $1 }, version: "3")
            async let update = updater.update(from: network.source())
            await gate.waiting(atLeast: 1)
            let rollbacks = await updater.record(BootReport(.failed("white page"), of: page()))
            #expect(rollbacks.count == 1)
            let news = PageReference(
                id: PageID(rawValue: 2), documentURL: "https://news.example/news.html",
                generations: depot.library.installed.map(\.generation)
            )
            await updater.record(BootReport(.healthy, of: news))
            let proven = try await next(events) { if case .confirmed(let id, _) = $0 { id.description } else { nil } }
            for rollback in rollbacks { await rollback.value }
            #expect(proven == "news" && gate.waiting == 1)
            #expect(try await depot.serves(old))
            gate.open()
            #expect(try await update.outcome == .activated)
        }
    }

    @Test func failedActivationDoesNotBlockOtherPackages() async throws {
        try await run { (network, updater) async throws in
            try depot.publish(["news.html": Data("news".utf8)], id: "news", version: "1", base: "https://news.example/")
            try await updater.update(from: network.source("news"), timing: .nextLaunch)
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source(), timing: .nextLaunch)
            // The store releases the folder.
            try depot.store.suspend()
            let refusals = Mutex(1)
            let store = try BlobStore(directory: depot.store.directory) { step in
                guard step == .formerRetired, refusals.withLock({ $0 }) > 0 else { return }
                refusals.withLock { $0 -= 1 }
                throw StoreError(.diskFull, "no room", at: "index.sqlite")
            }
            let library = try PackageLibrary(store: store)
            let next = depot.updater(network, library: library)
            let events = next.events()
            #expect(try await next.start().map(\.package.description) == ["shop"])
            let failed = try await self.next(events) {
                if case .changeFailed(let id, let failure) = $0 { (id.description, failure) } else { nil }
            }
            #expect(failed.0 == "news" && failed.1.code == .store && failed.1.location == "index.sqlite")
            #expect(try await depot.get("index.html", by: .package(library)) == new["index.html"])
            // The package waits for the next start.
            #expect(try await depot.updater(network, library: library).start().map(\.package.description) == ["news"])
        }
    }

    @Test func staleReportIsIgnored() async throws {
        try await run { (network, updater) async throws in
            let stale = page()
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source())
            await updater.report(BootReport(.failed("an old page"), of: stale))
            #expect(try await depot.serves(new))
        }
    }

    @Test func pageOutOfScopeHasNoEffect() async throws {
        try await runWithTrial { (_, updater) async throws in
            var elsewhere = page()
            elsewhere.documentURL = "https://other.example/"
            await updater.report(BootReport(.failed("not its fault"), of: elsewhere))
            #expect(try await depot.serves(new))
        }
    }

    @Test func sweepsKeepFormerGenerationUntilVerdict() async throws {
        try await runWithTrial { (_, updater) async throws in
            depot.library.pin(PageID(rawValue: 1))
            depot.library.unpin(PageID(rawValue: 1))
            #expect(try await depot.library.sweep().generations == [])
            await updater.report(BootReport(.failed("white page"), of: page()))
            #expect(try await depot.serves(old))
        }
    }

    @Test func rollbackWithoutFormerDeactivatesPackage() async throws {
        try await run { (_, updater) async throws in
            await updater.report(BootReport(.failed("white page"), of: page()))
            #expect(depot.library.installed == [])
            #expect(try await depot.get("index.html") == nil)
        }
    }

    @Test func secondTrialRollsBackToGoodVersion() async throws {
        try await runWithTrial { (network, updater) async throws in
            try depot.publish(["index.html": Data("newer".utf8)], version: "3")
            try await updater.update(from: network.source())
            await updater.report(BootReport(.failed("white page"), of: page()))
            #expect(try await depot.serves(old))
        }
    }

    @Test func killedBootCountsAtNextStart() async throws {
        try await runWithTrial { (network, updater) async throws in
            await updater.report(BootReport(.began, of: page()))
            for process in 2...4 {
                let library = try PackageLibrary(store: depot.store)
                let updater = depot.updater(network, library: library) { $0.clock = clock }
                let changes = try await updater.start()
                #expect(changes.isEmpty == (process < 4))
                #expect(library.installed.map(\.version.description) == [process < 4 ? "2" : "1"])
                await updater.report(BootReport(.began, of: page(of: library)))
            }
        }
    }

    @Test func rollbackContinuesAfterKill() async throws {
        try await runWithTrial { (network, updater) async throws in
            // The record is that of a process killed during a rollback: the verdict is stored, but the generation is
            // still active.
            let document = try #require(try depot.store.document(HealthDocument.name))
            var trialRecord = try #require(try JSONSerialization.jsonObject(with: document) as? [String: Any])
            var trials = try #require(trialRecord["trials"] as? [String: Any])
            var trial = try #require(trials["shop"] as? [String: Any])
            trial["verdict"] = ["failed": ["_0": "white page"]]
            trials["shop"] = trial
            trialRecord["trials"] = trials
            try depot.store.putDocument(JSONSerialization.data(withJSONObject: trialRecord), as: HealthDocument.name)
            let library = try PackageLibrary(store: depot.store)
            let next = depot.updater(network, library: library)
            #expect(try await next.start().count == 1)
            #expect(library.installed.map(\.version.description) == ["1"])
            await #expect(throws: DeliveryError.self) { try await next.update(from: network.source()) }
        }
    }

    /// The damaged record has either an invalid seal or a valid seal with invalid content.
    @Test(arguments: [true, false])
    func damagedTrialRecordIsReplaced(isSealed: Bool) async throws {
        try await runWithTrial { (network, updater) async throws in
            if isSealed {
                try depot.store.putDocument(Data("{".utf8), as: HealthDocument.name)
            } else {
                try Data("{".utf8).write(to: URL(filePath: "\(depot.store.directory)/documents/\(HealthDocument.name)"))
            }
            let library = try PackageLibrary(store: depot.store)
            let next = depot.updater(network, library: library)
            #expect(try await next.start() == [])
            #expect(try await next.update(from: network.source()).outcome == .unchanged)
        }
    }
}
