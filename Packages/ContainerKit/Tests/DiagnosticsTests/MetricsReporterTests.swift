// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Metrics
import MetricsTestKit
import ResourceLoading
import Testing
import WebEngine

@testable import Diagnostics

/// The series that the reporter creates from observations, timelines and totals.
@MainActor
@Suite("Metrics reporter", .timeLimit(.minutes(1)))
struct MetricsReporterTests {
    private let backend = TestMetrics()
    private let host = FakeDiagnosticsHost()
    private let page = PageID(rawValue: 1)
    private let url = "https://shop.example/"

    @Test("Totals of the modules are reported once, however often they are read")
    func totals() throws {
        let total = MetricKey(.drops)
        host.metricTotals = [total: 3]
        let reporter = try #require(MetricsReporter(backend, host: host))
        for expected: Int64 in [3, 3, 3] {
            reporter.record(.closed(page))
            #expect(backend.counterTotal(label: "containerkit.drops") == expected)
        }
        host.metricTotals = [total: 5]
        reporter.record(.closed(page))
        #expect(backend.counterTotal(label: "containerkit.drops") == 5)
    }

    @Test("A page that fails is counted and has no load time")
    func failures() throws {
        var timeline = PageTimeline(page: page, documentURL: url, opened: Date())
        timeline.failure = "no"
        timeline.mode = .loopbackProxy
        timeline.marks.failed = .seconds(1)
        try #require(MetricsReporter(backend)).record(timeline)
        #expect(
            backend.counterTotal(label: "containerkit.page.failures", dimensions: [("mode", "proxy")]) == 1)
        #expect(backend.timers.isEmpty)
    }

    @Test("There is no reporter if the app has no backend")
    func none() {
        #expect(MetricsReporter(NOOPMetricsHandler.instance) == nil)
        #expect(MetricsReporter(backend) != nil)
    }

    @Test("Pages, ended processes and requests are counted, and no dimension contains a value from a page or a server")
    func observations() throws {
        let reporter = try #require(MetricsReporter(backend))
        let session = PageSession(
            id: page, documentURL: url, view: ViewID(rawValue: 1), mode: .customScheme, generations: [])
        reporter.record(.opened(session))
        reporter.record(.signal(page, .processEnded(reason: url)))
        reporter.record(.signal(page, .finished(url: url)))
        var request = RequestRecord(from: .page, of: nil, .get, url, isMainDocument: true)
        request.record(
            HTTPResponse(status: .ok), from: Provenance(.network, reason: url),
            at: request.started + .milliseconds(5))
        request.record(.finished, bytes: 12)
        reporter.record(.requestEnded(request))
        reporter.record(.requestEnded(RequestRecord(from: .app, of: nil, .get, url, isMainDocument: false)))
        let counters: [(String, [(String, String)], Int64)] = [
            ("pages", [("mode", "scheme")], 1), ("process_ends", [], 1),
            ("requests", [("asker", "page"), ("outcome", "finished"), ("source", "network")], 1),
            ("requests", [("asker", "app"), ("outcome", "stopped"), ("source", "none")], 1),
            ("request.bytes", [("source", "network")], 12),
        ]
        for (name, dimensions, total) in counters {
            #expect(backend.counterTotal(label: "containerkit.\(name)", dimensions: dimensions) == total, "\(name)")
        }
        #expect(backend.counters.count == counters.count)
        let head = try backend.expectTimer("containerkit.request.head", [("source", "network")])
        #expect(head.values == [5_000_000])
        let dimensions = backend.counters.flatMap(\.dimensions) + backend.timers.flatMap(\.dimensions)
        #expect(!dimensions.contains { $0.1.contains("shop") })
    }
}
