// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import Foundation
import ResourceLoading
import Testing
import WebEngineTesting

/// The generations that pages pin until they close.
@MainActor
@Suite("Generations of a page", .timeLimit(.minutes(1)))
struct GenerationTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/index.html"

    @Test("A page keeps its version across updates until it closes, and then the old version is deleted")
    func pinning() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one", "old.js": "old"], version: "1", into: container)
        let page = try await container.open("https://shop.example/index.html")
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        try await fixture.install(["index.html": "three"], version: "3", into: container)
        // No page used the second version, so only the pinned version and the active version are stored.
        #expect(fixture.blobCount == 3)
        let old = try await fixture.answer(to: url, from: page.view, of: container)
        #expect(
            old.sink.body == Data("one".utf8) && old.record.provenance?.generation == page.session.generations.first)
        #expect(try await fixture.text("containerkit://shop.example/old.js", from: page.view, of: container) == "old")
        // A request without a page gets the active version.
        #expect(try await fixture.text(url, of: container) == "three")

        await container.close(page)
        try await fixture.install(["index.html": "four"], version: "4", into: container)
        #expect(fixture.blobCount == 1)
        #expect(try await fixture.text(url, of: container) == "four")
    }

    @Test("Closing a page removes unused versions only; files from a crash are removed in the background")
    func orphans() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let orphan = fixture.folder + "/store/blobs/ab/" + String(repeating: "c", count: 62)
        try FileManager.default.createDirectory(
            atPath: fixture.folder + "/store/blobs/ab", withIntermediateDirectories: true)
        try Data("left".utf8).write(to: URL(fileURLWithPath: orphan))
        await container.close(try await container.open("https://shop.example/"))
        try await container.hostEnteredBackground()
        #expect(!FileManager.default.fileExists(atPath: orphan) && fixture.blobCount == 1)
        try Data("left".utf8).write(to: URL(fileURLWithPath: orphan))
        await container.close(try await container.open("https://shop.example/"))
        await container.shutDown()
        #expect(FileManager.default.fileExists(atPath: orphan))
    }

    @Test("A page that is released without a close releases its version, too")
    func dropped() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        var page: Page<FakeView>? = try await container.open("https://shop.example/")
        let view = try #require(page?.view)
        let events = container.events
        let id = page?.session.id
        page = nil
        #expect(container.openPages.isEmpty)
        for await event in events {
            guard case .pageClosed(id) = event else { continue }
            break
        }
        // The view is reset automatically. If it is not, the time limit ends the test.
        while view.resets == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(fixture.blobCount == 1)
        let next = try await container.open("https://shop.example/")
        #expect(next.view === view && view.resets == 1 && view.loads.count == 1)
    }

    @Test("A package that moved to another URL still serves the page that has pinned it")
    func movedBase() async throws {
        let container = try await fixture.container()
        try await fixture.install(
            ["lib.js": "old"], id: "cdn", version: "1", base: "https://cdn.example/v1/", into: container)
        try await fixture.install(["index.html": "home"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        try await fixture.install(
            ["lib.js": "new"], id: "cdn", version: "2", base: "https://cdn.example/v2/", into: container)
        let old = "containerkit://cdn.example/v1/lib.js"
        #expect(try await fixture.text(old, from: page.view, of: container) == "old")
        #expect(try await fixture.answer(to: old, of: container).sink.error?.code == .invalidRequest)
    }

    @Test("A request without a page gets the active version; an inferred page is not used")
    func unsure() async throws {
        fixture.engine.traits.identifiesPage = false
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(try await fixture.text(url, from: page.view, of: container) == "two")
    }

    @Test("A page that is open when a package is first installed uses that version until the page closes")
    func firstWhileOpen() async throws {
        let container = try await fixture.container(covering: ["shop.example"])
        let page = try await container.open("https://shop.example/")
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(try await fixture.text(url, from: page.view, of: container) == "one")
        #expect(try await fixture.text(url, of: container) == "two")
        #expect(container.openPages.first?.generations.count == 1)
        await container.close(page)
        try await fixture.install(["index.html": "three"], version: "3", into: container)
        #expect(fixture.blobCount == 1)
    }

    @Test("A page that is not covered pins no version")
    func uncovered() async throws {
        let container = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://other.example/")
        #expect(page.session.generations.isEmpty)
        try await fixture.install(["index.html": "two"], version: "2", into: container)
        #expect(fixture.blobCount == 1)
        await container.close(page)
    }

    @Test("Packages are available when the folder is opened again")
    func reopening() async throws {
        var first: Container<FakeEngine>? = try await fixture.container()
        try await fixture.install(["index.html": "one"], version: "1", into: #require(first))
        await first?.shutDown()
        first = nil
        let second = try await fixture.container(on: FakeEngine())
        #expect(second.covers("https://shop.example/"))
    }
}
