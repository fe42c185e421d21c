// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BodyBridge
import Foundation
import HTTPTypes
import PackageFormat
import Prefetch
import ResourceLoading
import ResourceStore
import ResourceTable
import SchemeMode
import Testing
import WebEngine
import WebViewPool

@testable import ContainerKit
@testable import Diagnostics
@_spi(Facade) @testable import OfflinePackage
@testable import PageRecovery

/// The names on which dashboards, pages, stores and scripts outside of this project depend. Types and cases may be
/// renamed, but the strings must not change. Add new names here.
@MainActor
@Suite("Public names")
struct InterfaceNamesTests {
    @Test("Metric names")
    func metrics() {
        let names = [
            "containerkit.pages", "containerkit.page.failures", "containerkit.page.check_out",
            "containerkit.page.first_byte", "containerkit.page.first_contentful_paint", "containerkit.page.dom_ready",
            "containerkit.page.load", "containerkit.requests", "containerkit.request.bytes",
            "containerkit.request.head", "containerkit.process_ends", "containerkit.white_page.steps",
            "containerkit.page_requests", "containerkit.packages", "containerkit.pool.check_outs",
            "containerkit.pool.ended", "containerkit.prefetch", "containerkit.prefetch.saved_ms",
            "containerkit.prefetch.wasted_bytes", "containerkit.drops", "containerkit.damage",
        ]
        #expect(MetricName.allCases.map(\.rawValue) == names)
    }

    @Test("Metric dimensions of totals")
    func totals() async throws {
        let fixture = Fixture()
        let container = try await fixture.container { $0.network.prefetch = PrefetchOptions() }
        let series = container.counters.metricTotals.keys.map { key in
            ([key.name.rawValue] + key.dimensions.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
        }
        #expect(
            series.sorted() == [
                "containerkit.damage of=blob", "containerkit.damage of=document", "containerkit.damage of=file",
                "containerkit.damage of=resource", "containerkit.drops", "containerkit.pool.check_outs warm=false",
                "containerkit.pool.check_outs warm=true", "containerkit.prefetch outcome=abandoned",
                "containerkit.prefetch outcome=failed", "containerkit.prefetch outcome=hit",
                "containerkit.prefetch outcome=join", "containerkit.prefetch outcome=miss",
                "containerkit.prefetch outcome=skipped", "containerkit.prefetch outcome=stranger",
                "containerkit.prefetch outcome=wasted", "containerkit.prefetch.saved_ms",
                "containerkit.prefetch.wasted_bytes",
            ])
        await container.shutDown()
    }

    @Test("Values of the dimensions mode, source, outcome, asker, step and signal")
    func values() {
        #expect(
            InterceptionMode.allCases.map(\.rawValue)
                == ["plain", "scheme", "document", "proxy", "server", "takeover"])
        #expect(
            [Provenance.Source.package, .prefetch, .memory, .disk, .network, .synthetic].map(\.rawValue)
                == ["package", "prefetch", "memory", "disk", "network", "synthetic"])
        let error = ResourceError(.internal, "gone")
        #expect(
            [RequestRecord.Outcome.finished, .failed(error), .stopped].map(\.name)
                == ["finished", "failed", "stopped"])
        #expect([RequestRecord.Initiator.page, .app].map(\.name) == ["page", "app"])
        #expect(
            [BlankPageStep.Kind.reloaded, .reloadedWithoutPackage, .showedErrorPage, .retried].map(\.rawValue)
                == ["reloaded", "reloadedWithoutPackage", "showedErrorPage", "retried"])
        #expect(
            BlankPageSignal.allCases.map(\.rawValue) == [
                "processEnded", "loadFailed", "emptyDocument", "bootError", "failedResource", "unresponsive",
                "noFirstPaint", "uniformPicture",
            ])
    }

    @Test("Values of the dimensions ending, event and reason")
    func endings() throws {
        let endings: [PageRequestEnding] = [
            .answered, .noDelegate, .tooMany, .ruledOut, .timedOut, .failed("no"), .pageGone, .withdrawn,
        ]
        #expect(
            endings.map(\.name) == [
                "answered", "no_delegate", "too_many", "ruled_out", "timed_out", "failed", "page_gone", "withdrawn",
            ])
        let id = try PackageID("shop")
        let version = try PackageVersion("1")
        let source = try PackageSource(
            "https://packages.example/shop.json", scope: PackageBaseURL("https://shop.example/"))
        let failure = PackageFailure(CancellationError())
        let events: [PackageEvent] = [
            .updateBegan(source), .staged(id, version, .nextLaunch), .confirmed(id, version),
            .quarantined(id, version, reason: ""), .fellBack(id, version, reason: ""),
            .repaired(id, version, files: 1), .updateFailed(source, failure), .changeFailed(id, failure),
            .catalogueChanged(try PackageCatalogue(sequence: 1, packages: [])), .catalogueFailed(failure),
            .withdrawn(id), .waiting(source, reason: ""),
        ]
        #expect(
            events.map(\.metricName) == [
                "update_began", "staged", "proven", "quarantined", "fell_back", "mended", "update_failed",
                "change_failed", "catalogue_changed", "catalogue_failed", "withdrawn", "waiting",
            ])
        #expect(PackageEvent.updating(finished: 1, failed: 0, total: 1).metricName == nil)
        let reasons: [DiscardReason] = [
            .surplus, .reuseLimit, .trimmed, .warmUpFailed, .diedIdle, .processEnded, .resetFailed,
        ]
        #expect(
            reasons.map(\.description) == [
                "surplus", "reuse-limit", "trimmed", "warm-up-failed", "died-idle", "process-ended", "reset-failed",
            ])
    }

    @Test("Script message handlers, script worlds, header fields and schemes")
    func scripts() throws {
        #expect(PageReadings.name == "containerkit-timeline")
        #expect(HealthScript.name == "containerkit-health")
        #expect(InjectedScript.field == "ContainerKit-Request")
        let legacy = try #require(LegacyMessages(prefix: "app"))
        #expect(
            [legacy.bodyHandler, legacy.cookieHandler, legacy.prefetchHandler]
                == ["XHRCALL", "COOKIECALL", "PREFETCHCALL"])
        #expect(legacy.callback == "app_realxhr_callback" && legacy.parameter == "app-wkwebview-request-id")
        #expect(SchemeNames.standard.secure == "containerkit")
        #expect(SchemeNames.standard.insecure == "containerkit-http")
    }

    @Test("Stored documents")
    func documents() {
        #expect(HealthDocument.name == "package-health")
        #expect(SequenceDocument.name == "package-sequences")
        #expect(TableDocument.allCases.map(\.rawValue) == ["table", "check", "pending"])
    }
}
