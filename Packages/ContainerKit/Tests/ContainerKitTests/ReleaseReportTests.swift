// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerKit
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import Testing
import WebEngineTesting

/// The reports of releases that a container sends.
@MainActor
@Suite("Release reports of a container", .timeLimit(.minutes(1)))
struct ReleaseReportTests {
    /// A signed catalogue whose metadata is refused.
    private struct Catalogue: PackageCataloguing, SignedManifestSource {
        let primaryURL = "https://packages.example/metadata/"
        let mirrorURL: String? = nil
        let channel = "beta"

        var signedManifests: (any SignedManifestSource)? { self }

        func catalogue(at url: String, load: @escaping DocumentLoading) async throws -> PackageCatalogue {
            try PackageCatalogue(sequence: 1, packages: [])
        }

        func manifest(
            of package: PackageID, for device: DeviceVersions, load: @escaping DocumentLoading
        ) async throws -> SignedManifest? { throw Refused() }

        func explain(_ package: PackageID, for device: DeviceVersions) async throws -> ReleaseExplanation {
            ReleaseExplanation(package: package, verdicts: [])
        }
    }

    private struct Refused: Error {}

    private static let url = "https://reports.example/?key=1"
    private let fixture = Fixture()

    private var reports: [String] {
        let heads = fixture.network.requests.withLock { $0.filter { $0.method == .post } }
        let bodies = fixture.network.bodies.withLock(\.self)
        return heads.map(\.urlText) == bodies.map { _ in Self.url }
            ? bodies.flatMap { String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init) } : []
    }

    private func line(_ event: String, _ version: String?, reason: String? = nil, channel: String? = nil) -> String {
        func json(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
        return #"{"channel":\#(json(channel)),"event":"\#(event)","package":"shop","#
            + #""reason":\#(json(reason)),"version":\#(json(version))}"#
    }

    /// Updates to a good version, to a bad one, and to one whose archive is missing.
    private func release(in container: Container<FakeEngine>) async throws {
        let events = container.events
        try await container.update(from: fixture.publish(["index.html": "one"], version: "1"))
        let page = try await container.open("https://shop.example/index.html")
        container.report(.began, of: page)
        container.report(.healthy, of: page)
        for await case .package(.confirmed) in events { break }
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let next = try await container.open("https://shop.example/account?user=7")
        container.report(.began, of: next)
        container.report(.failed("https://shop.example/account?user=7 is white"), of: next)
        for await case .package(.scopeChanged(let change)) in events where change.reason != .activated { break }
        let third = try fixture.publish(["index.html": "three"], version: "3")
        fixture.network.put(.bytes(Data("no archive".utf8)), at: "https://packages.example/shop-3.zip")
        await #expect(throws: (any Error).self) { try await container.update(from: third) }
        for await case .package(.updateFailed) in events { break }
    }

    @Test("Install, trial, rollback and a failed update are reported when the app enters the background")
    func reporting() async throws {
        let container = try await fixture.container { $0.packages.reports = ReleaseReports(url: Self.url) }
        try await release(in: container)
        #expect(reports.isEmpty)
        try await container.hostEnteredBackground()
        try await until { !reports.isEmpty }
        let lines = reports
        #expect(
            lines.dropLast() == [
                line("installed", "1"), line("confirmed", "1"), line("installed", "2"),
                line("rolled-back", "2", reason: "failed"),
            ])
        // The version is known, because the manifest was read.
        #expect(lines.last?.contains(#""event":"update-failed","package":"shop","reason":""#) == true)
        #expect(lines.last?.hasSuffix(#""version":"3"}"#) == true)
        #expect(!lines.contains { $0.contains("/") || $0.contains("user") })
        await container.shutDown()
    }

    @Test("The reports of an ended process are sent by a later one, and no report without the option")
    func laterProcess() async throws {
        let silent = try await fixture.container()
        try await release(in: silent)
        try await silent.hostEnteredBackground()
        await silent.shutDown()
        #expect(reports.isEmpty)
        let first = try await fixture.container { $0.packages.reports = ReleaseReports(url: Self.url) }
        try await first.update(from: fixture.publish(["index.html": "four"], version: "4"))
        await first.shutDown()
        #expect(reports.isEmpty)
        let clock = ManualClock()
        let second = try await fixture.container {
            $0.packages.reports = ReleaseReports(url: Self.url)
            $0.packages.updates.downloads.clock = clock
        }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(300))
        try await until { !reports.isEmpty }
        #expect(reports == [line("installed", "4")])
        await second.shutDown()
    }

    @Test("Reports name the channel of a device with signed releases")
    func channel() async throws {
        let container = try await fixture.container {
            $0.packages.reports = ReleaseReports(url: Self.url)
            $0.packages.automatic.catalogue = Catalogue()
        }
        let source = try PackageSource("https://packages.example/shop.json", package: PackageID("shop"))
        await #expect(throws: DeliveryError.self) { try await container.update(from: source) }
        await container.shutDown()
        let store = try BlobStore(directory: fixture.folder + "/store")
        let stored = try #require(try store.document("release-reports"))
        let text = String(decoding: stored, as: UTF8.self)
        #expect(text.contains(#""channel":"beta""#) && text.contains(#""reason":"unsigned""#))
    }
}
