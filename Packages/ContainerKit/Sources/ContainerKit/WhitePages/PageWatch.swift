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
        /// Whether a package has answered the page's document.
        let isPackaged: @MainActor () -> Bool
        /// Marks what answered the page's document as failed, for a reason, and takes it from the page, as long as the
        /// second closure says that this is wanted; says whether there was such. It ends in bounded time.
        let dropPackage: @MainActor (String, @escaping @MainActor () -> Bool) async -> Bool
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
    /// Who waits for what to do, in the page.
    private var waiter: CheckedContinuation<HealthScript.Reply, Never>?
    /// What it is told as soon as it asks.
    private var wish: HealthScript.Reply?
    /// Who waits for what a look has shown.
    private var looker: CheckedContinuation<PageExamination?, Never>?
    private var isRefused = false
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
                await self?.answer($0).rawValue ?? HealthScript.Reply.end.rawValue
            }
            view.add(HealthScript.script)
        }
        load?.onErrorPage = { [weak self] in self?.say(.hearRetry) }
        load?.observe { [weak self] in self?.hear($0) }
    }

    func end() {
        isOver = true
        alarm?.task.cancel()
        work?.cancel()
        release()
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
        case .started:
            isRefused = false
            take(.started)
        case .committed(let url):
            place = url
            release()
            take(.committed(url: url, isWatched: host.isWatched(url)))
        case .finished: take(.finished)
        case .failed(let url, let error):
            // A page that nobody covers fails as the engine has it.
            let isReal = (error.isOfNetwork || isRefused) && host.isWatched(url)
            if isReal { place = url }
            take(.loadFailed(error.description, isReal: isReal))
        case .resource: take(.activity)
        case .processEnded(let reason):
            release()
            // A window that someone has closed is no loss.
            guard view?.hasEnded == false else { return end() }
            take(.processEnded(reason))
        }
    }

    /// The container could not answer the request for the document on its way.
    func noteRefusal() { isRefused = true }

    // MARK: Steps

    private func perform(_ step: WhitePageStep) {
        guard let view else { return }
        host.tell(step)
        switch step.kind {
        case .reloaded, .reloadedWithoutPackage, .retried:
            let isNew = step.signal == .processEnded || step.signal == .unresponsive
            if isNew, loadsAfterEnd { view.load(place) } else { view.reload(place) }
        case .showedErrorPage:
            release()
            load?.passOverErrorPage()
            view.showErrorPage(ErrorPage(options.errorPage, for: place).html, for: place)
        }
    }

    private func dropPackage(_ step: WhitePageStep) {
        work?.cancel()
        // Owned: the watch cancels it.
        work = Task { [weak self, host] in
            let isDropped = await host.dropPackage("\(step.signal.rawValue): \(step.detail)") {
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
            take(.examined(examination ?? nil))
        }
    }

    private func look() async -> PageExamination? {
        guard hasScript, let view else { return nil }
        // A page that is at work does not answer.
        let limit = Task { [weak self, options] in
            try? await ContinuousClock().sleep(for: options.lookLimit)
            if !Task.isCancelled { self?.seen(nil) }
        }
        defer { limit.cancel() }
        let shown = await withCheckedContinuation { continuation in
            looker = continuation
            say(.look)
        }
        guard var examination = shown, examination.needsPicture(for: options.signals) else { return shown }
        // Of the view, and not of the page: it runs nothing there.
        let picture = Task { try? await view.snapshot() }
        examination.isUniform = await outcome(of: picture, within: options.lookLimit)??.isUniform
        picture.cancel()
        examination.isPackaged = host.isPackaged()
        return examination
    }

    private func seen(_ examination: PageExamination?) {
        looker?.resume(returning: examination)
        looker = nil
    }

    // MARK: The page's side

    private func answer(_ message: ScriptMessage) async -> HealthScript.Reply {
        let said = HealthScript.message(message.json)
        if let look = said?.look { seen(look.examination) }
        if said?.retry == true { take(.retryAsked) }
        if said?.painted == true || said?.shown == true {
            take(said?.painted == true ? .painted : .activity)
            return .end
        }
        if let wish {
            self.wish = nil
            return wish
        }
        guard !isOver else { return .end }
        waiter?.resume(returning: .end)
        return await withCheckedContinuation { waiter = $0 }
    }

    private func say(_ reply: HealthScript.Reply) {
        guard let waiter else {
            wish = reply
            return
        }
        self.waiter = nil
        waiter.resume(returning: reply)
    }

    /// The document is another one: what waits for the one before waits no longer.
    private func release() {
        wish = nil
        waiter?.resume(returning: .end)
        waiter = nil
        seen(nil)
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

extension PageSnapshot {
    /// Whether all pixels are the same.
    var isUniform: Bool {
        let size = 4
        return pixels.count <= size || pixels.dropFirst(size) == pixels.dropLast(size)
    }
}
