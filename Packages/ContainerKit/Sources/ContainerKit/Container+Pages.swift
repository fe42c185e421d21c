// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Diagnostics
internal import HTTPTypes
internal import Logging
internal import LoopbackInterception
internal import OfflinePackage
internal import PackageUpdates
internal import PageDownloads
internal import PagePrefetch
internal import PagePrompts
internal import PageRecovery
internal import RemoteConfig
internal import RequestPipeline
internal import ResourceLoading
internal import ResourceTable
internal import SchemeMode
@_spi(Facade) public import WebEngine
internal import WebViewPool

// Pages: from the open to the end.
extension Container {
    /// Prepares views, so that the next pages open in warm ones, and where pages open by the proxy has the engine connect to
    /// it ahead, which may take a second more. The container does so by itself when the app is idle, unless
    /// ``ContainerConfiguration/Views/warmsUpWhenIdle`` is false.
    /// - Throws: the error of the first view that could not be prepared, or `CancellationError`.
    public func warmUp() async throws {
        try await warmUp { true }
    }

    private func warmUp(while isWanted: @MainActor () -> Bool) async throws {
        guard switches.isOn(.pool) else { return }
        // What was never checked out serves all pages.
        try await pool.warmUp(for: ViewKey(mode: modes.standard, url: ""), while: isWanted)
        if isWanted() { await preconnect() }
        try Task.checkCancellation()
    }

    /// As ``warmUp()``, where nobody waits for it.
    func warmUpQuietly(while isWanted: @escaping @MainActor () -> Bool) async {
        do {
            try await warmUp(while: isWanted)
        } catch {
            // It is tried again when the app is idle the next time.
            configuration.logger.warning("no view is prepared", metadata: ["error": "\(error)"])
        }
    }

    /// Opens a page. What comes of it is heard from ``Page/load``.
    /// - Parameters:
    ///   - url: the real URL of the page, of `http` or `https`.
    ///   - options: what this page has that others have not.
    ///   - prepare: may add scripts and message handlers before the load begins.
    /// - Throws: ``ContainerError`` with code `invalidURL`, `proxy` or `server`, or `EngineError`.
    public func open(
        _ url: String, options: PageOptions = PageOptions(),
        prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        try await open(url, posting: nil, options, prepare: prepare)
    }

    /// - Parameter post: what the page's document is asked for with, where that is by POST; its place is set here.
    func open(
        _ url: String, posting post: OpeningPosts.Post?, _ options: PageOptions,
        prepare: @MainActor (Engine.View) throws -> Void
    ) async throws -> Page<Engine.View> {
        guard let real = RealURL(url) else {
            throw ContainerError(.invalidURL, "only http and https pages can be opened", at: url)
        }
        table?.record(.open)
        remoteConfigService?.check()
        lastPageID += 1
        let id = PageID(rawValue: lastPageID)
        timelineRecorder?.begin(id, at: real.text)
        beginPrefetch(
            for: id, at: real.text, isPosted: post != nil, as: options.userAgent ?? configuration.pages.userAgent)
        do {
            let page = try await checkOut(real, as: id, isPosted: post != nil)
            do {
                try await begin(page, posting: post, options, prepare: prepare)
            } catch {
                // Before the page's end, which would be told as that of one that had opened.
                timelineRecorder?.fail(id, error)
                page.end()
                throw error
            }
            return page
        } catch {
            prefetch?.forget(id)
            timelineRecorder?.fail(id, error)
            throw error
        }
    }

    /// Gives a page its view and its session.
    private func checkOut(
        _ real: RealURL, as id: PageID, isPosted: Bool
    ) async throws -> Page<Engine.View> {
        reclaimSoon()
        do {
            try await loopback?.ready()
        } catch  where mode(ofPageAt: real.text) == .loopbackProxy {
            throw ContainerError(.proxy, "the proxy cannot listen: \(error)", at: real.text)
        } catch {
            // Without a proxy the page opens as if there were no container.
            configuration.logger.warning("no proxy", metadata: ["error": "\(error)"])
        }
        // What asks ahead may be reading them already.
        if let cookies, await prefetch?.waitForCookies(of: id) != true { await cookies.waitUntilSynchronized() }
        let mode = mode(ofPageAt: real.text)
        guard !isPosted || mode == .customScheme else {
            throw ContainerError(.unsupported, "the container does not make this page's requests", at: real.text)
        }
        let began = ContinuousClock.now
        let holder = PageHolder()
        let warmBefore = pool.counters.warmCheckOuts
        let view = try pool.checkOut(ViewKey(mode: mode, url: real.text), for: holder)
        let isWarm = pool.counters.warmCheckOuts > warmBefore
        let isShared = isShared(mode)
        let session = PageSession(
            id: id, documentURL: real.text, view: view.id, mode: mode,
            generations: mode != .plain || isShared ? packages.library.pin(id, isShared: isShared) : [])
        if mode == .customScheme, usesProxy { loopback?.pages.place(id, isElsewhere: true) }
        keep(session)
        hub.send(.pageOpened(session))
        let page = Page(session: session, view: view, checkOut: began.duration(to: .now), holder: holder) {
            [weak self] in self?.end(session)
        }
        page.recording = timelineRecorder?.recordView(of: id, isWarm: isWarm)
        loads[view.id] = page.load
        return page
    }

