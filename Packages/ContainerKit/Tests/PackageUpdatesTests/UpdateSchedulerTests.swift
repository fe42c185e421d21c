// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import Logging
@_spi(Facade) import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import ResourceStore
import Testing
import WebEngineTesting

@testable import PackageUpdates

/// Automatic updates over a network in memory.
@MainActor
@Suite("Scheduler of updates", .timeLimit(.minutes(1)))
struct UpdateSchedulerTests {
    /// A network that responds with files, and with an error status to all other requests.
    private final class Files: ResourceLoader {
        let files = Mutex<[String: Data]>([:])
        let errorStatus = Mutex(HTTPResponse.Status.badGateway)
        let urls = Mutex<[String]>([])
        /// The number of requests for archives in progress, and the highest number.
        let archives = Mutex((current: 0, highest: 0))

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let url = request.head.urlText
            urls.withLock { $0.append(url) }
            let isArchive = url.hasSuffix(".zip")
            if isArchive { archives.withLock { $0 = ($0.current + 1, max($0.highest, $0.current + 1)) } }
            defer { if isArchive { archives.withLock { $0.current -= 1 } } }
            for _ in 0..<(isArchive ? 50 : 0) { await Task.yield() }
            let file = files.withLock { $0[url] }
            return ResourceResponse(
                head: HTTPResponse(status: file == nil ? errorStatus.withLock(\.self) : .ok),
                body: file.map { .bytes($0) } ?? .empty, provenance: Provenance(.network, reason: "test"))
        }

