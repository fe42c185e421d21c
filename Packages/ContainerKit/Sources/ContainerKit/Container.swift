// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import BodyBridge
internal import HTTPTransport
internal import HTTPTypes
internal import Logging
internal import LoopbackServer
public import OfflinePackage
internal import ResourceLoading
internal import ResourceStore
internal import ResourceTable
internal import SchemeMode
public import SchemeRouter
internal import WebViewPool

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Opens web pages at once: from verified packages first, then from the HTTP cache, then from the network.
///
/// The facade assembles the rooms and keeps the page sessions; the algorithms live in the rooms.
/// Isolation: the main actor, where engines live. Loading, unpacking and hashing happen elsewhere.
@MainActor
public final class Container<Engine: WebEngine> {
    /// The engine that the container drives; hosts reach its cookies and proxy through it.
    public let engine: Engine
    let configuration: Configuration
    let packages: PackageCare
    let table: TableCare?
    let cache: CacheCare?
    let cookies: CookieCare?
    private let previewList = PreviewList()
    private let liveRules: LiveRules
    let path: RequestPath
    private let appRequests: AppRequests
    private let pool: WebViewPool<Engine.View>
    private let sharedPages = OpenPages()
    private(set) var proxy: ProxyCare<Engine>?
    private(set) var server: ServerCare<Engine>?
    private(set) var engineCaches: EngineCacheCare<Engine>?
    let hub = EventHub()
    private(set) var sessions: [ViewID: PageSession] = [:]
    private var loads: [ViewID: ViewLoad] = [:]
    private var lastPageID: UInt64 = 0
    private(set) var bridges: BridgeCare?
    let legacy: LegacyCare?
    private let posts = OpeningPosts()
    private var reclaiming: Task<Void, Never>?
    private var memory: MemoryCare?

    /// Opens the container's folder and routes its schemes.
    /// - Throws: `StoreError`, with code `inUse` where another process has the folder; `TableError`; ``EngineError``, or
    ///   `LoopbackError` where the mode needs a proxy or a server that cannot listen.
    public init(engine: Engine, configuration: Configuration) async throws {
        self.engine = engine
        self.configuration = configuration
        let traits = engine.traits(in: configuration.mode.isOverLoopback ? configuration.mode : .customScheme)
        let network = NetworkLoader(DecodingTransport(configuration.transport))
        packages = try await PackageCare(
            directory: configuration.directory, budgets: configuration.store, packages: configuration.packages,
            updates: configuration.updates, network: network, logger: configuration.logger)
        table = try await Self.openTable(configuration, packages.store, network, hub)
        cookies =
            traits.keepsCookies
            ? nil
            : CookieCare(configuration, besides: configuration.mode == .customScheme ? engine.cookies : nil) {
                [hub] in hub.send($0)
            }
        let pageCookies = cookies?.pages
        cache = await Self.openCache(
            configuration, pageCookies.map { CookieStoringLoader(network, cookies: $0) } ?? network)
        liveRules = LiveRules(configuration.rules)
        path = RequestPath(
            names: configuration.names, traits: traits, updater: packages.updater, library: packages.library,
            table: table?.library, previews: previewList,
            network: traits.decodes ? NetworkLoader(configuration.transport) : network, cache: cache?.loader,
            cookies: pageCookies, rules: liveRules, coveredHosts: configuration.coveredHosts,
            handOverField: configuration.cookies.handOverField)
        appRequests = AppRequests(path: path, hub: hub)
        legacy = configuration.legacyMessages.map { LegacyCare($0, names: configuration.names) }
        pool = WebViewPool(capacity: configuration.poolCapacity) { try engine.makeView() }
        let schemes = [
            CustomScheme(name: configuration.names.secure, isSecure: true),
            CustomScheme(name: configuration.names.insecure, isSecure: false),
        ]
        for scheme in schemes {
            try engine.register(scheme) { [weak self] request, sink in
                self?.answer(request, to: sink) ?? .refusal(to: sink, "the container is closed")
            }
        }
        if traits.bodies == .plain {
            bridges = BridgeCare(
                names: configuration.names, hasCookies: cookies != nil,
                host: BridgeHost(path: path, names: configuration.names, cookies: pageCookies))
        }
        legacy?.realURL = { [weak self] in self?.realURL(of: $0) ?? $0 }
        try await cookies?.start()
        try await beginLoopback()
        if traits.caches, configuration.mode.isOverLoopback {
            let care = EngineCacheCare(engine, packages.library, configuration) { [liveRules] in
                liveRules.isEnabled && liveRules.rules.isEnabled
            } place: { [weak server] url in
                configuration.mode == .loopbackServer ? server?.place(of: url) : url
            }
            care.listen(to: hub)
            engineCaches = care
        }
        packages.forward { [hub] in hub.send(.package($0)) }
        memory = MemoryCare(configuration.updates.conditions) { [weak self] in self?.releaseMemory() }
        table?.note(.launch)
    }

