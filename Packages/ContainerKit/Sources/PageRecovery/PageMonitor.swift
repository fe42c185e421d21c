// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
@_spi(Facade) internal import WebEngine

/// Watches one open page, and does what its health asks for.
///
/// Isolation: the main actor. It ends with ``end()``.
@MainActor
final class PageMonitor {
    let page: PageID
    let options: BlankPageOptions
    let host: Host
    /// Where the page lies in the engine.
    private var place: String
    private(set) weak var view: (any EngineView)?
    private weak var load: ViewLoad?
    private(set) var hasScript: Bool
    /// Whether a new process is given the URL, in place of what the engine would load anew.
    private let loadsAfterEnd: Bool
    private var health: PageHealth
    private let stopwatch: Stopwatch
    private var alarm: (due: Duration, task: Task<Void, Never>)?
    var work: Task<Void, Never>?
    /// The number of the load of the view that is known, whoever asked for it.
    private var lastLoad: UInt64?
    private(set) lazy var channel = ProbeChannel { [weak self] in self?.receive($0) }
    private var isRefused = false
    /// Where the engine was on its way to, or was, as the host asked for the load that has not begun yet.
    private var overtaken: String?
    /// Whether a request of the page failed, or its server was in trouble, since its document came.
    private(set) var hasFailedRequest = false
    private var isOver = false

    init(
        _ page: PageID, at place: String, in view: any EngineView, load: ViewLoad, options: BlankPageOptions,
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
        stopwatch = Stopwatch(options.clock)
        lastLoad = view.loading.lastLoad?.number
    }

    /// Puts the script into the view, and hears it.
    /// - Throws: ``EngineError``, where the view takes no handler: then its pages are watched as those without a script.
    func begin() throws {
        guard let view else { return }
        load?.onErrorPage = { [weak self] in self?.channel.say(.watchRetry) }
        load?.watch = { [weak self] in self?.receive($0) }
        recordVisibility()
        guard hasScript else { return }
        do {
            try view.scripting.setMessageHandler(named: HealthScript.name, in: HealthScript.world) { [weak self] in
                await self?.channel.answer($0).rawValue ?? HealthScript.Reply.end.rawValue
            }
            view.scripting.add(HealthScript.script)
        } catch {
            hasScript = false
            throw error
        }
    }

    func end() {
        isOver = true
        alarm?.task.cancel()
        work?.cancel()
        channel.end()
    }

    func handle(_ event: PageHealth.Event) {
        guard !isOver else { return }
        recordLoad()
        apply(event)
        schedule()
    }

    /// Takes what the engine tells of a document that is there, also where the host has asked for another one as it heard
    /// of that: it comes after.
    private func handleEarlier(_ events: [PageHealth.Event]) {
        for event in events where !isOver { apply(event) }
        recordLoad()
        schedule()
    }

    private func apply(_ event: PageHealth.Event) {
        health.isOn = host.isOn()
        let actions = health.apply(event, at: stopwatch.elapsed)
        if !health.isOn { _ = health.apply(.isWell, at: stopwatch.elapsed) }
        act(actions)
    }

    private func act(_ actions: [PageHealth.Action]) {
        for action in actions {
            switch action {
            case .examine: examine()
            case .dropPackage(let step): dropPackage(step)
            case .endProcess: view?.recovery?.endProcess()
            case .perform(let step): perform(step)
            }
        }
    }

    /// Hears of a load that the host has asked for, in place of whatever was to be done: engines tell of it only later.
    func recordLoad() {
        guard !isOver, let load = view?.loading.lastLoad, load.number != lastLoad else { return }
        lastLoad = load.number
        (overtaken, isRefused) = (comingPlace ?? place, false)
        _ = health.apply(.loadAsked(url: load.url), at: stopwatch.elapsed)
    }

