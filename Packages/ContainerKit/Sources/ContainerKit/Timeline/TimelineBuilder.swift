// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading
internal import WebEngine

/// Makes a timeline of what happens: a pure state machine, which takes events in any order.
struct TimelineBuilder: Sendable {
    /// What those who listen are told of.
    enum Step: Sendable, Hashable {
        case loaded, failed, closed
    }

    private(set) var timeline: PageTimeline
    private let called: ContinuousClock.Instant
    /// Whether the engine says of this navigation that it has ended although it failed.
    private var isFailing = false
    private var reported: Set<Step> = []

    init(page: PageID, url: String, called: ContinuousClock.Instant, date: Date, requestLimit: Int) {
        timeline = PageTimeline(page: page, documentURL: url, opened: date, requestLimit: requestLimit)
        self.called = called
    }

    /// Takes in what happened, and says what is new to those who listen: each step once. After the close nothing changes.
    mutating func record(_ event: ContainerEvent, at instant: ContinuousClock.Instant) -> Step? {
        guard timeline.marks.closed == nil else { return nil }
        let time = called.duration(to: instant)
        switch event {
        case .pageOpened(let session) where session.id == timeline.page:
            timeline.mode = session.mode
            mark(\.checkOutEnded, time)
        case .page(timeline.page, let signal): return record(signal, at: time)
        case .request(let request) where request.page == timeline.page:
            timeline.add(PageTimeline.Request(request, since: called))
            if request.isMainDocument { record(documentRequest: request) }
        case .pageClosed(timeline.page):
            mark(\.closed, time)
            return first(.closed)
        default: break
        }
        return nil
    }

    /// The page has its view.
    mutating func record(hasWarmView: Bool) { timeline.hasWarmView = hasWarmView }

    /// Where the document lies by now, by its real URL.
    mutating func record(documentURL: String) { timeline.documentURL = documentURL }

    /// The page could not be opened at all.
    mutating func fail(_ reason: String, at instant: ContinuousClock.Instant) {
        guard timeline.marks.closed == nil else { return }
        _ = fail(reason, at: called.duration(to: instant))
        mark(\.closed, called.duration(to: instant))
    }

    /// What the page said of itself, of which nothing is believed that cannot be.
    mutating func record(_ readings: PageReadings) {
        guard timeline.marks.closed == nil, let origin = readings.origin, origin.isFinite else { return }
        // The page tells the time by the calendar. One that was set back meanwhile, or forth, would shift all.
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
        // The engine's word that the view navigates may come later than what the view asked for.
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
        case .finished where isFailing: break
        case .finished where timeline.marks.committed == nil:
            // An engine that will not load a URL may load a blank page in its place.
            return fail("the load ended without a document", at: time)
        case .finished:
            mark(\.loaded, time)
            return first(.loaded)
        case .failed(_, let error): return fail(error.withoutPlace, at: time)
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

// Without where: that is a URL, whose query is nothing for the log.
extension EngineError {
    var withoutPlace: String { "\(code): \(message)" }
}

extension ContainerError {
    var withoutPlace: String { "\(code): \(message)" }
}
