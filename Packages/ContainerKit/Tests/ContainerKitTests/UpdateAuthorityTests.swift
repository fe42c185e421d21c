// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import Testing
import WebEngineTesting

/// The restrictions of package servers, in the facade.
@MainActor
@Suite("Restrictions of package servers", .timeLimit(.minutes(1)))
struct UpdateAuthorityTests {
    private let fixture = Fixture()
    private let home = "containerkit://shop.example/index.html"

    /// Updates, and returns the code of the refusal that is thrown and reported; `nil` if there is none.
    private func refusal(
        of source: PackageSource, in container: Container<FakeEngine>
    ) async throws -> DeliveryError.Code? {
        let events = container.events
        do {
            try await container.update(from: source)
            return nil
        } catch let error as DeliveryError {
            #expect(!"\(error)".contains("\n"))
            for await event in events {
                guard case .package(.updateFailed(_, let failure)) = event else { continue }
                #expect(failure.code == .delivery && (failure.cause as? DeliveryError)?.code == error.code)
                break
            }
            return error.code
        }
    }

    @Test("The server of one package cannot publish for the origin of another package")
    func otherOrigin() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        var evil = try fixture.publish(["index.html": "evil"], id: "evil", version: "9")
        evil.scope = nil
        #expect(try await refusal(of: evil, in: container) == .outOfScope)
        evil = PackageSource("https://evil.example/news.json")
        for id in ["shop", "news"] {
            let package = try fixture.pack(["index.html": "evil"], id: id, version: "9")
            let manifest = try Data(contentsOf: URL(fileURLWithPath: package.manifest))
            fixture.network.put(.bytes(manifest), at: evil.manifestURL)
            #expect(try await refusal(of: evil, in: container) == .outOfScope)
        }
        // The error names the option that a host with a server elsewhere must set.
        let error = await #expect(throws: DeliveryError.self) { try await container.update(from: evil) }
        #expect(error?.message.contains("PackageSource.package") == true)
        #expect(container.installedPackages.map(\.version.description) == ["1"])
        #expect(try await fixture.text(home, of: container) == "one")
        await container.shutDown()
    }

    @Test("Source, scope and sequence number are stored across launches")
    func nextLaunch() async throws {
        var container: Container<FakeEngine>? = try await fixture.container()
        var source = try fixture.publish(["index.html": "five"], version: "5", sequence: 5)
        try await container?.update(from: source)
        await container?.shutDown()
        container = nil
        let next = try await fixture.container(on: FakeEngine())
        _ = try fixture.publish(["index.html": "four"], version: "4", sequence: 4)
        #expect(try await refusal(of: source, in: next) == .replayed)
        _ = try fixture.publish(["index.html": "none"], version: "4")
        #expect(try await refusal(of: source, in: next) == .replayed)
        _ = try fixture.publish(["index.html": "other"], version: "6", sequence: 5)
        #expect(try await refusal(of: source, in: next) == .replayed)
        let good = try fixture.pack(["index.html": "six"], version: "6", sequence: 6)
        fixture.network.put(
            .bytes(try Data(contentsOf: URL(fileURLWithPath: good.manifest))), at: "https://other.example/shop.json")
        source.manifestURL = "https://other.example/shop.json"
        #expect(try await refusal(of: source, in: next) == .otherSource)
        source = try fixture.publish(["index.html": "bank"], version: "6", base: "https://bank.example/", sequence: 6)
        #expect(try await refusal(of: source, in: next) == .outOfScope)
        #expect(next.installedPackages.map(\.version.description) == ["5"])
        source = try fixture.publish(["index.html": "six"], version: "6", sequence: 6)
        #expect(try await refusal(of: source, in: next) == nil)
        await next.shutDown()
    }

    @Test("A version that was rolled back is not installed again")
    func rollback() async throws {
        let container = try await fixture.container()
        let package = try fixture.pack(["index.html": "one"], version: "1", sequence: 1)
        try await container.install(archive: package.archive, manifest: package.manifest)
        let source = try fixture.publish(["index.html": "two"], version: "2", sequence: 2)
        try await container.update(from: source)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        container.report(.began, of: page)
        container.report(.failed("white"), of: page)
        for await event in events {
            if case .package(.scopeChanged(let change)) = event, case .rolledBack = change.reason { break }
        }
        #expect(container.installedPackages.map(\.version.description) == ["1"])
        #expect(try await refusal(of: source, in: container) == .quarantined)
        _ = try fixture.publish(["index.html": "two"], version: "2.0", sequence: 2)
        #expect(try await refusal(of: source, in: container) == .replayed)
        #expect(container.installedPackages.map(\.version.description) == ["1"])
        await container.shutDown()
    }

    @Test("Packages over http require an option of the host")
    func insecure() async throws {
        let source = PackageSource("http://packages.example/shop.json")
        let package = try fixture.pack(["index.html": "one"], version: "1", base: "http://packages.example/")
        for (file, name) in [(package.manifest, "shop.json"), (package.archive, "shop-1.zip")] {
            fixture.network.put(
                .bytes(try Data(contentsOf: URL(fileURLWithPath: file))), at: "http://packages.example/\(name)")
        }
        let container = try await fixture.container()
        #expect(try await refusal(of: source, in: container) == .insecure)
        #expect(fixture.network.urls.isEmpty)
        await container.shutDown()
        let other = try await fixture.container(on: FakeEngine()) {
            $0.directory = fixture.folder + "/other"
            $0.packages.library.allowsInsecure = true
        }
        #expect(try await refusal(of: source, in: other) == nil)
        await other.shutDown()
    }
}
