// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Testing) internal import ContainerKit
internal import Foundation
internal import Prefetch
internal import ResourceLoading
internal import WebEngine
internal import WebKitGTKAdapter
internal import WebViewPool

/// One soak run: the operations on the container and the expectations after each.
@MainActor
final class Soak {
    struct WeakView {
        weak var view: WebKitGTKView?
    }

    let container: Container<WebKitGTKEngine>
    private(set) var views: [WeakView] = []
    private let check: EngineCheck
    private let site: SoakSite
    private var opened = 0
    private var closedEarly = 0
    private var killed = 0
    /// The numbers of received page events, by kind.
    private var (pagesOpened, pagesClosed) = (0, 0)
    /// The number of request records by page.
    private var records: [PageID: Int] = [:]
    private let (recorded, record) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let listening: Task<Void, Never>
    private var samples: [(memory: MemorySample, files: Int)] = []

    init(_ check: EngineCheck, _ engine: WebKitGTKEngine, _ mode: InterceptionMode, _ site: SoakSite) async throws {
        self.check = check
        self.site = site
        container = try await Container(engine: engine, configuration: site.configuration(mode))
        let events = container.events
        // This subscriber reads all events, so that its buffer drops no event.
        listening = Task { for await _ in events {} }
        container.observe { [weak self] event in
            switch event {
            case .pageOpened: self?.pagesOpened += 1
            case .pageClosed: self?.pagesClosed += 1
            case .request(let request):
                guard let self, let page = request.page else { return }
                records[page, default: 0] += 1
                record.yield()
            default: break
            }
        }
        try await site.update(container, turn: 0)
        try await container.warmUp()
    }

    func run(_ opens: Int) async throws {
        var cycle = 0
        while opened < opens {
            cycle += 1
            switch cycle % 10 {
            case 3: try await two()
            case 6: try await leaveEarly()
            case 8: try await drop()
            default: try await one()
            }
            if cycle % 50 == 25 { try await kill() }
            try await live(cycle)
            try await container.warmUp()
            if cycle % 20 == 10 { samples.append((try check.familyMemory(), try check.openFiles())) }
        }
        print("\(opened) opens in \(cycle) cycles: \(closedEarly) closed early, \(killed) killed")
    }

    /// Simulates events of an app other than pages.
    private func live(_ cycle: Int) async throws {
        if cycle % 15 == 0 { try await site.update(container, turn: cycle / 15) }
        if cycle % 12 == 0 {
            try await container.hostEnteredBackground()
            container.hostEnteredForeground()
        }
        if cycle % 20 == 0 {
            try await container.hostWillSuspend()
            try await container.hostResumed()
        }
        if cycle % 30 == 0 { container.releaseMemory() }
        if cycle % 40 == 0 { try await container.signOut(of: ["shop.example"]) }
    }

    // MARK: Pages

    /// Opens a page, waits for all its requests, and closes it.
    private func one() async throws {
        let page = try await open()
        try await waitUntilQuiet(page)
        await container.close(page)
    }

    private func two() async throws {
        let pages = [try await open(), try await open()]
        for page in pages { try await waitUntilQuiet(page) }
        for page in pages { await container.close(page) }
    }

    private func leaveEarly() async throws {
        closedEarly += 1
        let page = try await open()
        await container.close(page)
    }

    /// Opens a page and releases its last reference, so that the page closes.
    private func drop() async throws {
        let page = try await open()
        try await waitUntilQuiet(page)
    }

    private func kill() async throws {
        killed += 1
        // With an empty pool, the page's process is the only one to kill.
        container.releaseMemory()
        let page = try await open()
        try await waitUntilQuiet(page)
        let (endings, ended) = AsyncStream.makeStream(of: Void.self)
        page.load.observe { if case .processEnded = $0 { ended.yield() } }
        for process in try check.childProcesses(named: "WebKitWebProces") { Foundation.kill(process, SIGKILL) }
        try await withLimit(.seconds(20), "the end of the process was not reported") {
            for await _ in endings { break }
        }
        await container.close(page)
    }