        func count(of url: String) -> Int { urls.withLock { urls in urls.count { $0 == url } } }
    }

    /// A background downloader whose downloads end without a file when the test ends them.
    private final class HeldDownloads: BackgroundDownloading {
        private let waiters = Mutex<[AsyncStream<Void>.Continuation]>([])

        var count: Int { waiters.withLock(\.count) }

        func download(_ download: BackgroundDownload) async throws {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            waiters.withLock { $0.append(end) }
            for await _ in ends {}
            try Task.checkCancellation()
        }

        func takeFile(of download: BackgroundDownload, to path: String) async throws -> Bool { false }

        func cancel(_ prefix: String) async {}

        func finish() {
            for waiter in waiters.withLock(\.self) { waiter.finish() }
        }
    }

    /// The packages, the store and the network of one process after another. The folder is removed with the object.
    @MainActor
    private final class Stage {
        static let catalogueURL = "https://shop.example/catalogue.json"
        let folder = TemporaryPath()
        let network = Files()
        let conditions = ChangingConditions(HostConditions())
        let clock = ManualClock()
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let store: BlobStore
        let library: PackageLibrary
        let updater: PackageUpdater
        var options = AutomaticUpdates()
        private(set) var events: [PackageEvent] = []

        init(background: (any BackgroundDownloading)? = nil) throws {
            try FileManager.default.createDirectory(
                atPath: folder.path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            store = try BlobStore(directory: folder.path + "/store")
            library = try PackageLibrary(store: store)
            var configuration = PackageUpdater.Configuration()
            configuration.conditions = conditions
            configuration.downloads.background = background
            updater = PackageUpdater(library: library, loader: network, configuration: configuration)
            options.timing = .now
        }

        /// Starts a scheduler, which replaces that of the last process.
        func launch() async throws -> UpdateScheduler {
            let scheduler = await UpdateScheduler(
                options, updater: updater, library: library, store: store, network: network, allowsInsecure: false,
                conditions: conditions, logger: Logger(label: "test"), clock: clock,
                now: { [self] in time.withLock { $0 } })
            scheduler.receive = { [weak self] in self?.events.append($0) }
            return scheduler
        }

        func advance(by seconds: TimeInterval) {
            time.withLock { $0 += seconds }
            clock.advance(by: .seconds(seconds))
        }

        /// Publishes a version of a package and returns its source.
        @discardableResult
        func publish(_ id: String, version: String = "1") throws -> PackageSource {
            let site = "\(folder.path)/site-\(id)-\(version)"
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            try Data("\(id) \(version)".utf8).write(to: URL(fileURLWithPath: site + "/index.html"))
            let package = try PackageBuilder().build(
                site, id: PackageID(id), version: PackageVersion(version),
                baseURL: PackageBaseURL("https://shop.example/\(id)/"), sequence: nil,
                output: folder.path + "/packages")
            let url = "https://shop.example/\(id)"
            for (path, url) in [(package.manifest, "\(url).json"), (package.archive, "\(url)-\(version).zip")] {
                let data = try Data(contentsOf: URL(fileURLWithPath: path))
                network.files.withLock { $0[url] = data }
            }
            return PackageSource("\(url).json")
        }

        /// Publishes a catalogue.
        func list(_ ids: [String], sequence: Int64, version: String? = nil, at url: String = catalogueURL) throws {
            let catalogue = try PackageCatalogue(
                sequence: sequence,
                packages: ids.map {
                    try .init(
                        package: PackageID($0), manifestURL: "https://shop.example/\($0).json",
                        scope: PackageBaseURL("https://shop.example/\($0)/"),
                        version: version.map { try PackageVersion($0) })
                })
            let data = try catalogue.encoded()
            network.files.withLock { $0[url] = data }
        }

        var installed: [String] { library.installed.map { "\($0.id) \($0.version)" }.sorted() }

        var withdrawn: [String] {
            events.compactMap { if case .withdrawn(let id) = $0 { "\(id)" } else { nil } }
        }

        var reasons: [String] {
            events.compactMap { if case .waiting(_, let reason) = $0 { reason } else { nil } }
        }
    }

    /// A folder that is removed with the object.
    private final class TemporaryPath: Sendable {
        let path = FileManager.default.temporaryDirectory.path + "/updates-\(UUID().uuidString)"

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Waits until a condition holds. If it never holds, the time limit ends the test.
    private func until(_ condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("An update for later waits, and runs in a later process when the conditions allow it")
    func waiting() async throws {
        let source = try stage.publish("a")
        stage.conditions.set(HostConditions(network: .metered))
        var scheduler = try await stage.launch()
        let update = try await scheduler.update(from: source, timing: .now)
        #expect(update.outcome == .waiting(reason: "the network is metered") && update.package == nil)
        #expect(stage.reasons == ["the network is metered"] && stage.network.urls.withLock { $0 } == [])
        await scheduler.shutDown()
        scheduler = try await stage.launch()
        scheduler.recordLaunch()
        #expect(stage.installed == [])
        stage.conditions.set(HostConditions())
        try await until { stage.installed == ["a 1"] }
        await scheduler.checkNow()
        await scheduler.shutDown()
        // The third process has nothing to do.
        scheduler = try await stage.launch()
        stage.advance(by: 60)
        scheduler.recordLaunch()
        await scheduler.checkNow()
        #expect(stage.network.count(of: source.manifestURL) == 1)
        await scheduler.shutDown()
    }

    @Test("Without an obstacle, an update for later runs at once, and its error is thrown and not retried")
    func direct() async throws {
        let source = try stage.publish("a")
        let scheduler = try await stage.launch()
        #expect(try await scheduler.update(from: source, timing: .now).outcome == .activated)
        let missing = PackageSource(
            "https://shop.example/missing.json", scope: try PackageBaseURL("https://b.example/"))
        stage.network.files.withLock { $0[missing.manifestURL] = Data("[]".utf8) }
        await #expect(throws: PackageError.self) { try await scheduler.update(from: missing, timing: .now) }
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(stage.network.count(of: missing.manifestURL) == 1)
        await scheduler.shutDown()
    }

    @Test("An update that waits is dropped if the app removes its package or updates it itself")
    func dropping() async throws {
        let source = try stage.publish("a")
        let scheduler = try await stage.launch()
        try await stage.updater.update(from: source)
        stage.conditions.set(HostConditions(isIdle: false))
        for drop in [{ await scheduler.drop(try PackageID("a")) }, { scheduler.drop(source) }]
            as [() async throws -> Void]
        {
            _ = try await scheduler.update(from: source, timing: .now)
            try await drop()
            stage.advance(by: 60)
            stage.conditions.set(HostConditions())
            await scheduler.checkNow()
            #expect(stage.network.count(of: source.manifestURL) == 1)
            stage.conditions.set(HostConditions(isIdle: false))
        }
        await scheduler.shutDown()
    }

    @Test("The packages of a catalogue appear and disappear without a release, two downloads at one time")
    func catalogue() async throws {
        let ids = (0..<40).map { "p\($0)" }
        for id in ids { try stage.publish(id) }
        try stage.list(ids, sequence: 1)
        stage.options.catalogue = CatalogueDocument(Stage.catalogueURL)
        stage.options.policy = .onLaunch
        let scheduler = try await stage.launch()
        scheduler.recordLaunch()
        try await until { stage.installed.count == 40 }
        // Within 30 seconds, this only waits for the end of the updates.
        await scheduler.checkNow()
        #expect(stage.network.archives.withLock(\.highest) <= 2)
        let changes = stage.events.count { if case .catalogueChanged = $0 { true } else { false } }
        #expect(changes == 1)
        try stage.list(Array(ids[1...]), sequence: 2)
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(stage.withdrawn == ["p0"] && stage.installed.count == 39)
        #expect(scheduler.withdrawnPackages == [try PackageID("p0")])
        #expect(stage.events.contains { if case .updating(39, 0, 39) = $0 { true } else { false } })
        await scheduler.shutDown()
    }

    @Test("The manifest of a package is not requested if the catalogue names the active version")
    func version() async throws {
        try stage.publish("a")
        try stage.list(["a"], sequence: 1, version: "1")
        stage.options.catalogue = CatalogueDocument(Stage.catalogueURL)
        let scheduler = try await stage.launch()
        await scheduler.checkNow()
        #expect(stage.installed == ["a 1"])
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(stage.network.count(of: "https://shop.example/a.json") == 1)
        #expect(stage.network.count(of: Stage.catalogueURL) == 2)
        try stage.publish("a", version: "2")
        try stage.list(["a"], sequence: 2, version: "2")
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(stage.installed == ["a 2"])
        await scheduler.shutDown()
    }

    @Test("A version that waits for the next launch is discarded if the catalogue returns to the active version")
    func reversion() async throws {
        let (a, manifest) = (try PackageID("a"), "https://shop.example/a.json")
        try stage.publish("a")
        try stage.list(["a"], sequence: 1, version: "1")
        stage.options.catalogue = CatalogueDocument(Stage.catalogueURL)
        var scheduler = try await stage.launch()
        await scheduler.checkNow()
        #expect(stage.installed == ["a 1"])
        await scheduler.shutDown()
        let former = stage.network.files.withLock { $0[manifest] }
        stage.options.timing = .nextLaunch
        scheduler = try await stage.launch()
        try stage.publish("a", version: "2")
        try stage.list(["a"], sequence: 2, version: "2")
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(try await stage.library.hasStagedGeneration(of: a))
        stage.network.files.withLock { $0[manifest] = former }
        try stage.list(["a"], sequence: 3, version: "1")
        stage.advance(by: 60)
        await scheduler.checkNow()
        #expect(try await !stage.library.hasStagedGeneration(of: a))
        #expect(stage.installed == ["a 1"])
        await scheduler.shutDown()
    }

    @Test("After five errors the mirror's catalogue is used; an insecure URL is an error without a request")
    func mirror() async throws {
        let mirror = "https://mirror.example/catalogue.json"
        try stage.publish("a")
        try stage.list(["a"], sequence: 1, at: mirror)
        stage.options.catalogue = CatalogueDocument(Stage.catalogueURL, mirrorURL: mirror)
        var scheduler = try await stage.launch()
        for count in 1...5 {
            await scheduler.checkNow()
            #expect(stage.network.count(of: Stage.catalogueURL) == count && stage.network.count(of: mirror) == 0)
            stage.advance(by: 31)
        }
        await scheduler.checkNow()
        #expect(stage.network.count(of: Stage.catalogueURL) == 5 && stage.network.count(of: mirror) == 1)
        #expect(stage.installed == ["a 1"])
        await scheduler.shutDown()
        // The first check of another process requests the server first.
        scheduler = try await stage.launch()
        stage.advance(by: 31)
        await scheduler.checkNow()
        #expect(stage.network.count(of: Stage.catalogueURL) == 6 && stage.network.count(of: mirror) == 2)
        await scheduler.shutDown()
        stage.options.catalogue = CatalogueDocument("http://shop.example/catalogue.json")
        scheduler = try await stage.launch()
        await scheduler.checkNow()
        #expect(stage.network.count(of: "http://shop.example/catalogue.json") == 0)
        let codes = stage.events.compactMap { event in
            if case .catalogueFailed(let failure) = event { (failure.cause as? DeliveryError)?.code } else { nil }
        }
        #expect(codes == [.insecure])
        await scheduler.shutDown()
    }

    @Test("A catalogue that the server does not have is an error", arguments: [403, 404])
    func missingCatalogue(status: Int) async throws {
        stage.network.errorStatus.withLock { $0 = HTTPResponse.Status(code: status) }
        stage.options.catalogue = CatalogueDocument(Stage.catalogueURL)
        let scheduler = try await stage.launch()
        await scheduler.checkNow()
        let failures = stage.events.compactMap { event in
            if case .catalogueFailed(let failure) = event { failure.cause as? PackageError } else { nil }
        }
        #expect(failures.map(\.code) == [.noInput] && failures.first?.location == Stage.catalogueURL)
        #expect(stage.network.count(of: Stage.catalogueURL) == 1)
        await scheduler.shutDown()
    }

    @Test("A periodic check runs after its interval while the app is in the foreground")
    func periodic() async throws {
        let source = try stage.publish("a")
        stage.options.sources = [source]
        stage.options.policy = .periodic(.seconds(600))
        let scheduler = try await stage.launch()
        scheduler.recordLaunch()
        try await until { stage.installed == ["a 1"] }
        // Within 30 seconds, this only waits for the end of the update.
        await scheduler.checkNow()
        try stage.publish("a", version: "2")
        await stage.clock.sleepers(atLeast: 1)
        scheduler.pause(.background)
        try await until { stage.clock.sleeperCount == 0 }
        stage.advance(by: 6_000)
        scheduler.resume(from: .background)
        try await until { stage.installed == ["a 2"] }
        await scheduler.checkNow()
        try stage.publish("a", version: "3")
        await stage.clock.sleepers(atLeast: 1)
        stage.advance(by: 601)
        try await until { stage.installed == ["a 3"] }
        await scheduler.shutDown()
        #expect(stage.network.count(of: source.manifestURL) == 3)
    }

    @Test("An update for later that meets a suspended store waits, and runs after the suspension")
    func suspended() async throws {
        let source = try stage.publish("a")
        let scheduler = try await stage.launch()
        try stage.store.suspend()
        let update = try await scheduler.update(from: source, timing: .now)
        #expect(update.outcome == .waiting(reason: "the container is suspended"))
        #expect(stage.reasons == ["the container is suspended"])
        try stage.store.resume()
        stage.advance(by: 31)
        scheduler.resume(from: .suspension)
        try await until { stage.installed == ["a 1"] }
        await scheduler.checkNow()
        await scheduler.shutDown()
    }

    @Test("Updates that wait for a background download delay no others, and a check does not wait for them")
    func background() async throws {
        let downloads = HeldDownloads()
        let stage = try Stage(background: downloads)
        stage.options.sources = try (0..<4).map { try stage.publish("p\($0)") }
        let scheduler = try await stage.launch()
        await scheduler.checkNow()
        try await until { downloads.count == 4 }
        #expect(stage.installed == [])
        downloads.finish()
        try await until { stage.installed.count == 4 }
        await scheduler.shutDown()
    }

    @Test("A state that cannot be decoded is replaced")
    func damaged() async throws {
        try stage.store.putDocument(Data("{".utf8), as: "package-updates")
        let source = try stage.publish("a")
        stage.options.sources = [source]
        let scheduler = try await stage.launch()
        await scheduler.checkNow()
        #expect(stage.installed == ["a 1"])
        await scheduler.shutDown()
    }
}
