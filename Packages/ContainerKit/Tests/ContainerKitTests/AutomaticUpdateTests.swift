// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import Testing
import WebEngineTesting

/// Updates that the container starts itself, and updates that wait.
@MainActor
@Suite("Automatic updates", .timeLimit(.minutes(1)))
struct AutomaticUpdateTests {
    private let fixture = Fixture()
    private let catalogueURL = "https://packages.example/catalogue.json"
    private let url = "containerkit://shop.example/index.html"

    /// Publishes a catalogue of packages by identifier, whose scopes are those of their base URLs.
    private func list(_ packages: [String: String], sequence: Int64) throws {
        let catalogue = try PackageCatalogue(
            sequence: sequence,
            packages: packages.sorted { $0.key < $1.key }.map {
                try .init(
                    package: PackageID($0.key), manifestURL: "https://packages.example/\($0.key).json",
                    scope: PackageBaseURL($0.value))
            })
        fixture.network.put(.bytes(try catalogue.encoded()), at: catalogueURL)
    }

    private func container(
        _ policy: UpdatePolicy, on conditions: (any HostConditioning)? = nil,
        scopes: [String] = ["https://shop.example/"]
    ) async throws -> Container<FakeEngine> {
        try await fixture.container { configuration in
            configuration.packages.automatic.policy = policy
            configuration.packages.automatic.catalogue = CatalogueDocument(catalogueURL)
            configuration.packages.automatic.scopes = scopes.compactMap { try? PackageBaseURL($0) }
            configuration.packages.automatic.timing = .now
            if let conditions { configuration.conditions = conditions }
        }
    }

    /// Waits for the first event of packages that a closure accepts.
    private func first<Value>(
        in events: AsyncStream<ContainerEvent>, _ accept: (PackageEvent) -> Value?
    ) async throws -> Value {
        for await case .package(let event) in events {
            if let value = accept(event) { return value }
        }
        throw CancellationError()
    }

    @Test("A package appears without a release, and a check within 30 seconds requests nothing")
    func appearance() async throws {
        _ = try fixture.publish(["index.html": "one"], version: "1")
        try list(["shop": "https://shop.example/"], sequence: 1)
        let container = try await container(.manual)
        await container.checkForUpdates()
        #expect(try await fixture.text(url, of: container) == "one")
        fixture.network.requests.withLock { $0 = [] }
        try list([:], sequence: 2)
        await container.checkForUpdates()
        #expect(fixture.network.urls == [] && container.installedPackages.count == 1)
        await container.shutDown()
    }

    @Test("A withdrawn package leaves new pages, and the app's own archive does not bring it back")
    func withdrawal() async throws {
        _ = try fixture.publish(["index.html": "one"], version: "1")
        try list(["shop": "https://shop.example/"], sequence: 1)
        do {
            let container = try await container(.manual)
            await container.checkForUpdates()
            #expect(container.installedPackages.count == 1)
            await container.shutDown()
        }
        // Another server has no last check, so that the test does not wait for 30 seconds.
        let empty = try PackageCatalogue(sequence: 1, packages: [])
        fixture.network.put(.bytes(try empty.encoded()), at: "https://packages.example/other.json")
        let container = try await fixture.container {
            $0.packages.automatic.catalogue = CatalogueDocument("https://packages.example/other.json")
        }
        let events = container.events
        let page = try await container.open("https://shop.example/index.html")
        await container.checkForUpdates()
        let id = try await first(in: events) { if case .withdrawn(let id) = $0 { id } else { nil } }
        #expect(id.description == "shop" && container.installedPackages == [])
        #expect(try await fixture.text(url, from: page.view, of: container) == "one")
        let baseline = try fixture.pack(["index.html": "zero"], version: "0")
        let result = try await container.installBaseline(archive: baseline.archive, manifest: baseline.manifest)
        #expect(result == nil && container.installedPackages == [])
        // The app itself may still install it.
        try await container.install(archive: baseline.archive, manifest: baseline.manifest)
        #expect(container.installedPackages.count == 1)
        await container.shutDown()
    }

    @Test("A catalogue with a scope that the app does not allow installs nothing at all")
    func scopes() async throws {
        _ = try fixture.publish(["index.html": "one"], version: "1")
        try list(["shop": "https://shop.example/", "evil": "https://bank.example/"], sequence: 1)
        let container = try await container(.manual)
        let events = container.events
        await container.checkForUpdates()
        let failure = try await first(in: events) {
            if case .catalogueFailed(let failure) = $0 { failure } else { nil }
        }
        #expect((failure.cause as? DeliveryError)?.code == .outOfScope && container.installedPackages == [])
        #expect(fixture.network.urls == [catalogueURL])
        await container.shutDown()
    }

    @Test("Launch, foreground and an opened page update as the policy says", arguments: [0, 1, 2])
    func triggers(index: Int) async throws {
        _ = try fixture.publish(["index.html": "one"], version: "1")
        try list(["shop": "https://shop.example/"], sequence: 1)
        let container = try await container([UpdatePolicy.onLaunch, .onForeground, .whenOpened][index])
        let events = container.events
        if index == 1 {
            try await container.hostEnteredBackground()
            container.hostEnteredForeground()
        }
        if index == 2 { _ = try await container.open("https://shop.example/index.html") }
        _ = try await first(in: events) { event in
            if case .scopeChanged(let change) = event { change } else { nil }
        }
        #expect(container.installedPackages.count == 1)
        await container.shutDown()
    }

    @Test("Without a policy nothing is requested")
    func manual() async throws {
        _ = try fixture.publish(["index.html": "one"], version: "1")
        try list(["shop": "https://shop.example/"], sequence: 1)
        let container = try await container(.manual)
        _ = try await container.open("https://shop.example/index.html")
        container.hostEnteredForeground()
        await container.shutDown()
        #expect(!fixture.network.urls.contains { $0.hasPrefix("https://packages.example/") })
    }

    @Test("An update for later returns at once, is announced, and runs in the next process")
    func waiting() async throws {
        let conditions = ChangingConditions(HostConditions(isIdle: false))
        let source = try fixture.publish(["index.html": "one"], version: "1")
        do {
            let container = try await fixture.container { $0.conditions = conditions }
            let events = container.events
            let update = try await container.update(from: source, urgency: .whenConvenient)
            #expect(update.outcome == .waiting(reason: "the app is not idle") && update.package == nil)
            let announced = try await first(in: events) { event in
                if case .waiting(let source, let reason) = event { (source, reason) } else { nil }
            }
            #expect(announced == (source, "the app is not idle") && fixture.network.urls == [])
            await container.shutDown()
        }
        let container = try await fixture.container { $0.conditions = conditions }
        let later = container.events
        #expect(container.installedPackages == [])
        conditions.set(HostConditions())
        _ = try await first(in: later) { event in if case .scopeChanged(let change) = event { change } else { nil } }
        #expect(container.installedPackages.count == 1)
        #expect(fixture.network.backgroundURLs.withLock { $0 } == fixture.network.urls)
        await container.shutDown()
    }

    @Test("The guide's program describes events of updates")
    func guide() {
        let source = PackageSource("https://packages.shop.example/a.json")
        #expect(
            updateStatus(.package(.waiting(source, reason: "the app is not idle")))
                == "https://packages.shop.example/a.json waits: the app is not idle")
        #expect(updateStatus(.package(.updating(finished: 1, failed: 1, total: 4))) == "2 of 4")
        #expect(updateStatus(.rulesChanged) == nil)
    }
}
