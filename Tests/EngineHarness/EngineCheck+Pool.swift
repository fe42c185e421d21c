// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import Foundation
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebViewPool

// Views that are checked out, filled with state, and checked out again.
extension EngineCheck {
    private var poolEngine: WebKitGTKEngine.Configuration {
        var configuration = WebKitGTKEngine.Configuration()
        // Pages play sound only in a visible window.
        configuration.showsWindows = true
        configuration.usesHardwareAcceleration = false
        return configuration
    }

    /// Checks for many cycles that a page finds no state of the previous page in its view. A visible third page of the
    /// same origin keeps its state.
    /// - Parameter arguments: The mode, the folder of the pages, and the number of cycles. A cycle is a check-out and
    ///   a return of a view. With 400 cycles or more, memory is also checked.
    @MainActor
    func checkPool(_ arguments: ArraySlice<String>, in folder: String) async throws {
        let arguments = Array(arguments)
        guard arguments.count == 3, let mode = InterceptionMode(rawValue: arguments[0]), let cycles = Int(arguments[2])
        else { throw CheckFailure(description: "specify a mode, the folder of the pages, and a number of cycles") }
        let site = try await PoolSite(WebKitGTKEngine(poolEngine), mode, files: arguments[1], in: folder)
        let expected = try await site.expectation()
        let screen = try await site.look(as: expected).page
        _ = try await screen.view.evaluate("sessionStorage.own = 'screen'", in: .page)
        var memory: [MemorySample] = []
        for cycle in stride(from: 2, through: cycles, by: 2) {
            await site.container.close(try await site.leave())
            let pool = site.container.counters.pool
            try expect(pool.quarantined == 0, "cycle \(cycle): \(pool.ended)")
            let (page, inspection) = try await site.look(as: expected)
            try expect(
                site.container.counters.pool.warmCheckOuts == pool.warmCheckOuts + 1, "cycle \(cycle): a cold view")
            try expect(inspection.found.isEmpty, "cycle \(cycle), left in the view: \(inspection.found)")
            try expect(
                inspection.lost.isEmpty || cycle == 2 && mode == .plain, "cycle \(cycle), lost: \(inspection.lost)")
            await site.container.close(page)
            let own = try await screen.view.evaluate("return [sessionStorage.own, sessionStorage.length]", in: .page)
            try expect(own == #"["screen",1]"#, "cycle \(cycle), on screen: \(own)")
            // The check needs many samples, because uncollected garbage varies the memory of a process by a tenth.
            if cycle % 10 == 0 { memory.append(try familyMemory()) }
        }
        let counters = site.container.counters.pool
        try expect(counters.recycled + counters.reuseLimit == cycles / 2 * 2 + 1, "\(counters)")
        print("\(cycles) cycles: \(counters.created) views made, \(counters.recycled) recycled, \(counters.ended)")
        await site.container.close(screen)
        await site.container.shutDown()
        if cycles >= 400 { try expectLevel(memory) }
    }

    /// Checks that residual state is found in a view that is reused without cleaning, and in another view while the
    /// first page is alive. The used view must report that it is not clean.
    /// - Parameter arguments: The folder of the pages.
    @MainActor
    func checkPoolFinds(_ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let files = arguments.first else { throw CheckFailure(description: "specify the folder of the pages") }
        let engine = try WebKitGTKEngine(poolEngine)
        let site = try await PoolSite(engine, .loopbackProxy, files: files, in: folder)
        let expected = try await site.expectation()
        let used = try engine.makeView()
        try PoolSite.prepareToLeave(used)
        try await load(PoolSite.leaving, in: used)
        _ = try await used.evaluate("return await left", in: .page)
        try used.setUserAgent(.appending("left/1"))
        try Windows.zoomAndMute()
        let residual = try await used.residualState()
        let all: Set<ResidualState> = [
            .history, .document, .storage, .scripts, .handlers, .delegates, .zoom, .userAgent, .media,
        ]
        try expect(residual == all, "residual state of a used view: \(residual)")

        let beside = try engine.makeView()
        // While the other page is alive, its database is open, and access to the database would block. The inspection
        // therefore skips the database.
        try PoolSite.prepareToLook(beside, "Object.assign({ leavesDatabase: true }, \(expected))")
        try await load(PoolSite.looking, in: beside)
        let living = try await PoolSite.inspection(in: beside)
        try expect(
            Set(living.found).isSuperset(of: ["timer", "locks", "channel", "worker"])
                && !living.found.contains("sessionStorage"), "beside: \(living.found)")

        _ = try await used.evaluate("onbeforeunload = null", in: .page)
        try await load("about:blank", in: used)
        try PoolSite.prepareToLook(used, expected)
        try await load(PoolSite.looking, in: used)
        let again = try await PoolSite.inspection(in: used)
        try expect(
            Set(again.found).isSuperset(of: ["history", "sessionStorage", "frameStorage", "scripts", "handlers"]),
            "again: \(again.found)")

        let clean = try await used.reset()
        try expect(clean.id != used.id && clean.isAlive && !used.isAlive, "the same view")
        try expect(try await clean.residualState().isEmpty, "a view that was reset is not clean")
        // The page's own inspection is also clean; it is compared with values of the used view.
        try PoolSite.prepareToLook(clean, expected)
        try await load(PoolSite.looking, in: clean)
        let fresh = try await PoolSite.inspection(in: clean)
        try expect(
            Set(fresh.found).isDisjoint(with: ["scale", "userAgent", "history", "sessionStorage", "scripts"]),
            "after the reset: \(fresh.found)")
        try await expectError(.processEnded, "a returned view") { _ = try await used.residualState() }
        await site.container.shutDown()
    }

    @MainActor
    private func load(_ url: String, in view: WebKitGTKView) async throws {
        let load = ViewLoad(of: view)
        view.load(url)
        try await load.finished(within: .seconds(20))
    }

    /// Checks that a view is quarantined if its process is killed or hangs during the reset. The process ends, and
    /// the other pages are not affected.
    /// - Parameter arguments: The folder of the pages.
    @MainActor
    func checkPoolProcesses(_ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let files = arguments.first else { throw CheckFailure(description: "specify the folder of the pages") }
        let site = try await PoolSite(WebKitGTKEngine(poolEngine), .loopbackProxy, files: files, in: folder)
        let screen = try await site.look(as: "{}").page
        let others = Set(try childProcesses(named: "WebKitWebProces"))

        let killed = try await site.leave()
        let process = try onlyProcess(besides: others)
        // The process is stopped, so that the reset is certainly in progress.
        kill(process, SIGSTOP)
        let closing = Task { await site.container.close(killed) }
        while site.container.openPages.count > 1 { await Task.yield() }
        kill(process, SIGKILL)
        await closing.value
        try expect(site.container.counters.pool.ended == [.processEnded: 1], "\(site.container.counters.pool)")

        let hanging = try await site.leave()
        let endless = try onlyProcess(besides: others)
        _ = try await hanging.view.evaluate("addEventListener('pagehide', () => { for (;;); })", in: .page)
        await site.container.close(hanging)
        try expect(
            site.container.counters.pool.ended == [.processEnded: 1, .resetFailed: 1], "\(site.container.counters.pool)"
        )
        while kill(endless, 0) == 0 { await Task.yield() }
        try await checkSound(site)

        let title = try await screen.view.evaluate("return document.title", in: .page)
        try expect(title == "\"look\"", "on screen: \(title)")
        let next = try await site.look(as: "{}").page
        try expect(next.view.isAlive, "the next page")
        await site.container.shutDown()
    }

    /// Checks that the next pages reuse the processes of pages that close immediately after their load.
    /// - Parameter arguments: The folder of the pages.
    @MainActor
    func checkPoolHaste(_ arguments: ArraySlice<String>, in folder: String) async throws {
        guard let files = arguments.first else { throw CheckFailure(description: "specify the folder of the pages") }
        // Pages are off screen, as most short-lived pages are.
        var settings = WebKitGTKEngine.Configuration()
        settings.usesHardwareAcceleration = false
        let site = try await PoolSite(
            WebKitGTKEngine(settings), .loopbackProxy, files: files, names: ["haste.html", "haste.svg"], in: folder)
        for _ in 0..<20 {
            let page = try await site.container.open(PoolSite.hasty)
            try await page.load.finished(within: .seconds(20))
            await site.container.close(page)
        }
        let counters = site.container.counters.pool
        try expect(counters.recycled == 20 && counters.ended.isEmpty, "\(counters)")
        await site.container.shutDown()
    }

    /// Checks that a page that plays sound is cleaned or quarantined. GStreamer may hang when players end.
    @MainActor
    private func checkSound(_ site: PoolSite) async throws {
        let loud = try await site.leave()
        _ = try await loud.view.evaluate("play()", in: .page)
        let before = site.container.counters.pool
        await site.container.close(loud)
        let after = site.container.counters.pool
        try expect(after.recycled + after.quarantined == before.recycled + before.quarantined + 1, "\(after)")
    }

    private func onlyProcess(besides others: Set<pid_t>) throws -> pid_t {
        let processes = Set(try childProcesses(named: "WebKitWebProces")).subtracting(others)
        guard let process = processes.first, processes.count == 1 else {
            throw CheckFailure(description: "new web processes: \(processes)")
        }
        return process
    }
}
