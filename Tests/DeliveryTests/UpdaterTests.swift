// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import ResourceStore
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(2)))
struct UpdaterTests {
    let depot: Depot
    let old = ["index.html": Data("old home".utf8), "app.js": text(50_000, seed: 5), "gone.js": Data("gone".utf8)]
    let new = ["index.html": Data("new home".utf8), "app.js": text(50_000, seed: 5), "added.js": Data("added".utf8)]

    init() throws {
        depot = try Depot()
    }

    @Test func installsAndUpdatesWithoutLeftovers() async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.start()
            let events = updater.events()
            let first = try await updater.update(from: network.source())
            #expect(first.outcome == .activated && first.transfer == .whole && first.traffic.requests == 1)
            #expect(try await depot.serves(old))
            #expect(try await updater.update(from: network.source()).outcome == .unchanged)
            try depot.publish(new, version: "2")
            let second = try await updater.update(from: network.source())
            #expect(second.outcome == .activated && second.package?.version.description == "2")
            #expect(try await depot.serves(new))
            #expect(try await depot.get("gone.js") == nil)
            #expect(try depot.folder.names(below: "store/downloads") == [])
            // Observers receive the changed scope.
            var changes: [PackageScopeChange] = []
            for await event in events {
                if case .scopeChanged(let change) = event { changes.append(change) }
                if changes.count == 2 { break }
            }
            #expect(changes.map(\.baseURL.description) == ["https://shop.example/", "https://shop.example/"])
            #expect(changes[0].former == nil && changes[0].current == first.package?.generation)
            #expect(changes[1].former == first.package?.generation && changes[1].current == second.package?.generation)
            #expect(changes.allSatisfy { $0.reason == .activated })
        }
    }

    /// The transfer size of a small update.
    @Test func smallChangeIsFetchedAlone() async throws {
        var site = largeSite()
        try depot.publish(site, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            site["index.html"] = text(20_480, seed: 2)
            let manifest = try depot.publish(site, version: "2")
            let slice = try #require(manifest.files.first { $0.path.description == "index.html" }?.slice)
            let size = try #require(manifest.archive).size
            // The manifest is fetched once in advance to measure its size on the wire.
            let before = try #require(network.server.counters).bytesDown
            _ = try await network.loader.load(
                ResourceRequest(try #require(HTTPRequest(urlText: network.server.url + "/shop.json"))))?
                .body.collect(upTo: 1 << 20)
            let manifestBytes = try #require(network.server.counters).bytesDown - before
            let requests = network.archiveRequests.count
            let update = try await updater.update(from: network.source())
            let travelled = try #require(network.server.counters).bytesDown - before - 2 * manifestBytes
            let limit = Int64(Double(slice.size) * 1.1) + 4_096
            print(
                "small update: \(travelled) bytes in \(network.archiveRequests.count - requests) request; entry "
                    + "\(slice.size) packed, limit \(limit), archive \(size)")
            #expect(update.transfer == .ranges && update.outcome == .activated)
            #expect(network.archiveRequests.count - requests == 1 && update.traffic.requests == 1)
            #expect(travelled <= limit && travelled >= slice.size)
            #expect(update.traffic.bytes == slice.size)
            #expect(try await depot.serves(site))
            #expect(try depot.folder.names(below: "store/downloads") == [])
        }
    }

    @Test func movedFilesNeedNoTransfer() async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            let moved = ["home.html": Data("old home".utf8), "copy/app.js": text(50_000, seed: 5)]
            try depot.publish(moved, version: "2")
            let update = try await updater.update(from: network.source())
            #expect(update.transfer == .nothing && update.traffic == DeliveryTraffic())
            #expect(try await depot.serves(moved))
            #expect(try await depot.get("index.html") == nil)
        }
    }

    /// The server's behavior for range requests, and the resulting transfer of the update.
    static let turns: [([OriginFile.Turn], PackageUpdate.Transfer)] = [
        ([.ignoreRange], .wholeAfterRanges),
        ([.flip], .wholeAfterRanges),
        ([.answer(OriginResponse(.rangeNotSatisfiable))], .wholeAfterRanges),
        ([.answer(OriginResponse(.notFound))], .wholeAfterRanges),
        (
            [
                .answer(
                    OriginResponse(
                        .partialContent, headers: [.contentRange: "bytes 0-9/10"], body: .bytes(Data(count: 10))))
            ],
            .wholeAfterRanges
        ),
        ([.long(1)], .wholeAfterRanges),
        ([.cut(3_000)], .ranges),
        ([.cut(3_000), .cut(2_000), .cut(1)], .ranges),
        ([.answer(OriginResponse(.serviceUnavailable))], .ranges),
        ([.cut(3_000), .ignoreRange, .cut(100_000), .cut(500_000)], .wholeAfterRanges),
        ([.cut(0), .cut(0), .cut(0), .cut(0), .cut(0)], .wholeAfterRanges),
    ]

    @Test(arguments: turns.indices)
    func succeedsIfRangesFail(_ index: Int) async throws {
        let (turns, transfer) = Self.turns[index]
        var site = largeSite()
        try depot.publish(site, version: "1")
        let first = OriginFile(try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")))
        site["index.html"] = text(20_480, seed: 2)
        try depot.publish(site, version: "2")
        let second = OriginFile(try Data(contentsOf: URL(filePath: depot.www + "/shop-2.zip")), turns: turns)
        try depot.publish(largeSite(), version: "1")
        var configuration = try depot.configuration()
        configuration.routes = [try first.route("/shop-1.zip"), try second.route("/shop-2.zip")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try depot.publish(site, version: "2")
            let update = try await updater.update(from: network.source())
            #expect(update.transfer == transfer && update.outcome == .activated)
            #expect(try await depot.serves(site))
            #expect(try depot.folder.names(below: "store/downloads") == [])
        }
    }

    @Test func resumesRangesAfterStall() async throws {
        var site = largeSite()
        try depot.publish(site, version: "1")
        site["index.html"] = text(20_480, seed: 2)
        try depot.publish(site, version: "2")
        let second = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/shop-2.zip")), turns: [.stall(4_000)])
        try depot.publish(largeSite(), version: "1")
        var configuration = try depot.configuration()
        configuration.routes = [try second.route("/shop-2.zip")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network) {
                // The limit is short for the test, but long enough for a busy machine.
                $0.downloads.stallLimit = .seconds(5)
            }
            try await updater.update(from: network.source())
            try depot.publish(site, version: "2")
            #expect(try await updater.update(from: network.source()).transfer == .ranges)
            #expect(try await depot.serves(site))
            #expect(second.requests.count == 2)
        }
    }

    @Test func wrongArchiveChangesNothing() async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try depot.publish(new, version: "2") { manifest in
                manifest.archive = nil
                for index in manifest.files.indices { manifest.files[index].slice = nil }
                manifest.files[0].sha256 = SHA256Digest(of: Data("else".utf8))
            }
            let error = await #expect(throws: PackageError.self) { try await updater.update(from: network.source()) }
            #expect(error?.code == .digestMismatch)
            #expect(try await depot.serves(old))
            #expect(try depot.folder.names(below: "store/downloads") == [])
            #expect(try depot.store.generations(in: .staged) == [])
            // The correct archive is still installed afterwards.
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source())
            #expect(try await depot.serves(new))
        }
    }

    @Test func rejectedManifests() async throws {
        let id = try PackageID("other")
        let scope = try PackageBaseURL("https://shop.example/app/")
        try depot.publish(old, version: "1") { $0.minHost = try? PackageVersion("2.10") }
        try await Network.run(try depot.configuration()) { (network) async throws in
            func code(
                _ host: String? = "3", _ edit: (inout PackageSource) -> Void = { _ in }
            ) async -> DeliveryError.Code? {
                let updater = depot.updater(network) { $0.hostVersion = host.flatMap { try? PackageVersion($0) } }
                var source = network.source()
                edit(&source)
                do {
                    try await updater.update(from: source)
                    return nil
                } catch {
                    return (error as? DeliveryError)?.code
                }
            }
            #expect(await code("2.9") == .hostTooOld)
            #expect(await code(nil) == .hostTooOld)
            #expect(await code("2.x") == .hostTooOld)
            #expect(await code { $0.package = id } == .outOfScope)
            #expect(await code { $0.scope = scope } == .outOfScope)
            #expect(await code { $0.manifestURL = "shop.json" } == .badURL)
            #expect(await code { $0.manifestURL += "x" } == .status)
            #expect(depot.library.installed == [] && network.archiveRequests.isEmpty)
            #expect(await code("2.10.0") == nil)
        }
    }

    @Test func longManifestIsRejected() async throws {
        try depot.publish(old, version: "1")
        var limited = PackageLibrary.Configuration()
        limited.manifestLimits.maxBytes = 100
        let store = try BlobStore(directory: depot.folder.path + "/other")
        let library = try PackageLibrary(store: store, configuration: limited)
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network, library: library)
            let error = await #expect(throws: DeliveryError.self) { try await updater.update(from: network.source()) }
            #expect(error?.code == .tooLarge)
            #expect(network.server.requests.first?.headers[.cacheControl] == "no-cache")
        }
    }

    @Test func waitsForTheNextLaunch() async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try depot.publish(new, version: "2")
            let update = try await updater.update(from: network.source(), timing: .nextLaunch)
            #expect(update.outcome == .staged(.nextLaunch))
            #expect(try await updater.update(from: network.source(), timing: .nextLaunch).outcome == .unchanged)
            #expect(try await depot.serves(old))
            #expect(try await updater.hostEnteredBackground() == [])
            try await depot.library.sweep()

            let library = try PackageLibrary(store: depot.store)
            let next = depot.updater(network, library: library)
            let changes = try await next.start()
            #expect(changes.map(\.current) == [update.package?.generation])
            #expect(try await depot.get("index.html", by: .package(library)) == new["index.html"])
            #expect(try await next.start() == [])
        }
    }

    @Test func waitsForBackgroundOrExplicitUpdate() async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source(), timing: .inBackground)
            #expect(try await depot.serves(old))
            #expect(try await updater.hostEnteredBackground().count == 1)
            #expect(try await depot.serves(new))

            // A staged version can be activated immediately, and a newer version replaces it.
            try depot.publish(old, version: "3")
            try await updater.update(from: network.source(), timing: .nextLaunch)
            try depot.publish(old, version: "4")
            try await updater.update(from: network.source(), timing: .nextLaunch)
            #expect(try depot.store.generations(in: .staged).map(\.version) == ["4"])
            let update = try await updater.update(from: network.source())
            #expect(update.outcome == .activated && update.transfer == .nothing)
            #expect(update.package?.version.description == "4" && depot.library.installed == [update.package])
            // The publisher withdraws a staged version.
            try depot.publish(new, version: "5")
            try await updater.update(from: network.source(), timing: .nextLaunch)
            try depot.publish(old, version: "4")
            #expect(try await updater.update(from: network.source()).outcome == .unchanged)
            #expect(try depot.store.generations(in: .staged) == [])
        }
    }

    @Test func downloadReplacesBaseline() async throws {
        func baseline(_ version: String, _ site: [String: Data], _ updater: PackageUpdater) async throws
            -> PackageUpdate?
        {
            try depot.publish(site, version: version)
            return try await updater.installBaseline(
                archive: "\(depot.www)/shop-\(version).zip", manifest: "\(depot.www)/shop.json")
        }
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            #expect(try await baseline("1", old, updater)?.outcome == .activated)
            #expect(try await baseline("1", old, updater)?.outcome == .unchanged)
            // The baseline of the next app version is newer.
            #expect(try await baseline("2", new, updater)?.outcome == .activated)
            try depot.publish(old, version: "3")
            try await updater.update(from: network.source())
            #expect(try await baseline("4", new, updater) == nil)
            #expect(try await depot.serves(old))
            try await updater.remove(try PackageID("shop"))
            #expect(try await baseline("4", new, updater)?.outcome == .activated)
        }
    }

    @Test func conditionsAndSpace() async throws {
        struct NoNetwork: HostConditioning {
            let conditions = HostConditions(network: .none)

            func changes() -> AsyncStream<HostConditions> { AsyncStream { $0.finish() } }
        }
        struct NoRoom: SpaceEnsuring {
            func ensureSpace(for bytes: Int64) async throws { throw CocoaError(.fileWriteOutOfSpace) }
        }
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let cut = depot.updater(network) { $0.conditions = NoNetwork() }
            var error = await #expect(throws: DeliveryError.self) { try await cut.update(from: network.source()) }
            #expect(error?.code == .notNow && network.server.requestCount == 0)
            let full = depot.updater(network) { $0.space = NoRoom() }
            error = await #expect(throws: DeliveryError.self) { try await full.update(from: network.source()) }
            #expect(error?.code == .noSpace && network.archiveRequests.isEmpty)
        }
    }

    @Test func failingServerDoesNotBlockOthers() async throws {
        try depot.publish(old, version: "1")
        let answer = OriginResponse(.serviceUnavailable, headers: [.retryAfter: "7"])
        let down = OriginFile(Data(), turns: [.answer(answer)])
        var configuration = try depot.configuration()
        configuration.routes = [try down.route("/down.json")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network) {
                $0.downloads.maxConcurrent = 1
                $0.downloads.clock = ManualClock()
            }
            let waiting = Task { try await updater.update(from: network.source("down")) }
            while down.requests.isEmpty { await Task.yield() }
            #expect(try await updater.update(from: network.source()).outcome == .activated)
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    /// Updates of one package from several manifests wait for each other, but not for other packages.
    @Test func restingJobResumesBeforeWaitingJobs() async throws {
        try depot.publish(old, version: "1")
        let busy = OriginResponse(.serviceUnavailable, headers: [.retryAfter: "7"])
        let archive = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")), turns: [.answer(busy)])
        var configuration = try depot.configuration()
        configuration.routes = [try archive.route("/shop-1.zip")]
        try await Network.run(configuration) { (network) async throws in
            let clock = ManualClock()
            let updater = depot.updater(network) {
                $0.downloads.maxConcurrent = 1
                $0.downloads.clock = clock
            }
            let first = Task { try await updater.update(from: network.source()) }
            while archive.requests.isEmpty { await Task.yield() }
            let others = ["second", "third"].map { name in
                Task {
                    var source = network.source()
                    source.manifestURL += "?\(name)"
                    return try await updater.update(from: source)
                }
            }
            while network.server.requests.count(where: { $0.path.hasSuffix(".json") }) < 3 { await Task.yield() }
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(7))
            #expect(try await first.value.outcome == .activated)
            for other in others { #expect(try await other.value.outcome == .unchanged) }
        }
    }

    @Test func hostInstallDuringDownloadPrevails() async throws {
        let gate = Gate()
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network, holding: ("-2.zip", gate))
            let package = try #require(try await updater.update(from: network.source()).package)
            try depot.publish(new, version: "2")
            let update = Task { try await updater.update(from: network.source()) }
            await gate.waiting(atLeast: 1)
            // The removal does not wait for the download.
            #expect(try await updater.remove(package.id).count == 1)
            gate.open()
            let error = await #expect(throws: DeliveryError.self) { try await update.value }
            #expect(error?.code == .overtaken && depot.library.installed == [])
            #expect(try await updater.update(from: network.source()).outcome == .activated)
        }
    }

    @Test func differentPackagesUpdateConcurrently() async throws {
        for index in 0..<6 {
            try depot.publish(
                ["a.js": text(20_000, seed: UInt64(index))], id: "p\(index)", version: "1",
                base: "https://p\(index).example/\(index)/")
        }
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<6 { group.addTask { try await updater.update(from: network.source("p\(index)")) } }
                try await group.waitForAll()
            }
            #expect(depot.library.installed.count == 6)
        }
    }
}
