// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
package import ResourceLoading
package import WebEngine

/// An observation of a page: the input of timelines and page metrics.
package enum PageObservation: Sendable {
    /// The page received its view and its session.
    case opened(PageSession)
    /// The page's view sent a signal.
    case signal(PageID, ViewSignal)
    /// A request that the container handled has ended.
    case requestEnded(RequestRecord)
    /// The page was closed.
    case closed(PageID)

    /// The page that the observation belongs to; `nil` for a request without a known page.
    var page: PageID? {
        switch self {
        case .opened(let session): session.id
        case .signal(let page, _), .closed(let page): page
        case .requestEnded(let record): record.page
        }
    }
}

/// The state machine that builds a timeline from observations, in any order.
struct TimelineBuilder: Sendable {
    /// The steps after which subscribers receive a timeline.
    enum Step: Sendable, Hashable {
        case loaded, failed, closed
    }

    private(set) var timeline: PageTimeline
    private let called: ContinuousClock.Instant
    /// A Boolean value that indicates whether the current navigation has failed. Some engines report `finished` at the
    /// end of a failed navigation, too.
    private var isFailing = false
    private var reported: Set<Step> = []

    init(page: PageID, url: String, called: ContinuousClock.Instant, date: Date, requestLimit: Int) {
        timeline = PageTimeline(page: page, documentURL: url, opened: date, requestLimit: requestLimit)
        self.called = called
    }

    /// Records an observation. Nothing changes after the close.
    /// - Returns: the step that the observation completes, each step once; `nil` if there is none.
    mutating func record(_ observation: PageObservation, at instant: ContinuousClock.Instant) -> Step? {
        guard timeline.marks.closed == nil else { return nil }
        let time = called.duration(to: instant)
        switch observation {
        case .opened(let session) where session.id == timeline.page:
            timeline.mode = session.mode
            mark(\.checkOutEnded, time)
        case .signal(timeline.page, let signal): return record(signal, at: time)
        case .requestEnded(let request) where request.page == timeline.page:
            timeline.add(PageTimeline.Request(request, since: called))
            if request.isMainDocument { record(documentRequest: request) }
        case .closed(timeline.page):
            mark(\.closed, time)
            return first(.closed)
        case .opened, .signal, .requestEnded, .closed: break
        }
        return nil
    }

    /// Records whether the view of the page was warm at its check-out.
    mutating func record(hasWarmView: Bool) { timeline.hasWarmView = hasWarmView }

    /// Records the real URL of the document that the view shows.
    mutating func record(documentURL: String) { timeline.documentURL = documentURL }

    /// Records that the page could not be opened.
    mutating func fail(_ reason: String, at instant: ContinuousClock.Instant) {
        guard timeline.marks.closed == nil else { return }
        _ = fail(reason, at: called.duration(to: instant))
        mark(\.closed, called.duration(to: instant))
    }

    /// Records the times that the page reported, except those that are impossible.
    mutating func record(_ readings: PageReadings) {
        guard timeline.marks.closed == nil, let origin = readings.origin, origin.isFinite else { return }
        // The page uses the wall clock. If the clock was set while the page opened, all times are shifted.
        let start = origin - timeline.opened.timeIntervalSince1970 * 1_000
        let end = (timeline.marks.loaded ?? .zero) + .seconds(10)
        func since(_ value: Double?) -> Duration? {
            guard let value, value.isFinite, (0...1e9).contains(value + start) else { return nil }
            let time = Duration.milliseconds(value + start)
            return time <= end ? time : nil
        }
        mark(\.firstPaint, since(readings.firstPaint))
        mark(\.firstContentfulPaint, since(readings.firstContentfulPaint))
        mark(\.domReady, since(readings.domReady))
        mark(\.responseStarted, since(readings.responseStart))
    }

    private mutating func record(documentRequest record: RequestRecord) {
        // The engine may report the navigation after the view has requested the document.
        let started = called.duration(to: record.started)
        timeline.marks.navigationStarted = min(timeline.marks.navigationStarted ?? started, started)
        mark(\.responseStarted, record.responded.map { called.duration(to: $0) })
    }

    private mutating func record(_ signal: ViewSignal, at time: Duration) -> Step? {
        switch signal {
        case .started:
            mark(\.navigationStarted, time)
            isFailing = false
        case .committed(let url) where !url.hasPrefix("about:"): mark(\.committed, time)
        case .committed: break
        case .finished where isFailing, .stopped where isFailing || timeline.marks.committed == nil: break
        case .finished where timeline.marks.committed == nil:
            // An engine that refuses a URL may load a blank page instead.
            return fail("the load ended without a document", at: time)
        case .finished, .stopped:
            mark(\.loaded, time)
            return first(.loaded)
        case .failed(_, let error): return fail(error.withoutLocation, at: time)
        case .processEnded(let reason): return fail("the web process ended: \(reason)", at: time)
        case .resource(let resource): timeline.add(PageTimeline.Request(resource, ended: time))
        case .frameLoaded, .visibilityChanged: break
        }
        return nil
    }

    private mutating func fail(_ reason: String, at time: Duration) -> Step? {
        isFailing = true
        mark(\.failed, time)
        timeline.failure = timeline.failure ?? reason
        return first(.failed)
    }

    private mutating func first(_ step: Step) -> Step? {
        reported.insert(step).inserted ? step : nil
    }

    private mutating func mark(_ path: WritableKeyPath<PageTimeline.Marks, Duration?>, _ time: Duration?) {
        if timeline.marks[keyPath: path] == nil { timeline.marks[keyPath: path] = time }
    }
}

extension EngineError {
    /// The description without the location. The location is a URL, whose query must not be logged.
    package var withoutLocation: String { "\(code): \(message)" }
}

extension PageTimeline.Request {
    fileprivate init(_ record: RequestRecord, since called: ContinuousClock.Instant) {
        self.init(
            initiator: .page, method: record.method.rawValue, url: record.url, isMainDocument: record.isMainDocument)
        status = record.status?.code
        provenance = record.provenance?.source
        reason =
            switch record.outcome {
            case .finished: record.provenance?.reason
            case .failed(let error): "\(error)"
            case .stopped: "cancelled by the page"
            }
        mediaType = record.mediaType
        bytes = record.responded == nil ? nil : record.bytes
        started = called.duration(to: record.started)
        responded = record.responded.map(called.duration(to:))
        ended = called.duration(to: record.ended)
    }

    /// Creates a request that the engine loaded itself. The engine reports neither its start nor its method.
    fileprivate init(_ resource: EngineResource, ended: Duration) {
        self.init(initiator: .engine, method: "GET", url: resource.url)
        // An engine may report the status 0 if there was no response.
        status = resource.status.flatMap { $0 > 0 ? $0 : nil }
        reason = resource.failure
        bytes = resource.length
        self.ended = ended
    }
}
