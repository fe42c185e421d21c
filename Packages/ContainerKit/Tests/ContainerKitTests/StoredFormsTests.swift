// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContentDigest
import Foundation
import HTTPTypes
import PackageFormat
import PackagePublisher
import Prefetch
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting

@testable import ContainerKit
@testable import CookieJar
@testable import HTTPCache
@testable import LoopbackInterception
@testable import OfflinePackage
@testable import PackageUpdates
@testable import RequestPipeline
@_spi(Facade) @testable import ResourceStore
@_spi(Facade) @testable import ResourceTable

/// The folder of a container that an earlier build has written, with each stored document: `Stored/0.1.tar.gz`. If a
/// format changes, add another folder and keep this one.
@MainActor
@Suite("Folders of earlier builds", .timeLimit(.minutes(1)))
struct StoredFormsTests {
    private let fixture = Fixture()
    private var folder: String { fixture.folder + "/store" }

    /// Unpacks the folder.
    private func unpack() throws {
        let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Stored/0.1.tar.gz")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let tar = Process()
        tar.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        tar.arguments = ["tar", "-xzf", archive.path, "-C", folder]
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
    }

    private func container() async throws -> Container<FakeEngine> {
        try await fixture.container(covering: ["shop.example"]) {
            $0.pages.mode = .customScheme
            $0.network.prefetch = PrefetchOptions()
            $0.remote = RemoteConfigOptions()
        }
    }

    // MARK: Documents

    private var health: TrialRecord {
        var trialRecord = TrialRecord()
        trialRecord.markFailed("0.9", of: "shop")
        trialRecord.trials["shop"] = TrialPeriod(of: 1, version: "1", over: nil)
        for (package, verdict) in [("good", TrialPeriod.Event.healthy), ("bad", { .failed($0, "white page") })]
            as [(String, (PageID) -> TrialPeriod.Event)]
        {
            var trial = TrialPeriod(of: 7, version: "2", over: 6)
            _ = trial.apply(.bootBegan(PageID(rawValue: 1)), of: 7, at: .zero)
            _ = trial.apply(verdict(PageID(rawValue: 1)), of: 7, at: .zero)
            trialRecord.trials[package] = trial
        }
        return trialRecord
    }

    private static let check = SourceCheck(
        errors: 2, lastCheck: Date(timeIntervalSinceReferenceDate: 800_000_000),
        lastPrimary: Date(timeIntervalSinceReferenceDate: 700_000_000))

