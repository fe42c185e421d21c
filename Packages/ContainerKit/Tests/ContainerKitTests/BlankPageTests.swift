// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import OfflinePackage
import PackageFormat
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageRecovery

/// The recovery of blank pages by the facade.
@MainActor
@Suite("Blank pages in a container", .timeLimit(.minutes(1)))
struct BlankPageTests {
    private let stage = BlankPageStage()
    private var fixture: Fixture { stage.fixture }
    private var clock: ManualClock { stage.clock }
    private var url: String { stage.url }

    private func container(covering hosts: [String] = []) async throws -> Container<FakeEngine> {
        try await stage.container(covering: hosts)
    }

    private func load(_ url: String, in view: FakeView) { stage.load(url, in: view) }

    private func nextStep(_ events: AsyncStream<ContainerEvent>) async throws -> BlankPageStep {
        try await stage.nextStep(events)
    }

    @Test("A blank version on trial is rolled back, and its page gets the former version")
    func rollback() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        load(url, in: page.view)
        try await stage.show(BlankPageStage.look(), in: page.view)
        let first = try await nextStep(events)
        #expect(first.kind == .reloaded && first.signal == .bootError && first.number == 1)
        #expect(first.detail == "Error: boot" && first.source == url)
        #expect(try await fixture.text(url, from: page.view, of: container) == "two")
        load(url, in: page.view)
        try await stage.show(BlankPageStage.look(), in: page.view)
        var reason: String?
        for await event in events {
            if case .package(.quarantined(_, _, let why)) = event { reason = why }
            if case .blankPage(_, let step) = event {
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

    @Test("A blank version without a trial remains installed, and its page uses the network")
    func withoutTrial() async throws {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        let page = try await container.open("https://shop.example/index.html")
        let events = container.events
        for signal in ["crashed", "crashed again"] {
            load(url, in: page.view)
            try await stage.speak(in: page.view)
            page.view.onSignal?(.processEnded(reason: signal))
            #expect(try await nextStep(events).detail == signal)
        }
        let text = try await fixture.text(url, from: page.view, of: container)
        #expect(text == "network https://shop.example/index.html")
        let other = try await container.open("https://shop.example/index.html")
        #expect(try await fixture.text(url, from: other.view, of: container) == "one")
    }

    @Test("The error page replaces a document that could not be loaded, and does not count as loaded")
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
        // Later signals are forwarded again.
        page.view.onSignal?(.started(url: place))
        guard case .waiting = page.load.state else { throw CancellationError() }
    }

    @Test("A page that is not intercepted has no script, and is reloaded when its process ends")
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

    @Test("No step is performed if the host disables recovery, or after it reports the page as healthy")
    func hosts() async throws {
        let off = try await fixture.container(covering: ["a.example"]) { $0.pages.blankPages = nil }
        let first = try await off.open("https://a.example/")
        first.view.onSignal?(.processEnded(reason: "crashed"))
        #expect(first.view.reloads.isEmpty && first.view.handlers.isEmpty)
        await off.shutDown()
        let fixture = Fixture()
        let clock = ManualClock()
        let container = try await fixture.container(covering: ["a.example"]) {
            var options = BlankPageOptions()
            options.clock = clock
            $0.pages.blankPages = options
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

    @Test("Intercepted pages are monitored by default, for signals that a healthy page does not cause")
    func standard() async throws {
        let options = BlankPageOptions()
        let container = try await fixture.container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        #expect(page.view.handlers[HealthScript.name] != nil)
        let plain = try await container.open("https://b.example/")
        #expect(plain.view.handlers.isEmpty)
        #expect(options.signals.isDisjoint(with: [.unresponsive, .noFirstPaint, .uniformPicture]))
        #expect(options.signals.count == 5)
    }

    /// Opens a page on version 2, which is on trial. The page has been reloaded once.
    private func troubled() async throws -> (Container<FakeEngine>, Page<FakeView>) {
        let container = try await container()
        try await fixture.install(["index.html": "one"], version: "1", into: container)
        try await container.update(from: fixture.publish(["index.html": "two"], version: "2"))
        let page = try await container.open("https://shop.example/index.html")
        load(url, in: page.view)
        try await stage.speak(in: page.view)
        page.view.onSignal?(.processEnded(reason: "crashed"))
        load(url, in: page.view)
        try await stage.speak(in: page.view)
        return (container, page)
    }

    @Test("A page that navigates while its package is about to be unpinned keeps the package, and no step is performed")
    func movedOn() async throws {
        let (container, page) = try await troubled()
        let generations = container.openPages.map(\.generations)
        page.view.onSignal?(.processEnded(reason: "crashed"))
        let next = "containerkit://shop.example/next.html"
        page.view.onSignal?(.started(url: next))
        page.view.onSignal?(.committed(url: next))
        await container.shutDown()
        #expect(page.view.reloads == [url] && container.openPages.map(\.generations) == generations)
        #expect(container.installedPackages.map(\.version.description) == ["2"])
    }

    @Test("A process that ends while the app is absent is replaced on the app's return, even without the folder")
    func away() async throws {
        let container = try await container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let place = "containerkit://a.example/"
        load(place, in: page.view)
        try await container.hostEnteredBackground()
        page.view.onSignal?(.processEnded(reason: "crashed"))
        #expect(page.view.reloads.isEmpty)
        container.hostEnteredForeground()
        #expect(page.view.reloads == [place])
        let other = try await container.open("https://a.example/")
        load(place, in: other.view)
        try await container.hostWillSuspend()
        other.view.onSignal?(.processEnded(reason: "crashed"))
        let holder = try await fixture.container()
        await #expect(throws: (any Error).self) { try await container.hostResumed() }
        #expect(other.view.reloads == [place])
        await holder.shutDown()
    }

    @Test("By default, a page whose process ended silently during a suspension is reloaded", arguments: [true, false])
    func silentEnd(isByProxy: Bool) async throws {
        let container = try await fixture.container(covering: ["a.example"]) {
            $0.pages.mode = isByProxy ? .loopbackProxy : .customScheme
        }
        let page = try await container.open("https://a.example/")
        let place = isByProxy ? "https://a.example/" : "containerkit://a.example/"
        load(place, in: page.view)
        page.view.evaluation = { throw EngineError(.processEnded, "no process") }
        let events = container.events
        try await container.hostWillSuspend()
        try await container.hostResumed()
        let step = try await nextStep(events)
        #expect(step.kind == .reloaded && step.signal == .processEnded && page.view.reloads == [place])
        await container.shutDown()
    }

    @Test("Closed views are not recovered, nor are any views after the container's shutdown")
    func closed() async throws {
        let container = try await container(covering: ["a.example"])
        let page = try await container.open("https://a.example/")
        let left = try await container.open("https://a.example/")
        for view in [page.view, left.view] { load("containerkit://a.example/", in: view) }
        var steps: [BlankPageStep] = []
        container.hub.observe { if case .blankPage(_, let step) = $0 { steps.append(step) } }
        let receive = page.view.onSignal
        page.view.discard()
        receive?(.processEnded(reason: "the window was closed"))
        await container.shutDown()
        left.view.onSignal?(.processEnded(reason: "crashed"))
        #expect(steps.isEmpty && page.view.reloads.isEmpty && left.view.reloads.isEmpty)
    }

    @Test("An unresponsive process is ended, and its end leads to a step")
    func hanging() async throws {
        let fixture = Fixture()
        var options = BlankPageOptions()
        (options.grace, options.silence, options.clock) = (.zero, .zero, clock)
        options.examinationLimit = .zero
        options.signals.insert(.unresponsive)
        let container = try await fixture.container(covering: ["a.example"]) { $0.pages.blankPages = options }
        let page = try await container.open("https://a.example/")
        let events = container.events
        let place = "containerkit://a.example/"
        page.view.onSignal?(.started(url: place))
        page.view.onSignal?(.committed(url: place))
        // The second message ends the wait of the first, whose reply is `null`.
        let words = (0..<2).map { _ in Task { try await stage.say("{}", in: page.view) } }
        #expect(try await words[0].value == "null")
        page.view.onSignal?(.finished(url: place))
        while page.view.processEnds == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
        page.view.onSignal?(.processEnded(reason: "the web process was ended"))
        #expect(try await nextStep(events).signal == .unresponsive && page.view.reloads.count == 1)
    }

    @Test("However many events a page has, there is one task for each wait")
    func timers() async throws {
        let counting = CountingClock(base: clock)
        let container = try await fixture.container(covering: ["a.example"]) {
            var options = BlankPageOptions()
            options.clock = counting
            $0.pages.blankPages = options
        }
        let page = try await container.open("https://a.example/")
        load("containerkit://a.example/", in: page.view)
        await clock.sleepers(atLeast: 1)
        let before = counting.sleeps.withLock { $0 }
        for _ in 0..<100 {
            clock.advance(by: .milliseconds(1))
            page.view.onSignal?(
                .resource(EngineResource(url: "https://cdn.example/x", status: 200, length: 1, failure: nil)))
            await Task.yield()
        }
        await clock.sleepers(atLeast: 1)
        #expect(counting.sleeps.withLock { $0 } == before)
    }
}

/// A clock that counts the calls of `sleep`.
private final class CountingClock: Clock, Sendable {
    let base: ManualClock
    let sleeps = Mutex(0)

    init(base: ManualClock) {
        self.base = base
    }

    var now: ManualClock.Instant { base.now }
    var minimumResolution: Duration { base.minimumResolution }

    func sleep(until deadline: ManualClock.Instant, tolerance: Duration?) async throws {
        sleeps.withLock { $0 += 1 }
        try await base.sleep(until: deadline, tolerance: tolerance)
    }
}
