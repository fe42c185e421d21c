// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
public import Foundation
public import HTTPTypes
internal import RequestPipeline
@_spi(Facade) internal import ResourceLoading
public import WebEngine

// Opening and closing of pages.
extension Container {
    /// Opens a page. ``Page/load`` reports the progress of its load.
    /// - Parameters:
    ///   - url: the real URL of the page, with the scheme `http` or `https`.
    ///   - options: the options of this page.
    ///   - prepare: a closure that can add scripts and message handlers to the view before the load begins.
    /// - Throws: ``ContainerError`` with code `invalidURL`, `proxy` or `server`; `EngineError`.
    public func open(
        _ url: String, options: PageOptions = PageOptions(),
        prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        try await open(url, posting: nil, options, prepare: prepare)
    }

    /// Opens a page with a request of the app, by GET or POST.
    ///
    /// A POST with a body requires a covered page and the mode `customScheme`. The container replaces the engine's
    /// first GET of the document by the POST. A reload of the page uses GET, also after its web process ended.
    ///
    /// If ``ContainerConfiguration/Pages/legacyMessages`` is set, the request may have the scheme `post`, with which
    /// older apps represent a POST. Its header field `oldScheme` is `http` or `https`, and its header field `bodyParam`
    /// is the body as text. The content type is `application/x-www-form-urlencoded` if there is no `Content-Type`
    /// field. Pages cannot use the scheme `post`, because no handler is registered for it.
    /// - Parameters:
    ///   - request: the request. For a GET, only its URL is used. For a POST, its header fields are sent.
    ///   - body: the body of a POST. A request with the scheme `post` has its body in its header field instead.
    ///   - options: the options of this page.
    ///   - prepare: a closure that can add scripts and message handlers to the view before the load begins.
    /// - Throws: ``ContainerError`` with code `invalidURL`, `proxy` or `server`, or with code `unsupported` for another
    ///   method or a POST that the container cannot send; `EngineError`.
    public func open(
        _ request: HTTPRequest, body: Data = Data(), options: PageOptions = PageOptions(),
        prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        var (request, body) = (request, body)
        if request.scheme == PostNavigation.scheme {
            guard configuration.pages.legacyMessages != nil, let meant = PostNavigation(legacy: request) else {
                throw ContainerError(.invalidURL, "only http and https pages can be opened", at: request.urlText)
            }
            (request, body) = (meant.request, meant.body)
        }
        switch request.method {
        case .get where body.isEmpty: return try await open(request.urlText, posting: nil, options, prepare: prepare)
        case .post:
            let post = OpeningPosts.Post(fields: request.headerFields, body: body)
            return try await open(request.urlText, posting: post, options, prepare: prepare)
        default:
            throw ContainerError(.unsupported, "a page can be opened by GET or POST only", at: request.urlText)
        }
    }

    private func open(
        _ url: String, posting post: OpeningPosts.Post?, _ options: PageOptions,
        prepare: @MainActor (Engine.View) throws -> Void
    ) async throws -> Page<Engine.View> {
        guard let real = RealURL(url) else {
            throw ContainerError(.invalidURL, "only http and https pages can be opened", at: url)
        }
        let opening = PageOpening(
            pages.makeID(), url: real.text, post: post, userAgent: options.userAgent ?? configuration.pages.userAgent)
        var page: Page<Engine.View>?
        // Reclaim early: the views of released pages are then available when the components have returned.
        views.reclaimSoon()
        do {
            for component in components.inStartOrder { try await component.pageWillOpen(opening) }
            let checkedOut = try checkOut(opening)
            page = checkedOut
            try await load(checkedOut, opening, options, prepare: prepare)
            return checkedOut
        } catch {
            for component in components.inCloseOrder { component.pageDidFail(opening.id, because: error) }
            page?.end()
            throw error
        }
    }

    /// Checks out a view for a page, and creates its session.
    private func checkOut(_ opening: PageOpening) throws -> Page<Engine.View> {
        let mode = locator.mode(ofPageAt: opening.url)
        guard opening.post == nil || mode == .customScheme else {
            throw ContainerError(.unsupported, "a POST requires the mode customScheme", at: opening.url)
        }
        let began = ContinuousClock.now
        let holder = PageHolder()
        let (view, isWarm) = try views.checkOut(at: opening.url, in: mode, for: holder)
        opening.hasWarmView = isWarm
        let session = pages.open(opening, in: view.id, mode: mode, isShared: locator.isShared(mode))
        let page = Page(session: session, view: view, checkOut: began.duration(to: .now), holder: holder) {
            [weak self] in self?.end(session)
        }
        opening.load = page.load
        pages.set(page.load, of: session)
        for component in components.inStartOrder { component.pageDidOpen(session, opening) }
        page.timelineSource = opening.timeline
        hub.send(.pageOpened(session))
        return page
    }

    /// Prepares the view of a page and starts its load.
    private func load(
        _ page: Page<Engine.View>, _ opening: PageOpening, _ options: PageOptions,
        prepare: @MainActor (Engine.View) throws -> Void
    ) async throws {
        let (session, view) = (page.session, page.view)
        page.load.observe { [weak self] in self?.receive($0, from: view.id) }
        opening.place = try await locator.open(session.documentURL, in: session.mode)
        for component in components.inStartOrder { try await component.page(session, willLoadIn: view, opening) }
        if opening.userAgent != .engine { view.loading.setUserAgent(opening.userAgent) }
        for data in InitialPageData.merged(configuration.pages.initialData + options.initialData) {
            let real = data.origin.description
            view.scripting.add(data.script(at: [real, locator.origin(real, in: session.mode)]))
        }
        await pages.loopback?.translation.waitForProof()
        try prepare(view)
        view.loading.load(opening.place)
    }

    private func receive(_ signal: ViewSignal, from view: ViewID) {
        guard var session = pages.session(of: view) else { return }
        if case .committed(let place) = signal {
            session.documentURL = locator.documentURL(of: place)
            pages.update(session)
        }
        for component in components.inStartOrder { component.page(session, didReceive: signal) }
        hub.send(.page(session.id, signal))
    }

    /// Closes a page and returns its view to the pool. Does nothing if the page is closed already.
    public func close(_ page: Page<Engine.View>) async {
        // After the end of a page, its view may belong to another page.
        guard page.end() else { return }
        // A separate task, so that a cancellation of the caller does not make a healthy view look unresponsive.
        await Task { [pool = views.pool] in await pool.checkIn(page.view) }.value
    }

    private func end(_ opened: PageSession) {
        let session = pages.close(opened)
        for component in components.inCloseOrder { component.pageDidClose(session) }
        pages.release(session.id)
        hub.send(.pageClosed(session.id))
        // A page that ends without `close` releases its holder only after this method returns.
        views.reclaimSoon()
    }

    /// The sessions of the open pages, oldest first.
    public var openPages: [PageSession] { pages.open }
}
