// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import ContentDigest
import Foundation
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@_spi(Facade) @testable import OfflinePackage
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

    /// A background downloader whose downloads run until the test ends them.
    ///
    /// Isolation: any; all members may be called concurrently.
    final class HeldDownloads: BackgroundDownloading {
        private struct Waiter {
            let ticket: UUID
            let key: String
            let continuation: CheckedContinuation<Void, any Error>
        }

        private struct State {
            var running: [BackgroundDownload] = []
            var waiters: [Waiter] = []
            var files: [String: Data] = [:]
            var cancelled: [String] = []
            var starts = 0
            var canMove = true

            /// Removes the waiters of a download.
            mutating func removeWaiters(where matches: (Waiter) -> Bool) -> [Waiter] {
                defer { waiters.removeAll(where: matches) }
                return waiters.filter(matches)
            }
        }

        private let state = Mutex(State())

        /// The latest download that has not ended.
        var running: BackgroundDownload? { state.withLock { $0.running.last } }
        /// The number of downloads that were not joined.
        var starts: Int { state.withLock { $0.starts } }
        /// The number of requests that wait.
        var waiting: Int { state.withLock { $0.waiters.count } }
        /// The keys of the downloads and files that were removed by ``cancel(_:)``.
        var cancelled: [String] { state.withLock { $0.cancelled } }
        /// A Boolean value that indicates whether files can be moved.
        var canMove: Bool {
            get { state.withLock { $0.canMove } }
            set { state.withLock { $0.canMove = newValue } }
        }

        func download(_ download: BackgroundDownload) async throws {
            let ticket = UUID()
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let outcome: Result<Void, any Error>? = state.withLock { state in
                        if Task.isCancelled { return .failure(CancellationError()) }
                        if state.files[download.key] != nil { return .success(()) }
                        if !state.running.contains(where: { $0.key == download.key }) {
                            state.running.append(download)
                            state.starts += 1
                        }
                        state.waiters.append(Waiter(ticket: ticket, key: download.key, continuation: continuation))
                        return nil
                    }
                    if let outcome { continuation.resume(with: outcome) }
                }
            } onCancel: {
                let waiters = state.withLock { $0.removeWaiters { $0.ticket == ticket } }
                for waiter in waiters { waiter.continuation.resume(throwing: CancellationError()) }
            }
        }

        func takeFile(of download: BackgroundDownload, to path: String) async throws -> Bool {
            guard canMove else { throw ResourceError(.io, "the file cannot be moved", at: path) }
            guard let file = state.withLock({ $0.files.removeValue(forKey: download.key) }) else { return false }
            try file.write(to: URL(filePath: path))
            return true
        }

        func cancel(_ prefix: String) async {
            let waiters = state.withLock { state in
                let files = state.files.keys.filter { $0.hasPrefix(prefix) }
                for key in files { state.files[key] = nil }
                state.cancelled += state.running.map(\.key).filter { $0.hasPrefix(prefix) } + files
                state.running.removeAll { $0.key.hasPrefix(prefix) }
                return state.removeWaiters { $0.key.hasPrefix(prefix) }
            }
            for waiter in waiters { waiter.continuation.resume(throwing: ResourceError(.cancelled, "cancelled")) }
        }

        /// Ends the latest download, also if nothing waits for it.
        func finish(_ result: Result<Data, any Error>) {
            let waiters = state.withLock { state -> [Waiter] in
                guard let download = state.running.popLast() else { return [] }
                state.files[download.key] = try? result.get()
                return state.removeWaiters { $0.key == download.key }
            }
            for waiter in waiters { waiter.continuation.resume(with: result.map { _ in }) }
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
            let running = try #require(downloads.running)
            #expect(running.url == url && running.sizeLimit == Int64(archive.count))
            #expect(try running.key.hasPrefix(BackgroundDownload.prefix(of: PackageID("shop"))))
            #expect(running.key.count == 64)
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
            .failure(ResourceError(.connectionLost, "lost")), .failure(ResourceError(.cancelled, "by another")),
            .failure(CancellationError()), .failure(CocoaError(.fileWriteOutOfSpace)),
            .success(Data(archive.dropLast())), .success(Data(archive.dropLast()) + [archive.last.map { ~$0 } ?? 0]),
            .success(archive + [0]),
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
            let key = try #require(downloads.running?.key)
            try await updater.remove(PackageID("shop"))
            #expect(try await code(of: update) == .overtaken)
            #expect(downloads.cancelled == [key])
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

    @Test("An update that a user waits for ends the background download of its package from another manifest URL")
    func overtakenByOtherURL() async throws {
        try await run { (network, updater, update) async throws in
            var source = network.source()
            source.manifestURL += "?again"
            #expect(try await updater.update(from: source).outcome == .activated)
            #expect(try await code(of: update) == .overtaken)
            #expect(downloads.cancelled.count == 1 && network.archiveRequests.count == 1)
        }
    }

    @Test("Other updates for later of the package throw notNow, and leave the queues to a wanted update")
    func refusesFurther() async throws {
        try await run(edit: { $0.maxWaiting = 1 }) { (network, updater, update) async throws in
            var other = network.source()
            other.manifestURL += "?again"
            for source in [network.source(), network.source(), other] {
                let error = await #expect(throws: DeliveryError.self) {
                    try await updater.update(from: source, urgency: .whenConvenient)
                }
                #expect(error?.code == .notNow)
            }
            #expect(downloads.waiting == 1)
            #expect(try await updater.update(from: network.source()).outcome == .activated)
            #expect(try await code(of: update) == .overtaken)
        }
    }

    @Test("An install by the host ends the background download of its package")
    func overtakenByInstall() async throws {
        try await run { network, updater, update in
            try await updater.install(archive: "\(depot.www)/shop-1.zip", manifest: "\(depot.www)/shop.json")
            #expect(try await code(of: update) == .overtaken)
            #expect(downloads.running == nil && downloads.cancelled.count == 1)
            #expect(network.archiveRequests.isEmpty)
        }
    }

    @Test("A repair uses the network loader, and leaves the background download alone")
    func repair() async throws {
        let depot = try Depot()
        let manifest = try depot.publish(["index.html": text(102_000, seed: 1)], version: "1")
        try await Network.run(try depot.configuration()) { (network) async throws in
            let updater = depot.updater(network) { $0.downloads.background = downloads }
            let id = try #require(try await updater.update(from: network.source()).package).id
            let file = try #require(manifest.files.first { $0.path.description == "index.html" })
            let name = file.sha256.description
            func damage() async throws {
                try Data("short".utf8).write(
                    to: URL(filePath: "\(depot.store.directory)/blobs/\(name.prefix(2))/\(name.dropFirst(2))"))
                #expect(try await depot.get("index.html") == nil)
            }
            try await damage()
            let result = try await updater.repair(id, urgency: .whenConvenient)
            guard case .repaired(1, .whole, _) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(downloads.starts == 0 && network.archiveRequests.count == 2)
            // While an update waits, a repair of the active version neither waits for it nor ends it.
            try depot.publish(["index.html": text(102_000, seed: 2)], version: "2")
            let update = Task { try await updater.update(from: network.source(), urgency: .whenConvenient) }
            defer { update.cancel() }
            try await until { downloads.running != nil }
            try await damage()
            #expect(try await updater.repair(id) == .outdated(PackageVersion("2")))
            #expect(downloads.cancelled.isEmpty && downloads.waiting == 1)
        }
    }

    @Test("An update that waits holds no batch, so that the store can be marked as clean")
    func cleanMarker() async throws {
        try await run { _, _, _ in
            try depot.store.checkpoint()
            #expect(FileManager.default.fileExists(atPath: depot.store.directory + "/clean"))
        }
    }

    @Test("The end of an updater ends the wait of an update, but not the background download, which is joined later")
    func shutDown() async throws {
        try await run { network, updater, update in
            await updater.shutDown()
            await #expect(throws: CancellationError.self) { try await update.value }
            await #expect(throws: CancellationError.self) {
                try await updater.update(from: network.source(), urgency: .whenConvenient)
            }
            #expect(downloads.running != nil && downloads.cancelled.isEmpty)
            let next = depot.updater(network) { $0.downloads.background = downloads }
            let later = Task { try await next.update(from: network.source(), urgency: .whenConvenient) }
            try await until { downloads.waiting == 1 }
            downloads.finish(.success(try archive))
            #expect(try await later.value.outcome == .activated)
            #expect(downloads.starts == 1 && network.archiveRequests.isEmpty)
        }
    }

    @Test("Cancelling an update keeps its background download")
    func cancelled() async throws {
        try await run { _, _, update in
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
            #expect(downloads.running != nil && downloads.cancelled.isEmpty)
        }
    }

    /// The next steps after a relaunch.
    enum Step: CaseIterable {
        /// An update that a user waits for, after the background download has ended.
        case updateAfterEnd
        /// An update that a user waits for, during the background download.
        case updateDuring
        case removeAfterEnd
        case removeDuring
    }

    @Test("A later updater uses or ends the background download of an earlier one", arguments: Step.allCases)
    func relaunch(step: Step) async throws {
        try await run { network, _, update in
            let key = try #require(downloads.running?.key)
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
            let next = depot.updater(network) { $0.downloads.background = downloads }
            if step == .updateAfterEnd || step == .removeAfterEnd { downloads.finish(.success(try archive)) }
            switch step {
            case .updateAfterEnd, .updateDuring:
                #expect(try await next.update(from: network.source()).outcome == .activated)
                #expect(try await depot.serves(site))
            case .removeAfterEnd, .removeDuring: try await next.remove(PackageID("shop"))
            }
            #expect(downloads.running == nil && downloads.cancelled == (step == .updateAfterEnd ? [] : [key]))
            #expect(network.archiveRequests.count == (step == .updateDuring ? 1 : 0))
        }
    }

    @Test("A finished archive that cannot be moved fails the update, and the next update uses it")
    func failedMove() async throws {
        try await run { network, updater, update in
            downloads.canMove = false
            downloads.finish(.success(try archive))
            #expect(try await code(of: update) == .io)
            downloads.canMove = true
            #expect(try await updater.update(from: network.source()).outcome == .activated)
            #expect(network.archiveRequests.isEmpty)
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
            let next = depot.updater(network) { $0.downloads.background = downloads }
            #expect(try await next.update(from: network.source()).outcome == .activated)
            #expect(network.archiveRequests.isEmpty)
        }
    }
}
