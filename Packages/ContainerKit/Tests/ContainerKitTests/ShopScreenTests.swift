// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ContainerKit
import ContainerTesting
import Foundation
import Testing
import WebEngineTesting

@MainActor
@Suite("Shop screen", .timeLimit(.minutes(1)))
struct ShopScreenTests {
    private let engine = FakeEngine()
    private let clock = ManualClock()

    /// Runs a test with a screen over a real server with faults, and ends both.
    private func withScreen(
        faults: String = "", _ body: (ShopScreen<FakeEngine>, OriginServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shop-\(UUID().uuidString)")
        try write("<title>Shop</title>", to: folder.appendingPathComponent("site/index.html"))
        try write("7", to: folder.appendingPathComponent("site/api/stock"))
        var site = OriginServer.Configuration(folder: folder.path + "/site")
        site.faults = faults.isEmpty ? [] : try Fault.parse(faults)
        let origin = try await OriginServer.start(site)
        var configuration = ContainerConfiguration(directory: folder.path + "/container")
        configuration.network.cookies.native = .none
        configuration.network.coveredHosts = [try #require(HostPattern("127.0.0.1"))]
        // The test decides when views are created.
        configuration.views.warmsUpWhenIdle = false
        let container = try await Container(engine: engine, configuration: configuration)
        try await body(ShopScreen(container, clock: clock), origin)
        await container.shutDown()
        await origin.stop()
        try FileManager.default.removeItem(at: folder)
    }

    private func write(_ text: String, to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Opens the shop, and makes the engine load the URL of its view.
    private func open(_ screen: ShopScreen<FakeEngine>, _ origin: OriginServer) async throws -> FakeView {
        let opening = Task { await screen.open("\(origin.url)/") }
        // The screen has begun to wait for the page.
        await clock.sleepers(atLeast: 1)
        let view = try #require(engine.views.last)
        await engine.load(view)
        await opening.value
        return view
    }

    @Test("The screen shows the page, whose requests the container serves")
    func shown() async throws {
        try await withScreen { screen, origin in
            let view = try await open(screen, origin)
            #expect(screen.state == .shown)
            let stock = await engine.request("\(view.loads[0])api/stock", from: view)
            #expect(stock.status == 200 && stock.text == "7")
            #expect(origin.requests.map(\.path) == ["/", "/api/stock"])
        }
    }

    @Test("A lost connection is shown to the user")
    func broken() async throws {
        try await withScreen(faults: "reset:/") { screen, origin in
            _ = try await open(screen, origin)
            #expect(screen.state == .failed("The shop is closed."))
        }
    }

    @Test("A page that does not load is cancelled after ten seconds")
    func slow() async throws {
        try await withScreen { screen, origin in
            let opening = Task { await screen.open("\(origin.url)/") }
            await clock.sleepers(atLeast: 1)
            #expect(screen.state == .loading)
            clock.advance(by: .seconds(10))
            await opening.value
            #expect(screen.state == .failed("The shop takes too long."))
        }
    }

    @Test("Only a phone number that the user has tapped is called")
    func calls() async throws {
        try await withScreen { screen, origin in
            let view = try await open(screen, origin)
            for isTouched in [true, false] {
                let answer = await view.requestDecision(.otherScheme(url: "tel:+4930123", isUserGesture: isTouched))
                #expect(answer == .no, "the page does not navigate")
            }
            #expect(screen.calls == ["+4930123"])
        }
    }

    @Test("A closed screen releases its view and cancels pending work")
    func closed() async throws {
        try await withScreen(faults: "stall:/api/*") { screen, origin in
            let view = try await open(screen, origin)
            let request = engine.send("\(view.loads[0])api/stock", from: view)
            await screen.close()
            await request.end()
            #expect(request.status == nil && screen.state == .closed)
        }
    }
}
