// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage
@testable import ResourceStore

/// Updates whose archives are downloaded in the background.
@Suite(.timeLimit(.minutes(1)))
struct BackgroundUpdateTests {
    let depot: Depot
    let site = ["index.html": Data("new".utf8)]
    let downloads = HeldDownloads()

    init() throws {
        depot = try Depot()
        try depot.publish(site, version: "1")
    }

    /// A background downloader whose downloads wait until the test ends them.
    final class HeldDownloads: BackgroundDownloading {
        private struct Running {
            let download: BackgroundDownload
            let path: String
            let continuation: CheckedContinuation<Void, any Error>
        }

        private struct State {
            var running: Running?
            var cancelled: [String] = []
        }

        private let state = Mutex(State())

        var running: BackgroundDownload? { state.withLock { $0.running?.download } }
        var cancelled: [String] { state.withLock { $0.cancelled } }

        func download(_ download: BackgroundDownload, to path: String) async throws {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    state.withLock {
                        $0.running = Running(download: download, path: path, continuation: continuation)
                    }
                    if Task.isCancelled { finish(.failure(CancellationError())) }
                }
            } onCancel: {
                finish(.failure(CancellationError()))
            }
        }

        func cancel(_ key: String) async {
            state.withLock { $0.cancelled.append(key) }
            finish(.failure(ResourceError(.cancelled, "cancelled")))
        }

        /// Ends the running download, if there is one.
        func finish(_ result: Result<Data, any Error>) {
            let running = state.withLock { state in
                defer { state.running = nil }
                return state.running
            }
            running?.continuation.resume(
                with: Result { try result.get().write(to: URL(filePath: running?.path ?? "")) })
        }
    }

    private var archive: Data {
        get throws { try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")) }
    }

    /// Runs an update for later, until its archive is downloaded in the background.
    private func run(
        edit: (inout PackageUpdater.Configuration.Downloads) -> Void = { _ in },
        _ body: (Network, PackageUpdater, Task<PackageUpdate, any Error>) async throws -> Void
    ) async throws {
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) {
                $0.downloads.background = downloads
                edit(&$0.downloads)
            }
            let update = Task { try await updater.update(from: network.source(), urgency: .whenConvenient) }
            defer { update.cancel() }
            try await until { downloads.running != nil }
            try await body(network, updater, update)
        }
    }

    /// The files of unfinished downloads.
    private var unfinished: [String] { (try? TemporaryFolder.files(in: depot.store.directory + "/downloads")) ?? [] }

    private func code(of update: Task<PackageUpdate, any Error>) async throws -> DeliveryError.Code? {
        let error = await #expect(throws: DeliveryError.self) { try await update.value }
        return error?.code
    }

    @Test("An update for later uses the archive of the background download")
    func activates() async throws {
        try await run { network, _, update in
            let archive = try archive
            let url = "\(network.server.url)/shop-1.zip"
            #expect(
                downloads.running
                    == BackgroundDownload(
                        key: DownloadFolder.key(of: url), url: url, sizeLimit: Int64(archive.count)))
            downloads.finish(.success(archive))
            let result = try await update.value
            #expect(result.outcome == .activated && result.transfer == .whole)
            #expect(result.traffic.requests == 1 && result.traffic.bytes == Int64(archive.count))
            #expect(network.archiveRequests.isEmpty && unfinished.isEmpty)
            #expect(try await depot.serves(site))
        }
    }

    @Test("An update that a user waits for, and an archive without a digest, use the network loader")
    func usesLoader() async throws {
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) { $0.downloads.background = downloads }
            try await updater.update(from: network.source(), urgency: .wanted)
            try depot.publish(["index.html": Data("newer".utf8)], version: "2") { manifest in
                manifest.archive = nil
                for index in manifest.files.indices { manifest.files[index].slice = nil }
            }
            try await updater.update(from: network.source(), urgency: .whenConvenient)
            #expect(network.archiveRequests.count == 2)
        }
    }

    @Test("A background download that fails, is short or has other bytes is repeated by the network loader")
    func fallsBack() async throws {
        let archive = try archive
        let endings: [Result<Data, any Error>] = [
            .failure(ResourceError(.connectionLost, "lost")), .success(Data(archive.dropLast())),
            .success(Data(archive.dropLast()) + [archive.last.map { ~$0 } ?? 0]), .success(archive + [0]),
        ]
        for ending in endings {
            let depot = try Depot()
            try depot.publish(site, version: "1")
            try await Network.run(try depot.configuration()) { (network) async throws in
                let updater = depot.updater(network) { $0.downloads.background = downloads }
                let update = Task { try await updater.update(from: network.source(), urgency: .whenConvenient) }
                try await until { downloads.running != nil }
                downloads.finish(ending)
                #expect(try await update.value.outcome == .activated)
                #expect(network.archiveRequests.count == 1)
                #expect(try await depot.serves(site))
            }
        }
        #expect(downloads.cancelled.isEmpty)
    }

    @Test("Removing the package ends its background download")
    func removed() async throws {
        try await run { network, updater, update in
            try await updater.remove(PackageID("shop"))
            #expect(try await code(of: update) == .overtaken)
            #expect(downloads.cancelled == [DownloadFolder.key(of: "\(network.server.url)/shop-1.zip")])
            #expect(network.archiveRequests.isEmpty && unfinished.isEmpty)
        }
    }

    @Test("An update that a user waits for ends the background download of its source")
    func overtaken() async throws {
        try await run { network, updater, update in
            #expect(try await updater.update(from: network.source()).outcome == .activated)
            #expect(try await code(of: update) == .overtaken)
            #expect(downloads.cancelled.count == 1 && network.archiveRequests.count == 1)
            // Later updates for later use the background again.
            try depot.publish(["index.html": Data("newer".utf8)], version: "2")
            let later = Task { try await updater.update(from: network.source(), urgency: .whenConvenient) }
            try await until { downloads.running != nil }
            downloads.finish(.success(try Data(contentsOf: URL(filePath: depot.www + "/shop-2.zip"))))
            #expect(try await later.value.outcome == .activated)
        }
    }

    @Test("Cancelling an update keeps its background download")
    func cancelled() async throws {
        try await run { _, _, update in
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
            #expect(downloads.cancelled.isEmpty)
        }
    }

    @Test("A background download does not occupy a place of other downloads")
    func leavesPlace() async throws {
        try depot.publish(site, id: "news", version: "1", base: "https://news.example/")
        try await run(edit: { $0.maxConcurrent = 1 }) { network, updater, update in
            #expect(try await updater.update(from: network.source("news")).outcome == .activated)
            downloads.finish(.success(try archive))
            #expect(try await update.value.outcome == .activated)
        }
    }

    @Test("An archive that arrives while the store is suspended is used by the next update, without a request")
    func suspended() async throws {
        try await run { network, _, update in
            try depot.store.suspend()
            downloads.finish(.success(try archive))
            let error = await #expect(throws: StoreError.self) { try await update.value }
            #expect(error?.code == .suspended)
            try depot.store.resume()
            #expect(try await depot.updater(network).update(from: network.source()).outcome == .activated)
            #expect(network.archiveRequests.isEmpty)
        }
    }
}