    /// Hears whether the view is in sight, where the engine says so and has not told.
    private func recordVisibility() {
        if let isVisible = view?.recovery?.isVisible { handle(.visibilityChanged(isVisible: isVisible)) }
    }

    private func receive(_ signal: ViewSignal) {
        // The host has asked for another one as it heard of this.
        let isOvertaken = view?.loading.lastLoad.map { $0.number != lastLoad } ?? false
        switch signal {
        case .started(let url):
            (overtaken, isRefused) = (nil, false)
            handle(.started(url: url, byPerson: view?.prompts?.isUserGesture(for: url) == true))
            if view?.loading.isPosting(to: url) == true { handle(.hasBody) }
        case .committed(let url):
            place = url
            hasFailedRequest = false
            channel.documentChanged()
            let committed = PageHealth.Event.committed(url: url, isWatched: host.isWatched(url))
            handleEarlier(view?.loading.isPosted == true ? [.hasBody, committed] : [committed])
        case .finished: handleEarlier([.finished])
        case .failed(let url, let error):
            // The failure of what the host has given up for another load.
            guard !isOvertaken, overtaken != url || health.coming.url == url else { return }
            let isReal = error.isOfNetwork || isRefused
            if isReal, health.showsNothing { place = url }
            handle(.loadFailed(error.description, isReal: isReal))
        case .resource(let resource):
            if resource.failure != nil || resource.status ?? 0 >= 500 { hasFailedRequest = true }
            handle(.activity)
        case .processEnded(let reason):
            channel.documentChanged()
            // A window that someone has closed is no loss.
            guard view?.hasEnded == false else { return end() }
            recordVisibility()
            handle(isOvertaken ? .processReplaced : .processEnded(reason))
        case .visibilityChanged(let isVisible): handle(.visibilityChanged(isVisible: isVisible))
        case .frameLoaded: break
        }
    }

    /// The container could not answer the request for the document on its way.
    func recordRefusal() { isRefused = true }

    /// A request of the page failed, or may be one of it.
    func recordFailedRequest() { hasFailedRequest = true }

    /// The document on its way, as the engine names it; `nil` where there is none.
    var comingPlace: String? { health.isOnWay ? health.coming.url : nil }

    // MARK: Steps

    private func perform(_ step: BlankPageStep) {
        guard let view else { return }
        host.send(step)
        // Who was told may have closed the page, or asked for a load.
        guard !isOver else { return }
        guard view.loading.lastLoad?.number == lastLoad else {
            _ = health.apply(.stepOvertaken, at: stopwatch.elapsed)
            return recordLoad()
        }
        defer { lastLoad = view.loading.lastLoad?.number }
        let lost = health.lostURL
        if let lost { place = lost }
        switch step.kind {
        case .reloaded where lost != nil: view.loading.load(place)
        case .reloaded, .reloadedWithoutPackage, .retried:
            let isNew = step.signal == .processEnded || step.signal == .unresponsive
            if isNew, loadsAfterEnd { view.loading.load(place) } else { view.loading.reload(place) }
        case .showedErrorPage:
            channel.documentChanged()
            load?.passOverErrorPage()
            view.loading.showErrorPage(ErrorPage(options.errorPage, for: place).html, for: place)
        }
    }

    private func dropPackage(_ step: BlankPageStep) {
        work?.cancel()
        // Owned: the watch cancels it.
        work = Task { [weak self, host] in
            let isDropped = await host.dropPackage(step) {
                self?.recordLoad()
                return host.isOn() && self?.health.awaitsDrop == true
            }
            guard !Task.isCancelled else { return }
            self?.handle(.packageDropped(isDropped))
        }
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
        let (clock, wait) = (options.clock, due - stopwatch.elapsed)
        let task = Task { [weak self] in
            try? await clock.sleep(for: wait)
            guard !Task.isCancelled, let self else { return }
            alarm = nil
            handle(isAsking ? .asks : .clock(isBusy: host.isBusy()))
        }
        alarm = (due, task)
    }
}
