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

/// The decisions of an update before the transfer: limits, the type of transfer, and free space.
@Suite(.timeLimit(.minutes(1)))
struct FetchTests {
    let depot: Depot

    init() throws {
        depot = try Depot()
    }

    /// Updates from one site to another.
    /// - Parameter edit: A closure that changes the configuration of the second updater.
    private func update(
        from old: [String: Data], to new: [String: Data], library: PackageLibrary? = nil,
        publish: (inout PackageManifest) -> Void = { _ in },
        edit: (inout PackageUpdater.Configuration) -> Void = { _ in }
    ) async throws -> PackageUpdate {
        try depot.publish(old, version: "1")
        return try await Network.run(try depot.configuration()) { (network) async throws in
            try await depot.updater(network, library: library).update(from: network.source())
            try depot.publish(new, version: "2", edit: publish)
            return try await depot.updater(network, library: library, edit: edit).update(from: network.source())
        }
    }

    // MARK: Sizes

    @Test func rejectsRangesOfTooLargeArchive() async throws {
        var site = largeSite()
        site["index.html"] = text(20_480, seed: 2)
        let error = await #expect(throws: DeliveryError.self) {
            try await update(from: largeSite(), to: site, edit: { $0.downloads.sizeLimit = 1 << 20 })
        }
        #expect(error?.code == .tooLarge)
        #expect(try await depot.serves(largeSite()))
    }

    /// With all limits raised, sizes still cause errors and no arithmetic overflow.
    @Test(arguments: [Int64.max, Int64.max - 1_000, 1 << 62] as [Int64]) func archiveOfAnySize(_ size: Int64)
        async throws
    {
        var site = largeSite()
        site["index.html"] = text(20_480, seed: 2)
        var configuration = PackageLibrary.Configuration()
        configuration.manifestLimits.maxArchiveBytes = .max
        let store = try BlobStore(directory: depot.folder.path + "/boundless")
        let library = try PackageLibrary(store: store, configuration: configuration)
        for next in [site, ["else.js": text(1_000, seed: 3)]] {
            await #expect(throws: DeliveryError.self) {
                try await update(
                    from: largeSite(), to: next, library: library,
                    publish: { $0.archive?.size = size }, edit: { $0.downloads.sizeLimit = .max })
            }
            #expect(try await depot.get("js/1.js", by: .package(library)) == largeSite()["js/1.js"])
        }
    }

    // MARK: Type of transfer

    /// The central directory of a zip of many small files exceeds an eighth of the zip, so ranges would be cheaper.
    @Test func firstInstallFetchesWholeArchive() async throws {
        var site: [String: Data] = [:]
        for index in 0..<2_000 { site["\(index).txt"] = Data("\(index)".utf8) }
        try depot.publish(site, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let update = try await depot.updater(network).update(from: network.source())
            #expect(update.transfer == .whole)
            #expect(try await depot.serves(site))
        }
    }

    /// The files of a failed or removed version are stored until the next sweep.
    @Test func firstInstallUsesStoredFiles() async throws {
        let site = largeSite()
        try depot.publish(site, version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network)
            let package = try #require(try await updater.update(from: network.source()).package)
            depot.library.pin(PageID(rawValue: 1))
            try await updater.remove(package.id)
            var next = site
            next["index.html"] = text(20_480, seed: 2)
            try depot.publish(next, version: "2")
            #expect(try await updater.update(from: network.source()).transfer == .ranges)
            #expect(try await depot.serves(next))
            depot.library.unpin(PageID(rawValue: 1))
        }
    }

    @Test func emptyFileNeedsNoTransfer() async throws {
        var site = largeSite()
        site["empty.txt"] = Data()
        site["more/empty.css"] = Data()
        let update = try await update(from: largeSite(), to: site)
        #expect(update.transfer == .nothing && update.traffic == DeliveryTraffic())
        #expect(try await depot.serves(site))
        #expect(try depot.folder.names(below: "store/downloads") == [])
    }

    @Test func emptyFileNeedsNoRange() async throws {
        var site = largeSite()
        site["0.txt"] = Data()
        site["js/7.js"] = text(102_000, seed: 2)
        let update = try await update(from: largeSite(), to: site)
        #expect(update.transfer == .ranges && update.traffic.requests == 1)
        #expect(try await depot.serves(site))
    }

    @Test(arguments: [true, false]) func emptyFileWithoutSlices(_ isFirst: Bool) async throws {
        let old = ["a.js": text(3_000, seed: 1)]
        var site = old
        site["empty.txt"] = Data()
        site["b.js"] = text(3_000, seed: 2)
        let update = try await update(from: isFirst ? ["x": Data("x".utf8)] : old, to: site) { $0 = $0.withoutSlices() }
        #expect(update.transfer == .whole)
        #expect(try await depot.serves(site))
    }

    @Test func rejectsEmptyFileWithWrongDigest() async throws {
        var site = largeSite()
        site["empty.txt"] = Data()
        let error = await #expect(throws: PackageError.self) {
            try await update(from: largeSite(), to: site) { manifest in
                for index in manifest.files.indices where manifest.files[index].size == 0 {
                    manifest.files[index].sha256 = SHA256Digest(of: Data("else".utf8))
                }
            }
        }
        #expect(error?.code == .digestMismatch && error?.location == "empty.txt")
        #expect(try await depot.serves(largeSite()))
    }

    // MARK: Space

    private struct Space: SpaceMeasuring {
        var bytes: Int64

        func availableBytes(at folder: String) throws -> Int64 { bytes }
    }

    @Test(arguments: [Int64(0), -1]) func receivedBytesNeedNoSpace(_ difference: Int64) async throws {
        let site = largeSite()
        let manifest = try depot.publish(site, version: "1")
        let size = try #require(manifest.archive).size
        let unpacked = manifest.files.reduce(0) { $0 + $1.size }
        let cut = Int(size) * 3 / 4
        let archive = OriginFile(try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")), turns: [.stall(cut)])
        var configuration = try depot.configuration()
        configuration.routes = [try archive.route("/shop-1.zip")]
        try await Network.run(configuration) { (network) async throws in
            let first = Task { try await depot.updater(network).update(from: network.source()) }
            try await depot.downloaded(cut)
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            let updater = depot.updater(network) {
                $0.downloads.space = Space(bytes: size - Int64(cut) + unpacked + difference)
            }
            if difference == 0 {
                #expect(try await updater.update(from: network.source()).outcome == .activated)
                #expect(try await depot.serves(site))
            } else {
                let error = await #expect(throws: DeliveryError.self) {
                    try await updater.update(from: network.source())
                }
                #expect(error?.code == .noSpace && archive.requests.count == 1)
            }
        }
    }

    private struct Room: SpaceEnsuring {
        var code: StoreError.Code

        func ensureSpace(for bytes: Int64) async throws { throw StoreError(code, "refused", at: "somewhere") }
    }

    @Test(arguments: [StoreError.Code.io, .suspended, .damaged]) func otherErrorsAreNotNoSpace(
        _ code: StoreError.Code
    ) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await update(from: largeSite(), to: ["a": Data("a".utf8)], edit: { $0.space = Room(code: code) })
        }
        #expect(error?.code == code)
    }

    @Test(arguments: [StoreError.Code.overBudget, .diskFull]) func missingSpaceIsReported(
        _ code: StoreError.Code
    ) async throws {
        let error = await #expect(throws: DeliveryError.self) {
            try await update(from: largeSite(), to: ["a": Data("a".utf8)], edit: { $0.space = Room(code: code) })
        }
        #expect(error?.code == .noSpace && (error?.cause as? StoreError)?.code == code)
    }

    // MARK: Leftovers

    /// Ranges of a killed process are never resumed.
    @Test func startRemovesRangesOfEarlierProcess() async throws {
        try depot.folder.write("store/downloads/0a.ranges", Data(count: 100))
        try depot.folder.write("store/downloads/0b.part", Data(count: 100))
        try depot.folder.write("store/downloads/0b.json", Data(count: 100))
        try await Network.run(try depot.configuration()) { (network) async throws in
            try await depot.updater(network).start()
            #expect(try depot.folder.names(below: "store/downloads") == ["0b.json", "0b.part"])
        }
    }

    @Test func keepsRangesInUse() async throws {
        var site = largeSite()
        site["index.html"] = text(20_480, seed: 2)
        try depot.publish(site, version: "2")
        let gate = Gate()
        let second = OriginFile(try Data(contentsOf: URL(filePath: depot.www + "/shop-2.zip")), gate: gate)
        try depot.publish(largeSite(), version: "1")
        var configuration = try depot.configuration()
        configuration.routes = [try second.route("/shop-2.zip")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network)
            try await updater.update(from: network.source())
            try depot.publish(site, version: "2")
            async let update = updater.update(from: network.source())
            await gate.waiting(atLeast: 1)
            try await updater.start()
            #expect(try depot.folder.names(below: "store/downloads").map { $0.hasSuffix(".ranges") } == [true])
            gate.open()
            #expect(try await update.transfer == .ranges)
            #expect(try await depot.serves(site))
        }
    }
}
