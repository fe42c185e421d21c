// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import HTTPTypes
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// Late signals, and loads of the host, while a page is about to be recovered.
@MainActor
@Suite("Blank pages: outdated events", .timeLimit(.minutes(1)))
struct BlankPageOvertakenTests {
    private let stage = BlankPageStage()
    private let place = "containerkit://a.example/"
    private let fallback = "containerkit://a.example/fallback"
    private let noWay = EngineError(.cannotConnect, "no way")

    private func open() async throws -> (Container<FakeEngine>, Page<FakeView>) {
        let container = try await stage.container(covering: ["a.example"]) { $0.remote = RemoteConfigOptions() }
        let page = try await container.open("https://a.example/")
        return (container, page)
    }

    private func fail(_ url: String, in view: FakeView) {
        view.onSignal?(.failed(url: url, error: noWay))
    }

    private func document(_ version: Int, _ more: String = "") throws -> RemoteConfigDocument {
        try RemoteConfigDocument(json: Data(#"{"format":1,"version":\#(version)\#(more)}"#.utf8))
    }

    @Test("The failure of a load that the host has replaced does not count for the new load")
    func staleFailure() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        view.onSignal?(.started(url: place))
        view.load(fallback)
        view.onSignal?(.resource(EngineResource(url: "https://b.example/", status: 200, length: nil, failure: nil)))
        fail(place, in: view)
        #expect(view.errorPages.isEmpty)
        view.onSignal?(.started(url: fallback))
        fail(fallback, in: view)
        #expect(view.errorPages.count == 1)
        await container.shutDown()
    }

    @Test("A load that fails before the engine has begun it counts as failed")
    func failureAtOnce() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        fail(place, in: view)
        #expect(view.errorPages.count == 1)
        await container.shutDown()
    }

    @Test(
        "A view that is invisible when its page opens, or while it shows the error page, is reloaded when visible")
    func sight() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        view.onSignal?(.started(url: place))
        fail(place, in: view)
        stage.load("about:blank", in: view)
        view.onSignal?(.visibilityChanged(isVisible: false))
        stage.load(fallback, in: view)
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.reloads.isEmpty)
        view.onSignal?(.visibilityChanged(isVisible: true))
        #expect(view.reloads == [fallback])
        // If no signal reported the visibility, the property of the view applies.
        stage.load(place, in: view)
        view.isVisible = false
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.reloads == [fallback])
        view.onSignal?(.visibilityChanged(isVisible: true))
        #expect(view.reloads == [fallback, place])
        await container.shutDown()
    }

    @Test("While the feature is off, the error page can be retried, and steps that were not performed do not count")
    func off() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        view.onSignal?(.started(url: place))
        fail(place, in: view)
        stage.load("about:blank", in: view)
        try await container.apply(document(1, #","features":{"whitePages":false}"#))
        Task { try await stage.say(#"{"retry":true}"#, in: view) }
        while view.reloads.isEmpty { await Task.yield() }
        for _ in 0..<5 {
            stage.load(place, in: view)
            view.onSignal?(.processEnded(reason: "killed"))
        }
        #expect(view.reloads == [place] && view.errorPages.count == 1)
        try await container.apply(document(2))
        stage.load(place, in: view)
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.reloads == [place, place])
        await container.shutDown()
    }

    @Test("An observer of the load receives the end of the process before a step is performed")
    func observers() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        page.load.observe { [fallback] in
            if case .processEnded = $0 { view.load(fallback) }
        }
        stage.load(place, in: view)
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.loads == [place, fallback] && view.reloads.isEmpty)
        await container.shutDown()
    }

    @Test("A form submission in progress is neither repeated nor requested by GET when its process ends")
    func posting() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        stage.load(place, in: view)
        view.posts = [fallback]
        view.onSignal?(.started(url: fallback))
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.loads == [place] && view.reloads.isEmpty && view.errorPages.count == 1)
        await container.shutDown()
    }

    @Test("A POST is recorded before its response, and remains recorded if a later navigation leads to no document")
    func postedRequest() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let place = "containerkit://a.example/endless"
        page.view.onSignal?(.started(url: place))
        let sink = stage.fixture.engine.send(place, .post, from: page.view, isMainDocument: true)
        page.view.onSignal?(.committed(url: place))
        page.view.onSignal?(.started(url: "containerkit://a.example/file"))
        let error = EngineError(.loadFailed, "a download")
        page.view.onSignal?(.failed(url: "containerkit://a.example/file", error: error))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.reloads.isEmpty && page.view.errorPages.count == 1)
        sink.drop()
    }

    @Test("A step of a page that an observer closes during the step is not performed")
    func closed() async throws {
        let container = try await stage.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let closing = AsyncStream.makeStream(of: Task<Void, Never>.self)
        container.hub.observe { event in
            if case .blankPage = event {
                // Closing begins in the same turn of the main actor.
                closing.continuation.yield(Task.immediate { await container.close(page) })
            }
        }
        stage.load(place, in: page.view)
        page.view.onSignal?(.processEnded(reason: "killed"))
        for await task in closing.stream {
            await task.value
            break
        }
        #expect(page.view.reloads.isEmpty && page.view.errorPages.isEmpty)
        await container.shutDown()
    }

    @Test("If a load of the host replaces the error page, the page can be recovered again later")
    func noErrorPage() async throws {
        let (container, page) = try await open()
        let view = page.view
        defer { withExtendedLifetime(page) {} }
        container.hub.observe { [fallback] event in
            if case .blankPage(_, let step) = event, step.kind == .showedErrorPage { view.load(fallback) }
        }
        view.onSignal?(.started(url: place))
        fail(place, in: view)
        #expect(view.errorPages.isEmpty && view.loads == [place, fallback])
        stage.clock.advance(by: .seconds(601))
        stage.load(fallback, in: view)
        view.onSignal?(.processEnded(reason: "killed"))
        #expect(view.reloads == [fallback])
        await container.shutDown()
    }
}
