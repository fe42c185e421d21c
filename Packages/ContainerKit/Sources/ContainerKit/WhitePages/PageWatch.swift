// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

/// Watches one open page, and does what its health asks for.
///
/// Isolation: the main actor. It ends with ``end()``.
@MainActor
final class PageWatch {
    /// What the container does for it.
    struct Host {
        /// Whether how a document looks counts, by its URL in the engine.
        let isWatched: @MainActor (String) -> Bool
        /// Whether a request of the page waits for its answer.
        let isBusy: @MainActor () -> Bool
        /// Whether the page waits for what someone says to it.
        let isAsking: @MainActor () -> Bool
        /// Leaves of what a look has shown what a package is behind.
        let weigh: @MainActor (PageExamination) async -> PageExamination
        /// Takes what is behind the page's document from the page for a step, as long as the second closure says that
        /// this is wanted; says whether there was such. It ends in bounded time.
        let dropPackage: @MainActor (WhitePageStep, @escaping @MainActor () -> Bool) async -> Bool
        /// A step was taken.
        let tell: @MainActor (WhitePageStep) -> Void
    }

    let page: PageID
    private let options: WhitePageOptions
    private let host: Host
    /// Where the page lies in the engine.
    private var place: String
    private weak var view: (any EngineView)?
    private weak var load: ViewLoad?
    private let hasScript: Bool
    /// Whether a new process is given the URL, in place of what the engine would load anew.
    private let loadsAfterEnd: Bool
    private var health: PageHealth
    private let elapsed: @MainActor () -> Duration
    private var alarm: (due: Duration, task: Task<Void, Never>)?
    private var work: Task<Void, Never>?
    private lazy var conversation = HealthConversation { [weak self] in self?.hear($0) }
    private var isRefused = false
    /// Whether a request of the page failed, or its server was in trouble, since its document came.
    private(set) var hasFailedRequest = false
    private var isOver = false

    init(
        _ page: PageID, at place: String, in view: any EngineView, load: ViewLoad, options: WhitePageOptions,
        hasScript: Bool, loadsAfterEnd: Bool, host: Host
    ) {
        self.page = page
        self.place = place
        self.view = view
        self.load = load
        self.options = options
        self.hasScript = hasScript
        self.loadsAfterEnd = loadsAfterEnd
        self.host = host
        health = PageHealth(options)
        elapsed = Self.reader(of: options.clock)
    }

    private static func reader<C: Clock>(of clock: C) -> @MainActor () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    /// Puts the script into the view, and hears it.
    /// - Throws: ``EngineError``, where the view takes no handler.
    func begin() throws {
        guard let view else { return }
        if hasScript {
            try view.setMessageHandler(named: HealthScript.name, in: HealthScript.world) { [weak self] in
                await self?.conversation.answer($0).rawValue ?? HealthScript.Reply.end.rawValue
            }
            view.add(HealthScript.script)
        }
        load?.onErrorPage = { [weak self] in self?.conversation.say(.hearRetry) }
        load?.observe { [weak self] in self?.hear($0) }
    }

    func end() {
        isOver = true
        alarm?.task.cancel()
        work?.cancel()
        conversation.end()
    }

    func take(_ event: PageHealth.Event) {
        guard !isOver else { return }
        for action in health.take(event, at: elapsed()) {
            switch action {
            case .examine: examine()
            case .dropPackage(let step): dropPackage(step)
            case .endProcess: view?.endProcess()
            case .take(let step): perform(step)
            }
        }
        schedule()
    }

    private func hear(_ signal: ViewSignal) {
        switch signal {
        case .started(let url):
            isRefused = false
            take(.started(url: url, byPerson: view?.isUserGesture(for: url) == true))
        case .committed(let url):
            place = url
            hasFailedRequest = false
            conversation.documentChanged()
            take(.committed(url: url, isWatched: host.isWatched(url)))
        case .finished: take(.finished)
        case .failed(let url, let error):
            // A page that nobody covers fails as the engine has it.
            let isReal = (error.isOfNetwork || isRefused) && host.isWatched(url)
            if isReal { place = url }
            take(.loadFailed(error.description, isReal: isReal))
        case .resource(let resource):
            if resource.failure != nil || resource.status ?? 0 >= 500 { hasFailedRequest = true }
            take(.activity)
        case .processEnded(let reason):
            conversation.documentChanged()
            // A window that someone has closed is no loss.
            guard view?.hasEnded == false else { return end() }
            take(.processEnded(reason))
        }
    }

