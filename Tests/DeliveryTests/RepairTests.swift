// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import ResourceStore
import Testing

@_spi(Facade) @testable import OfflinePackage

@Suite(.timeLimit(.minutes(2)))
struct RepairTests {
    let depot: Depot
    let site = largeSite()

    init() throws {
        depot = try Depot()
    }

    /// Truncates the stored bytes of a file.
    private func damage(_ file: PackageManifest.File) async throws {
        let name = file.sha256.description
        let path = "\(depot.store.directory)/blobs/\(name.prefix(2))/\(name.dropFirst(2))"
        #expect(FileManager.default.fileExists(atPath: path))
        try Data("short".utf8).write(to: URL(filePath: path))
        #expect(try await depot.get(file.path.description) == nil)
    }

    @Test func fetchesOnlySlice() async throws {
        let manifest = try depot.publish(site, version: "1")
        let file = try #require(manifest.files.first { $0.path.description == "js/7.js" })
        let slice = try #require(file.slice)
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            let package = try #require(try await updater.update(from: network.source()).package)
            #expect(try await updater.repair(package.id) == .whole)
            let events = updater.events()
            try await damage(file)
            let traffic = try await #require(repaired(by: updater, package.id))
            #expect(traffic.bytes == slice.size && traffic.requests == 1)
            #expect(try await depot.get("js/7.js") == site["js/7.js"])
            #expect(depot.library.installed == [package])
            // The repair also works in the next process, which reads the source from the store.
            try await damage(file)
            let next = depot.updater(network, library: try PackageLibrary(store: depot.store))
            #expect(try await repaired(by: next, package.id)?.bytes == slice.size)
            #expect(try await depot.get("js/7.js") == site["js/7.js"])
            var reported: [String?] = []
            for await event in events {
                if case .fileDamaged(let file) = event { reported.append(file.path) }
                if reported.count == 1, case .repaired = event { break }
            }
            #expect(reported == ["js/7.js"])
        }
    }

    private func repaired(by updater: PackageUpdater, _ id: PackageID) async throws -> DeliveryTraffic? {
        guard case .repaired(1, .ranges, let traffic) = try await updater.repair(id) else { return nil }
        return traffic
    }

    @Test func fetchesNothingOfOtherVersion() async throws {
        let manifest = try depot.publish(site, version: "1")
        let file = try #require(manifest.files.first { $0.path.description == "js/7.js" })
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            let package = try #require(try await updater.update(from: network.source()).package)
            try await damage(file)
            try depot.publish(["index.html": Data("new".utf8)], version: "2")
            let requests = network.archiveRequests.count
            #expect(try await updater.repair(package.id) == .outdated(PackageVersion("2")))
            #expect(network.archiveRequests.count == requests)
            #expect(try await updater.repair(PackageID("none")) == .unknownSource)
            let busy = depot.updater(network) { $0.conditions = BusyHost() }
            await #expect {
                try await busy.repair(package.id)
            } throws: {
                ($0 as? DeliveryError)?.code == .notNow
            }
        }
    }

    private struct BusyHost: HostConditioning {
        let conditions = HostConditions(isIdle: false)
        func changes() -> AsyncStream<HostConditions> { AsyncStream { $0.finish() } }
    }
}