    private func open() async throws -> Page<WebKitGTKView> {
        opened += 1
        // The sites alternate; the shop alternates between its packaged page and the network's.
        let host = SoakSite.hosts[opened % SoakSite.hosts.count]
        let path = host == "shop.example" && opened % 4 == 0 ? "index.html" : ""
        let page = try await container.open("https://\(host)/\(path)?n=\(opened)")
        views.append(WeakView(view: page.view))
        return page
    }

    /// Waits until the page has all correct responses, and each of its requests was reported once.
    private func waitUntilQuiet(_ page: Page<WebKitGTKView>) async throws {
        try await page.load.finished(within: .seconds(30))
        let text = try await withLimit(.seconds(30), "the page did not finish") {
            try await page.view.evaluate("return await done", in: .page)
        }
        let expected = "[true,\(SoakSite.bodyBytes),3,true]"
        try expect(text == expected, "\(page.session.documentURL): \(text)")
        let (id, count) = (page.session.id, 1 + SoakSite.requests)
        // The records may arrive after the page has its responses.
        if records[id, default: 0] < count {
            try await withLimit(.seconds(20), "not all requests of a page are reported") { [self] in
                for await _ in recorded where records[id, default: 0] >= count { break }
            }
        }
        try expect(records[id] == count, "\(records[id] ?? 0) requests of one page")
    }

    // MARK: The end

    /// Checks after the run that the counters are consistent, nothing runs, and nothing has grown.
    func end() async throws {
        try expect(container.openPages.isEmpty, "\(container.openPages.count) pages are open")
        try expect(pagesOpened == opened && pagesClosed == opened, "\(pagesOpened) and \(pagesClosed) of \(opened)")
        try await idle()
        container.releaseMemory()
        try checkCounters()
        try await withLimit(.seconds(30), "the container did not shut down") { [container] in
            await container.shutDown()
        }
        listening.cancel()
        guard samples.count >= 8 else { return print("too few samples for memory") }
        try check.expectLevel(samples.map(\.memory))
        let files = samples.dropFirst(2).map(\.files)
        guard let first = files.first, let last = files.last else { return }
        print("open files: \(first) at first, \(last) at last")
        try expect(last <= first + 8, "open files grow: \(files)")
    }

    private func checkCounters() throws {
        let counters = container.counters
        let pool = counters.pool
        print("\(pool)")
        try expect(pool.warmCheckOuts + pool.coldCheckOuts == opened, "\(opened) opens, \(pool)")
        try expect(pool.created == pool.discarded, "\(pool.created) views made, \(pool.discarded) ended")
        try expect(counters.droppedEvents == 0, "\(counters.droppedEvents) events lost")
        try expect(counters.bodyBytes == 0, "\(counters.bodyBytes) bytes of bodies were not released")
        guard let ahead = counters.prefetch else { return }
        let ended = ahead.hits + ahead.joins + ahead.wasted + ahead.failures + ahead.abandoned
        print("fetched ahead: \(ahead.started), \(ahead.hits) hits, \(ahead.joins) joins, \(ahead.misses) misses")
        try expect(ahead.started == ended && ahead.hits + ahead.joins > 0, "\(ahead)")
    }

    /// Checks that an idle container with three warm views uses no CPU time. The permitted time is for WebKit's
    /// allocator, which releases memory on a thread of this process, and for the measurement.
    private func idle() async throws {
        try await container.warmUp()
        let seconds = 10
        // The engine becomes idle during the wait. The wait exceeds a minute, because Swift 6.3 also wakes up for
        // cancelled sleeps, which last at most a minute.
        try await expectSilence(of: .seconds(65))
        let time = try await check.processorTime { [self] in try await expectSilence(of: .seconds(seconds)) }
        print(
            String(
                format:
                    "idle for %d s with 3 warm views: %.1f ms of CPU, the engine's monitor %.1f, its processes %.1f",
                seconds, time.own, time.watch, time.engine))
        try expect(time.own <= Double(seconds) * 5, "an idle container takes \(time.own) ms of \(seconds) s")
    }

    /// Expects that the container sends no event within the limit.
    private func expectSilence(of limit: Duration) async throws {
        let events = container.events
        do {
            try await withLimit(limit, "") {
                for await event in events { throw CheckFailure(description: "\(event) in an idle container") }
            }
        } catch let error as EngineError where error.code == .timedOut {}
    }
}
