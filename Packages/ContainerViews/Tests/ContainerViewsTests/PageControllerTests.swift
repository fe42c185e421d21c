// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerKit
import Foundation
import Observation
import Testing
import WebEngineTesting

@testable import ContainerViews

@MainActor
@Suite("Page controller", .timeLimit(.minutes(1)))
struct PageControllerTests {
    private let folder: TemporaryFolder
    private let engine = FakeEngine()
    private let container: Container<FakeEngine>
    private let url = "https://shop.example/"

    init() async throws {
        folder = try TemporaryFolder()
        var configuration = ContainerConfiguration(directory: folder.path + "/store")
        configuration.network.cookies.native = .none
        configuration.views.warmsUpWhenIdle = false
        configuration.pages.blankPages = nil
        container = try await Container(engine: engine, configuration: configuration)
    }

    private func name(_ phase: PagePhase) -> String {
        switch phase {
        case .closed: "closed"
        case .opening: "opening"
        case .arriving: "arriving"
        case .shown: "shown"
        case .failed(let error as any CodedError): "failed: \(error.codeName)"
        case .failed: "failed"
        }
    }

    @Test("A page passes through the phases of its load, and its title is read")
    func open() async throws {
        let controller = PageController(container)
        #expect(name(controller.phase) == "closed" && !controller.isLoading)
        await controller.open(url)
        #expect(name(controller.phase) == "opening" && controller.isLoading && controller.page != nil)
        let view = try #require(engine.views.last)
        view.evaluation = { "\"Shop \\u00e9\"" }
        view.onSignal?(.started(url: url))
        view.onSignal?(.committed(url: url))
        #expect(name(controller.phase) == "arriving" && controller.title.isEmpty)
        view.onSignal?(.finished(url: url))
        #expect(name(controller.phase) == "shown" && !controller.isLoading)
        try await until { controller.title == "Shop é" }
        await controller.close()
        #expect(name(controller.phase) == "closed" && controller.page == nil && controller.title.isEmpty)
        #expect(container.openPages.isEmpty)
    }

    @Test("A navigation of the page changes the phase")
    func navigation() async throws {
        let controller = PageController(container)
        await controller.open(url)
        let view = try #require(engine.views.last)
        await engine.load(view)
        #expect(name(controller.phase) == "shown")
        view.onSignal?(.started(url: url + "cart"))
        #expect(name(controller.phase) == "opening")
        view.onSignal?(.resource(EngineResource(url: url, status: 200, length: nil, failure: nil)))
        #expect(name(controller.phase) == "opening")
    }

    @Test("A failed load is retried with its options and its preparation")
    func retry() async throws {
        let controller = PageController(container)
        var prepared = 0
        await controller.open(url, options: PageOptions(userAgent: try .text("Special/1"))) { _ in prepared += 1 }
        let view = try #require(engine.views.last)
        view.onSignal?(.failed(url: url, error: EngineError(.loadFailed, "no network", at: url)))
        #expect(name(controller.phase) == "failed: load-failed")
        await controller.reload()
        #expect(name(controller.phase) == "opening" && prepared == 2)
        #expect(container.openPages.count == 1)
        #expect(try #require(controller.page).view.userAgent == .text("Special/1"))
    }

    @Test("A reload of a shown page reloads its document")
    func reload() async throws {
        let controller = PageController(container)
        await controller.open(url)
        let view = try #require(engine.views.last)
        await engine.load(view)
        await controller.reload()
        #expect(view.reloads == [url])
    }

    @Test("The end of the web process is a failure until the next load")
    func processEnd() async throws {
        let controller = PageController(container)
        await controller.open(url)
        let view = try #require(engine.views.last)
        await engine.load(view)
        view.crash()
        #expect(name(controller.phase) == "failed: process-ended")
        view.onSignal?(.started(url: url))
        #expect(name(controller.phase) == "opening")
    }

    @Test("A URL that cannot be opened is a failure without a page")
    func invalidURL() async {
        let controller = PageController(container)
        await controller.open("about:blank")
        #expect(name(controller.phase) == "failed: invalid-url" && controller.page == nil)
        await PageController(container).retry()
        #expect(engine.views.isEmpty)
    }

    @Test("A later call replaces an earlier one, and one page stays open")
    func replacement() async {
        let controller = PageController(container)
        async let first: Void = controller.open(url + "a")
        async let second: Void = controller.open(url + "b")
        _ = await (first, second)
        #expect(container.openPages.count == 1)
        #expect(container.openPages.map(\.id) == [controller.page?.session.id])
        await controller.open(url + "c")
        #expect(container.openPages.map(\.documentURL) == [url + "c"])
        #expect(name(controller.phase) == "opening")
    }

    @Test("A call of a cancelled task leaves no page")
    func cancellation() async {
        let controller = PageController(container)
        let task = Task { await controller.open(url) }
        task.cancel()
        await task.value
        #expect(name(controller.phase) == "closed" && controller.page == nil && container.openPages.isEmpty)
    }

    @Test("The page closes with its controller")
    func release() async throws {
        var controller: PageController? = PageController(container)
        await controller?.open(url)
        #expect(container.openPages.count == 1)
        controller = nil
        try await until { container.openPages.isEmpty }
        #expect(controller == nil)
    }

    @Test("A change of the page is observable")
    func observation() async {
        let controller = PageController(container)
        let changes = Mutex(0)
        withObservationTracking {
            _ = controller.page
        } onChange: {
            changes.withLock { $0 += 1 }
        }
        await controller.open(url)
        #expect(changes.withLock { $0 } == 1)
    }
}
