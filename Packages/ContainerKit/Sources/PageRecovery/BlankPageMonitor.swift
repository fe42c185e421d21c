// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPSemantics
package import HTTPTypes
package import ResourceLoading
package import WebEngine

/// The monitor of all open pages, which recovers pages that stay blank.
///
/// Isolation: the main actor. Call ``shutDown()`` at the end.
@MainActor
package final class BlankPageMonitor {
    let options: BlankPageOptions
    let host: any PageRecoveryHost
    let packages: any PagePackages
    private let feature: FeatureSwitch
    private var monitors: [ViewID: PageMonitor] = [:]
    private var pending: [PageID: Int] = [:]
    private var absences: Set<HostAbsence> = []
    /// The URLs whose last response had the status 404 or 410, oldest first.
    private var missing: [String] = []

    /// Creates the monitor of a container.
    /// - Parameters:
    ///   - options: the options of the app.
    ///   - feature: the switch of the feature. While it is off, no further page is monitored and no step is
    ///     performed.
    ///   - host: the part of the container that page recovery uses.
    ///   - packages: the packages of the open pages.
    package init(
        _ options: BlankPageOptions, feature: FeatureSwitch, host: any PageRecoveryHost, packages: any PagePackages
    ) {
        self.options = options
        self.feature = feature
        self.host = host
        self.packages = packages
    }

    /// Replies to waiting scripts if the container is released without a shutdown.
    deinit {
        MainActor.runInDeinit { [monitors] in
            for monitor in monitors.values { monitor.end() }
        }
    }

    // MARK: Pages

    /// Starts monitoring a page before its view loads it. Does nothing while the feature is off.
    /// - Parameters:
    ///   - session: the session of the page.
    ///   - place: the URL of the page in the engine.
    ///   - view: the view of the page.
    ///   - load: the load of the view.
    /// - Throws: `EngineError` if the view refuses the message handler. The page is then monitored without a script.
    package func begin(_ session: PageSession, at place: String, in view: any EngineView, load: ViewLoad) throws {
        guard isOn else { return }
        let monitor = PageMonitor(session, at: place, in: view, load: load, of: self)
        monitors[session.view] = monitor
        defer { if !absences.isEmpty { monitor.handle(.paused) } }
        try monitor.begin()
    }

    /// Stops monitoring the page of a view.
    package func end(in view: ViewID) {
        guard let monitor = monitors.removeValue(forKey: view) else { return }
        monitor.end()
        pending[monitor.page] = nil
    }

    /// Stops monitoring all pages.
    package func shutDown() {
        for view in Array(monitors.keys) { end(in: view) }
    }

    /// Records a load that the app has started in a view. Call it before the view's signal for the load.
    package func recordLoad(in view: ViewID) { monitors[view]?.recordLoad() }

    /// Records that the app reports the page of a view as healthy.
    package func recordHealthy(_ view: ViewID) { monitors[view]?.handle(.isWell) }

    /// Records that the app went to the background or was suspended. During the absence no step is performed and no
    /// time limit runs.
    package func pause(_ absence: HostAbsence) {
        absences.insert(absence)
        for monitor in monitors.values { monitor.handle(.paused) }
    }

    /// Records the end of an absence. When no other absence remains, events that occurred meanwhile are handled, and
    /// pages whose process has ended without a signal are found.
    package func resume(from absence: HostAbsence) {
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        for monitor in monitors.values {
            monitor.handle(.resumed)
            monitor.checkProcess()
        }
    }

    /// A Boolean value that indicates whether steps are performed.
    var isOn: Bool { feature.isOn }

    /// Returns a Boolean value that indicates whether a document is examined.
    /// - Parameters:
    ///   - place: the URL of the document in the engine.
    ///   - mode: the interception mode of the page.
    func isWatched(_ place: String, in mode: InterceptionMode) -> Bool {
        host.isWebDocument(at: place) && (options.watchesPlainPages || mode != .plain && host.isCovered(place))
    }

    // MARK: Requests

    /// Counts a request of a view as pending.
    /// - Returns: the page of the request if it is monitored, for ``ended(of:)``.
    package func began(of view: ViewID?) -> PageID? {
        guard let page = view.flatMap({ monitors[$0] })?.page else { return nil }
        pending[page, default: 0] += 1
        return page
    }

    /// Records the response to a pending request. The view of the request may show another page by then.
    package func ended(of page: PageID?) {
        guard let page, let count = pending[page] else { return }
        pending[page] = max(0, count - 1)
    }

    /// Returns a Boolean value that indicates whether a request that may belong to the page is pending.
    func isBusy(_ page: PageID) -> Bool { pending[page, default: 0] > 0 || host.isBusy(page) }

    /// Records the document request of a view, before its response.
    package func recordDocument(_ method: HTTPRequest.Method, of view: ViewID?) {
        guard ![.get, .head].contains(method), let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasBody)
    }

    /// Records the head of the response to a document request of a view, before its delivery.
    package func recordDocument(_ head: HTTPResponse, of view: ViewID?) {
        guard head.leavesDocumentEmpty, let monitor = view.flatMap({ monitors[$0] }) else { return }
        monitor.handle(.hasNoContent)
    }

    /// Records a document request over loopback.
    ///
    /// If no page navigates to the requested origin, the request may belong to any page. This happens if the request
    /// arrives before the signal of the engine, or if it was redirected.
    /// - Parameters:
    ///   - page: the page of the request; `nil` if unknown.
    ///   - hasBody: a Boolean value that indicates whether the request has a body.
    ///   - isEmpty: a Boolean value that indicates whether the response leaves the document empty.
    ///   - isOfOrigin: a closure that returns `true` if a real URL has the requested origin.
    package func recordDocument(of page: PageID?, hasBody: Bool, isEmpty: Bool, where isOfOrigin: (String) -> Bool) {
        let all = monitors.values.filter { page == nil || $0.page == page }
        let fitting = all.filter { $0.comingPlace.map { isOfOrigin(host.realURL(of: $0)) } ?? false }
        for monitor in fitting.isEmpty ? all : fitting {
            if hasBody { monitor.handle(.hasBody) }
            if isEmpty { monitor.handle(.hasNoContent) }
        }
    }

    /// Records a request that has ended.
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

    /// Returns a Boolean value that indicates whether the last response for a URL had the status 404 or 410.
    func isMissing(_ url: String) -> Bool { missing.contains(url) }

    /// Returns a Boolean value that indicates whether a request that may belong to the page has failed, or had a
    /// server error, since the commit of the document.
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
