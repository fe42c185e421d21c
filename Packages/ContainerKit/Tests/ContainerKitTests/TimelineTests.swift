// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import Diagnostics

/// The timelines of pages in a container.
@MainActor
@Suite("Timelines", .timeLimit(.minutes(1)))
struct TimelineTests {
    private let fixture = Fixture()

    @Test(
        "A timeline is sent when a page has loaded and reported its paints, and again when it is closed",
        arguments: [false, true])
    func container(isEarly: Bool) async throws {
        let container = try await fixture.container(covering: ["a.example"]) {
            $0.diagnostics.timelines = TimelineOptions()
        }
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
        // The engine may report the load after the page has reported its readings.
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
        #expect(request.url == "https://a.example/" && request.bytes == 3 && request.initiator == .page)
        await container.close(page)
        let closed = try #require(await timelines.next())
        #expect(closed.marks.closed != nil && page.timeline == closed)
    }

    @Test("By default nothing is recorded, and nothing waits")
    func off() async throws {
        let container = try await fixture.container()
        for await _ in container.timelines() { Issue.record("a timeline") }
        #expect(try await container.open("https://a.example/").timeline == nil)
    }

    @Test("A page that could not be opened is reported with the reason")
    func refusal() async throws {
        let page = PageID(rawValue: 7)
        let container = try await fixture.container { $0.diagnostics.timelines = TimelineOptions() }
        var timelines = container.timelines().makeAsyncIterator()
        let recorder = try #require(container.components.first(DiagnosticsComponent.self)?.recorder)
        recorder.begin(page, at: "https://a.example/")
        recorder.fail(page, EngineError(.blocked, "no view", at: "https://a.example/?secret"))
        let timeline = try #require(await timelines.next())
        #expect(timeline.failure == "\(EngineError.Code.blocked): no view")
        #expect(timeline.marks.failed != nil && timeline.marks.closed != nil && timeline.mode == nil)
        recorder.begin(page, at: "https://a.example/")
        recorder.fail(page, ContainerError(.proxy, "cannot listen", at: "https://a.example/?secret"))
        #expect(await timelines.next()?.failure == "proxy: cannot listen")
    }

    @Test("A page whose preparation by the host fails is reported as failed, once")
    func refusedPreparation() async throws {
        struct Refusal: Error {}
        let container = try await fixture.container { $0.diagnostics.timelines = TimelineOptions() }
        var timelines = container.timelines().makeAsyncIterator()
        await #expect(throws: Refusal.self) { try await container.open("https://a.example/") { _ in throw Refusal() } }
        await container.close(try await container.open("https://b.example/"))
        let timeline = try #require(await timelines.next())
        #expect(timeline.documentURL == "https://a.example/" && timeline.failure == "Refusal")
        #expect(timeline.marks.checkOutEnded != nil && timeline.marks.failed != nil && timeline.marks.closed != nil)
        #expect(await timelines.next()?.documentURL == "https://b.example/")
        await container.shutDown()
    }

    @Test("A slow subscriber delays nothing and loses the oldest timelines, which are counted; others lose none")
    func slowSubscriber() async throws {
        let container = try await fixture.container { $0.diagnostics.timelines = TimelineOptions() }
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
}
