// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ResourceLoading
import ResourceStore
import Testing
import WebEngine
import WebEngineTesting
import WebViewPool

/// Pages from open to close, and the end of the container.
@MainActor
@Suite("Pages", .timeLimit(.minutes(1)))
struct PageTests {
    private struct Refusal: Error {}
    private let fixture = Fixture()

    @Test("Pages open in warm views, and their identifiers count up")
    func warm() async throws {
        let container = try await fixture.container { $0.views.pool = PoolCapacity(fixed: 2) }
        try await container.warmUp()
        #expect(fixture.engine.views.count == 2)
        var pages: [Page<FakeView>] = []
        for number in 1...3 {
            pages.append(try await container.open("https://a.example/\(number)"))
            #expect(container.openPages.map(\.id.rawValue) == (1...UInt64(number)).map { $0 })
        }
        #expect(fixture.engine.views.count == 3 && Set(pages.map(\.view.id)).count == 3)
        for page in pages { await container.close(page) }
        #expect(container.openPages.isEmpty && fixture.engine.views.count { $0.isAlive } == 2)
        container.releaseMemory()
        #expect(fixture.engine.views.allSatisfy { !$0.isAlive })
    }

    @Test("Streams of events end after the shut-down, with the events that they hold")
    func endOfEvents() async throws {
        let container = try await fixture.container()
        let events = container.events
        let page = try await container.open("https://a.example/")
        await container.shutDown()
        var opened: [PageID] = []
        for await event in events {
            if case .pageOpened(let session) = event { opened.append(session.id) }
        }
        #expect(opened == [page.session.id])
    }

    @Test("Closing a page twice does not check in the view of the next page")
    func doubleClose() async throws {
        let container = try await fixture.container()
        let first = try await container.open("https://a.example/")
        await container.close(first)
        let second = try await container.open("https://a.example/2")
        #expect(second.view === first.view)
        await container.close(first)
        #expect(container.openPages.map(\.id) == [second.session.id])
        #expect(second.view.loads == ["https://a.example/2"] && second.view.resets == 1)
        let third = try await container.open("https://c.example/")
        #expect(third.view !== second.view)
    }

    @Test("A view is reused only for pages of the same site and mode, and not after a page of another site")
    func sites() async throws {
        let container = try await fixture.container(covering: ["m.a.example"]) {
            $0.views.pool = PoolCapacity(fixed: 4)
        }
        let first = try await container.open("https://a.example/")
        await container.close(first)
        // Another site, the same site in another mode, and the same site and mode.
        let other = try await container.open("https://b.example/")
        let covered = try await container.open("https://m.a.example/")
        let same = try await container.open("http://www.a.example/")
        #expect(other.view !== first.view && covered.view !== first.view && same.view === first.view)
        same.view.onSignal?(.committed(url: "about:blank"))
        same.view.onSignal?(.committed(url: "https://c.example/"))
        same.view.onSignal?(.committed(url: "https://a.example/back"))
        covered.view.onSignal?(.committed(url: "containerkit://www.a.example/"))
        for page in [other, covered, same] { await container.close(page) }
        #expect(!same.view.isAlive && covered.view.isAlive && other.view.isAlive)
        let pool = container.counters.pool
        #expect(pool.recycled == 3 && pool.discarded == 1 && pool.quarantined == 0)
    }

    @Test("A page whose preparation by the host fails is not opened")
    func refusedPreparation() async throws {
        let container = try await fixture.container(covering: ["a.example"])
        await #expect(throws: Refusal.self) { try await container.open("https://a.example/") { _ in throw Refusal() } }
        #expect(container.openPages.isEmpty)
        let view = try #require(fixture.engine.views.first)
        #expect(view.loads.isEmpty)
        // The view of the failed page is clean when the next page gets it.
        let page = try await container.open("https://a.example/")
        #expect(page.view === view && view.resets == 1)
    }

    @Test("The session follows the document, with its real URL, and signals of a closed page are ignored")
    func documents() async throws {
        let container = try await fixture.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let signal = try #require(page.view.onSignal)
        for (committed, real) in [
            ("containerkit://a.example/2?q", "https://a.example/2?q"),
            ("containerkit-http://a.example/", "http://a.example/"),
            ("https://b.example/", "https://b.example/"), ("about:blank", "about:blank"),
        ] {
            signal(.committed(url: committed))
            #expect(container.openPages.first?.documentURL == real)
        }
        #expect(page.session.documentURL == "https://a.example/")
        await container.close(page)
        signal(.committed(url: "containerkit://a.example/3"))
        #expect(container.openPages.isEmpty)
    }

    @Test("Events arrive in order, at every subscriber")
    func events() async throws {
        let container = try await fixture.container(covering: ["a.example"])
        let streams = [container.events, container.events]
        let page = try await container.open("https://a.example/")
        page.view.onSignal?(.finished(url: "containerkit://a.example/"))
        await container.close(page)
        for stream in streams {
            var received: [String] = []
            for await event in stream {
                switch event {
                case .pageOpened(let session): received.append("opened \(session.id)")
                case .page(let id, .finished): received.append("finished \(id)")
                case .pageClosed(let id): received.append("closed \(id)")
                default: received.append("other")
                }
                if received.count == 3 { break }
            }
            #expect(received == ["opened page-1", "finished page-1", "closed page-1"])
        }
    }

    @Test("When the container is released, its streams end, its schemes refuse requests, and its folder is unlocked")
    func end() async throws {
        var container: Container<FakeEngine>? = try await fixture.container(covering: ["a.example"])
        let events = try #require(container?.events)
        container = nil
        for await _ in events {}
        let sink = fixture.engine.send("containerkit://a.example/")
        while sink.error == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(sink.error?.code == .internal && fixture.network.urls.isEmpty)
        _ = try await fixture.container(on: FakeEngine())
    }

    @Test("A scheme that the engine reserves is an error, and the folder is unlocked")
    func takenScheme() async throws {
        fixture.engine.takenScheme = "containerkit-http"
        await #expect {
            try await fixture.container()
        } throws: {
            ($0 as? EngineError)?.code == .schemeTaken
        }
        _ = try await fixture.container(on: FakeEngine())
    }
}
