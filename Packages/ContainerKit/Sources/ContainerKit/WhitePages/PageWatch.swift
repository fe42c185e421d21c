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
        /// Marks what answered the page's document as failed, and takes it from the page; says whether there was such.
        let dropPackage: @MainActor (String) async -> Bool
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

    /// How long a page may take to look at itself.
    private static let lookLimit = Duration.seconds(5)

    init(
        _ page: PageID, at place: String, in view: any EngineView, load: ViewLoad, options: WhitePageOptions,
        hasScript: Bool, host: Host
    ) {
        self.page = page
        self.place = place
        self.view = view
        self.load = load
        self.options = options
        self.hasScript = hasScript
        self.host = host
        health = PageHealth(options, hearsRetries: hasScript)
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
        case .reloaded, .reloadedWithoutPackage, .retried: view.reload(place)
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
            let isDropped = await host.dropPackage("\(step.signal.rawValue): \(step.detail)")
            guard !Task.isCancelled else { return }
            self?.take(.packageDropped(isDropped))
        }
    }

    // MARK: Looks

    private func examine() {
        work?.cancel()
        work = Task { [weak self] in
            let examination = await self?.look()
            guard !Task.isCancelled else { return }
            self?.take(.examined(examination ?? nil))
        }
    }

    private func look() async -> PageExamination? {
        guard hasScript, let view else { return nil }
        // A page that is at work does not answer.
        let limit = Task { [weak self] in
            try? await ContinuousClock().sleep(for: Self.lookLimit)
            if !Task.isCancelled { self?.seen(nil) }
        }
        defer { limit.cancel() }
        let shown = await withCheckedContinuation { continuation in
            looker = continuation
            say(.look)
        }
        guard var examination = shown, examination.needsPicture(for: options.signals) else { return shown }
        // Of the view, and not of the page: it runs nothing there.
        let picture = try? await withLimit(Self.lookLimit) { try await view.snapshot() }
        examination.isUniform = picture?.isUniform
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

    private func schedule() {
        let due = isOver ? nil : health.deadline
        guard due != alarm?.due else { return }
        alarm?.task.cancel()
        alarm = due.map { due in
            let (clock, wait) = (options.clock, due - elapsed())
            let task = Task { [weak self] in
                try? await clock.sleep(for: wait)
                guard !Task.isCancelled, let self else { return }
                alarm = nil
                take(.clock(isBusy: host.isBusy()))
            }
            return (due, task)
        }
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
