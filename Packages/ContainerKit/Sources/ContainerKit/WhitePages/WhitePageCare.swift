// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The watches of the pages that are open, and what they have in common.
///
/// Isolation: the main actor.
@MainActor
final class WhitePageCare {
    private let options: WhitePageOptions
    private var watches: [ViewID: PageWatch] = [:]
    private var pending: [PageID: Int] = [:]
    private var absences: Set<PackageCare.Absence> = []
    /// URLs of which the last answer has said that there is no such thing, the latest last.
    private var missing: [String] = []

    init(_ options: WhitePageOptions) {
        self.options = options
    }

    /// Scripts of pages wait for what to do, also those of a container that is dropped.
    isolated deinit { shutDown() }

    /// Begins to watch a page that opens, before its view loads it.
    /// - Parameter place: where the page lies in the engine.
    func begin(
        _ session: PageSession, at place: String, in view: any EngineView, load: ViewLoad, host: PageWatch.Host
    ) throws {
        let watch = PageWatch(
            session.id, at: place, in: view, load: load, options: options,
            hasScript: session.mode != .plain || options.watchesPlainPages,
            loadsAfterEnd: session.mode == .loopbackServer, host: host)
        watches[session.view] = watch
        defer { if !absences.isEmpty { watch.take(.paused) } }
        try watch.begin()
    }

    /// Whether documents of a page that is not intercepted count.
    var watchesPlainPages: Bool { options.watchesPlainPages }

    func end(in view: ViewID) {
        guard let watch = watches.removeValue(forKey: view) else { return }
        watch.end()
        pending[watch.page] = nil
    }

    /// Something is about to be told of a view: what the host has asked of it before was asked for in spite of that.
    func noteLoad(in view: ViewID) { watches[view]?.noteLoad() }

    /// What times pages.
    var clock: any Clock<Duration> { options.clock }

    /// The container ends: what becomes of the pages is nobody's concern any more.
    func shutDown() {
        for view in Array(watches.keys) { end(in: view) }
    }

    /// The host says that a page is well.
    func noteHealthy(_ view: ViewID) { watches[view]?.take(.isWell) }

    // MARK: Requests

    /// A request waits for its answer.
    /// - Returns: the page that it is of, where that is watched; what its end is told with.
    func began(of view: ViewID?) -> PageID? {
        guard let page = view.flatMap({ watches[$0] })?.page else { return nil }
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
    func noteDocument(_ method: HTTPRequest.Method, of view: ViewID?) {
        guard ![.get, .head].contains(method), let watch = view.flatMap({ watches[$0] }) else { return }
        watch.take(.hasBody)
    }

    /// The answer to a request for a document has begun, and is not delivered yet.
    func noteDocument(_ head: HTTPResponse, of view: ViewID?) {
        guard head.leavesDocumentEmpty, let watch = view.flatMap({ watches[$0] }) else { return }
        watch.take(.hasNoContent)
    }

    /// The same of documents that come over loopback: of the page that asks, or of those on their way to its origin.
    /// Where none is, the request came before what the engine says of it, or was redirected: then it may be any.
    func noteDocument(_ note: LoopbackRequests.DocumentNote, realURL: (String) -> String) {
        let all = watches.values.filter { note.page == nil || $0.page == note.page }
        let fitting = all.filter { note.isOf($0.comingPlace.map(realURL)) }
        for watch in fitting.isEmpty ? all : fitting {
            if note.hasBody { watch.take(.hasBody) }
            if note.isEmpty { watch.take(.hasNoContent) }
        }
    }

    /// Whether the last request for a URL has ended with an answer that says that there is no such thing.
    func isMissing(_ url: String) -> Bool { missing.contains(url) }

    /// Whether a request of a page may have failed, or found its server in trouble, since its document came.
    func hasFailedRequest(_ page: PageID) -> Bool {
        watches.values.contains { $0.page == page && $0.hasFailedRequest }
    }

    func hear(_ record: RequestRecord) {
        noteMissing(record)
        if record.hasFailed {
            for watch in watches.values where record.page == nil || watch.page == record.page {
                watch.noteFailedRequest()
            }
        }
        guard let page = record.page, let watch = watches.values.first(where: { $0.page == page }) else { return }
        if record.isMainDocument, case .failed(let error) = record.outcome, error.code != .cancelled {
            watch.noteRefusal()
        }
        watch.take(.activity)
    }

    private func noteMissing(_ record: RequestRecord) {
        missing.removeAll { $0 == record.url }
        guard record.isMissing else { return }
        missing.append(record.url)
        if missing.count > Self.missingLimit { missing.removeFirst() }
    }

    private static let missingLimit = 64

    // MARK: The app's life

    /// The app goes away: no page is too late.
    func leave(_ absence: PackageCare.Absence) {
        absences.insert(absence)
        for watch in watches.values { watch.take(.paused) }
    }

    func comeBack(from absence: PackageCare.Absence) {
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        for watch in watches.values { watch.take(.resumed) }
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
