// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import Logging
import MetricsTestKit
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import Diagnostics

/// The recorder with a fake view and a fake host.
@MainActor
@Suite("Timeline recorder", .timeLimit(.minutes(1)))
struct TimelineRecorderTests {
    private let page = PageID(rawValue: 7)
    private let url = "https://a.example/"
    private let view = FakeView(id: ViewID(rawValue: 1))
    private let host = FakeDiagnosticsHost()
    private let backend = TestMetrics()

    private func recorder(_ change: (inout TimelineOptions) -> Void = { _ in }) -> TimelineRecorder {
        var options = TimelineOptions()
        change(&options)
        return TimelineRecorder(
            options, logger: Logger(label: "timelines"), metrics: MetricsReporter(backend), host: host)
    }

    private func load(in recorder: TimelineRecorder) {
        for signal in [ViewSignal.started(url: url), .committed(url: url), .finished(url: url)] {
            recorder.record(.signal(page, signal))
        }
    }

    @Test("The streams end when the recorder is released")
    func end() async {
        var recorder: TimelineRecorder? = TimelineRecorder(TimelineOptions(), logger: Logger(label: "timelines"))
        let stream = recorder?.subscribe()
        recorder = nil
        if let stream { for await _ in stream { Issue.record("a timeline") } }
        #expect(stream != nil)
    }

    @Test(
        "A timeline is sent after the page's readings and after the close, and is counted once",
        arguments: [false, true])
    func readings(isEarly: Bool) async throws {
        let recorder = recorder()
        var timelines = recorder.subscribe().makeAsyncIterator()
        recorder.begin(page, at: url)
        let recording = try #require(recorder.recordView(of: page, isWarm: true))
        recorder.listen(to: view, of: page)
        #expect(view.scripts == [PageReadings.script])
        let post = try #require(view.handlers[PageReadings.name])
        let origin = recording.timeline.opened.timeIntervalSince1970 * 1_000
        let message = ScriptMessage(json: #"{"origin":\#(origin),"firstPaint":25}"#, documentURL: url)
        recorder.record(.signal(page, .started(url: url)))
        recorder.record(.signal(page, .committed(url: url)))
        if isEarly { _ = try await post(message) }
        recorder.record(.signal(page, .finished(url: url)))
        if !isEarly { _ = try await post(message) }
        let loaded = try #require(await timelines.next())
        #expect(abs(try #require(loaded.marks.firstPaint).inMilliseconds - 25) < 1)
        #expect(loaded.marks.closed == nil && loaded.hasWarmView == true)
        recorder.record(.closed(page))
        #expect(await timelines.next()?.marks.closed != nil)
        #expect(recording.timeline.marks.closed != nil)
        let timer = try backend.expectTimer("containerkit.page.load", [("mode", "none"), ("warm", "true")])
        #expect(timer.values.count == 1)
    }

    @Test("The readings of a document that was replaced are ignored")
    func redirect() async throws {
        let recorder = recorder { $0.pageReportLimit = .milliseconds(1) }
        var timelines = recorder.subscribe().makeAsyncIterator()
        recorder.begin(page, at: url)
        recorder.listen(to: view, of: page)
        let post = try #require(view.handlers[PageReadings.name])
        let origin = Date().timeIntervalSince1970 * 1_000
        _ = try await post(ScriptMessage(json: #"{"origin":\#(origin),"firstPaint":25}"#, documentURL: url))
        load(in: recorder)
        let loaded = try #require(await timelines.next())
        #expect(loaded.marks.loaded != nil && loaded.marks.firstPaint == nil)
    }

    @Test("A view that refuses the message handler gets no script, and its timeline is sent after the limit")
    func refusedHandler() async throws {
        let recorder = recorder { $0.pageReportLimit = .milliseconds(1) }
        var timelines = recorder.subscribe().makeAsyncIterator()
        view.refusedHandlers = [PageReadings.name]
        recorder.begin(page, at: url)
        recorder.listen(to: view, of: page)
        #expect(view.scripts.isEmpty)
        load(in: recorder)
        #expect(await timelines.next()?.marks.loaded != nil)
    }

    @Test("The document URL is read from the host when a document is committed")
    func documentURL() async throws {
        let recorder = recorder { $0.recordsPageTimes = false }
        var timelines = recorder.subscribe().makeAsyncIterator()
        recorder.begin(page, at: url)
        host.documentURLs[page] = "https://a.example/next"
        load(in: recorder)
        #expect(await timelines.next()?.documentURL == "https://a.example/next")
    }

    @Test("A page that could not be opened ends with its reason, and observations of unknown pages are ignored")
    func failure() async throws {
        let recorder = recorder()
        var timelines = recorder.subscribe().makeAsyncIterator()
        recorder.record(.signal(PageID(rawValue: 8), .finished(url: url)))
        recorder.begin(page, at: url)
        recorder.fail(page, reason: "no view")
        recorder.fail(page, reason: "again")
        recorder.record(.closed(page))
        let timeline = try #require(await timelines.next())
        #expect(timeline.failure == "no view" && timeline.marks.failed != nil && timeline.marks.closed != nil)
        #expect(backend.counterTotal(label: "containerkit.page.failures", dimensions: [("mode", "none")]) == 1)
        #expect(recorder.dropped == 0)
    }
}

@MainActor
final class FakeDiagnosticsHost: DiagnosticsHost {
    var documentURLs: [PageID: String] = [:]
    var metricTotals: [MetricKey: Int] = [:]

    func documentURL(of page: PageID) -> String? { documentURLs[page] }
}
