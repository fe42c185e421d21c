// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import Logging
package import ResourceLoading
package import WebEngine

/// The values that diagnostics read from the container.
///
/// Isolation: the main actor.
@MainActor
package protocol DiagnosticsHost: AnyObject {
    /// Returns the real URL of the document that a page shows, or `nil` if the page is closed.
    func documentURL(of page: PageID) -> String?

    /// The totals of the modules since the container was opened, by series.
    var metricTotals: [MetricKey: Int] { get }
}

/// The recorder of the timelines of the open pages. It sends them to subscribers without waiting for a slow subscriber.
///
/// Isolation: the main actor.
@MainActor
package final class TimelineRecorder {
    /// The recording of one page. It remains valid after the close, so that the facade can return its timeline.
    @MainActor
    package final class Recording {
        fileprivate var machine: TimelineBuilder
        /// The readings of the page, if they arrive before the engine reports the load.
        fileprivate var readings: PageReadings?
        /// The task that waits for the readings of a loaded page.
        fileprivate var waiting: Task<Void, Never>?
        fileprivate var isReported = false

        fileprivate init(_ machine: TimelineBuilder) { self.machine = machine }

        package var timeline: PageTimeline { machine.timeline }
    }

    /// The maximum number of timelines that are buffered for one subscriber. If the buffer is full, the oldest timeline
    /// is dropped.
    package static let bufferLimit = 64

    private let options: TimelineOptions
    private let logger: Logger
    private let metrics: MetricsReporter?
    private weak var host: (any DiagnosticsHost)?
    private var recordings: [PageID: Recording] = [:]
    private let timelines = Broadcast<PageTimeline>(capacity: TimelineRecorder.bufferLimit)
    /// The number of timelines that were dropped because a subscriber was slow.
    package var dropped: Int { timelines.dropped }

    /// Creates a recorder.
    /// - Parameters:
    ///   - options: the limits of the timelines.
    ///   - logger: the log of opened pages and failures.
    ///   - metrics: the reporter that records each timeline once, when its page has loaded or its load has failed.
    ///   - host: the container; not retained.
    package init(
        _ options: TimelineOptions, logger: Logger, metrics: MetricsReporter? = nil, host: (any DiagnosticsHost)? = nil
    ) {
        self.options = options
        self.logger = logger
        self.metrics = metrics
        self.host = host
    }

    package func subscribe() -> AsyncStream<PageTimeline> { timelines.subscribe() }

    /// Starts the timeline of a page. Call it when `open` is called.
    package func begin(_ page: PageID, at url: String) {
        recordings[page] = Recording(
            TimelineBuilder(page: page, url: url, called: .now, date: Date(), requestLimit: options.requestLimit))
    }

    /// Records that the page has its view.
    package func recordView(of page: PageID, isWarm: Bool) -> Recording? {
        recordings[page]?.machine.record(hasWarmView: isWarm)
        return recordings[page]
    }

    /// Adds the script and the message handler through which a page reports its readings. If the view refuses the
    /// message handler, the timeline has no readings.
    package func listen(to view: some EngineView, of page: PageID) {
        guard options.recordsPageTimes else { return }
        do {
            try view.scripting.setMessageHandler(named: PageReadings.name, in: PageReadings.world) {
                [weak self] message in
                self?.receive(message, of: page)
                return "null"
            }
            view.scripting.add(PageReadings.script)
        } catch {
            logger.warning("cannot read the paint times of a page", metadata: ["error": "\(error)"])
        }
    }

    /// Ends the timeline of a page that could not be opened.
    /// - Parameter reason: one line of text without a URL, because it is logged.
    package func fail(_ page: PageID, reason: String) {
        guard let recording = recordings.removeValue(forKey: page) else { return }
        recording.waiting?.cancel()
        recording.machine.fail(reason, at: .now)
        send(recording)
    }

    /// Records an observation in the timeline of its page.
    package func record(_ observation: PageObservation) {
        guard let page = observation.page, let recording = recordings[page] else { return }
        if case .signal(_, .committed) = observation, let url = host?.documentURL(of: page) {
            recording.machine.record(documentURL: url)
        }
        // Earlier readings belong to a document that redirected, or to a load that did not end.
        if case .signal(_, .started) = observation { recording.readings = nil }
        switch recording.machine.record(observation, at: .now) {
        case nil: break
        case .loaded: sendWhenRead(recording)
        case .failed: send(recording)
        case .closed:
            recordings[page] = nil
            recording.waiting?.cancel()
            send(recording)
        }
    }

    /// Sends the timeline of a loaded page when the page has reported its readings, at the latest after the time
    /// limit.
    private func sendWhenRead(_ recording: Recording) {
        guard options.recordsPageTimes else { return send(recording) }
        if let readings = recording.readings {
            recording.machine.record(readings)
            return send(recording)
        }
        recording.waiting = Task { [weak self, weak recording, limit = options.pageReportLimit] in
            guard (try? await Task.sleep(for: limit)) != nil, let self, let recording, isOpen(recording) else { return }
            recording.waiting = nil
            send(recording)
        }
    }

    /// Receives the readings of a page, before or after the engine reports the load.
    private func receive(_ message: ScriptMessage, of page: PageID) {
        guard let recording = recordings[page], let readings = PageReadings(json: message.json) else { return }
        guard let waiting = recording.waiting else {
            recording.readings = readings
            return
        }
        waiting.cancel()
        recording.waiting = nil
        recording.machine.record(readings)
        send(recording)
    }

    private func isOpen(_ recording: Recording) -> Bool { recordings[recording.timeline.page] === recording }

    private func send(_ recording: Recording) {
        let timeline = recording.timeline
        if !recording.isReported {
            recording.isReported = true
            logger.info("page", metadata: timeline.metadata)
            metrics?.record(timeline)
        }
        timelines.send(timeline)
    }
}

extension PageTimeline {
    /// The log metadata of an opened page: times in milliseconds, and the URL of the document without its query.
    /// Unknown values are omitted.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "page": "\(page.rawValue)", "url": "\(BareURL.of(documentURL))", "requests": "\(requests.count)",
        ]
        if let mode { metadata["mode"] = "\(mode.rawValue)" }
        if let hasWarmView { metadata["warm"] = "\(hasWarmView)" }
        if droppedRequests > 0 { metadata["dropped"] = "\(droppedRequests)" }
        if let failure { metadata["failure"] = "\(failure)" }
        let times: [(String, Duration?)] = [
            ("check-out", marks.checkOutEnded), ("first-byte", marks.responseStarted),
            ("first-contentful-paint", marks.firstContentfulPaint), ("dom-ready", marks.domReady),
            ("load", marks.loaded), ("failed", marks.failed),
        ]
        for (name, time) in times {
            if let time { metadata[name] = "\(Int(time.inMilliseconds.rounded()))" }
        }
        return metadata
    }
}