    /// Begins the page's load, with what its view needs for it.
    private func begin(
        _ page: Page<Engine.View>, posting post: OpeningPosts.Post?, _ options: PageOptions,
        prepare: @MainActor (Engine.View) throws -> Void
    ) async throws {
        let (session, view, mode) = (page.session, page.view, page.session.mode)
        let url = session.documentURL
        pageRequests.begin(session, in: view)
        downloadManager.begin(session, in: view)
        if mode != .plain { page.load.explain = { [weak self] in self?.explained($1, of: $0) ?? $1 } }
        page.load.isReportedElsewhere = { [weak self] in self?.loopback?.reportsRequests(for: $0.url) ?? false }
        page.load.observe { [weak self] in self?.receive($0, from: view.id) }
        await engineCaches?.invalidateStaleFiles(for: session)
        let place = try await place(of: url, in: mode)
        try await requests.begin(session, in: view, at: place, posting: post)
        monitor(session, at: place, in: view, page.load)
        timelineRecorder?.listen(to: view, of: session.id)
        equip(view, options, in: mode)
        try prepare(view)
        view.loading.load(place)
    }

    private func explained(_ error: EngineError, of place: String) -> EngineError {
        requests.failures.explained(error, of: realURL(of: place))
    }

    /// Gives a view the name and the values that its pages are to have.
    private func equip(_ view: Engine.View, _ options: PageOptions, in mode: InterceptionMode) {
        let agent = options.userAgent ?? configuration.pages.userAgent
        if agent != .engine { view.loading.setUserAgent(agent) }
        for data in InitialPageData.merged(configuration.pages.initialData + options.initialData) {
            let real = data.origin.description
            view.scripting.add(data.script(at: [real, origin(real, in: mode)]))
        }
    }

    /// An origin as its pages in a mode see it.
    private func origin(_ real: String, in mode: InterceptionMode) -> String {
        let place =
            switch mode {
            case .plain, .loopbackProxy: nil as String?
            case .customScheme: configuration.pages.schemeNames.name(of: real + "/")
            case .loopbackServer: loopback?.place(of: real + "/")
            }
        return place.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? real
    }

    /// Where a page lies in the engine.
    func place(of url: String, in mode: InterceptionMode) async throws -> String {
        switch mode {
        case .plain, .loopbackProxy: url
        case .customScheme: configuration.pages.schemeNames.name(of: url) ?? url
        case .loopbackServer: try await openAtServer(url)
        }
    }

    /// The real URL of a document, by where it lies in the engine.
    package func realURL(of place: String) -> String {
        loopback?.realURL(of: place) ?? configuration.pages.schemeNames.realURL(of: place) ?? place
    }

    /// Whether a place in the engine is another than the real URL.
    private func isName(_ place: String) -> Bool {
        loopback?.realURL(of: place) != nil || configuration.pages.schemeNames.realURL(of: place) != nil
    }

    func keep(_ session: PageSession) {
        sessions[session.view] = session
        loopback?.pages.record(session.reference)
    }

    /// Closes a page and takes its view back. Closing it again does nothing.
    public func close(_ page: Page<Engine.View>) async {
        // The view of a page that has ended may be another page's by now.
        guard page.end() else { return }
        // Of its own: to a caller that is cancelled a healthy view would look like one that hangs.
        await Task { [pool] in await pool.checkIn(page.view) }.value
    }

    /// The sessions of the pages that are open.
    public var openPages: [PageSession] {
        sessions.values.map(current).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Tells the updater of a page, with the generations that it is on by now.
    func report(_ kind: BootReport.Kind, of session: PageSession) {
        packages.report(BootReport(kind, of: current(session).reference))
    }

    func current(_ session: PageSession) -> PageSession {
        var session = session
        session.generations = packages.library.generations(of: session.id)
        return session
    }

    func receive(_ signal: ViewSignal, from view: ViewID) {
        guard var session = sessions[view] else { return }
        blankPages?.recordLoad(in: view)
        if case .committed(let url) = signal {
            session.documentURL = requests.legacy?.messages.withoutID(realURL(of: url)) ?? realURL(of: url)
            recordDocument(of: &session, isByName: isName(url))
            keep(session)
            path.recordDocument(session.documentURL, isIntercepted: isName(url))
            requests.documentChanged(of: session)
            retireIfMoved(session)
            pageRequests.release(session.id)
            report(.moved, of: session)
        }
        if case .frameLoaded(let url) = signal { pipelines.customScheme.path.recordFrame(of: url, in: session) }
        if case .processEnded = signal { pageRequests.release(session.id) }
        hub.send(.page(session.id, signal))
    }

    /// A view that also showed a page of another site is nobody else's after its page.
    private func retireIfMoved(_ session: PageSession) {
        guard RealURL(session.documentURL) != nil else { return }
        let key = ViewKey(mode: session.mode, url: session.documentURL)
        pool.retire(because: .severalSites) { $0.id == session.view && $1 != key }
    }

    func end(_ opened: PageSession) {
        // As it is now: the document may have moved since.
        let session = sessions.removeValue(forKey: opened.view) ?? opened
        report(.closed, of: session)
        packages.library.unpin(session.id)
        loopback?.pages.forget(session.id)
        pipelines.forget(session.id)
        prefetch?.forget(session.id)
        packages.sweepSoon()
        table?.record(.close)
        loads[session.view] = nil
        requests.end(in: session.view)
        blankPages?.end(in: session.view)
        pageRequests.end(session)
        downloadManager.end(session.id)
        hub.send(.pageClosed(session.id))
        // A page that was dropped has no one who gives its view back. Its holder goes with it, so not now, but next.
        reclaimSoon()
    }

    /// Takes back the views whose pages are gone, whoever goes on meanwhile: a process that hangs is waited for.
    private func reclaimSoon() {
        guard reclaiming == nil else { return }
        reclaiming = Task { [weak self, pool] in
            self?.reclaiming = nil
            await pool.reclaim()
        }
    }
}
