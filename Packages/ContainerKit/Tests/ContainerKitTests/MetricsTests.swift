// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import Metrics
import MetricsTestKit
import Prefetch
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit

/// What the app's metrics backend hears of a container.
@MainActor
@Suite("Metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    private let fixture = Fixture()
    private let backend = TestMetrics()
    private let url = "https://shop.example/"

    @Test("Pages and requests are counted by kinds, and no series has a name that a page or a server chose")
    func counts() async throws {
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.metrics = backend
            $0.timelines = TimelineOptions()
            $0.timelines?.asksPages = false
        }
        let page = try await container.open(url)
        let (_, record) = try await fixture.answer(
            to: "containerkit://shop.example/", from: page.view, isMainDocument: true, of: container)
        page.view.onSignal?(.committed(url: "containerkit://shop.example/"))
        page.view.onSignal?(.finished(url: "containerkit://shop.example/"))
        await container.close(page)

        let scheme = [("mode", "scheme")]
        #expect(backend.counterTotal(label: "containerkit.pages", dimensions: scheme) == 1)
        #expect(
            backend.counterTotal(
                label: "containerkit.requests",
                dimensions: [("asker", "page"), ("outcome", "finished"), ("source", "network")]) == 1)
        #expect(
            backend.counterTotal(label: "containerkit.request.bytes", dimensions: [("source", "network")])
                == record.bytes)
        #expect(record.bytes > 0)
        let head = try backend.expectTimer("containerkit.request.head", [("source", "network")])
        #expect(head.values.count == 1 && head.values.allSatisfy { $0 > 0 })
        for mark in ["check_out", "first_byte", "load"] {
            let timer = try backend.expectTimer("containerkit.page.\(mark)", scheme + [("warm", "false")])
            #expect(timer.values.count == 1, "\(mark)")
        }
        // What is not known is not measured.
        #expect(backend.timers(label: "containerkit.page.first_contentful_paint").isEmpty)
        #expect(backend.counterTotal(label: "containerkit.pool.check_outs", dimensions: [("warm", "false")]) == 1)
        let dimensions = backend.counters.flatMap(\.dimensions) + backend.timers.flatMap(\.dimensions)
        #expect(!dimensions.contains { $0.1.contains("shop") || $0.1.contains("/") })
    }

    @Test("Totals of the modules are told once, however often they are looked at")
    func totals() {
        let total = MetricKey(.drops)
        var seen = 3
        let reporter = MetricsReporter(backend) { [total: seen] }
        let closed = ContainerEvent.pageClosed(PageID(rawValue: 1))
        for expected: Int64 in [3, 3, 3] {
            reporter.receive(closed)
            #expect(backend.counterTotal(label: "containerkit.drops") == expected)
        }
        seen = 5
        reporter.receive(closed)
        #expect(backend.counterTotal(label: "containerkit.drops") == 5)
    }

    @Test("What was fetched ahead is told with all that came of it")
    func prefetch() {
        var counters = PrefetchCounters()
        (counters.hits, counters.misses, counters.mismatches, counters.abandoned, counters.skipped) = (1, 3, 2, 4, 5)
        (counters.wastedBytes, counters.saved) = (6, .milliseconds(1_234.9))
        (counters.joins, counters.wasted, counters.failures) = (7, 8, 9)
        let reporter = MetricsReporter(backend) { counters.totals }
        reporter.receive(.pageClosed(PageID(rawValue: 1)))
        let outcomes = [
            "hit": 1, "join": 7, "miss": 3, "stranger": 2, "wasted": 8, "failed": 9, "abandoned": 4, "skipped": 5,
        ]
        for (outcome, count) in outcomes {
            #expect(
                backend.counterTotal(label: "containerkit.prefetch", dimensions: [("outcome", outcome)]) == count,
                "\(outcome)")
        }
        #expect(backend.counterTotal(label: "containerkit.prefetch.saved_ms") == 1_234)
        #expect(backend.counterTotal(label: "containerkit.prefetch.wasted_bytes") == 6)
    }

    @Test("A page that fails is counted, and has no time of a load")
    func failures() {
        var timeline = PageTimeline(page: PageID(rawValue: 1), documentURL: url, opened: Date())
        timeline.failure = "no"
        timeline.mode = .loopbackProxy
        timeline.marks.failed = .seconds(1)
        MetricsReporter(backend) { [:] }.receive(timeline)
        #expect(
            backend.counterTotal(label: "containerkit.page.failures", dimensions: [("mode", "proxy")]) == 1)
        #expect(backend.timers.isEmpty)
    }

    @Test("Where the app has no backend nobody counts")
    func none() {
        #expect(!MetricsReporter.isOf(NOOPMetricsHandler.instance))
        #expect(MetricsReporter.isOf(backend))
    }
}
