// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerTesting
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import PageRecovery

/// Pages that the host recovers itself, or that wait for the host.
@MainActor
@Suite("Blank pages: actions of the host", .timeLimit(.minutes(1)))
struct BlankPageHostTests {
    private let stage = BlankPageStage()
    private let place = "containerkit://a.example/"
    private let fallback = "containerkit://a.example/fallback"

    private func open() async throws -> (Container<FakeEngine>, Page<FakeView>) {
        let container = try await stage.container(covering: ["a.example"])
        return (container, try await container.open("https://a.example/"))
    }

    @Test("A load that the host starts on the end of a process or a failed load replaces the recovery step")
    func atOnce() async throws {
        for isEnd in [true, false] {
            let (container, page) = try await open()
            var steps = 0
            container.hub.observe { [fallback, view = page.view] event in
                switch event {
                case .page(_, .processEnded), .page(_, .failed): view.load(fallback)
                case .blankPage: steps += 1
                default: break
                }
            }
            if isEnd {
                stage.load(place, in: page.view)
                page.view.onSignal?(.processEnded(reason: "killed"))
            } else {
                page.view.onSignal?(.started(url: place))
                page.view.onSignal?(.failed(url: place, error: EngineError(.cannotConnect, "no way")))
            }
            #expect(steps == 0 && page.view.loads == [place, fallback])
            #expect(page.view.reloads.isEmpty && page.view.errorPages.isEmpty)
            // The new document is recovered like any other document.
            page.view.onSignal?(.started(url: fallback))
            page.view.onSignal?(.committed(url: fallback))
            page.view.onSignal?(.finished(url: fallback))
            await container.shutDown()
        }
    }

    @Test("A load that the host starts when a document commits or finishes is repeated when the process ends")
    func atDocument() async throws {
        for isFinish in [true, false] {
            let (container, page) = try await open()
            container.hub.observe { [fallback, view = page.view] event in
                switch event {
                case .page(_, .finished) where isFinish, .page(_, .committed) where !isFinish:
                    if !view.loads.contains(fallback) { view.load(fallback) }
                default: break
                }
            }
            page.view.onSignal?(.started(url: place))
            page.view.onSignal?(.committed(url: place))
            // Engines do not report the end of a load that was replaced.
            if isFinish { page.view.onSignal?(.finished(url: place)) }
            page.view.onSignal?(.processEnded(reason: "killed"))
            #expect(page.view.loads.suffix(2) == [fallback, fallback] && page.view.reloads.isEmpty)
            await container.shutDown()
        }
    }

    @Test("A load that the host started before its process ended is repeated")
    func lost() async throws {
        let (container, page) = try await open()
        stage.load(place, in: page.view)
        page.view.load(fallback)
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.loads == [place, fallback, fallback] && page.view.reloads.isEmpty)
        await container.shutDown()
    }

    @Test("A load by the host while the app is absent or a package is about to be unpinned cancels the pending step")
    func later() async throws {
        let (container, page) = try await open()
        stage.load(place, in: page.view)
        try await container.hostEnteredBackground()
        page.view.onSignal?(.processEnded(reason: "killed"))
        page.view.load(fallback)
        container.hostEnteredForeground()
        #expect(page.view.reloads.isEmpty && page.view.loads == [place, fallback])
        stage.load(place, in: page.view)
        try await stage.speak(in: page.view)
        page.view.onSignal?(.processEnded(reason: "killed"))
        stage.load(place, in: page.view)
        try await stage.speak(in: page.view)
        page.view.onSignal?(.processEnded(reason: "killed again"))
        page.view.load(fallback)
        await container.shutDown()
        #expect(page.view.reloads == [place] && page.view.errorPages.isEmpty)
    }

    @Test("A page that waits for a decision of the host is not recovered because of its appearance")
    func owing() async throws {
        let (container, page) = try await open()
        stage.load(place, in: page.view)
        page.view.pendingHandlers = ["login", HealthScript.name]
        for _ in 0..<3 {
            await stage.clock.sleepers(atLeast: 1)
            stage.clock.advance(by: .seconds(3))
        }
        page.view.pendingHandlers = [HealthScript.name, "containerkit-interface"]
        try await stage.show(BlankPageStage.look(), in: page.view)
        #expect(page.view.reloads.isEmpty)
        await container.shutDown()
    }

    @Test("A plain page whose load fails shows the error page, at first and after a reload")
    func plain() async throws {
        let container = try await stage.container()
        for crashes in [false, true] {
            let page = try await container.open("https://b.example/")
            let before = page.view.errorPages.count
            let url = "https://b.example/"
            if crashes {
                stage.load(url, in: page.view)
                page.view.onSignal?(.processEnded(reason: "killed"))
                #expect(page.view.reloads == [url])
            }
            page.view.onSignal?(.started(url: url))
            page.view.onSignal?(.failed(url: url, error: EngineError(.badAnswer, "too many redirects")))
            #expect(page.view.errorPages.count == before + 1)
        }
        await container.shutDown()
    }

    @Test("A plain page that was posted is not requested again when its process ends")
    func posted() async throws {
        let container = try await stage.container()
        let page = try await container.open("https://b.example/")
        page.view.isPosted = true
        stage.load("https://b.example/", in: page.view)
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.reloads.isEmpty && page.view.errorPages.count == 1)
        await container.shutDown()
    }

    @Test("A page opens although the engine refuses the message handler, and is reloaded when its process ends")
    func withoutScript() async throws {
        let container = try await stage.container(covering: ["a.example"])
        stage.fixture.engine.refusedHandlers = [HealthScript.name]
        let other = try await container.open("https://a.example/")
        #expect(other.view.handlers.isEmpty)
        stage.load(place, in: other.view)
        other.view.onSignal?(.processEnded(reason: "killed"))
        #expect(other.view.reloads == [place])
        await container.shutDown()
    }
}