    @Test("Each stored document of an earlier build can be read")
    func documents() async throws {
        try unpack()
        let store = try BlobStore(directory: folder)
        #expect(
            try store.documentNames().sorted() == [
                "device-bucket", "origin-modes", "package-health", "package-sequences", "prefetch-fields",
                "table-check",
                "table-pending", "table-table",
            ])
        let active = try #require(store.activeGenerations().first)
        let record = try GenerationRecord(decoding: active.metadata)
        #expect(active.package == "shop" && active.version == "1")
        #expect(record.baseURL.description == "https://shop.example/" && !record.isComplete && record.sequence == 3)
        #expect(record.boundTo == "https://packages.example/shop.json" && record.source?.archiveURL == nil)
        let staged = try #require(store.generations(in: .staged).first)
        let waiting = try GenerationRecord(decoding: staged.metadata)
        #expect(staged.version == "2" && waiting.timing == .nextLaunch && waiting.sequence == 4)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(try store.document(HealthDocument.name) == encoder.encode(health))
        #expect(try encoder.encode(HealthDocument(store).load()) == encoder.encode(health))
        #expect(try SequenceDocument(store).load().packages["shop"]?.sequence == 4)
        let tables = TableStore(store)
        #expect(try await tables.document(.table)?.isEmpty == false)
        let check = try JSONDecoder().decode(SourceCheck.self, from: try #require(await tables.document(.check)))
        #expect(check == Self.check)
        let pending = try JSONDecoder().decode(
            TableLibrary.Pending.self, from: try #require(await tables.document(.pending)))
        #expect(pending.version == "5" && pending.places == [0, 2])
        let modes = OriginModes(try #require(try store.document("origin-modes")), of: .customScheme)
        #expect(modes.all == ["https://shop.example": .intercepted, "https://plain.example": .plain])
        let bucket = String(decoding: try #require(try store.document("device-bucket")), as: UTF8.self)
        #expect(RolloutBucket(identity: bucket) != nil)
    }

    @Test("Downloads, cookies, the HTTP cache, engine caches and the server's port can be read")
    func files() async throws {
        try unpack()
        let url = "https://packages.example/shop-3.zip"
        let downloads = DownloadFolder(path: folder + "/downloads")
        let download = try #require(downloads.readRecord(of: DownloadFolder.key(of: url)))
        #expect(download.url == url && download.total == 1000 && download.validator?.text == "\"zip\"")
        #expect(download.sha256 == SHA256Digest(of: Data("zip".utf8)))
        #expect(downloads.partialBytes(of: DownloadFolder.key(of: url)) == 4)
        let cookies = try CookieFile(path: folder + "/cookies.json").load()
        #expect(cookies.refused == 0 && cookies.damage == nil)
        let cookie = try #require(cookies.cookies.first)
        #expect(cookie.identity.name == "id" && cookie.value == "7" && cookie.identity.domain == "shop.example")
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSite == .lax && cookie.identity.isHostOnly)
        let cache = try DiskCacheStore(directory: folder + "/http-cache", capacity: 1 << 20)
        let key = CacheKey(partition: "https://shop.example", url: "https://shop.example/api")
        let response = try #require(await cache.responses(for: key).first)
        #expect(response.head.headerFields[.eTag] == "\"a\"" && response.selectors.map(\.value) == ["en"])
        #expect(try await cache.body(of: response, for: key)?.body.collect(upTo: 100) == Data("cached".utf8))
        await cache.checkpoint()
        let held = try #require(try PrivateFolder.open(folder)?.contents(of: "engine-caches.json", upTo: 1 << 20))
        let entries = try JSONDecoder().decode(EngineCacheManifest.self, from: held).entries
        #expect(entries["shop https://shop.example/"]?.generation == 1)
        #expect(await ServerPort(in: folder).stored() == 12_345)
    }

    @Test("A container opens the folder: the waiting version becomes active, and keeps its source")
    func opens() async throws {
        try unpack()
        let container = try await container()
        #expect(try await fixture.text("containerkit://shop.example/index.html", of: container) == "packaged 2")
        #expect(container.originModes["https://plain.example"] == .plain)
        let other = try fixture.pack(["index.html": "other"], version: "3", sequence: 5)
        fixture.network.put(
            .bytes(try Data(contentsOf: URL(fileURLWithPath: other.manifest))), at: "https://other.example/shop.json")
        let error = await #expect(throws: DeliveryError.self) {
            try await container.update(
                from: PackageSource("https://other.example/shop.json", scope: PackageBaseURL("https://shop.example/")))
        }
        #expect(error?.code == .otherSource)
        await container.shutDown()
    }

    @Test("The stored remote config and prefetch table, which begin with their URL, can be read")
    func serverDocuments() async throws {
        try unpack()
        let (config, table) = ("https://config.example/config", "https://config.example/prefetch")
        do {
            let store = try BlobStore(directory: folder)
            try store.putDocument(Data("\(config)\n{\"format\":1,\"version\":7}".utf8), as: "switchboard")
            let entries = #"{"code":200,"data":{"version":"9","config":[]}}"#
            try store.putDocument(Data("\(table)\n\(entries)".utf8), as: "prefetch-table")
        }
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.network.prefetch = PrefetchOptions()
            $0.network.prefetch?.tableSource = PrefetchTableSource(url: table)
            $0.remote = RemoteConfigOptions(source: RemoteConfigSource(url: config))
        }
        #expect(container.remoteConfig?.document?.version == 7)
        #expect(container.prefetch?.prefetchers.table?.version == "9")
        await container.shutDown()
    }
}
