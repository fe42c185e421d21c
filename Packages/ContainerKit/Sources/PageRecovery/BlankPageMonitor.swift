// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// The watches of the pages that are open, and what they have in common.
///
/// Isolation: the main actor.
@MainActor
final class BlankPageMonitor {
    private let options: BlankPageOptions
    private var monitors: [ViewID: PageMonitor] = [:]
    private var pending: [PageID: Int] = [:]
    private var absences: Set<HostAbsence> = []
    /// URLs of which the last answer has said that there is no such thing, the latest last.
    private var missing: [String] = []

    init(_ options: BlankPageOptions) {
        self.options = options
    }

    /// Scripts of pages wait for what to do, also those of a container that is dropped.
    isolated deinit { shutDown() }

    /// Begins to watch a page that opens, before its view loads it.
    /// - Parameter place: where the page lies in the engine.
    func begin(
        _ session: PageSession, at place: String, in view: any EngineView, load: ViewLoad, host: PageMonitor.Host
    ) throws {
        let monitor = PageMonitor(
            session.id, at: place, in: view, load: load, options: options,
            hasScript: session.mode != .plain || options.watchesPlainPages,
            loadsAfterEnd: session.mode == .loopbackServer, host: host)
        monitors[session.view] = monitor
        defer { if !absences.isEmpty { monitor.handle(.paused) } }
        try monitor.begin()
    }

    /// Whether documents of a page that is not intercepted count.
    var watchesPlainPages: Bool { options.watchesPlainPages }

    func end(in view: ViewID) {
        guard let monitor = monitors.removeValue(forKey: view) else { return }
        monitor.end()
        pending[monitor.page] = nil
    }

    /// Something is about to be told of a view: what the host has asked of it before was asked for in spite of that.
    func recordLoad(in view: ViewID) { monitors[view]?.recordLoad() }

    /// What times pages.
    var clock: any Clock<Duration> { options.clock }

    /// The container ends: what becomes of the pages is nobody's concern any more.
    func shutDown() {
        for view in Array(monitors.keys) { end(in: view) }
    }

    /// The host says that a page is well.
    func recordHealthy(_ view: ViewID) { monitors[view]?.handle(.isWell) }

    // MARK: Requests

    /// A request waits for its answer.
    /// - Returns: the page that it is of, where that is watched; what its end is told with.
    func began(of view: ViewID?) -> PageID? {
        guard let page = view.flatMap({ monitors[$0] })?.page else { return nil }
        pending[page, default: 0] += 1
        return page
    }

    /// It does so no longer. The view may be another page's by now.
    func ended(of page: PageID?) {
        guard let page, let count = pending[page] else { return }
        pending[page] = max(0, count - 1)
    }

    func isBusy(_ page: PageID) -> Bool { pending[page, default: 0] > 0 }

    /// A document is asked for, before it is answered.
    func recordDocument(_ method: HTTPRequest.Method, of view: ViewID?) {
        guard ![.get, .head].contains(method), let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasBody)
    }

    /// The answer to a request for a document has begun, and is not delivered yet.
    func recordDocument(_ head: HTTPResponse, of view: ViewID?) {
        guard head.leavesDocumentEmpty, let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasNoContent)
    }

    /// The same of documents that come over loopback: of the page that asks, or of those on their way to its origin.
    /// Where none is, the request came before what the engine says of it, or was redirected: then it may be any.
    func recordDocument(_ report: LoopbackRequests.DocumentReport, realURL: (String) -> String) {
        let all = monitors.values.filter { report.page == nil || $0.page == report.page }
        let fitting = all.filter { report.isOf($0.comingPlace.map(realURL)) }
        for monitor in fitting.isEmpty ? all : fitting {
            if report.hasBody { monitor.handle(.hasBody) }
            if report.isEmpty { monitor.handle(.hasNoContent) }
        }
    }

    /// Whether the last request for a URL has ended with an answer that says that there is no such thing.
    func isMissing(_ url: String) -> Bool { missing.contains(url) }

    /// Whether a request of a page may have failed, or found its server in trouble, since its document came.
    func hasFailedRequest(_ page: PageID) -> Bool {
        monitors.values.contains { $0.page == page && $0.hasFailedRequest }
    }

    func receive(_ record: RequestRecord) {
        recordMissing(record)
        if record.hasFailed {
            for monitor in monitors.values where record.page == nil || monitor.page == record.page {
                monitor.recordFailedRequest()
            }
        }
        guard let page = record.page, let monitor = monitors.values.first(where: { $0.page == page }) else { return }
        if record.isMainDocument, case .failed(let error) = record.outcome, error.code != .cancelled {
            monitor.recordRefusal()
        }
        monitor.handle(.activity)
    }

    private func recordMissing(_ record: RequestRecord) {
        missing.removeAll { $0 == record.url }
        guard record.isMissing else { return }
        missing.append(record.url)
        if missing.count > Self.missingLimit { missing.removeFirst() }
    }

    private static let missingLimit = 64

    // MARK: The app's life

    /// The app goes away: no page is too late.
    func leave(_ absence: HostAbsence) {
        absences.insert(absence)
        for monitor in monitors.values { monitor.handle(.paused) }
    }

    func comeBack(from absence: HostAbsence) {
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        for monitor in monitors.values { monitor.handle(.resumed) }
    }
}

extension HTTPResponse {
    /// Whether the server says that there is nothing to show: some engines show an empty document for these on a custom
    /// scheme. Or it leads on by itself; WHATWG HTML, section 7.4.4.
    var leavesDocumentEmpty: Bool {
        status == .noContent || status == .resetContent
            || HTTPField.Name("Refresh").map { headerFields[$0] != nil } ?? false
    }
}

extension RequestRecord {
    fileprivate var isMissing: Bool {
        guard case .finished = outcome else { return false }
        return status == .notFound || status == .gone
    }

    fileprivate var hasFailed: Bool {
        if case .failed = outcome { return true }
        return status?.kind == .serverError
    }
}
