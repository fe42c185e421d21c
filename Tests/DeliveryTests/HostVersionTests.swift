// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import OfflinePackage
import PackageFormat
import ResourceStore
import Testing

/// Packages that require a minimum host version, installed in every possible way.
@Suite(.timeLimit(.minutes(1)))
struct HostVersionTests {
    let depot: Depot
    let old = ["index.html": Data("old home".utf8)]
    let new = ["index.html": Data("new home".utf8)]

    init() throws {
        depot = try Depot()
    }

    private var archive: String { depot.www + "/shop-2.zip" }
    private var manifest: String { depot.www + "/shop.json" }

    private func publishNew() throws {
        try depot.publish(new, version: "2") { $0.minHost = try? PackageVersion("2.1") }
    }

    @Test(arguments: [nil, "2.0.9", "2.x"]) func anInstallIsRefusedToo(_ host: String?) async throws {
        try publishNew()
        let host = try host.map { try PackageVersion($0) }
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) { $0.hostVersion = host }
            var error = await #expect(throws: DeliveryError.self) {
                try await updater.install(archive: archive, manifest: manifest)
            }
            #expect(error?.code == .hostTooOld && error?.location == manifest)
            error = await #expect(throws: DeliveryError.self) {
                try await depot.library.install(archive: archive, manifest: manifest)
            }
            #expect(error?.code == .hostTooOld)
            #expect(depot.library.installed == [])
            #expect(try depot.store.generations(in: .staged) == [])
        }
    }

    @Test(arguments: [true, false]) func aHostThatIsNewEnoughGetsIt(_ libraryKnows: Bool) async throws {
        try publishNew()
        let version = try PackageVersion("2.1.0")
        let store = try BlobStore(directory: depot.folder.path + "/other")
        let library = try PackageLibrary(
            store: store, configuration: PackageLibrary.Configuration(hostVersion: libraryKnows ? version : nil))
        try await Network.run(try depot.configuration()) { (network) async throws in
            if libraryKnows { try await library.install(archive: archive, manifest: manifest) }
            let updater = depot.updater(network, library: library) { $0.hostVersion = libraryKnows ? nil : version }
            try await updater.install(archive: archive, manifest: manifest)
            #expect(try await updater.update(from: network.source()).outcome == .unchanged)
            #expect(try await depot.get("index.html", by: .package(library)) == new["index.html"])
        }
    }

    /// The app returns to an earlier version while an update waits for the next launch.
    @Test(arguments: [true, false]) func whatWaitedIsHeldAgainstTheHostThatStarts(_ isOlder: Bool) async throws {
        try depot.publish(old, version: "1")
        let versions = try (staging: PackageVersion("3"), next: PackageVersion(isOlder ? "2" : "2.1"))
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) { $0.hostVersion = versions.staging }
            try await updater.update(from: network.source())
            try publishNew()
            let update = try await updater.update(from: network.source(), timing: .nextLaunch)
            #expect(update.outcome == .staged(.nextLaunch))

            let library = try PackageLibrary(store: depot.store)
            let next = depot.updater(network, library: library) { $0.hostVersion = versions.next }
            #expect(try await next.start().isEmpty == isOlder)
            #expect(try depot.store.generations(in: .staged) == [])
            #expect(try await depot.get("index.html", by: .package(library)) == (isOlder ? old : new)["index.html"])
        }
    }
}
