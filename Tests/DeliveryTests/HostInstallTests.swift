// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Dispatch
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// Packages that the host installs, removes or includes in the app, together with updates.
@Suite(.timeLimit(.minutes(1)))
struct HostInstallTests {
    let depot: Depot
    let old = ["index.html": Data("old".utf8)]
    let new = ["index.html": Data("new".utf8), "late.js": Data("late()".utf8)]
    let newest = ["index.html": Data("newest".utf8)]
    let steps = StepHook()

    init() throws {
        depot = try Depot(onStep: steps.pass)
    }

    /// Activates version 1 and stages version 2 for the next launch.
    func runWithWaiting(_ body: (Network, PackageUpdater) async throws -> Void) async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try await stage(network, updater)
            try await body(network, updater)
        }
    }

    func stage(_ network: Network, _ updater: PackageUpdater) async throws {
        try depot.publish(new, version: "2")
        let update = try await updater.update(from: network.source(), timing: .nextLaunch)
        #expect(update.outcome == .staged(.nextLaunch))
    }

    func install(_ site: [String: Data], version: String, by updater: PackageUpdater) async throws {
        try depot.publish(site, version: version)
        try await updater.install(archive: "\(depot.www)/shop-\(version).zip", manifest: "\(depot.www)/shop.json")
    }

    /// Returns the versions with which a later process starts.
    func versionsAtNextLaunch(_ network: Network) async throws -> [String] {
        let library = try PackageLibrary(store: depot.store)
        try await depot.updater(network, library: library).start()
        return library.installed.map(\.version.description)
    }

    @Test func removedPackageStaysRemovedAtNextLaunch() async throws {
        try await runWithWaiting { (network, updater) async throws in
            #expect(try await updater.remove(PackageID("shop")).count == 1)
            #expect(try depot.store.generations(in: .staged) == [])
            #expect(try await versionsAtNextLaunch(network) == [])
            // The same applies without an active version.
            try await stage(network, updater)
            #expect(try await updater.remove(PackageID("shop")) == [])
            #expect(try await versionsAtNextLaunch(network) == [])
        }
    }

    @Test(arguments: ["3", "1"])
    func installedVersionRemainsAtNextLaunch(_ version: String) async throws {
        try await runWithWaiting { (network, updater) async throws in
            // Version 1 is already active.
            try await install(version == "1" ? old : newest, version: version, by: updater)
            #expect(try depot.store.generations(in: .staged) == [])
            #expect(try await versionsAtNextLaunch(network) == [version])
        }
    }

    @Test func failedInstallKeepsStagedVersion() async throws {
        try await runWithWaiting { (network, updater) async throws in
            let manifest = try depot.publish(newest, version: "3") { $0.files[0].sha256 = SHA256Digest(of: Data()) }
            await #expect(throws: PackageError.self) {
                try await updater.install(
                    archive: "\(depot.www)/shop-\(manifest.version).zip", manifest: "\(depot.www)/shop.json")
            }
            #expect(try await versionsAtNextLaunch(network) == ["2"])
        }
    }

    @Test func failedStagingKeepsStagedVersion() async throws {
        try await runWithWaiting { (network, updater) async throws in
            try depot.publish(newest, version: "3")
            steps.once(at: .generationWritten) { throw CocoaError(.fileWriteOutOfSpace) }
            await #expect(throws: (any Error).self) {
                try await updater.update(from: network.source(), timing: .nextLaunch)
            }
            #expect(try await versionsAtNextLaunch(network) == ["2"])
        }
    }

    @Test(arguments: [ApplyTiming.now, .nextLaunch])
    func cancelledUpdateLeavesNothingStaged(_ timing: ApplyTiming) async throws {
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            let (staged, stage) = AsyncStream.makeStream(of: Void.self)
            let goOn = DispatchSemaphore(value: 0)
            steps.once(at: .generationStaged) {
                stage.yield()
                goOn.wait()
            }
            let update = Task { try await updater.update(from: network.source(), timing: timing) }
            for await _ in staged { break }
            update.cancel()
            goOn.signal()
            await #expect(throws: CancellationError.self) { try await update.value }
            #expect(try depot.store.generations(in: .staged) == [])
        }
    }

    @Test func updateDuringBaselineInstallFetchesOnce() async throws {
        try depot.publish(old, version: "1")
        let gate = Gate()
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network, holding: ("-1.zip", gate))
            let update = Task { try await updater.update(from: network.source()) }
            await gate.waiting(atLeast: 1)
            let baseline = try await updater.installBaseline(
                archive: depot.www + "/shop-1.zip", manifest: depot.www + "/shop.json")
            gate.open()
            let outcome = try await update.value
            #expect(outcome.outcome == .unchanged && outcome.package == baseline?.package)
            #expect(try await updater.update(from: network.source()).transfer == .nothing)
        }
    }

    @Test func stagedVersionFollowsNewerBaseline() async throws {
        try depot.publish(old, version: "1")
        let preset = depot.folder.path + "/preset.json"
        try FileManager.default.copyItem(atPath: depot.www + "/shop.json", toPath: preset)
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            try await stage(network, updater)
            try await updater.installBaseline(archive: depot.www + "/shop-1.zip", manifest: preset)
            #expect(try await versionsAtNextLaunch(network) == ["2"])
        }
    }

    @Test func stagedVersionRemainsAfterFailedActivation() async throws {
        try await runWithWaiting { (network, updater) async throws in
            steps.once(at: .formerRetired) { throw CocoaError(.fileWriteOutOfSpace) }
            await #expect(throws: (any Error).self) { try await updater.update(from: network.source()) }
            #expect(try await versionsAtNextLaunch(network) == ["2"])
        }
    }

    @Test func stagedVersionCanChangeTiming() async throws {
        try await runWithWaiting { (network, updater) async throws in
            let requests = network.archiveRequests.count
            let again = try await updater.update(from: network.source(), timing: .nextLaunch)
            #expect(again.outcome == .unchanged)
            let other = try await updater.update(from: network.source(), timing: .inBackground)
            #expect(other.outcome == .staged(.inBackground) && network.archiveRequests.count == requests)
            #expect(try depot.store.generations(in: .staged).count == 1)
            #expect(try await updater.hostEnteredBackground().count == 1)
            #expect(try await depot.serves(new))
        }
    }

    @Test func updateInBackgroundIsActivatedImmediately() async throws {
        try await runWithWaiting { (network, updater) async throws in
            await updater.pauseTrials(true, order: 1)
            #expect(try await updater.update(from: network.source(), timing: .inBackground).outcome == .activated)
            try depot.publish(newest, version: "3")
            #expect(try await updater.update(from: network.source(), timing: .inBackground).outcome == .activated)
            #expect(try await depot.serves(newest))
        }
    }

    @Test(arguments: [false, true])
    func stagedVersionWithDamagedTableIsDiscarded(_ isFetchedAgain: Bool) async throws {
        try await runWithWaiting { (network, _) async throws in
            // The store checkpoints its log and releases the folder.
            try depot.store.suspend()
            let path = depot.store.directory + "/index.sqlite"
            var bytes = try Data(contentsOf: URL(filePath: path))
            while let place = bytes.firstRange(of: Data("late.js".utf8)) { bytes[place.lowerBound] = UInt8(ascii: "L") }
            try bytes.write(to: URL(filePath: path))
            let store = try BlobStore(directory: depot.store.directory)
            let library = try PackageLibrary(store: store)
            let updater = depot.updater(network, library: library)
            if isFetchedAgain {
                let update = try await updater.update(from: network.source(), timing: .nextLaunch)
                #expect(update.outcome == .staged(.nextLaunch))
            }
            try await updater.start()
            #expect(library.installed.map(\.version.description) == [isFetchedAgain ? "2" : "1"])
            #expect(try store.generations(in: .staged) == [])
        }
    }

    /// Packages respond even if the remains of an interrupted activation cannot be removed.
    @Test func readOnlyStoreOpensPackages() async throws {
        try await runWithWaiting { (network, _) async throws in
            let left = try depot.store.stage(
                package: "shop", version: "9", metadata: Data("{}".utf8), entries: [], from: depot.store.makeBatch())
            try depot.store.suspend()
            let library = try PackageLibrary(store: depot.store)
            #expect(library.installed.map(\.version.description) == ["1"])
            try depot.store.resume()
            _ = try PackageLibrary(store: depot.store)
            #expect(try !depot.store.generations(in: .staged).map(\.number).contains(left.number))
        }
    }

    @Test func downloadReplacesFailedBaseline() async throws {
        try depot.publish(old, version: "1")
        let preset = depot.folder.path + "/preset.json"
        try FileManager.default.copyItem(atPath: depot.www + "/shop.json", toPath: preset)
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            func installPreset() async throws -> PackageUpdate? {
                try await updater.installBaseline(archive: depot.www + "/shop-1.zip", manifest: preset)
            }
            #expect(try await installPreset()?.outcome == .activated)
            let page = PageReference(
                id: PageID(rawValue: 1), documentURL: "https://shop.example/",
                generations: depot.library.installed.map(\.generation))
            await updater.report(BootReport(.failed("white page"), of: page))
            let error = await #expect(throws: DeliveryError.self) { try await installPreset() }
            #expect(error?.code == .quarantined)
            try depot.publish(new, version: "2")
            try await updater.update(from: network.source())
            #expect(try await installPreset() == nil)
            #expect(try await depot.serves(new))
        }
    }

    /// The library ignores a damaged record, so the package does not respond.
    @Test func baselineReplacesDamagedActiveRecord() async throws {
        let damaged = try depot.store.stage(
            package: "shop", version: "0", metadata: Data("{".utf8), entries: [], from: depot.store.makeBatch())
        try depot.store.activate(damaged.number)
        let library = try PackageLibrary(store: depot.store)
        try depot.publish(old, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network, library: library)
            try await updater.start()
            let update = try await updater.installBaseline(
                archive: depot.www + "/shop-1.zip", manifest: depot.www + "/shop.json")
            #expect(update?.outcome == .activated)
            #expect(try await depot.get("index.html", by: .package(library)) == old["index.html"])
        }
    }
}
