// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import PackagePublisher
import ResourceLoading
import ResourceStore
import SchemeRouter
import Synchronization
import Testing

@testable import ContainerKit

/// What pages hold while they are open, and what is left of them after.
@MainActor
@Suite("Page life", .timeLimit(.minutes(1)))
final class PageLifeTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    private let engine = FakeEngine()
    private let network = FakeNetwork()
    private let url = "https://shop.example/index.html"

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    private func container() async throws -> Container<FakeEngine> {
        var configuration = Container<FakeEngine>.Configuration(directory: folder + "/store", transport: network)
        configuration.coveredHosts = ["api.example"].compactMap { HostPattern($0) }
        return try await Container(engine: engine, configuration: configuration)
    }

    private func install(_ version: String, into container: Container<FakeEngine>) async throws {
        let site = "\(folder)/site-\(version)"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try Data("version \(version)".utf8).write(to: URL(fileURLWithPath: site + "/index.html"))
        let package = try PackageBuilder().build(
            site, id: PackageID("shop"), version: PackageVersion(version),
            baseURL: PackageBaseURL("https://shop.example/"), output: folder + "/packages")
        try await container.install(archive: package.archive, manifest: package.manifest)
    }

    private func closed(_ events: AsyncStream<ContainerEvent>) async -> PageID? {
        for await case .pageClosed(let id) in events { return id }
        return nil
    }

    @Test("A generation stays on disk for as long as a page is open on it, whichever way the page ends")
    func pins() async throws {
        let container = try await container()
        try await install("1", into: container)
        let closing = try await container.open(url)
        var dropped: Page<FakeView>? = try await container.open(url)
        let old = try #require(closing.session.generations.first)
        #expect(dropped?.session.generations == [old])
        try await install("2", into: container)
        #expect(try await container.library.sweep().generations == [])

        await container.close(closing)
        await container.close(closing)
        #expect(try await container.library.sweep().generations == [])

        let events = container.events()
        let id = dropped?.session.id
        dropped = nil
        #expect(await closed(events) == id)
        #expect(try await container.library.sweep().generations == [old.number])
    }

    @Test("A page that nothing covers pins nothing")
    func plainPagesPinNothing() async throws {
        let container = try await container()
        try await install("1", into: container)
        let page = try await container.open("https://other.example/")
        #expect(page.session.generations.isEmpty)
        try await install("2", into: container)
        #expect(try await container.library.sweep().generations.count == 1)
        await container.close(page)
    }

    @Test("Closing a page twice does not take the view from the page that has it by then")
    func secondClose() async throws {
        let container = try await container()
        let first = try await container.open("https://api.example/1")
        await container.close(first)
        let second = try await container.open("https://api.example/2")
        try #require(first.view === second.view)
        await container.close(first)
        #expect(second.view.loads == ["containerkit://api.example/2"])
        let third = try await container.open("https://api.example/3")
        #expect(third.view !== second.view)
        #expect(container.openPages.map(\.id) == [second.session.id, third.session.id])
    }

    @Test("A page that its host cannot prepare leaves no session behind and loads nothing")
    func failingPreparation() async throws {
        let container = try await container()
        let events = container.events()
        await #expect(throws: EngineError.self) {
            _ = try await container.open("https://api.example/") { _ in throw EngineError(.script, "no") }
        }
        #expect(await closed(events) != nil)
        #expect(container.openPages.isEmpty && engine.views.map(\.loads) == [[]])
    }

    @Test("The events end with the container, and a request after that fails typed")
    func end() async throws {
        var container: Container<FakeEngine>? = try await container()
        let events = try #require(container).events()
        container = nil
        for await _ in events { Issue.record("nothing has happened") }
        let task = engine.send("containerkit://api.example/")
        while task.sink.error == nil { await Task.yield() }
        #expect(task.sink.error?.code == .internal)
        #expect(network.requests.withLock { $0.isEmpty })
    }

    @Test("What is installed is there again in the next container on the same folder")
    func reopening() async throws {
        var container: Container<FakeEngine>? = try await container()
        try await install("1", into: try #require(container))
        container = nil
        let next = try await self.container()
        let page = try await next.open(url)
        #expect(page.session.mode == .customScheme && page.session.generations.count == 1)
    }

    @Test("A page stays out of the container where the mode is plain")
    func plainMode() async throws {
        var configuration = Container<FakeEngine>.Configuration(directory: folder + "/store", transport: network)
        configuration.mode = .plain
        configuration.coveredHosts = ["api.example"].compactMap { HostPattern($0) }
        let container = try await Container(engine: engine, configuration: configuration)
        let page = try await container.open("https://api.example/")
        #expect(!container.covers("https://api.example/"))
        #expect(page.view.loads == ["https://api.example/"] && page.session.generations.isEmpty)
    }
}
