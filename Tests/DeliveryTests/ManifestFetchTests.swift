// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

/// Manifests from slow servers.
@Suite(.timeLimit(.minutes(1)))
struct ManifestFetchTests {
    let depot: Depot
    let clock = ManualClock()

    init() throws {
        depot = try Depot()
    }

    /// A body of blanks in pieces that are 29 seconds apart. It then ends or stays silent.
    private struct Drip: ResourceLoader, AsyncSequence {
        typealias Element = Data

        let clock: ManualClock
        let pieces: Int
        let bytes: Int
        let ends: Bool

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            ResourceResponse(
                head: HTTPResponse(status: .ok), body: .stream(ByteStream(self)),
                provenance: Provenance(.network, reason: "test"))
        }

        func makeAsyncIterator() -> Iterator { Iterator(drip: self) }

        struct Iterator: AsyncIteratorProtocol {
            let drip: Drip
            var count = 0

            mutating func next() async throws -> Data? { try await next(isolation: nil) }

            mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
                guard count < drip.pieces else {
                    if drip.ends { return nil }
                    await Gate().pass()
                    throw CancellationError()
                }
                count += 1
                drip.clock.advance(by: .seconds(29))
                return Data(repeating: UInt8(ascii: " "), count: drip.bytes)
            }
        }
    }

    private func update(
        _ drip: Drip, edit: (inout PackageDownloader.Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = PackageUpdater.Configuration()
        configuration.downloads = promptly()
        configuration.downloads.clock = clock
        edit(&configuration.downloads)
        let updater = PackageUpdater(library: depot.library, loader: drip, configuration: configuration)
        try await updater.update(from: PackageSource("https://packages.example/shop.json"))
    }

    @Test func aByteNowAndThenIsAsGoodAsSilence() async throws {
        let error = await #expect(throws: DeliveryError.self) {
            try await update(Drip(clock: clock, pieces: 4, bytes: 1, ends: false)) {
                $0.retry.failures = 1
                $0.manifestLimit = .seconds(3_600)
            }
        }
        #expect(error?.code == .stalled && error?.location == "https://packages.example/shop.json")
        #expect(error?.message.contains("30") == true)
    }

    @Test func aManifestDoesNotTakeForEver() async throws {
        let error = await #expect(throws: DeliveryError.self) {
            try await update(Drip(clock: clock, pieces: 1_000, bytes: 1_024, ends: false))
        }
        #expect(error?.code == .stalled && error?.location == "https://packages.example/shop.json")
        #expect(error?.message.contains("600") == true)
    }

    @Test func anArchiveDoesNotTakeForEver() async throws {
        var configuration = promptly()
        configuration.clock = clock
        configuration.archiveLimit = .seconds(600)
        let downloader = PackageDownloader(
            loader: Drip(clock: clock, pieces: 1_000, bytes: 1_024, ends: false),
            directory: depot.folder.path + "/drip", configuration: configuration)
        let url = "https://packages.example/a.zip"
        let error = await #expect(throws: DeliveryError.self) {
            try await downloader.download(PackageDownload(url: url, size: nil, sha256: nil))
        }
        #expect(error?.code == .stalled && error?.location == url)
        #expect(error?.message.contains("600") == true)
    }

    @Test func slowIsFine() async throws {
        let error = await #expect(throws: PackageError.self) {
            try await update(Drip(clock: clock, pieces: 20, bytes: 1_024, ends: true))
        }
        #expect(error?.code == .badManifest)
    }
}
