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

    /// A request of a page waits for its answer.
    func began(of view: ViewID?) {
        guard let watch = view.flatMap({ watches[$0] }) else { return }
        pending[watch.page, default: 0] += 1
    }

    /// It does so no longer.
    func ended(of view: ViewID?) {
        guard let watch = view.flatMap({ watches[$0] }), let count = pending[watch.page] else { return }
        pending[watch.page] = max(0, count - 1)
    }

    func isBusy(_ page: PageID) -> Bool { pending[page, default: 0] > 0 }

    func hear(_ record: RequestRecord) {
        guard let page = record.page, let watch = watches.values.first(where: { $0.page == page }) else { return }
        if record.isMainDocument {
            if ![.get, .head].contains(record.method) { watch.take(.hasBody) }
            if case .failed(let error) = record.outcome, error.code != .cancelled { watch.noteRefusal() }
            // Some engines show an empty document for these on a custom scheme.
            if record.status == .noContent || record.status == .resetContent { watch.take(.hasNoContent) }
        }
        watch.take(.activity)
    }

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
