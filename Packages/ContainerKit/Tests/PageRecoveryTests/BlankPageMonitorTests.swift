// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import PageRecovery

/// The monitor of all pages, without a container.
@MainActor
@Suite("Blank page monitor", .timeLimit(.minutes(1)))
struct BlankPageMonitorTests {
    private let stage = RecoveryStage()
    private let url = "https://a.example/"

    @Test("A request is counted for the page that sent it, although its view shows another page when it ends")
    func pending() throws {
        let monitor = stage.monitor
        let page = try stage.open(url)
        let first = monitor.began(of: page.view.id)
        #expect(monitor.isBusy(page.session.id))
        monitor.end(in: page.view.id)
        let next = try stage.open(url, id: 2, in: page.view)
        let second = monitor.began(of: next.view.id)
        monitor.ended(of: first)
        #expect(monitor.isBusy(next.session.id) && !monitor.isBusy(page.session.id))
        monitor.ended(of: second)
        #expect(!monitor.isBusy(next.session.id))
        #expect(monitor.began(of: nil) == nil)
    }

    @Test("If the process ends before a commit, the requested document is loaded, not the former document")
    func lost() throws {
        let page = try stage.open(url)
        stage.load(url, in: page.view)
        page.view.onSignal?(.started(url: url + "next"))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.reloads.isEmpty && page.view.loads.last == url + "next")
        page.view.onSignal?(.started(url: url + "next"))
        page.view.onSignal?(.processEnded(reason: "killed"))
        #expect(page.view.errorPages.last?.contains(url + "next") == true)
        #expect(stage.pages.steps.map(\.kind) == [.reloaded, .showedErrorPage])
    }

    @Test(
        "A process that ended without a signal is found when the app returns",
        arguments: [HostAbsence.background, .suspension])
    func silentEnd(absence: HostAbsence) async throws {
        let page = try stage.open(url)
        stage.load(url, in: page.view)
        page.view.evaluation = { throw EngineError(.processEnded, "no process") }
        stage.monitor.pause(absence)
        #expect(page.view.evaluatedScripts.isEmpty)
        stage.monitor.resume(from: absence)
        while stage.pages.steps.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(stage.pages.steps.map(\.signal) == [.processEnded] && page.view.reloads == [url])
    }

    /// Waits until a script has ended, and the tasks that wait for it have run.
    private func untilChecked(_ page: RecoveryStage.OpenPage) async throws {
        while page.view.evaluatedScripts.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        for _ in 0..<100 { await Task.yield() }
    }

    @Test("A page that replies, fails otherwise, ends, or loads is not reloaded when the app returns", arguments: 0..<4)
    func processes(number: Int) async throws {
        let page = try stage.open(url)
        stage.load(url, in: page.view)
        page.view.evaluation = { [weak view = page.view] in
            switch number {
            case 0: return "null"
            case 1: throw EngineError(.script, "no")
            case 2: view?.discard()
            default: view?.load("https://a.example/other")
            }
            throw EngineError(.processEnded, "no process")
        }
        stage.monitor.pause(.suspension)
        stage.monitor.resume(from: .suspension)
        try await untilChecked(page)
        #expect(stage.pages.steps.isEmpty && page.view.reloads.isEmpty)
    }

    @Test("A process whose end was reported is replaced once when the app returns")
    func reportedEnd() async throws {
        let page = try stage.open(url)
        stage.load(url, in: page.view)
        page.view.evaluation = { throw EngineError(.processEnded, "no process") }
        stage.monitor.pause(.suspension)
        page.view.onSignal?(.processEnded(reason: "killed"))
        stage.monitor.resume(from: .suspension)
        for _ in 0..<100 { await Task.yield() }
        #expect(page.view.evaluatedScripts.isEmpty && page.view.reloads == [url])
    }

    @Test("Leaving the error page by a gesture restores all steps, leaving it by a script does not")
    func leaving() throws {
        let page = try stage.open(url)
        let fail = {
            stage.load(url, in: page.view)
            page.view.onSignal?(.processEnded(reason: "killed"))
        }
        fail()
        page.view.onSignal?(.started(url: url))
        page.view.onSignal?(.failed(url: url, error: EngineError(.cannotConnect, "no way")))
        try #require(page.view.errorPages.count == 1 && page.view.reloads.count == 1)
        stage.load("about:blank", in: page.view)
        page.view.touched = [url]
        fail()
        #expect(page.view.reloads.count == 2)
    }

    @Test("A POST over loopback belongs to the page that navigates to its origin, otherwise to any page")
    func loopbackDocuments() throws {
        for (isOfFirst, errorPages) in [(true, [1, 0]), (false, [1, 1])] {
            let stage = RecoveryStage()
            let pages = [try stage.open(url), try stage.open("https://b.example/", id: 2)]
            for page in pages {
                page.view.onSignal?(.started(url: page.session.documentURL))
            }
            stage.monitor.recordDocument(of: nil, hasBody: true, isEmpty: false) { isOfFirst && $0 == url }
            for page in pages {
                page.view.onSignal?(.committed(url: page.session.documentURL))
                page.view.onSignal?(.processEnded(reason: "killed"))
            }
            #expect(pages.map(\.view.errorPages.count) == errorPages)
        }
    }

    @Test("While the feature is off, no page is monitored and no step is performed")
    func off() throws {
        let watched = try stage.open(url)
        stage.feature.set(false)
        let unwatched = try stage.open(url, id: 2)
        for page in [watched, unwatched] {
            stage.load(url, in: page.view)
            page.view.onSignal?(.processEnded(reason: "killed"))
        }
        #expect(unwatched.view.handlers.isEmpty && watched.view.handlers[HealthScript.name] != nil)
        #expect(stage.pages.steps.isEmpty && watched.view.reloads.isEmpty && unwatched.view.reloads.isEmpty)
    }

    @Test("Texts of the error page are escaped")
    func escaping() {
        var text = ErrorPageText()
        (text.language, text.title, text.message, text.retry) = ("\"><a>", "<b>", "&", "'")
        let html = ErrorPage(text, for: "https://a/?\"'<>&").html
        #expect(html.contains("lang=\"&quot;&gt;&lt;a&gt;\"") && html.contains("<title>&lt;b&gt;</title>"))
        #expect(html.contains("<p>&amp;</p>") && html.contains(">&#39;</a>"))
        #expect(html.contains("href=\"https://a/?&quot;&#39;&lt;&gt;&amp;\""))
    }
}
