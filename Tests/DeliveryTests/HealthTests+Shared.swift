// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ProgramTesting
import ResourceLoading
import Testing

@testable import OfflinePackage

// Packages that pages of other sites use.
extension HealthTests {
    /// Activates version 1 of a shared package permanently and version 2 on trial, with an open page of another site.
    private func runShared(
        _ body: (PackageUpdater, PageReference, GenerationReference) async throws -> Void
    ) async throws {
        try await run { (network, updater) async throws in
            for version in ["1", "2"] {
                try depot.publish(
                    ["lib.js": Data(version.utf8)], id: "cdn", version: version, base: "https://cdn.example/")
                try depot.publish(old, version: version)
                if version == "1" {
                    let manifest = depot.www + "/cdn.json"
                    try await updater.install(archive: depot.www + "/cdn-1.zip", manifest: manifest)
                } else {
                    try await updater.update(from: network.source("cdn"))
                }
            }
            var page = page()
            page.documentURL = "https://other.example/"
            try await body(updater, page, try #require(page.generation(of: "cdn")))
        }
    }

    private var sharedVersion: String? {
        depot.library.installed.first { $0.id.description == "cdn" }?.version.description
    }

    @Test func servedPageCountsForSharedPackage() async throws {
        try await runShared { (updater, page, cdn) async throws in
            await updater.report(BootReport(.began, of: page))
            await updater.report(BootReport(.answered(cdn), of: page))
            await updater.report(BootReport(.failed("white page"), of: page))
            #expect(sharedVersion == "1")
        }
    }

    @Test func servedPageConfirmsSharedPackage() async throws {
        try await runShared { (updater, page, cdn) async throws in
            let events = updater.events()
            await updater.report(BootReport(.began, of: page))
            await updater.report(BootReport(.answered(cdn), of: page))
            await updater.report(BootReport(.healthy, of: page))
            let proven = try await next(events) { if case .confirmed(let id, _) = $0 { id.description } else { nil } }
            #expect(proven == "cdn" && sharedVersion == "2")
        }
    }

    @Test func servedPageMustReportInTime() async throws {
        try await runShared { (updater, page, cdn) async throws in
            let events = updater.events()
            await updater.report(BootReport(.began, of: page))
            #expect(clock.sleeperCount == 0)
            await updater.report(BootReport(.answered(cdn), of: page))
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(10))
            #expect(try await rollback(events).reason == .rolledBack("the page did not report within 10.0 seconds"))
            #expect(sharedVersion == "1")
        }
    }

    /// The page booted from the network, and the first version was installed while the page was open.
    @Test(arguments: [false, true])
    func earlierPageCountsAfterResponse(_ isHealthy: Bool) async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) { $0.clock = clock }
            try await updater.start()
            let early = page()
            #expect(early.generations == [])
            await updater.report(BootReport(.began, of: early))
            let package = try #require(try await updater.update(from: network.source()).package)
            let events = updater.events()
            await updater.report(BootReport(.healthy, of: page()))
            await updater.report(BootReport(.failed("not its fault"), of: page()))
            #expect(depot.library.installed == [package] && clock.sleeperCount == 0)
            // The same page reloads, and the version responds.
            var again = page()
            await updater.report(BootReport(.moved, of: again))
            again.documentURL = "https://shop.example/other.html"
            await updater.report(BootReport(.began, of: again))
            await clock.sleepers(atLeast: 1)
            await updater.report(BootReport(isHealthy ? .healthy : .failed("white page"), of: again))
            let verdict = try await next(events) { event in
                switch event {
                case .confirmed: "proven"
                case .quarantined: "quarantined"
                default: nil
                }
            }
            #expect(verdict == (isHealthy ? "proven" : "quarantined"))
        }
    }

    @Test func unservedPageHasNoEffect() async throws {
        try await runShared { (updater, page, cdn) async throws in
            await updater.report(BootReport(.began, of: page))
            await updater.report(BootReport(.failed("not its fault"), of: page))
            #expect(sharedVersion == "2")
            // The next document is a different boot.
            await updater.report(BootReport(.answered(cdn), of: page))
            await updater.report(BootReport(.moved, of: page))
            await updater.report(BootReport(.failed("not its fault"), of: page))
            #expect(sharedVersion == "2")
            // A response of a generation that the page does not pin has no effect.
            let foreign = GenerationReference(package: "cdn", number: cdn.number + 100)
            await updater.report(BootReport(.answered(foreign), of: page))
            await updater.report(BootReport(.failed("not its fault"), of: page))
            #expect(sharedVersion == "2")
        }
    }

    @Test func navigationAwayEndsBoot() async throws {
        try await runShared { (updater, page, cdn) async throws in
            await updater.report(BootReport(.began, of: page))
            await updater.report(BootReport(.answered(cdn), of: page))
            await clock.sleepers(atLeast: 1)
            await updater.report(BootReport(.moved, of: page))
            #expect(clock.sleeperCount == 0 && sharedVersion == "2")
        }
    }
}
