// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Logging
import ResourceLoading
import Testing
import WebEngine

@testable import Diagnostics

/// The timelines that are built from observations.
@Suite("Timeline builder")
struct TimelineBuilderTests {
    private let page = PageID(rawValue: 7)
    private let called = ContinuousClock.now

    private func machine(limit: Int = 8) -> TimelineBuilder {
        TimelineBuilder(
            page: page, url: "https://a.example/?q=1", called: called, date: Date(timeIntervalSince1970: 1_000),
            requestLimit: limit)
    }

    private func resource(_ name: String, status: Int? = 200) -> PageObservation {
        .signal(
            page,
            .resource(EngineResource(url: "https://b.example/\(name)", status: status, length: nil, failure: nil)))
    }

    private func at(_ milliseconds: Int) -> ContinuousClock.Instant { called + .milliseconds(milliseconds) }

    @Test("Each mark has the time of the first event, each step is reported once, and nothing changes after the close")
    func marks() {
        var machine = machine()
        let url = "https://a.example/"
        let observations: [(PageObservation, TimelineBuilder.Step?)] = [
            (.signal(page, .started(url: url)), nil), (.signal(page, .committed(url: url)), nil),
            (.signal(page, .finished(url: url)), .loaded), (.signal(page, .started(url: url)), nil),
            (.signal(page, .committed(url: url)), nil), (.signal(page, .finished(url: url)), nil),
            (.closed(page), .closed), (.closed(page), nil), (.signal(page, .started(url: url)), nil),
            (resource("late"), nil),
        ]
        for (index, (observation, step)) in observations.enumerated() {
            #expect(machine.record(observation, at: at(index)) == step)
        }
        let marks = machine.timeline.marks
        #expect(marks.navigationStarted == .milliseconds(0) && marks.committed == .milliseconds(1))
        #expect(marks.loaded == .milliseconds(2) && marks.closed == .milliseconds(6))
        #expect(marks.failed == nil && marks.checkOutEnded == nil && marks.firstPaint == nil)
        #expect(machine.timeline.requests.isEmpty && machine.timeline.failure == nil)
    }

    @Test("Observations of one page build the same timeline in any order, except for its times")
    func order() {
        let url = "https://a.example/"
        let observations: [PageObservation] = [
            .signal(page, .committed(url: url)), resource("1"), .signal(page, .started(url: url)),
            .signal(page, .processEnded(reason: "killed")), .closed(PageID(rawValue: 8)),
            .signal(PageID(rawValue: 8), .finished(url: url)),
        ]
        var results: Set<[Bool]> = []
        for first in observations.indices {
            for second in observations.indices where second != first {
                var machine = machine()
                var turned = observations
                turned.swapAt(first, second)
                for observation in turned { _ = machine.record(observation, at: at(5)) }
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

    @Test("The finish signal after a failed load is ignored, but the next load can finish")
    func failures() {
        var machine = machine()
        let url = "https://a.example/"
        #expect(machine.record(.signal(page, .started(url: url)), at: at(0)) == nil)
        #expect(machine.record(.signal(page, .finished(url: url)), at: at(1)) == .failed)
        #expect(machine.timeline.failure == "the load ended without a document")
        _ = machine.record(.signal(page, .started(url: url)), at: at(2))
        _ = machine.record(.signal(page, .committed(url: url)), at: at(3))
        _ = machine.record(.signal(page, .failed(url: url, error: EngineError(.blocked, "no", at: url))), at: at(4))
        #expect(machine.record(.signal(page, .finished(url: url)), at: at(5)) == nil)
        #expect(machine.timeline.marks.loaded == nil && machine.timeline.marks.failed == .milliseconds(1))
        _ = machine.record(.signal(page, .started(url: url)), at: at(6))
        #expect(machine.record(.signal(page, .finished(url: url)), at: at(7)) == .loaded)
    }

    @Test("A stopped load ends the timeline of a page without a failure")
    func stops() {
        var machine = machine()
        let url = "https://a.example/"
        _ = machine.record(.signal(page, .started(url: url)), at: at(0))
        _ = machine.record(.signal(page, .committed(url: url)), at: at(1))
        #expect(machine.record(.signal(page, .stopped(url: url)), at: at(2)) == .loaded)
        #expect(machine.record(.signal(page, .finished(url: url)), at: at(3)) == nil)
        #expect(machine.timeline.failure == nil && machine.timeline.marks.failed == nil)
        #expect(machine.timeline.marks.loaded != nil)
        // A navigation of the page that is stopped before its commit.
        _ = machine.record(.signal(page, .started(url: "https://a.example/2")), at: at(4))
        #expect(machine.record(.signal(page, .stopped(url: "https://a.example/2")), at: at(5)) == nil)
        #expect(machine.timeline.failure == nil)
    }

    @Test("A navigation starts at the latest when the view requests its document")
    func lateStart() {
        var machine = machine()
        let session = PageSession(
            id: page, documentURL: "https://a.example/", view: ViewID(rawValue: 1), mode: .customScheme,
            generations: [])
        let record = RequestRecord(
            from: .page, of: PageAttribution(session.reference, confidence: .exact), .get, session.documentURL,
            isMainDocument: true)
        let asked = called.duration(to: record.started)
        _ = machine.record(.signal(page, .started(url: "https://a.example/")), at: called + asked + .seconds(1))
        _ = machine.record(.requestEnded(record), at: called + asked + .seconds(2))
        #expect(machine.timeline.marks.navigationStarted == asked)
    }

    @Test("Requests beyond the limit are counted, and unknown values are nil")
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
        "Impossible paint times of a page are ignored",
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

    @Test("The log metadata contains no query and omits unknown values")
    func metadata() {
        var machine = machine()
        machine.record(hasWarmView: true)
        _ = machine.record(.signal(page, .committed(url: "https://a.example/")), at: at(1))
        _ = machine.record(.signal(page, .finished(url: "https://a.example/")), at: at(12))
        #expect(
            machine.timeline.metadata == [
                "page": "7", "url": "https://a.example/", "requests": "0", "warm": "true", "load": "12",
            ])
        var failed = self.machine()
        let error = EngineError(.blocked, "no", at: "https://a.example/?secret")
        #expect(
            failed.record(.signal(page, .failed(url: "https://a.example/?secret", error: error)), at: at(1)) == .failed)
        #expect(failed.timeline.metadata["failure"] == "\(EngineError.Code.blocked): no")
    }
}
