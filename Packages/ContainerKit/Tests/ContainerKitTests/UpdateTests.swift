// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import ContainerTesting
import Foundation
import PackageFormat
import PackagePublisher
import ResourceLoading
import ResourceStore
import Testing
import WebEngine
import WebEngineTesting

@testable import OfflinePackage

/// Updates of packages over the network, in the facade.
@MainActor
@Suite("Updates in a container", .timeLimit(.minutes(1)))
struct UpdateTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/index.html"

    private func text(of container: Container<FakeEngine>) async throws -> String {
        try await fixture.text(url, of: container)
    }

    @Test("An update is downloaded, applies at once, is reported, and its predecessor is removed")
    func updating() async throws {
        let container = try await fixture.container()
        let events = container.events
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        #expect(try await text(of: container) == "one")
        let second = try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        #expect(second.outcome == .activated && container.installedPackages == [second.package])
        #expect(try await text(of: container) == "two")
        for await event in events {
            guard case .package(.scopeChanged(let change)) = event else { continue }
            #expect(change.baseURL.description == "https://shop.example/")
            break
        }
        // During a trial, the former version remains stored for a rollback.
        #expect(fixture.blobCount == 2)
        let page = try await container.open("https://shop.example/index.html")
        container.report(.began, of: page)
        container.report(.healthy, of: page)
        // If no sweep runs, the time limit ends the test.
        while fixture.blobCount != 1 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("The requests of an update that no one waits for are a background transfer, and others are not")
    func urgency() async throws {
        let container = try await fixture.container()
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"), urgency: .wanted)
        #expect(fixture.network.urls.count >= 2 && fixture.network.backgroundURLs.withLock { $0 } == [])
        fixture.network.requests.withLock { $0 = [] }
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"), urgency: .whenConvenient)
        #expect(fixture.network.urls.count >= 2)
        #expect(fixture.network.backgroundURLs.withLock { $0 } == fixture.network.urls)
    }

    @Test("A version whose page fails is rolled back, and not downloaded again")
    func rollingBack() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let source = try fixture.publish(["index.html": "two"], version: "2")
        try await container.update(from: source)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        container.report(.began, of: page)
        container.report(.failed("white"), of: page)
        for await event in events {
            guard case .package(.scopeChanged(let change)) = event, change.reason != .activated else { continue }
            #expect(change.reason == .rolledBack("white"))
            break
        }
        #expect(try await text(of: container) == "one")
        // The page that failed keeps its version.
        #expect(try await fixture.text(url, from: page.view, of: container) == "two")
        await #expect {
            try await container.update(from: source)
        } throws: {
            ($0 as? DeliveryError)?.code == .quarantined
        }
    }

    @Test("Reports of a closed page are ignored")
    func staleReport() async throws {
        let container = try await fixture.container()
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        let page = try await container.open("https://shop.example/index.html")
        await container.close(page)
        container.report(.failed("late"), of: page)
        let next = try await container.open("https://shop.example/index.html")
        container.report(.began, of: next)
        let events = container.events
        container.report(.healthy, of: next)
        for await event in events {
            if case .package(.quarantined(_, _, let reason)) = event { Issue.record("\(reason)") }
            if case .package(.confirmed) = event { break }
        }
        #expect(container.covers("https://shop.example/"))
    }

    @Test("A page that is closed on another URL does not count against its version")
    func closedElsewhere() async throws {
        let clock = ManualClock()
        let container = try await fixture.container(covering: ["shop.example"]) { $0.packages.updates.clock = clock }
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        let page = try await container.open("http://shop.example/")
        page.view.onSignal?(.committed(url: "containerkit://shop.example/index.html"))
        container.report(.began, of: page)
        await clock.sleepers(atLeast: 1)
        await container.close(page)
        await container.shutDown()
        // No timer is left.
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(container.installedPackages.count == 1)
    }

    @Test("A page that leaves a package's scope no longer counts as booting it")
    func leftScope() async throws {
        let clock = ManualClock()
        let container = try await fixture.container(covering: ["shop.example", "other.example"]) {
            $0.packages.updates.clock = clock
        }
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        let page = try await container.open("https://shop.example/")
        container.report(.began, of: page)
        await clock.sleepers(atLeast: 1)
        page.view.onSignal?(.committed(url: "containerkit://other.example/"))
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        await container.close(page)
    }

    @Test("A version that the host installs during a trial remains when a later version fails")
    func installOverTrial() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        try await fixture.install(["index.html": "three"], version: "3", into: container)
        try await container.update(from: fixture.publish(["index.html": "four"], version: "4"))
        let page = try await container.open("https://shop.example/index.html")
        container.report(.began, of: page)
        container.report(.failed("white"), of: page)
        while try await text(of: container) == "four" {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try await text(of: container) == "three")
    }

    @Test("An update waits for the background, or for the next launch, which reports it")
    func timing() async throws {
        var container: Container<FakeEngine>? = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: #require(container))
        try await container?.update(
            from: fixture.publish(["index.html": "two"], version: "2"), timing: .inBackground)
        #expect(try await text(of: #require(container)) == "one")
        try await container?.hostEnteredBackground()
        #expect(try await text(of: #require(container)) == "two")
        try await container?.update(
            from: fixture.publish(["index.html": "three"], version: "3"), timing: .nextLaunch)
        try await container?.hostEnteredBackground()
        #expect(try await text(of: #require(container)) == "two")
        await container?.shutDown()
        container = nil
        let next = try await fixture.container(on: FakeEngine())
        #expect(next.changesAtLaunch.map(\.reason) == [.activated])
        #expect(next.installedPackages.map(\.version.description) == ["3"])
    }

    @Test("A rollback at launch is reported to the first subscriber")
    func rollingBackAtLaunch() async throws {
        let health = RecordedHealth()
        func open(_ health: RecordedHealth) async throws -> Container<FakeEngine> {
            try await fixture.container(on: FakeEngine()) {
                $0.packages.updates.health = health
                $0.packages.updates.trial.unfinishedBoots = 1
            }
        }
        var container: Container<FakeEngine>? = try await open(health)
        try await fixture.install(["index.html": "one"], version: "1", into: #require(container))
        try await container?.update(from: fixture.publish(["index.html": "two"], version: "2"))
        var page = try await container?.open("https://shop.example/index.html")
        container?.report(.began, of: try #require(page))
        // The state after a kill during the boot.
        var left = TrialRecord()
        for await record in health.saves where record.trials["shop"]?.unfinishedBoots == 1 {
            left = record
            break
        }
        page = nil
        await container?.shutDown()
        container = nil
        let next = try await open(RecordedHealth(left))
        #expect(next.changesAtLaunch.map(\.reason.isRollback) == [true])
        try await next.hostEnteredBackground()
        for await event in next.events {
            guard case .package(.quarantined(let id, let version, _)) = event else { continue }
            #expect(id.description == "shop" && version.description == "2")
            break
        }
    }

    @Test("Files are served while the first version of their package is being downloaded")
    func partial() async throws {
        let container = try await fixture.container()
        let noise = (0..<40_000).map { _ in String(UInt8.random(in: 0...9)) }.joined()
        let source = try fixture.publish(["a.html": "early", "z.txt": noise], version: "1", withArchive: false)
        let archive = try Data(contentsOf: URL(fileURLWithPath: fixture.folder + "/packages/shop-1.zip"))
        let (pieces, network) = AsyncThrowingStream<Data, any Error>.makeStream()
        fixture.network.put(
            .stream(ByteStream(pieces, length: Int64(archive.count))), at: "https://packages.example/shop-1.zip")
        network.yield(archive.prefix(4_000))
        let events = container.events
        async let update = container.update(from: source)
        for await event in events {
            guard case .package(.downloading(_, _, let progress)) = event, progress.received > 0 else { continue }
            break
        }
        #expect(container.covers("https://shop.example/a.html"))
        let page = try await container.open("https://shop.example/a.html")
        #expect(page.session.mode == .customScheme)
        let early = try await fixture.answer(
            to: "containerkit://shop.example/a.html", from: page.view, of: container)
        #expect(early.sink.body == Data("early".utf8) && early.record.provenance?.source == .package)
        let late = try await fixture.answer(to: "containerkit://shop.example/z.txt", from: page.view, of: container)
        #expect(late.record.provenance?.source == .network)
        network.yield(archive.dropFirst(4_000))
        network.finish()
        #expect(try await update.outcome == .activated)
        #expect(
            try await fixture.text("containerkit://shop.example/z.txt", from: page.view, of: container) == noise)
    }

    @Test("A downloaded package replaces the bundled package")
    func baseline() async throws {
        let container = try await fixture.container()
        let preset = try fixture.pack(["index.html": "preset"], version: "0")
        let first = try await container.installBaseline(archive: preset.archive, manifest: preset.manifest)
        #expect(first?.outcome == .activated)
        #expect(try await text(of: container) == "preset")
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        #expect(try await container.installBaseline(archive: preset.archive, manifest: preset.manifest) == nil)
        #expect(try await text(of: container) == "one")
        #expect(try await container.remove(PackageID("shop")))
        #expect(try await !container.remove(PackageID("shop")))
        #expect(!container.covers("https://shop.example/"))
    }

    @Test("A package that exceeds the budget is refused before its archive is downloaded")
    func budget() async throws {
        let container = try await fixture.container { $0.storage.budgets.packageBudget = 10 }
        let source = try fixture.publish(["index.html": "more than ten bytes"], version: "1")
        await #expect {
            try await container.update(from: source)
        } throws: {
            ($0 as? DeliveryError)?.code == .noSpace
        }
        #expect(fixture.network.urls == ["https://packages.example/shop.json"])
    }

    @Test("A suspended container serves requests, and installs nothing until it is resumed")
    func suspension() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.hostWillSuspend()
        #expect(try await text(of: container) == "one")
        await #expect(throws: StoreError.self) {
            try await fixture.install(["index.html": "two"], version: "2", into: container)
        }
        try await container.hostResumed()
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(try await text(of: container) == "two")
    }
}

extension PackageScopeChange.Reason {
    fileprivate var isRollback: Bool {
        if case .rolledBack = self { true } else { false }
    }
}
