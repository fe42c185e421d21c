// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import OfflinePackage
import ResourceLoading
import ResourceStore
import Testing
import WebEngineTesting

@MainActor
@Suite("Damage to packages", .timeLimit(.minutes(1)))
struct DamageTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/"
    private let site = ["index.html": "home", "app.js": "run()", "more.js": "more()"]

    /// Truncates the stored file that contains a text.
    private func damage(_ text: String) throws {
        let blobs = fixture.folder + "/store/blobs"
        for name in FileManager.default.subpaths(atPath: blobs) ?? [] {
            let path = "\(blobs)/\(name)"
            guard let data = FileManager.default.contents(atPath: path), data == Data(text.utf8) else { continue }
            try data.dropLast().write(to: URL(fileURLWithPath: path))
        }
    }

    @Test("A damaged file is reported, served from the network, and downloaded again from the package's source")
    func repairs() async throws {
        let conditions = ChangingConditions(HostConditions())
        let container = try await fixture.container { $0.conditions = conditions }
        let package = try #require(try await container.update(from: fixture.publish(site, version: "1")).package)
        conditions.set(HostConditions(isIdle: false))
        try damage("run()")
        let events = container.events
        #expect(try await fixture.text(url + "app.js", of: container) == "network https://shop.example/app.js")
        #expect(try await fixture.text(url + "app.js", of: container) == "network https://shop.example/app.js")
        #expect(container.counters.unreadableFiles == 2 && container.counters.store.damagedBlobs == 1)
        var reported: [DamagedFile] = []
        for await event in events {
            if case .package(.fileDamaged(let file)) = event {
                reported.append(file)
                // The repair waits until the conditions allow it.
                #expect(!fixture.network.urls.suffix(2).contains { $0.hasSuffix(".json") })
                conditions.set(HostConditions())
            }
            guard case .package(.repaired(let id, let version, let files)) = event else { continue }
            #expect(id == package.id && version == package.version && files == 1)
            break
        }
        #expect(reported.map(\.path) == ["app.js"] && reported.first?.generation == package.generation)
        #expect(try await fixture.text(url + "app.js", of: container) == "run()")
        // The generation is unchanged.
        #expect(container.installedPackages == [package])
        await container.shutDown()
    }

    @Test("If the source of a package is unknown, damage is reported and the network is used")
    func unknownSource() async throws {
        let container = try await fixture.container()
        try await fixture.install(site, version: "1", into: container)
        try damage("run()")
        let events = container.events
        #expect(try await fixture.text(url + "app.js", of: container) == "network https://shop.example/app.js")
        for await case .package(.fileDamaged(let file)) in events {
            #expect(file.path == "app.js")
            break
        }
        await container.shutDown()
        #expect(!fixture.network.urls.contains { $0.hasSuffix(".json") })
    }

    @Test("The repair of a package is tried three times, and again after the conditions change")
    func tries() async throws {
        let container = try await fixture.container(covering: ["news.example"])
        let shop = try await container.update(from: fixture.publish(site, version: "1"))
        let news = try await container.update(
            from: fixture.publish(["news.js": "news()"], id: "zeitung", version: "1", base: "https://news.example/"))
        let manifest = "https://packages.example/shop.json"
        fixture.network.put(.bytes(Data("no manifest".utf8)), at: manifest)
        func tries() -> Int { fixture.network.urls.count { $0 == manifest } - 1 }
        func misses(until count: Int) async throws {
            while tries() < count { _ = try await fixture.text(url + "app.js", of: container) }
        }
        try damage("run()")
        try await misses(until: 3)
        // The shop is repaired before this package.
        try damage("news()")
        let events = container.events
        _ = try await fixture.text("containerkit://news.example/news.js", of: container)
        for await case .package(.repaired(let id, _, _)) in events {
            let former = try #require(shop.package)
            #expect(id == news.package?.id && former.id < id)
            break
        }
        #expect(tries() == 3)
        container.hostEnteredForeground()
        try await misses(until: 4)
        await container.shutDown()
    }
}
