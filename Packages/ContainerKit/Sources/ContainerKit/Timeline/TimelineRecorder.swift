// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import Logging
internal import ResourceLoading
internal import WebEngine

/// The timelines of the pages that are open, and those who listen to them. Nobody is ever waited for.
///
/// Isolation: the main actor.
@MainActor
final class TimelineRecorder {
    /// What became of one page, also for the host's ``Page`` once it is closed.
    @MainActor
    final class Recording {
        fileprivate var machine: TimelineBuilder
        /// What the page has said of itself before the engine has said that it is loaded.
        fileprivate var readings: PageReadings?
        /// Waits for what a page that has loaded says.
        fileprivate var waiting: Task<Void, Never>?
        fileprivate var isReported = false

        fileprivate init(_ machine: TimelineBuilder) { self.machine = machine }

        var timeline: PageTimeline { machine.timeline }
    }

    /// The most timelines that wait for a subscriber; for one more the oldest is lost.
    static let bufferLimit = 64

    private let options: TimelineOptions
    private let logger: Logger
    private let realURL: @MainActor (PageID) -> String?
    private var recordings: [PageID: Recording] = [:]
    private let timelines = Broadcast<PageTimeline>(capacity: TimelineRecorder.bufferLimit)
    private var listener: (@MainActor (PageTimeline) -> Void)?
    /// Timelines that slow subscribers lost.
    var dropped: Int { timelines.dropped }

    /// - Parameter realURL: where the document of a page lies by now.
    init(_ options: TimelineOptions, logger: Logger, realURL: @escaping @MainActor (PageID) -> String? = { _ in nil }) {
        self.options = options
        self.logger = logger
        self.realURL = realURL
    }

    func subscribe() -> AsyncStream<PageTimeline> { timelines.subscribe() }

    /// Has `listener` hear each timeline when it is told first.
    func listen(_ listener: @escaping @MainActor (PageTimeline) -> Void) { self.listener = listener }

    /// Open was called.
    func begin(_ page: PageID, at url: String) {
        recordings[page] = Recording(
            TimelineBuilder(page: page, url: url, called: .now, date: Date(), requestLimit: options.requestLimit))
    }

    /// The page has its view.
    func recordView(of page: PageID, isWarm: Bool) -> Recording? {
        recordings[page]?.machine.record(hasWarmView: isWarm)
        return recordings[page]
    }

    /// Has a page say what it knows of itself, once it is there. Where the view takes no handler, it is told without.
    func listen(to view: some EngineView, of page: PageID) {
        guard options.asksPages else { return }
        do {
            try view.scripting.setMessageHandler(named: PageReadings.name, in: PageReadings.world) {
                [weak self] message in
                self?.receive(message, of: page)
                return "null"
            }
            view.scripting.add(PageReadings.script)
        } catch {
            logger.warning("a page is not asked for its times", metadata: ["error": "\(error)"])
        }
    }

    /// The page could not be opened.
    func fail(_ page: PageID, _ error: any Error) {
        guard let recording = recordings.removeValue(forKey: page) else { return }
        let reason =
            (error as? EngineError)?.withoutPlace ?? (error as? ContainerError)?.withoutPlace ?? "\(type(of: error))"
        recording.waiting?.cancel()
        recording.machine.fail(reason, at: .now)
        send(recording)
    }

    func receive(_ event: ContainerEvent) {
        guard let page = event.page, let recording = recordings[page] else { return }
        if case .page(_, .committed) = event, let url = realURL(page) { recording.machine.record(documentURL: url) }
        // Of a document that only led here, or that never came to its end.
        if case .page(_, .started) = event { recording.readings = nil }
        switch recording.machine.record(event, at: .now) {
        case nil: break
        case .loaded: sendWhenRead(recording)
        case .failed: send(recording)
        case .closed:
            recordings[page] = nil
            recording.waiting?.cancel()
            send(recording)
        }
    }

    /// Tells of a page that has loaded, as soon as it has said when it was painted.
    private func sendWhenRead(_ recording: Recording) {
        guard options.asksPages else { return send(recording) }
        if let readings = recording.readings {
            recording.machine.record(readings)
            return send(recording)
        }
        recording.waiting = Task { [weak self, weak recording, limit = options.askingLimit] in
            guard (try? await Task.sleep(for: limit)) != nil, let self, let recording, isOpen(recording) else { return }
            recording.waiting = nil
            send(recording)
        }
    }

    /// A page says what it knows of itself: before the engine has said that it is loaded, or after that.
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
            listener?(timeline)
        }
        timelines.send(timeline)
    }
}

extension ContainerEvent {
    /// The page that an event is of, where it counts for a timeline.
    fileprivate var page: PageID? {
        switch self {
        case .pageOpened(let session): session.id
        case .page(let page, _), .pageClosed(let page): page
        case .request(let record): record.page
        default: nil
        }
    }
}
