// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Metrics
internal import PageRecovery
internal import ResourceLoading
internal import WebEngine

/// Tells the app's metrics backend what happens in a container. No dimension holds what a page or a server can choose, so
/// that the number of series is bounded.
///
/// Isolation: the main actor.
@MainActor
final class MetricsReporter {
    private let backend: MetricsBackend
    private let totals: @MainActor () -> [MetricKey: Int]
    private var reported: [MetricKey: Int] = [:]

    /// - Parameter totals: what the container has counted so far, of what no event tells.
    init(_ factory: any MetricsFactory, totals: @escaping @MainActor () -> [MetricKey: Int]) {
        backend = MetricsBackend(factory)
        self.totals = totals
    }

    /// Nothing for a factory that keeps nothing, as where the app has chosen no backend.
    static func isOf(_ factory: any MetricsFactory) -> Bool { !(factory is NOOPMetricsHandler) }

    func receive(_ event: ContainerEvent) {
        switch event {
        case .request(let request): record(request)
        case .pageOpened(let session): backend.count(.pages, ["mode": session.mode.rawValue])
        case .pageClosed: recordTotals()
        case .page(_, .processEnded): backend.count(.processEnds)
        case .blankPage(_, let step):
            backend.count(.blankPageSteps, ["step": step.kind.rawValue, "signal": step.signal.rawValue])
        case .pageRequest(_, let record):
            backend.count(.pageRequests, ["kind": record.request.name, "ending": record.ending.name])
        case .package(let event):
            if let name = event.name { backend.count(.packages, ["event": name]) }
        default: break
        }
    }

    /// Takes in how a page opened: once, when it has loaded, or when that has failed.
    func receive(_ timeline: PageTimeline) {
        var dimensions = ["mode": timeline.mode?.rawValue ?? "none"]
        if timeline.marks.loaded == nil, timeline.failure != nil { backend.count(.pageFailures, dimensions) }
        dimensions["warm"] = timeline.hasWarmView.map { "\($0)" } ?? "none"
        let marks = timeline.marks
        let times: [(MetricName, Duration?)] = [
            (.checkOut, marks.checkOutEnded), (.firstByte, marks.responseStarted),
            (.firstContentfulPaint, marks.firstContentfulPaint), (.domReady, marks.domReady), (.load, marks.loaded),
        ]
        for (name, time) in times {
            if let time { backend.record(time, as: name, dimensions) }
        }
        recordTotals()
    }

    private func record(_ record: RequestRecord) {
        let source = record.provenance?.source.rawValue ?? "none"
        backend.count(
            .requests, ["source": source, "outcome": record.outcome.name, "asker": record.asker.name])
        if record.bytes > 0 { backend.count(.requestBytes, ["source": source], by: Int(record.bytes)) }
        if let responded = record.responded {
            backend.record(record.started.duration(to: responded), as: .requestHead, ["source": source])
        }
    }

    /// Counters of the modules are totals, and a backend wants what is new.
    private func recordTotals() {
        for (key, total) in totals() {
            let new = total - reported[key, default: 0]
            guard new > 0 else { continue }
            reported[key] = total
            backend.count(key, by: new)
        }
    }
}