    private func beginLoopback() async throws {
        let requests = LoopbackRequests(path: path, pages: sharedPages, legacy: legacy)
        let tell = { @MainActor [hub] (event: ContainerEvent) in hub.send(event) }
        let note = { @MainActor [weak self] (report: ExchangeReport) -> Void in self?.noteAnswer(report) }
        switch configuration.mode {
        case .plain, .customScheme: break
        case .loopbackProxy:
            proxy = try await ProxyCare(
                engine, requests, configuration.loopback, logger: configuration.logger, tell: tell, note: note)
            proxy?.isUsed = liveRules.isEnabled && liveRules.rules.isEnabled
        case .loopbackServer:
            server = try await ServerCare(
                engine, requests, configuration.loopback, directory: configuration.directory,
                logger: configuration.logger, tell: tell, note: note)
        }
    }

    private static func openTable(
        _ configuration: Configuration, _ store: ResourceStore, _ network: any ResourceLoading, _ hub: EventHub
    ) async throws -> TableCare? {
        guard let table = configuration.table else { return nil }
        return try await TableCare(
            table, store: store, network: network, conditions: configuration.updates.conditions,
            logger: configuration.logger
        ) { hub.send(.tableChecked($0, $1)) }
    }

    private static func openCache(
        _ configuration: Configuration, _ network: any ResourceLoading
    ) async -> CacheCare? {
        guard let options = configuration.httpCache else { return nil }
        return await CacheCare(
            options, directory: configuration.directory, network: network, logger: configuration.logger)
    }

    // MARK: Previews

