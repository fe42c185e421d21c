// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Diagnostics
internal import Logging
@_spi(Facade) internal import OfflinePackage
internal import PagePrefetch
internal import PagePrompts
internal import PageRecovery
internal import Prefetch
internal import ResourceLoading
internal import ResourceStore
internal import WebEngine
internal import WebViewPool

extension Container {
    /// Returns a stream of the timelines of pages. Each timeline is sent when its page has loaded or failed to load,
    /// and again, complete, when the page is closed. If a page is closed before it has loaded, its timeline is sent
    /// once.
    ///
    /// The timeline of a loaded page is sent when the page has reported its paint times, at most
    /// ``/Diagnostics/TimelineOptions/pageReportLimit`` after its load. Later requests are included in the timeline
    /// that is sent when the page is closed. The stream buffers 64 timelines for a slow subscriber and then drops the
    /// oldest; `droppedEvents` counts them. If ``ContainerConfiguration/Diagnostics/timelines`` is `nil`, the stream
    /// ends immediately.
    public func timelines() -> AsyncStream<PageTimeline> {
        components.first(DiagnosticsComponent.self)?.recorder?.subscribe() ?? AsyncStream { $0.finish() }
    }
}

// MARK: - Assembly

extension ContainerCore {
    func makeDiagnostics() -> DiagnosticsComponent {
        DiagnosticsComponent(configuration.diagnostics, logger: logger, pages: pages, hub: hub)
    }
}

// MARK: - Component

/// The component that records timelines and reports metrics.
///
/// Isolation: the main actor.
@MainActor
final class DiagnosticsComponent: ContainerComponent {
    /// The recorder, or `nil` if no timelines are recorded.
    private(set) var recorder: TimelineRecorder?
    /// The components whose counters are reported as metrics.
    weak var components: ComponentList?
    private let pages: PageRegistry
    private let hub: EventHub

    init(_ options: ContainerConfiguration.Diagnostics, logger: Logger, pages: PageRegistry, hub: EventHub) {
        self.pages = pages
        self.hub = hub
        let metrics = MetricsReporter(options.metrics, host: self)
        let recorder = options.timelines.map {
            TimelineRecorder($0, logger: logger, metrics: metrics, host: self)
        }
        self.recorder = recorder
        guard metrics != nil || recorder != nil else { return }
        hub.observePermanently { event in
            metrics?.record(event)
            if let observation = PageObservation(event) { recorder?.record(observation) }
        }
    }

    func pageWillOpen(_ opening: PageOpening) { recorder?.begin(opening.id, at: opening.url) }

    func pageDidOpen(_ page: PageSession, _ opening: PageOpening) {
        guard let recording = recorder?.recordView(of: page.id, isWarm: opening.hasWarmView) else { return }
        opening.timeline = { recording.timeline }
    }

    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) {
        recorder?.listen(to: view, of: page.id)
    }

    func pageDidFail(_ page: PageID, because error: any Error) { recorder?.fail(page, error) }

    func addCounters(to counters: inout ContainerCounters) {
        counters.droppedEvents += hub.dropped + (recorder?.dropped ?? 0)
    }
}

extension DiagnosticsComponent: DiagnosticsHost {
    package func documentURL(of page: PageID) -> String? { pages.session(of: page)?.documentURL }

    package var metricTotals: [MetricKey: Int] { components?.counters.metricTotals ?? [:] }
}

extension TimelineRecorder {
    /// Ends the timeline of a page that could not be opened. The reason excludes the location of the error, because the
    /// query of a URL must not be logged.
    func fail(_ page: PageID, _ error: any Error) {
        let reason =
            switch error {
            case let error as EngineError: error.withoutLocation
            case let error as ContainerError: "\(error.code): \(error.message)"
            default: "\(type(of: error))"
            }
        fail(page, reason: reason)
    }
}

// MARK: - Events

extension PageObservation {
    /// Creates the observation of an event; returns `nil` if neither timelines nor page metrics use the event.
    init?(_ event: ContainerEvent) {
        switch event {
        case .pageOpened(let session): self = .opened(session)
        case .page(let page, let signal): self = .signal(page, signal)
        case .request(let record): self = .requestEnded(record)
        case .pageClosed(let page): self = .closed(page)
        default: return nil
        }
    }
}

extension MetricsReporter {
    func record(_ event: ContainerEvent) {
        switch event {
        case .blankPage(_, let step):
            count(.blankPageSteps, ["step": step.kind.rawValue, "signal": step.signal.rawValue])
        case .pageRequest(_, let record):
            count(.pageRequests, ["kind": record.request.name, "ending": record.ending.name])
        case .package(let event):
            if let name = event.metricName { count(.packages, ["event": name]) }
        default:
            if let observation = PageObservation(event) { record(observation) }
        }
    }
}

// MARK: - Values of dimensions: fixed names, without associated values

extension PageRequest {
    var name: String {
        switch self {
        case .link: "link"
        case .dialog: "dialog"
        case .permission: "permission"
        case .download: "download"
        }
    }
}

extension PageRequestEnding {
    var name: String {
        switch self {
        case .answered: "answered"
        case .noDelegate: "no_delegate"
        case .tooMany: "too_many"
        case .ruledOut: "ruled_out"
        case .timedOut: "timed_out"
        case .failed: "failed"
        case .pageGone: "page_gone"
        case .withdrawn: "withdrawn"
        }
    }
}

// MARK: - Counters

extension ContainerCounters {
    /// The counters that no event reports, by metric series.
    var metricTotals: [MetricKey: Int] {
        var totals: [MetricKey: Int] = [
            MetricKey(.checkOuts, ["warm": "true"]): pool.warmCheckOuts,
            MetricKey(.checkOuts, ["warm": "false"]): pool.coldCheckOuts,
            MetricKey(.drops): droppedEvents,
            MetricKey(.damage, ["of": "file"]): unreadableFiles,
            MetricKey(.damage, ["of": "blob"]): store.damagedBlobs,
            MetricKey(.damage, ["of": "resource"]): store.damagedResources,
            MetricKey(.damage, ["of": "document"]): store.damagedDocuments,
        ]
        totals.merge(viewEnds) { $1 }
        if let prefetch { totals.merge(prefetch.metricTotals) { $1 } }
        if let table { totals[MetricKey(.damage, ["of": "table_entry"])] = table.invalidEntries }
        return totals
    }

    private var viewEnds: [MetricKey: Int] {
        var sums: [MetricKey: Int] = [:]
        for (reason, count) in pool.ended {
            // The description of a quarantine lists the residual state of the view. One name limits the number of
            // series.
            let name = reason.isQuarantine ? "quarantined" : "\(reason)"
            sums[MetricKey(.viewEnds, ["reason": name]), default: 0] += count
        }
        return sums
    }
}

extension PrefetchCounters {
    var metricTotals: [MetricKey: Int] {
        [
            MetricKey(.prefetch, ["outcome": "hit"]): hits, MetricKey(.prefetch, ["outcome": "join"]): joins,
            MetricKey(.prefetch, ["outcome": "miss"]): misses,
            MetricKey(.prefetch, ["outcome": "stranger"]): mismatches,
            MetricKey(.prefetch, ["outcome": "wasted"]): wasted,
            MetricKey(.prefetch, ["outcome": "failed"]): failures,
            MetricKey(.prefetch, ["outcome": "abandoned"]): abandoned,
            MetricKey(.prefetch, ["outcome": "skipped"]): skipped,
            MetricKey(.prefetchSaved): Int(saved / .milliseconds(1)),
            MetricKey(.prefetchWastedBytes): wastedBytes,
        ]
    }
}
