// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Metrics
package import ResourceLoading
internal import WebEngine

/// The reporter of pages, requests and totals to the app's metrics backend.
///
/// No dimension has a value that a page or a server can choose, so the number of series is bounded.
///
/// Isolation: the main actor.
@MainActor
package final class MetricsReporter {
    private let factory: any MetricsFactory
    private weak var host: (any DiagnosticsHost)?
    // Each series is created once, because the backend takes a lock to create one.
    private var counters: [MetricKey: Counter] = [:]
    private var timers: [MetricKey: Metrics.Timer] = [:]
    private var reportedTotals: [MetricKey: Int] = [:]

    /// Creates a reporter, or returns `nil` if the factory discards all metrics because the app has set no backend.
    package init?(_ factory: any MetricsFactory, host: (any DiagnosticsHost)? = nil) {
        guard !(factory is NOOPMetricsHandler) else { return nil }
        self.factory = factory
        self.host = host
    }

    /// Increments the counter of a series.
    package func count(_ name: MetricName, _ dimensions: [String: String] = [:], by amount: Int = 1) {
        count(MetricKey(name, dimensions), by: amount)
    }

    /// Records an observation in the series of pages and requests. Also reports the totals when a page closes.
    package func record(_ observation: PageObservation) {
        switch observation {
        case .opened(let session): count(.pages, ["mode": session.mode.rawValue])
        case .signal(_, .processEnded): count(.processEnds)
        case .signal: break
        case .requestEnded(let request): record(request)
        case .closed: recordTotals()
        }
    }

    /// Records the times of a page. Call it once per page, when the page has loaded or its load has failed.
    func record(_ timeline: PageTimeline) {
        var dimensions = ["mode": timeline.mode?.rawValue ?? "none"]
        if timeline.marks.loaded == nil, timeline.failure != nil { count(.pageFailures, dimensions) }
        dimensions["warm"] = timeline.hasWarmView.map { "\($0)" } ?? "none"
        let marks = timeline.marks
        let times: [(MetricName, Duration?)] = [
            (.checkOut, marks.checkOutEnded), (.firstByte, marks.responseStarted),
            (.firstContentfulPaint, marks.firstContentfulPaint), (.domReady, marks.domReady), (.load, marks.loaded),
        ]
        for (name, time) in times {
            if let time { record(time, as: name, dimensions) }
        }
        recordTotals()
    }

    private func record(_ request: RequestRecord) {
        let source = request.provenance?.source.rawValue ?? "none"
        count(.requests, ["source": source, "outcome": request.outcome.name, "asker": request.initiator.name])
        if request.bytes > 0 { count(.requestBytes, ["source": source], by: Int(request.bytes)) }
        if let responded = request.responded {
            record(request.started.duration(to: responded), as: .requestHead, ["source": source])
        }
    }

    /// Reports the growth of the host's totals since the last report, because a backend counts increments.
    private func recordTotals() {
        for (key, total) in host?.metricTotals ?? [:] {
            let new = total - reportedTotals[key, default: 0]
            guard new > 0 else { continue }
            reportedTotals[key] = total
            count(key, by: new)
        }
    }

    private func count(_ key: MetricKey, by amount: Int) {
        let counter =
            counters[key] ?? Counter(label: key.name.rawValue, dimensions: key.sortedDimensions, factory: factory)
        counters[key] = counter
        counter.increment(by: amount)
    }

    private func record(_ time: Duration, as name: MetricName, _ dimensions: [String: String]) {
        let key = MetricKey(name, dimensions)
        let timer = timers[key] ?? Timer(label: name.rawValue, dimensions: key.sortedDimensions, factory: factory)
        timers[key] = timer
        timer.record(duration: time)
    }
}

// Values of dimensions: fixed names, without associated values.

extension RequestRecord.Outcome {
    package var name: String {
        switch self {
        case .finished: "finished"
        case .failed: "failed"
        case .stopped: "stopped"
        }
    }
}

extension RequestRecord.Initiator {
    package var name: String {
        switch self {
        case .page: "page"
        case .app: "app"
        }
    }
}