    /// Lets a folder or a development server stand in for a package until ``unmount(_:)``, so that a site can be tried
    /// in the app before it is packed. For debug builds: nothing of it is verified. Requests that it answers say so in
    /// their provenance; pages that are open get it too.
    public func mount(_ preview: Preview) {
        previewList.mount(preview)
        configuration.logger.notice("mounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewMounted(preview))
    }

    /// Takes a preview away again.
    public func unmount(_ preview: Preview) {
        guard previewList.unmount(preview) else { return }
        configuration.logger.notice("unmounted", metadata: ["preview": "\(preview)"])
        hub.send(.previewUnmounted(preview))
    }

    /// What is mounted now, newest first.
    public var previews: [Preview] {
        previewList.mounted
    }

    // MARK: What is intercepted

    /// The rules that apply to requests that start now.
    public var rules: RouteRules {
        liveRules.rules
    }

    /// Puts other rules in place of those that apply, as a whole: what started before goes on as it began.
    ///
    /// Pages that are open stay in the mode that they opened in. What the new rules pass they get from the network.
    public func setRules(_ rules: RouteRules) {
        liveRules.rules = rules
        proxy?.isUsed = liveRules.isEnabled && rules.isEnabled
        configuration.logger.notice(
            "rules",
            metadata: ["count": "\(rules.rules.count)", "deny": "\(rules.deny.count)", "on": "\(rules.isEnabled)"])
        hub.send(.rulesChanged)
    }

    /// Whether anything is intercepted at all; true at first. Switched off, pages open as if there were no container,
    /// and those that are open get everything from the network. Requests in flight finish as they began.
    public var isEnabled: Bool {
        get { liveRules.isEnabled }
        set {
            guard newValue != liveRules.isEnabled else { return }
            liveRules.isEnabled = newValue
            proxy?.isUsed = newValue && liveRules.rules.isEnabled
            configuration.logger.notice("interception", metadata: ["on": "\(newValue)"])
            hub.send(.interceptionSwitched(isEnabled: newValue))
        }
    }

    /// Whether a page of this URL would be intercepted.
    public func covers(_ url: String) -> Bool {
        configuration.mode != .plain && path.covers(url)
    }

    // MARK: Pages

    /// Prepares views, so that the next pages open in warm ones. Call it when the app is idle.
    public func warmUp() async throws {
        try await pool.warmUp()
    }

    /// Opens a page. What comes of it is heard from ``Page/load``.
    /// - Parameter prepare: may add scripts and message handlers before the load begins.
    /// - Throws: ``ContainerError`` with code `invalidURL`, `proxy` or `server`, or ``EngineError``.
    public func open(
        _ url: String, prepare: @MainActor (Engine.View) throws -> Void = { _ in }
    ) async throws -> Page<Engine.View> {
        try await open(url, posting: nil, prepare: prepare)
    }

    /// - Parameter post: what the page's document is asked for with, where that is by POST; its place is set here.
    func open(
        _ url: String, posting post: OpeningPosts.Post?, prepare: @MainActor (Engine.View) throws -> Void
    ) async throws -> Page<Engine.View> {
        guard let real = RealURL(url) else {
            throw ContainerError(.invalidURL, "only http and https pages can be opened", at: url)
        }
        table?.note(.open)
        await pool.reclaim()
        do {
            try await proxy?.ready()
        } catch  where covers(real.text) {
            throw ContainerError(.proxy, "the proxy cannot listen: \(error)", at: real.text)
        } catch {
            // Without a proxy the page opens as if there were no container.
            configuration.logger.warning("no proxy", metadata: ["error": "\(error)"])
        }
        await cookies?.settle()
        let isCovered = covers(real.text)
        let mode = isCovered ? configuration.mode : .plain
        guard post == nil || mode == .customScheme else {
            throw ContainerError(.unsupported, "the container does not make this page's requests", at: real.text)
        }
        let began = ContinuousClock.now
        let holder = PageHolder()
        let view = try pool.checkOut(for: holder)
        lastPageID += 1
        let id = PageID(rawValue: lastPageID)
        // All views go by the proxy, so that any page may come to something that is covered.
        let isShared = proxy != nil || mode == .loopbackServer
        let session = PageSession(
            id: id, documentURL: real.text, view: view.id, mode: mode,
            generations: isCovered || isShared ? packages.library.pin(id, isShared: isShared) : [])
        keep(session)
        hub.send(.pageOpened(session))
        let page = Page(session: session, view: view, checkOut: began.duration(to: .now), holder: holder) {
            [weak self] in self?.end(session)
        }
        loads[view.id] = page.load
        page.load.isToldElsewhere = { [weak self] in self?.isTold($0.url) ?? false }
        page.load.observe { [weak self] in self?.hear($0, from: view.id) }
        await engineCaches?.settle(for: session)
        let place = try await place(of: real.text, in: mode)
        if mode == .customScheme, let bridges {
            bridges.begin(in: view, besides: legacy)
        } else if mode != .plain {
            legacy?.begin(in: view)
        }
        if var post {
            post.place = HTTPRequest(urlText: place)?.urlText ?? place
            posts.hold(post, for: view.id)
        }
        try prepare(view)
        view.load(place)
        return page
    }

    /// Where a page lies in the engine.
    private func place(of url: String, in mode: InterceptionMode) async throws -> String {
        switch mode {
        case .plain, .loopbackProxy: url
        case .customScheme: configuration.names.name(of: url) ?? url
        case .loopbackServer: try await server?.open(url) ?? url
        }
    }

    /// The real URL of a document, by where it lies in the engine.
    private func realURL(of place: String) -> String {
        server?.realURL(of: place) ?? configuration.names.realURL(of: place) ?? place
    }

    /// Whether what the engine loads comes over loopback, and is told from there.
    private func isTold(_ url: String) -> Bool {
        if let server { return server.realURL(of: url) != nil }
        return proxy != nil && HTTPRequest(urlText: url).map(path.opens(originOf:)) ?? false
    }

    private func keep(_ session: PageSession) {
        sessions[session.view] = session
        if configuration.mode.isOverLoopback { sharedPages.note(session.reference) }
    }

    /// Closes a page and takes its view back. Closing it again does nothing.
    public func close(_ page: Page<Engine.View>) async {
        // The view of a page that has ended may be another page's by now.
        guard page.end() else { return }
        await pool.checkIn(page.view)
    }

    /// The sessions of the pages that are open.
    public var openPages: [PageSession] {
        sessions.values.map(current).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    // MARK: Life

    /// What happens in the container from now on, and for the first who listens, by this or by ``observe(_:)``, also what
    /// happened to packages since the container began to open: at most 256 events, no progress of downloads among them.
    /// A subscriber that does not keep up loses the oldest events.
    public func events() -> AsyncStream<ContainerEvent> {
        hub.subscribe()
    }

    /// Has `observer` hear the same events as ``events()`` when they happen: nothing is lost, and no turn of the main loop
    /// passes. For what is short, until the observation is ended.
    ///
    /// That may be inside of a call of the engine, which waits: nothing is to be opened, closed or discarded there.
    @discardableResult
    public func observe(_ observer: @escaping @MainActor (ContainerEvent) -> Void) -> EventObservation {
        hub.observe(observer)
    }

    /// How many events have been lost so far: by slow subscribers, all of them together, and on the way to them; and
    /// how many reports of pages.
    public var droppedEvents: Int {
        hub.dropped + packages.updater.droppedEvents + packages.lostReports + appRequests.lostReports
            + (proxy?.lostReports ?? server?.lostReports ?? 0)
    }

    /// What was counted since the container was opened: damage, use of memory, losses.
    public var counters: ContainerCounters {
        ContainerCounters(
            unreadableFiles: packages.library.unreadableFiles, store: packages.store.counters,
            table: table?.library.counters, httpCache: cache?.counters, droppedEvents: droppedEvents)
    }

    /// Ends the views that nobody uses and forgets what is in memory to be read again, as on a memory warning. The
    /// container does so by itself when the host's conditions, `Configuration.updates.conditions`, say that memory has
    /// become short.
    public func releaseMemory() {
        pool.drain()
        packages.library.releaseMemory()
        packages.store.releaseMemory()
        cache?.releaseMemory()
    }

    /// Forgets what the HTTP cache holds, as when a user signs out. What is on its way is not kept either. In modes where
    /// the engine keeps answers itself, its cache is cleared, too, for all sites; where it fails to, the log has the reason.
    public func clearHTTPCache() async {
        await cache?.removeAll()
        await engineCaches?.clear()
    }

    // MARK: Requests

    /// Answers the app's own requests, as it does those of pages: what sessions of this configuration ask for is
    /// intercepted where the rules say so, and else left to the session. Call it before the session is made, and when the
    /// configuration's cookies, header fields and time limits are as they shall be. Holds for as long as the container
    /// lives; what `URLProtocolFace` says of Linux holds here, too.
    public func intercept(_ configuration: URLSessionConfiguration) {
        appRequests.face.install(in: configuration)
    }

    private func answer(_ request: EngineRequest, to sink: any SchemeTaskSink) -> SchemeTaskDelivery {
        let delivery = SchemeTaskDelivery(to: sink)
        let session = request.view.flatMap { sessions[$0] }
        var request = request
        let post = posts.take(for: request)
        var asked = legacy?.bare(request) ?? request
        if post != nil { asked.head.method = .post }
        var record = RequestRecord(asked, session: session, names: configuration.names)
        do {
            var bridged: BridgedBody
            switch try bridges?.read(&request) ?? .request(BridgedBody()) {
            case .own(let answer):
                delivery.start(answer: answer)
                return delivery
            case .worker(let script):
                lead(try path.name(asked, for: session), script, by: delivery, record)
                return delivery
            case .request(let body): bridged = body
            }
            if let handed = try legacy?.take(for: &request) {
                handed.complete(&request.head)
                bridged.body = handed.body(for: request.head.method)
            }
            if let post {
                request.head.method = .post
                for field in post.fields { request.head.headerFields[field.name] = field.value }
                bridged.body = post.body.isEmpty ? .empty : .bytes(post.body)
            }
            let named = try path.name(request, for: session, bridged: bridged)
            if let response = path.promptAnswer(to: named), let body = WholeBody(response.body) {
                record.note(response)
                note(response, to: request, of: session)
                record.note(delivery.deliver(response.head, body))
                hub.send(.request(record))
            } else {
                answer(request, .success(named), of: session, by: delivery, record, bridged)
            }
        } catch {
            answer(request, .failure(error), of: session, by: delivery, record, BridgedBody())
        }
        return delivery
    }

    /// Looks for an answer, and delivers it when it comes.
    private func answer(
        _ request: EngineRequest, _ named: Result<RequestPath.Named, any Error>, of session: PageSession?,
        by delivery: SchemeTaskDelivery, _ record: RequestRecord, _ bridged: BridgedBody
    ) {
        let (path, cookies) = (path, cookies)
        var record = record
        let timer = bridged.timeLimit.map { limit in
            Task { [weak delivery] in
                try await Task.sleep(for: limit)
                delivery?.giveUp()
            }
        }
        delivery.start(outlivesStop: bridged.isKeptAlive) {
            let named = try named.get()
            guard named.wantsHandOver, let cookies else { return try await path.answer(named) }
            return try await cookies.handingOver { try await path.answer(named) }
        } observe: { [weak self] response in
            record.note(response)
            self?.note(response, to: request, of: session)
            if let place = response.movedTo, let id = bridged.id, let view = request.view {
                self?.bridges?.note(path.place(of: place, in: session), of: id, in: view)
            }
        } completion: { [hub] outcome in
            timer?.cancel()
            record.note(outcome)
            hub.send(.request(record))
        }
    }

    /// Looks for a worker's script, and has the bridge's go before it.
    private func lead(
        _ named: RequestPath.Named, _ script: WorkerScript, by delivery: SchemeTaskDelivery, _ record: RequestRecord
    ) {
        let path = path
        var record = record
        delivery.start {
            try await BridgeCare.leading(to: path.answer(named), script)
        } observe: { response in
            record.note(response)
        } completion: { [hub] outcome in
            record.note(outcome)
            hub.send(.request(record))
        }
    }

    private func note(_ response: ResourceResponse, to request: EngineRequest, of session: PageSession?) {
        // The document's own answer comes before the page shows it.
        if !request.isMainDocument { noteAnswer(response, to: session) }
        guard request.isMainDocument, response.isInterim, let view = request.view else { return }
        loads[view]?.passOverDocument()
    }

    /// Tells the updater of a page, with the generations that it is on by now.
    func report(_ kind: BootReport.Kind, of session: PageSession) {
        packages.report(BootReport(kind, of: current(session).reference))
    }

    private func current(_ session: PageSession) -> PageSession {
        var session = session
        session.generations = packages.library.generations(of: session.id)
        return session
    }

    /// A package that answers a page is tried by it, wherever the page's document lies.
    private func noteAnswer(_ response: ResourceResponse, to asked: PageSession?) {
        // Not an answer that comes when the page shows another document, or is closed.
        guard let generation = response.provenance.generation, let asked, let session = sessions[asked.view],
            session.id == asked.id, session.documentURL == asked.documentURL,
            !packages.hasNoted(generation, of: session.id)
        else { return }
        packages.noteAnswer(of: generation, to: current(session).reference)
    }

    /// As above, of a request that came over loopback, where its `Referer` leaves no doubt of the document.
    private func noteAnswer(_ report: ExchangeReport) {
        guard report.request.destination == .subresource, let generation = report.provenance?.generation,
            case .finished = report.outcome, let asked = report.request.page?.page,
            report.request.head.headerFields[.referer] == asked.documentURL,
            let session = sessions.values.first(where: { $0.id == asked.id }), session.documentURL == asked.documentURL,
            !packages.hasNoted(generation, of: session.id)
        else { return }
        packages.noteAnswer(of: generation, to: current(session).reference)
    }

    private func hear(_ signal: ViewSignal, from view: ViewID) {
        guard var session = sessions[view] else { return }
        if case .committed(let url) = signal {
            session.documentURL = legacy?.messages.withoutID(realURL(of: url)) ?? realURL(of: url)
            keep(session)
            bridges?.documentChanged(in: view)
            legacy?.documentChanged(in: view)
            posts.forget(view)
            report(.moved, of: session)
        }
        hub.send(.page(session.id, signal))
    }

    private func end(_ opened: PageSession) {
        // As it is now: the document may have moved since.
        let session = sessions.removeValue(forKey: opened.view) ?? opened
        report(.closed, of: session)
        packages.library.unpin(session.id)
        sharedPages.forget(session.id)
        path.forget(session.id)
        packages.sweepSoon()
        table?.note(.close)
        loads[session.view] = nil
        bridges?.end(in: session.view)
        legacy?.end(in: session.view)
        posts.forget(session.view)
        hub.send(.pageClosed(session.id))
        // A page that was dropped has no one who gives its view back. Its holder goes with it, so not now, but next.
        guard reclaiming == nil else { return }
        reclaiming = Task { [weak self, pool] in
            self?.reclaiming = nil
            await pool.reclaim()
        }
    }
}
