// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import OfflinePackage
import PackageFormat
import Testing

@testable import ContainerKit

/// Pages that stay white, as the facade cares for them.
@MainActor
@Suite("White pages in a container", .timeLimit(.minutes(1)))
struct WhitePageTests {
    private let fixture = Fixture()
    private let clock = ManualClock()
    private let url = "containerkit://shop.example/index.html"
    private static let white = """
        {"look":{"html":true,"hidden":false,"used":false,"painted":false,"empty":false,"scripts":true,
        "background":false,"errors":["Error: boot"],"failed":[]}}
        """

    private func container(covering hosts: [String] = []) async throws -> Container<FakeEngine> {
        try await fixture.container(covering: hosts) {
            var options = WhitePageOptions()
            options.clock = clock
            $0.whitePages = options
        }
    }

    /// Has a view load a document, as the engine tells of it.
    private func load(_ url: String, in view: FakeView) {
        view.onSignal?(.started(url: url))
        view.onSignal?(.committed(url: url))
        view.onSignal?(.finished(url: url))
    }

    /// Says something as the script in a view's document, and waits for what it is to do.
    private func say(_ text: String, in view: FakeView) async throws -> String {
        let handler = try #require(view.handlers[HealthScript.name])
        return try await handler(ScriptMessage(json: text, documentURL: url))
    }

    /// Lets the page's time pass until it is looked at, and says what the look shows.
    private func show(_ look: String, in view: FakeView) async throws {
        let asked = Task { try await say("{}", in: view) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(3))
        #expect(try await asked.value == "\"look\"")
        Task { try await say(look, in: view) }
    }

    private func nextStep(_ events: AsyncStream<ContainerEvent>) async throws -> WhitePageStep {
        for await case .whitePage(_, let step) in events { return step }
        throw CancellationError()
    }

    private static let picture = PageSnapshot(width: 2, height: 1, pixels: Data(repeating: 255, count: 8), png: Data())

    @Test("A version on trial that shows nothing is taken back, and its page gets the former one")
    func rollback() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let page = try await container.open("https://shop.example/index.html")
        page.view.picture = Self.picture
        let events = container.events()
        load(url, in: page.view)
        try await show(Self.white, in: page.view)
        let first = try await nextStep(events)
        #expect(first == WhitePageStep(kind: .reloaded, signal: .bootError, detail: "Error: boot", number: 1))
        #expect(try await fixture.text(url, from: page.view, of: container) == "two")
        load(url, in: page.view)
        try await show(Self.white, in: page.view)
        var reason: String?
        for await event in events {
            if case .package(.quarantined(_, _, let why)) = event { reason = why }
            if case .whitePage(_, let step) = event {
                #expect(step.kind == .reloadedWithoutPackage && step.number == 2)
                break
            }
        }
        #expect(page.view.reloads == [url, url])
        #expect(try await fixture.text(url, from: page.view, of: container) == "one")
        while reason == nil {
            for await case .package(.quarantined(_, _, let why)) in events {
                reason = why
                break
            }
        }
        #expect(reason == "bootError: Error: boot")
        #expect(container.installedPackages.map(\.version.description) == ["1"])
    }

    @Test("A version without a trial stays for others, and its page goes to the network")
    func withoutTrial() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events()
        for signal in ["crashed", "crashed again"] {
            load(url, in: page.view)
            page.view.onSignal?(.processEnded(reason: signal))
            #expect(try await nextStep(events).detail == signal)
        }
        let text = try await fixture.text(url, from: page.view, of: container)
        #expect(text == "network https://shop.example/index.html")
        let other = try await container.open("https://shop.example/index.html")
        #expect(try await fixture.text(url, from: other.view, of: container) == "one")
    }

    @Test("The error page stands for a document that could not be had, and nobody is told that it has loaded")
    func errorPage() async throws {
        let container = try await container(covering: ["a.example"])
        let page = try await container.open("https://a.example/?q=%22%3E<script>'&")
        let place = try #require(page.view.loads.last)
        page.view.onSignal?(.started(url: place))
        page.view.onSignal?(.failed(url: place, error: EngineError(.cannotConnect, "no way")))
        let html = try #require(page.view.errorPages.first)
        #expect(page.view.errorPages.count == 1 && !html.contains("<script") && html.contains("default-src 'none'"))
        #expect(html.contains(ErrorPage.escaped(place)))
        load("about:blank", in: page.view)
        guard case .failed(let error) = page.load.state else { throw CancellationError() }
        #expect(error.code == .cannotConnect)
        #expect(container.openPages.map(\.documentURL) == [page.session.documentURL])
        // What follows is told again.
        page.view.onSignal?(.started(url: place))
        guard case .waiting = page.load.state else { throw CancellationError() }
    }

    @Test("A page that is not intercepted has no script, and is shown again when its process ends")
    func plain() async throws {
        let container = try await container()
        let page = try await container.open("https://a.example/")
        #expect(page.view.handlers.isEmpty && page.view.scripts.isEmpty)
        load("https://a.example/", in: page.view)
        #expect(clock.sleeperCount == 0)
        page.view.onSignal?(.failed(url: "https://a.example/2", error: EngineError(.cannotConnect, "no way")))
        #expect(page.view.errorPages.isEmpty)
        page.view.onSignal?(.processEnded(reason: "crashed"))
        #expect(page.view.reloads == ["https://a.example/"])
    }

    @Test("Nothing is done where the host wants nothing, and nothing more once it says that a page is well")
    func hosts() async throws {
        let off = try await fixture.container(covering: ["a.example"]) { $0.whitePages = nil }
        let first = try await off.open("https://a.example/")
        first.view.onSignal?(.processEnded(reason: "crashed"))
        #expect(first.view.reloads.isEmpty && first.view.handlers.isEmpty)
        await off.shutDown()
        let fixture = Fixture()
        let clock = ManualClock()
        let container = try await fixture.container(covering: ["a.example"]) {
            var options = WhitePageOptions()
            options.clock = clock
            $0.whitePages = options
        }
        let page = try await container.open("https://a.example/")
        load("containerkit://a.example/", in: page.view)
        await clock.sleepers(atLeast: 1)
        container.report(.healthy, of: page)
        while clock.sleeperCount != 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("What the error page says is escaped")
    func escaping() {
        var text = ErrorPageText()
        (text.language, text.title, text.message, text.retry) = ("\"><a>", "<b>", "&", "'")
        let html = ErrorPage(text, for: "https://a/?\"'<>&").html
        #expect(html.contains("lang=\"&quot;&gt;&lt;a&gt;\"") && html.contains("<title>&lt;b&gt;</title>"))
        #expect(html.contains("<p>&amp;</p>") && html.contains(">&#39;</a>"))
        #expect(html.contains("href=\"https://a/?&quot;&#39;&lt;&gt;&amp;\""))
    }
}
