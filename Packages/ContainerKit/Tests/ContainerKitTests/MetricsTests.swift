// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Diagnostics
import MetricsTestKit
import PackageFormat
import Prefetch
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import ContainerKit
@testable import OfflinePackage
@testable import PagePrompts
@testable import PageRecovery

/// The series that a container reports to the app's metrics backend.
@MainActor
@Suite("Metrics", .timeLimit(.minutes(1)))
struct MetricsTests {
    private let fixture = Fixture()
    private let backend = TestMetrics()
    private let url = "https://shop.example/"

    @Test("Pages and requests are counted by kind, and no dimension contains a value from a page or a server")
    func counts() async throws {
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.diagnostics.metrics = backend
            $0.diagnostics.timelines = TimelineOptions()
            $0.diagnostics.timelines?.recordsPageTimes = false
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
        // Unknown times are not recorded.
        #expect(backend.timers(label: "containerkit.page.first_contentful_paint").isEmpty)
        #expect(backend.counterTotal(label: "containerkit.pool.check_outs", dimensions: [("warm", "false")]) == 1)
        let dimensions = backend.counters.flatMap(\.dimensions) + backend.timers.flatMap(\.dimensions)
        #expect(!dimensions.contains { $0.1.contains("shop") || $0.1.contains("/") })
    }

    @Test("Prefetches are reported with all their results")
    func prefetch() throws {
        var counters = PrefetchCounters()
        (counters.hits, counters.misses, counters.mismatches, counters.abandoned, counters.skipped) = (1, 3, 2, 4, 5)
        (counters.wastedBytes, counters.saved) = (6, .milliseconds(1_234.9))
        (counters.joins, counters.wasted, counters.failures) = (7, 8, 9)
        let host = FixedTotals(counters.metricTotals)
        let reporter = try #require(MetricsReporter(backend, host: host))
        reporter.record(ContainerEvent.pageClosed(PageID(rawValue: 1)))
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

    @Test("Blank-page steps, page requests and package events are counted by kind")
    func kinds() throws {
        let page = PageID(rawValue: 1)
        let session = PageSession(
            id: page, documentURL: url, view: ViewID(rawValue: 1), mode: .customScheme, generations: [])
        let dialog = DialogRequest(page: session, kind: .alert, message: url)
        let id = try PackageID("shop")
        let version = try PackageVersion("1")
        let events: [ContainerEvent] = [
            .blankPage(page, BlankPageStep(kind: .reloaded, signal: .bootError, detail: url, number: 1)),
            .pageRequest(
                page, PageRequestRecord(request: .dialog(dialog), answer: .dialog(.cancel), ending: .failed(url))),
            .package(.confirmed(id, version)),
            .package(.downloading(id, version, .init(received: 1, total: 2))),
            .rulesChanged,
        ]
        let reporter = try #require(MetricsReporter(backend))
        for event in events { reporter.record(event) }
        let counters: [(String, [(String, String)])] = [
            ("white_page.steps", [("signal", "bootError"), ("step", "reloaded")]),
            ("page_requests", [("ending", "failed"), ("kind", "dialog")]), ("packages", [("event", "proven")]),
        ]
        for (name, dimensions) in counters {
            #expect(backend.counterTotal(label: "containerkit.\(name)", dimensions: dimensions) == 1, "\(name)")
        }
        #expect(backend.counters.count == counters.count)
    }
}

@MainActor
private final class FixedTotals: DiagnosticsHost {
    let metricTotals: [MetricKey: Int]

    init(_ totals: [MetricKey: Int]) { metricTotals = totals }

    func documentURL(of page: PageID) -> String? { nil }
}