    /// The container could not answer the request for the document on its way.
    func noteRefusal() { isRefused = true }

    /// A request of the page failed, or may be one of it.
    func noteFailedRequest() { hasFailedRequest = true }

    /// The document on its way, as the engine names it; `nil` where there is none.
    var comingPlace: String? { health.isOnWay ? health.coming.url : nil }

    // MARK: Steps

    private func perform(_ step: WhitePageStep) {
        guard let view else { return }
        host.tell(step)
        let lost = health.lostURL
        if let lost { place = lost }
        switch step.kind {
        case .reloaded where lost != nil: view.load(place)
        case .reloaded, .reloadedWithoutPackage, .retried:
            let isNew = step.signal == .processEnded || step.signal == .unresponsive
            if isNew, loadsAfterEnd { view.load(place) } else { view.reload(place) }
        case .showedErrorPage:
            conversation.documentChanged()
            load?.passOverErrorPage()
            view.showErrorPage(ErrorPage(options.errorPage, for: place).html, for: place)
        }
    }

    private func dropPackage(_ step: WhitePageStep) {
        work?.cancel()
        // Owned: the watch cancels it.
        work = Task { [weak self, host] in
            let isDropped = await host.dropPackage(step) {
                self?.health.awaitsDrop == true
            }
            guard !Task.isCancelled else { return }
            self?.take(.packageDropped(isDropped))
        }
    }

    // MARK: Looks

    private func examine() {
        work?.cancel()
        work = Task { [weak self] in
            let examination = await self?.look()
            guard !Task.isCancelled, let self else { return }
            if host.isAsking() { take(.asks) }
            // One that began meanwhile: the page is not quiet.
            if host.isBusy() { take(.activity) }
            take(.examined(examination ?? nil))
        }
    }

    /// Keeps the view no longer than it takes to begin.
    private func look() async -> PageExamination? {
        guard hasScript, view != nil else { return nil }
        let shown = await conversation.look(within: options.lookLimit)
        guard var examination = shown, examination.needsPicture(for: options.signals) else { return shown }
        // Of the view, and not of the page: it runs nothing there.
        let picture = Task { [weak view] in (try? await view?.snapshot().isUniform()) ?? nil }
        examination.isUniform = await outcome(of: picture, within: options.lookLimit) ?? nil
        picture.cancel()
        return await host.weigh(examination)
    }

    /// What the script of the page says.
    private func hear(_ said: HealthScript.Message) {
        // What is told, and does not ask, may come from a document that the page cache has brought back.
        if !said.isNews { take(.spoke) }
        switch said.visible {
        case true? where said.isNews: take(.shown)
        case false?: take(.hidden)
        default: break
        }
        if said.painted == true { take(.painted) }
        if said.retry == true { take(.retryAsked) }
    }

    // MARK: Time

    /// One task for each wait: what is put off is asked about when the wait is over.
    private func schedule() {
        guard !isOver, let due = health.deadline else {
            alarm?.task.cancel()
            alarm = nil
            return
        }
        if let alarm, alarm.due <= due { return }
        alarm?.task.cancel()
        let (clock, wait) = (options.clock, due - elapsed())
        let task = Task { [weak self] in
            try? await clock.sleep(for: wait)
            guard !Task.isCancelled, let self else { return }
            alarm = nil
            take(host.isAsking() ? .asks : .clock(isBusy: host.isBusy()))
        }
        alarm = (due, task)
    }
}

extension EngineError {
    /// Whether a document could not be had, and was not stopped, refused or saved instead.
    fileprivate var isOfNetwork: Bool {
        [.unknownHost, .cannotConnect, .connectionLost, .timedOut, .tls].contains(code)
    }
}
