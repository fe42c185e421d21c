// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
public import Foundation
public import HTTPTypes
internal import PageInterface
internal import RequestPipeline
@_spi(Facade) internal import ResourceLoading
internal import SchemeMode
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

    /// Opens a page by GET or POST; see ``open(_:body:options:prepare:)``. A POST has no fragment.
    public func open(
        _ url: String, method: HTTPRequest.Method, fields: HTTPFields = [:], body: Data = Data(),
        options: PageOptions = PageOptions(), prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        guard method != .get || !body.isEmpty else { return try await open(url, options: options, prepare: prepare) }
        guard let request = HTTPRequest(method: method, urlText: url, headerFields: fields) else {
            throw ContainerError(.invalidURL, "not a URL", at: url)
        }
        return try await open(request, body: body, options: options, prepare: prepare)
    }

    /// Opens a page with a request of the app, by GET or POST.
    ///
    /// A POST requires a covered page in the mode `customScheme` or `loopbackProxy`, or an engine that sends bodies
    /// (`ViewPosting.sendsBodies`). In the mode `customScheme` the container replaces the engine's first GET of the
    /// document by the POST, and a reload uses GET. Over the proxy, the engine repeats the POST, except if the app or
    /// the container reloads the page.
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
        let legacy = configuration.pages.legacyMessages == nil ? nil : PostNavigation(legacy: request)
        let post = legacy ?? PostNavigation(request, body: body)
        guard post.request.method == .post || post.request.method == .get && body.isEmpty else {
            throw ContainerError(.unsupported, "a page can be opened by GET or POST only", at: request.urlText)
        }
        let isPost = post.request.method == .post
        return try await open(post.request.urlText, posting: isPost ? post : nil, options, prepare: prepare)
    }

    private func open(
        _ url: String, posting post: PostNavigation?, _ options: PageOptions,
        prepare: @MainActor (Engine.View) throws -> Void
    ) async throws -> Page<Engine.View> {
        guard let real = RealURL(configuration.pages.schemeNames.withoutAlias(url)) else {
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
        let posting = view.loading.posting
        guard opening.post == nil || [.customScheme, .loopbackProxy].contains(session.mode) || posting.sendsBodies
        else { throw ContainerError(.unsupported, "a POST requires a covered page", at: opening.url) }
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
        guard let post = opening.post, session.mode != .customScheme else { return view.loading.load(opening.place) }
        let body = posting.sendsBodies ? post.body : pipeline.requests.posts.mark(post, for: view.id)
        posting.post(body, fields: post.request.headerFields, to: opening.place)
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
