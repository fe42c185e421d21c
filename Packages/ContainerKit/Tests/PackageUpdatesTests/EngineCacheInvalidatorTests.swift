// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Logging
import OfflinePackage
import PackageFormat
import PackagePublisher
import PackageUpdates
import ResourceLoading
import ResourceStore
import Testing
import WebEngine
import WebEngineTesting

/// The calls of an invalidator to an engine with its own caches, without a container.
@MainActor
@Suite("Engine cache invalidator", .timeLimit(.minutes(1)))
struct EngineCacheInvalidatorTests {
    /// A host whose packages serve requests at their real URLs in the engine.
    private final class Host: EngineCacheHost {
        var arePackagesInUse = true
        /// A closure that returns the engine's form of a URL; by default the same URL.
        var place: (String) -> String? = { $0 }
        private(set) var removedURLs: [[String]] = []
        private(set) var failures: [EngineError] = []
        let results: AsyncStream<Void>
        private let result: AsyncStream<Void>.Continuation

        init() { (results, result) = AsyncStream.makeStream() }

        func engineURL(of url: String) -> String? { place(url) }

        func engineDidRemoveFiles(under urls: [PackageBaseURL]) {
            removedURLs.append(urls.map(\.description))
            result.yield()
        }

        func engineDidFailToRemoveFiles(under urls: [PackageBaseURL], because error: EngineError) {
            failures.append(error)
            result.yield()
        }
    }

    /// A temporary folder with packages, which is removed when the stage is released.
    private final class Stage: Sendable {
        let folder = FileManager.default.temporaryDirectory.path + "/engine-caches-\(UUID().uuidString)"
        let library: PackageLibrary

        init() throws {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            library = try PackageLibrary(store: BlobStore(directory: folder + "/store"))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func install(_ id: String, _ version: String, at base: String) async throws {
            let site = "\(folder)/site-\(id)-\(version)"
            try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
            try Data("\(id) \(version)".utf8).write(to: URL(filePath: site + "/index.html"))
            let package = try PackageBuilder().build(
                site, id: PackageID(id), version: PackageVersion(version), baseURL: PackageBaseURL(base),
                sequence: nil, output: folder + "/packages")
            try await library.install(archive: package.archive, manifest: package.manifest)
        }
    }

    private let stage: Stage
    private let engine = FakeEngine()
    private let host = Host()
    private let shop = "https://shop.example/"

    init() throws { stage = try Stage() }

    private func invalidator(isByProxy: Bool = true) -> EngineCacheInvalidator {
        EngineCacheInvalidator(
            engine, stage.library, directory: stage.folder, limit: .seconds(10), isByProxy: isByProxy,
            logger: Logger(label: "test"), host: host)
    }

    private func session(_ number: UInt64, _ mode: InterceptionMode) -> PageSession {
        let page = PageID(rawValue: number)
        return PageSession(
            id: page, documentURL: shop, view: ViewID(rawValue: number), mode: mode,
            generations: stage.library.pin(page))
    }

    /// Waits for a result of the engine.
    private func result() async {
        for await _ in host.results { return }
    }

    @Test("Service workers of all packages are searched, and files of a moved package are removed at both URLs")
    func places() async throws {
        let invalidator = invalidator()
        try await stage.install("cdn", "1", at: "https://cdn.example/lib/")
        invalidator.packagesDidChange()
        await result()
        #expect(engine.removedFiles == [["https://cdn.example/lib/"]])
        try await stage.install("shop", "1", at: shop)
        invalidator.packagesDidChange()
        await result()
        #expect(engine.removedFiles.last == [shop] && engine.searched.last == ["https://cdn.example/", shop])
        try await stage.install("shop", "2", at: shop + "new/")
        invalidator.packagesDidChange()
        await result()
        #expect(host.removedURLs == [["https://cdn.example/lib/"], [shop], [shop, shop + "new/"]])
        await invalidator.shutDown()
    }

    @Test("A failed removal is repeated after the next launch, a successful removal is not")
    func launch() async throws {
        engine.removeFilesError = EngineError(.storage, "a test")
        try await stage.install("shop", "1", at: shop)
        let first = invalidator()
        first.start()
        await result()
        #expect(host.failures.map(\.code) == [.storage])
        await first.shutDown()
        engine.removeFilesError = nil
        for launch in 1...2 {
            let next = invalidator()
            next.start()
            let page = session(UInt64(launch), .loopbackProxy)
            next.pageDidOpen(page)
            await next.invalidateStaleFiles(for: page)
            #expect(engine.removedFiles == [[shop], [shop]])
            await next.shutDown()
        }
        #expect(host.removedURLs == [[shop]])
    }

    @Test("No file is removed while a page that may use it is open, and files are removed after the page closes")
    func openPages() async throws {
        let invalidator = invalidator()
        invalidator.start()
        // A page of another mode, whose files are not in the engine's caches.
        invalidator.pageDidOpen(session(1, .customScheme))
        invalidator.pageDidOpen(session(2, .plain))
        try await stage.install("shop", "1", at: shop)
        invalidator.packagesDidChange()
        #expect(engine.removedFiles.isEmpty)
        invalidator.pageDidClose(PageID(rawValue: 2))
        await result()
        #expect(engine.removedFiles == [[shop]])
        invalidator.join(PageID(rawValue: 1))
        invalidator.contentDidChange()
        #expect(engine.removedFiles.count == 1)
        invalidator.pageDidClose(PageID(rawValue: 1))
        await result()
        #expect(engine.removedFiles == [[shop], [shop]])
        await invalidator.shutDown()
    }

    @Test("Files are removed when their URL in the engine becomes known, and when packages are turned off")
    func hostState() async throws {
        host.place = { _ in nil }
        try await stage.install("shop", "1", at: shop)
        let invalidator = invalidator(isByProxy: false)
        invalidator.start()
        let page = session(1, .loopbackServer)
        await invalidator.invalidateStaleFiles(for: page)
        #expect(engine.removedFiles.isEmpty)
        host.place = { $0.replacing("https://shop.example/", with: "https://shop-example.localhost:8443/") }
        // With the loopback server, a page of plain mode loads no package files.
        await invalidator.invalidateStaleFiles(for: session(2, .plain))
        #expect(engine.removedFiles.isEmpty)
        await invalidator.invalidateStaleFiles(for: page)
        #expect(engine.removedFiles == [["https://shop-example.localhost:8443/"]] && host.removedURLs == [[shop]])
        host.arePackagesInUse = false
        invalidator.packagesDidChange()
        await result()
        await result()
        #expect(host.removedURLs == [[shop], [shop]])
        await invalidator.shutDown()
    }
}
