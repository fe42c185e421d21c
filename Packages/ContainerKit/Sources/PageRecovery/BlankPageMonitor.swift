// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPSemantics
package import HTTPTypes
package import ResourceLoading
package import WebEngine

/// Watches the open pages and recovers those that stay blank.
///
/// Isolation: the main actor. It ends with ``shutDown()``.
@MainActor
package final class BlankPageMonitor {
    let options: BlankPageOptions
    let host: any PageRecoveryHost
    let packages: any PagePackages
    private let feature: FeatureSwitch
    private var monitors: [ViewID: PageMonitor] = [:]
    private var pending: [PageID: Int] = [:]
    private var absences: Set<HostAbsence> = []
    /// The URLs whose last response has the status 404 or 410, in order.
    private var missing: [String] = []

    /// Creates the monitor of a container.
    /// - Parameters:
    ///   - options: the options of the app.
    ///   - feature: the switch of the feature. While it is off, no page is watched anew and no step is taken.
    ///   - host: the part of the container for the open pages.
    ///   - packages: the packages of the open pages.
    package init(
        _ options: BlankPageOptions, feature: FeatureSwitch, host: any PageRecoveryHost, packages: any PagePackages
    ) {
        self.options = options
        self.feature = feature
        self.host = host
        self.packages = packages
    }

    /// Replies to the scripts that wait, also if the container is released without a shutdown.
    isolated deinit { shutDown() }

    // MARK: Pages

    /// Watches a page that opens, before its view loads it. Does nothing while the feature is off.
    /// - Parameters:
    ///   - session: the session of the page.
    ///   - place: the URL of the page in the engine.
    ///   - view: the view of the page.
    ///   - load: the load of the view.
    /// - Throws: `EngineError`, if the view takes no message handler. The page is watched without a script then.
    package func begin(_ session: PageSession, at place: String, in view: any EngineView, load: ViewLoad) throws {
        guard isOn else { return }
        let monitor = PageMonitor(session, at: place, in: view, load: load, of: self)
        monitors[session.view] = monitor
        defer { if !absences.isEmpty { monitor.handle(.paused) } }
        try monitor.begin()
    }

    /// Stops watching the page of a view.
    package func end(in view: ViewID) {
        guard let monitor = monitors.removeValue(forKey: view) else { return }
        monitor.end()
        pending[monitor.page] = nil
    }

    /// Stops watching all pages.
    package func shutDown() {
        for view in Array(monitors.keys) { end(in: view) }
    }

    /// Records a load that the app has started in a view. It comes before the signal of the view that follows the load.
    package func recordLoad(in view: ViewID) { monitors[view]?.recordLoad() }

    /// Records that the app reports the page of a view as healthy.
    package func recordHealthy(_ view: ViewID) { monitors[view]?.handle(.isWell) }

    /// Records that the app went to the background or was suspended: pages get no steps and lose no time.
    package func leave(_ absence: HostAbsence) {
        absences.insert(absence)
        for monitor in monitors.values { monitor.handle(.paused) }
    }

    /// Records the end of an absence.
    package func comeBack(from absence: HostAbsence) {
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        for monitor in monitors.values { monitor.handle(.resumed) }
    }

    /// A Boolean value that indicates whether steps are taken.
    var isOn: Bool { feature.isOn }

    /// Returns a Boolean value that indicates whether the appearance of a document counts.
    /// - Parameters:
    ///   - place: the URL of the document in the engine.
    ///   - mode: the interception mode of the page.
    func isWatched(_ place: String, in mode: InterceptionMode) -> Bool {
        host.isWebDocument(at: place) && (options.watchesPlainPages || mode != .plain && host.isCovered(place))
    }

    // MARK: Requests

    /// Counts a request of a view as pending.
    /// - Returns: the page of the request if it is watched, for ``ended(of:)``.
    package func began(of view: ViewID?) -> PageID? {
        guard let page = view.flatMap({ monitors[$0] })?.page else { return nil }
        pending[page, default: 0] += 1
        return page
    }

    /// Counts a request as answered. Its view may show another page by then.
    package func ended(of page: PageID?) {
        guard let page, let count = pending[page] else { return }
        pending[page] = max(0, count - 1)
    }

    /// Returns a Boolean value that indicates whether a request that may be of the page is pending.
    func isBusy(_ page: PageID) -> Bool { pending[page, default: 0] > 0 || host.isBusy(page) }

    /// Records the request for a document of a view, before its response.
    package func recordDocument(_ method: HTTPRequest.Method, of view: ViewID?) {
        guard ![.get, .head].contains(method), let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasBody)
    }

    /// Records the head of the response for a document of a view, before its delivery.
    package func recordDocument(_ head: HTTPResponse, of view: ViewID?) {
        guard head.leavesDocumentEmpty, let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasNoContent)
    }

    /// Records a document that is requested over loopback. If no page navigates to the requested origin, because the
    /// request came before the signal of the engine or was redirected, it may be of any page.
    /// - Parameters:
    ///   - page: the page of the request; `nil` if it is not known.
    ///   - hasBody: whether the request has a body.
    ///   - isEmpty: whether the response leaves the document empty.
    ///   - isOfOrigin: returns whether a real URL is of the requested origin.
    package func recordDocument(of page: PageID?, hasBody: Bool, isEmpty: Bool, where isOfOrigin: (String) -> Bool) {
        let all = monitors.values.filter { page == nil || $0.page == page }
        let fitting = all.filter { $0.comingPlace.map { isOfOrigin(host.realURL(of: $0)) } ?? false }
        for monitor in fitting.isEmpty ? all : fitting {
            if hasBody { monitor.handle(.hasBody) }
            if isEmpty { monitor.handle(.hasNoContent) }
        }
    }

    /// Receives the record of a request that has ended.
    package func receive(_ record: RequestRecord) {
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

    /// Returns a Boolean value that indicates whether the last response for a URL says that the resource does not
    /// exist.
    func isMissing(_ url: String) -> Bool { missing.contains(url) }

    /// Returns a Boolean value that indicates whether a request that may be of the page has failed, or its server had
    /// an error, since the commit of the document.
    func hasFailedRequest(_ page: PageID) -> Bool {
        monitors.values.contains { $0.page == page && $0.hasFailedRequest }
    }

    private func recordMissing(_ record: RequestRecord) {
        missing.removeAll { $0 == record.url }
        guard record.isMissing else { return }
        missing.append(record.url)
        if missing.count > Self.missingLimit { missing.removeFirst() }
    }

    private static let missingLimit = 64
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
