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
    /// URLs whose last request was not answered, the latest last.
    private var unreachable: [String] = []

    init(_ options: WhitePageOptions) {
        self.options = options
    }

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
        try watch.begin()
        if !absences.isEmpty { watch.take(.paused) }
    }

    /// Whether documents of a page that is not intercepted count.
    var watchesPlainPages: Bool { options.watchesPlainPages }

    func end(in view: ViewID) {
        guard let watch = watches.removeValue(forKey: view) else { return }
        watch.end()
        pending[watch.page] = nil
    }

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

    /// The same of documents that come over loopback, of a page that is concluded, or may be any.
    func noteDocument(_ note: LoopbackRequests.DocumentNote) {
        for watch in watches.values where note.page == nil || watch.page == note.page {
            if note.hasBody { watch.take(.hasBody) }
            if note.isEmpty { watch.take(.hasNoContent) }
        }
    }

    /// Whether the last request for a URL got no answer, or an error of the server: then the page is not to blame.
    func isUnreachable(_ url: String) -> Bool { unreachable.contains(url) }

    func hear(_ record: RequestRecord) {
        noteReach(of: record)
        guard let page = record.page, let watch = watches.values.first(where: { $0.page == page }) else { return }
        if record.isMainDocument, case .failed(let error) = record.outcome, error.code != .cancelled {
            watch.noteRefusal()
        }
        watch.take(.activity)
    }

    private func noteReach(of record: RequestRecord) {
        let isReached = record.status.map { $0.kind != .serverError } ?? false
        unreachable.removeAll { $0 == record.url }
        guard !isReached else { return }
        unreachable.append(record.url)
        if unreachable.count > Self.unreachableLimit { unreachable.removeFirst() }
    }

    private static let unreachableLimit = 64

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
