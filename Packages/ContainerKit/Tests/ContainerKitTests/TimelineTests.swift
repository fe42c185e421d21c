// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Logging
import ResourceLoading
import SchemeMode
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// Timelines of pages: what is made of events, and who hears of it.
@MainActor
@Suite("Timelines", .timeLimit(.minutes(1)))
struct TimelineTests {
    private let fixture = Fixture()
    private let page = PageID(rawValue: 7)
    private let called = ContinuousClock.now

    private func machine(limit: Int = 8) -> TimelineBuilder {
        TimelineBuilder(
            page: page, url: "https://a.example/?q=1", called: called, date: Date(timeIntervalSince1970: 1_000),
            requestLimit: limit)
    }

    private func resource(_ name: String, status: Int? = 200) -> ContainerEvent {
        .page(
            page,
            .resource(EngineResource(url: "https://b.example/\(name)", status: status, length: nil, failure: nil)))
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { called + .milliseconds(milliseconds) }

    @Test("Each mark is of the first time, a step is told once, and after the close nothing changes")
    func marks() {
        var machine = machine()
        let url = "https://a.example/"
        let events: [(ContainerEvent, TimelineBuilder.Step?)] = [
            (.page(page, .started(url: url)), nil), (.page(page, .committed(url: url)), nil),
            (.page(page, .finished(url: url)), .loaded), (.page(page, .started(url: url)), nil),
            (.page(page, .committed(url: url)), nil), (.page(page, .finished(url: url)), nil),
            (.pageClosed(page), .closed), (.pageClosed(page), nil), (.page(page, .started(url: url)), nil),
            (resource("late"), nil),
        ]
        for (index, (event, step)) in events.enumerated() { #expect(machine.record(event, at: at(index)) == step) }
        let marks = machine.timeline.marks
        #expect(marks.navigationStarted == .milliseconds(0) && marks.committed == .milliseconds(1))
        #expect(marks.loaded == .milliseconds(2) && marks.closed == .milliseconds(6))
        #expect(marks.failed == nil && marks.checkOutEnded == nil && marks.firstPaint == nil)
        #expect(machine.timeline.requests.isEmpty && machine.timeline.failure == nil)
    }

    @Test("Events of one page make the same timeline in any order, but for its times, and those of others none")
    func order() {
        let url = "https://a.example/"
        let events: [ContainerEvent] = [
            .page(page, .committed(url: url)), resource("1"), .page(page, .started(url: url)),
            .page(page, .processEnded(reason: "killed")), .pageClosed(PageID(rawValue: 8)),
            .page(PageID(rawValue: 8), .finished(url: url)),
        ]
        var results: Set<[Bool]> = []
        for first in events.indices {
            for second in events.indices where second != first {
                var machine = machine()
                var turned = events
                turned.swapAt(first, second)
                for event in turned { _ = machine.record(event, at: at(5)) }
                let timeline = machine.timeline
                let marks = timeline.marks
                results.insert([
                    marks.committed == .milliseconds(5), marks.navigationStarted == .milliseconds(5),
                    marks.failed == .milliseconds(5), marks.loaded == nil, marks.closed == nil,
                    timeline.requests.count == 1, timeline.failure == "the web process ended: killed",
                ])
            }
        }
        #expect(results == [Array(repeating: true, count: 7)])
    }

    @Test("A load that failed has not loaded when the engine says that it is over; the next one may")
    func failures() {
        var machine = machine()
        let url = "https://a.example/"
        #expect(machine.record(.page(page, .started(url: url)), at: at(0)) == nil)
        #expect(machine.record(.page(page, .finished(url: url)), at: at(1)) == .failed)
        #expect(machine.timeline.failure == "the load ended without a document")
        _ = machine.record(.page(page, .started(url: url)), at: at(2))
        _ = machine.record(.page(page, .committed(url: url)), at: at(3))
        _ = machine.record(.page(page, .failed(url: url, error: EngineError(.blocked, "no", at: url))), at: at(4))
        #expect(machine.record(.page(page, .finished(url: url)), at: at(5)) == nil)
        #expect(machine.timeline.marks.loaded == nil && machine.timeline.marks.failed == .milliseconds(1))
        _ = machine.record(.page(page, .started(url: url)), at: at(6))
        #expect(machine.record(.page(page, .finished(url: url)), at: at(7)) == .loaded)
    }

    @Test("A view that asks for its document has begun to navigate, whenever the engine says so")
    func lateStart() {
        var machine = machine()
        let request = EngineRequest(
            head: HTTPRequest(urlText: "https://a.example/")!, view: ViewID(rawValue: 1), isMainDocument: true)
        let session = PageSession(
            id: page, documentURL: "https://a.example/", view: ViewID(rawValue: 1), mode: .customScheme,
            generations: [])
        let record = RequestRecord(request, session: session, names: .standard)
        let asked = called.duration(to: record.started)
        _ = machine.record(.page(page, .started(url: "https://a.example/")), at: called + asked + .seconds(1))
        _ = machine.record(.request(record), at: called + asked + .seconds(2))
        #expect(machine.timeline.marks.navigationStarted == asked)
    }

    @Test("Requests beyond the limit are counted, and what is not known is nil")
    func bounds() {
        var machine = machine(limit: 2)
        for name in ["1", "2", "3"] { _ = machine.record(resource(name, status: 0), at: at(9)) }
        let timeline = machine.timeline
        #expect(timeline.requests.map(\.url) == ["https://b.example/1", "https://b.example/2"])
        #expect(timeline.droppedRequests == 1)
        let first = timeline.requests.first
        #expect(first?.status == nil && first?.started == nil && first?.responded == nil && first?.bytes == nil)
        #expect(first?.provenance == nil && first?.ended == .milliseconds(9))
    }

    @Test(
        "What a page says of its paint is taken where it can be",
        arguments: [
            (#"{"origin":1000040,"firstPaint":10,"firstContentfulPaint":12,"domReady":null}"#, 50, 52),
            (#"{"origin":1000040,"firstPaint":-100,"firstContentfulPaint":1e300}"#, nil, nil),
            (#"{"origin":1000040,"firstPaint":999999,"firstContentfulPaint":0}"#, nil, 40),
            (#"{"origin":1,"firstPaint":10,"firstContentfulPaint":12}"#, nil, nil),
            (#"{"firstPaint":10}"#, nil, nil), ("null", nil, nil), ("[", nil, nil),
            ("{" + String(repeating: " ", count: 4_096) + "}", nil, nil),
        ])
    func readings(json: String, firstPaint: Int?, contentful: Int?) {
        var machine = machine()
        if let readings = PageReadings(json: json) { machine.record(readings) }
        #expect(machine.timeline.marks.firstPaint == firstPaint.map { .milliseconds($0) })
        #expect(machine.timeline.marks.firstContentfulPaint == contentful.map { .milliseconds($0) })
        #expect(machine.timeline.marks.domReady == nil)
    }

    @Test(
        "A page is told of when it has loaded and has said when it was painted, and again when it is closed",
        arguments: [false, true])
    func container(isEarly: Bool) async throws {
        let container = try await fixture.container(covering: ["a.example"]) { $0.timelines = TimelineOptions() }
        fixture.network.put(.bytes(Data("<p>".utf8)), at: "https://a.example/")
        var timelines = container.timelines().makeAsyncIterator()
        let page = try await container.open("https://a.example/")
        let opened = try #require(page.timeline?.opened.timeIntervalSince1970) * 1_000
        let say = try #require(page.view.handlers[PageReadings.name])
        let readings = ScriptMessage(
            json: #"{"origin":\#(opened),"firstContentfulPaint":25}"#, documentURL: "containerkit://a.example/")
        _ = try await fixture.answer(
            to: "containerkit://a.example/", from: page.view, isMainDocument: true, of: container)
        page.view.onSignal?(.started(url: "containerkit://a.example/"))
        page.view.onSignal?(.committed(url: "containerkit://a.example/"))
        // The engine may say that a page is loaded after the page has.
        if isEarly { _ = try await say(readings) }
        page.view.onSignal?(.finished(url: "containerkit://a.example/"))
        if !isEarly { _ = try await say(readings) }
        let loaded = try #require(await timelines.next())
        #expect(loaded.page == page.session.id && loaded.mode == .customScheme && loaded.hasWarmView == false)
        #expect(loaded.documentURL == "https://a.example/" && loaded.marks.closed == nil)
        #expect(loaded.marks.checkOutEnded != nil && loaded.marks.loaded != nil && loaded.marks.responseStarted != nil)
        let paint = try #require(loaded.marks.firstContentfulPaint)
        #expect(abs(paint.inMilliseconds - 25) < 1)
        let request = try #require(loaded.requests.first)
        #expect(loaded.requests.count == 1 && request.provenance == .network && request.status == 200)
        #expect(request.url == "https://a.example/" && request.bytes == 3 && request.asker == .page)
        await container.close(page)
        let closed = try #require(await timelines.next())
        #expect(closed.marks.closed != nil && page.timeline == closed)
    }

    @Test("Nothing is recorded by default, and nobody waits")
    func off() async throws {
        let container = try await fixture.container()
        for await _ in container.timelines() { Issue.record("a timeline") }
        #expect(try await container.open("https://a.example/").timeline == nil)
    }

    @Test("A page that could not be opened is told of, with why")
    func refusal() async throws {
        let container = try await fixture.container { $0.timelines = TimelineOptions() }
        var timelines = container.timelines().makeAsyncIterator()
        let recorder = try #require(container.timelineRecorder)
        recorder.begin(page, at: "https://a.example/")
        recorder.fail(page, EngineError(.blocked, "no view", at: "https://a.example/?secret"))
        let timeline = try #require(await timelines.next())
        #expect(timeline.failure == "\(EngineError.Code.blocked): no view")
        #expect(timeline.marks.failed != nil && timeline.marks.closed != nil && timeline.mode == nil)
    }

    @Test("A page that its host cannot prepare is told of as one that failed, once")
    func refusedPreparation() async throws {
        struct Refusal: Error {}
        let container = try await fixture.container { $0.timelines = TimelineOptions() }
        var timelines = container.timelines().makeAsyncIterator()
        await #expect(throws: Refusal.self) { try await container.open("https://a.example/") { _ in throw Refusal() } }
        await container.close(try await container.open("https://b.example/"))
        let timeline = try #require(await timelines.next())
        #expect(timeline.documentURL == "https://a.example/" && timeline.failure == "Refusal")
        #expect(timeline.marks.checkOutEnded != nil && timeline.marks.failed != nil && timeline.marks.closed != nil)
        #expect(await timelines.next()?.documentURL == "https://b.example/")
        await container.shutDown()
    }

    @Test("A subscriber that never listens holds nobody up and loses the oldest, which are counted; others lose none")
    func slowSubscriber() async throws {
        let container = try await fixture.container { $0.timelines = TimelineOptions() }
        let slow = container.timelines()
        var quick = container.timelines().makeAsyncIterator()
        for number in 1...TimelineRecorder.bufferLimit + 5 {
            let page = try await container.open("https://a.example/\(number)")
            await container.close(page)
            #expect(await quick.next()?.documentURL == "https://a.example/\(number)")
        }
        #expect(container.droppedEvents == 5 && container.counters.droppedEvents == 5)
        for await timeline in slow {
            #expect(timeline.documentURL == "https://a.example/6")
            break
        }
    }

    @Test("A subscriber hears the end of a container that is dropped")
    func end() async {
        var recorder: TimelineRecorder? = TimelineRecorder(TimelineOptions(), logger: Logger(label: "timelines"))
        let stream = recorder?.subscribe()
        recorder = nil
        if let stream { for await _ in stream { Issue.record("a timeline") } }
        #expect(stream != nil)
    }

    @Test("The log names no query and leaves out what is not known")
    func metadata() {
        var machine = machine()
        machine.record(hasWarmView: true)
        _ = machine.record(.page(page, .committed(url: "https://a.example/")), at: at(1))
        _ = machine.record(.page(page, .finished(url: "https://a.example/")), at: at(12))
        #expect(
            machine.timeline.metadata == [
                "page": "7", "url": "https://a.example/", "requests": "0", "warm": "true", "load": "12",
            ])
        var failed = self.machine()
        let error = EngineError(.blocked, "no", at: "https://a.example/?secret")
        #expect(
            failed.record(.page(page, .failed(url: "https://a.example/?secret", error: error)), at: at(1)) == .failed)
        #expect(failed.timeline.metadata["failure"] == "\(EngineError.Code.blocked): no")
    }
}
