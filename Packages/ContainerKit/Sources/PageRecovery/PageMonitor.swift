// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
@_spi(Facade) internal import WebEngine

/// The monitor of one open page. It applies the signals of the view and the messages of the script to the page's
/// ``PageHealth``, and performs the resulting actions.
///
/// Isolation: the main actor. Call ``end()`` at the end.
@MainActor
final class PageMonitor {
    let page: PageID
    private let mode: InterceptionMode
    private let options: BlankPageOptions
    private weak var owner: BlankPageMonitor?
    private weak var view: (any EngineView)?
    private weak var load: ViewLoad?
    /// The URL of the page in the engine.
    private var place: String
    private var hasScript: Bool
    private var health: PageHealth
    private let stopwatch: Stopwatch
    private var alarm: (due: Duration, task: Task<Void, Never>)?
    private var work: Task<Void, Never>?
    private var processCheck: Task<Void, Never>?
    private lazy var channel = ProbeChannel { [weak self] in self?.receive($0) }
    /// The number of the last known load of the view, started by the app or by this monitor.
    private var lastLoad: UInt64?
    /// The URL of the current or requested document at the time when the app started a load; `nil` after the engine
    /// has begun the load.
    private var overtaken: String?
    /// A Boolean value that indicates whether the container could not respond to the request for the next document.
    private var isRefused = false
    /// A Boolean value that indicates whether a request of the page has failed, or had a server error, since the
    /// commit of the document.
    private(set) var hasFailedRequest = false
    private var isOver = false

    /// Creates the monitor of a page that opens.
    /// - Parameters:
    ///   - session: the session of the page.
    ///   - place: the URL of the page in the engine.
    ///   - view: the view of the page.
    ///   - load: the load of the view.
    ///   - owner: the monitor of all pages, which ends this monitor before its own release.
    init(_ session: PageSession, at place: String, in view: any EngineView, load: ViewLoad, of owner: BlankPageMonitor)
    {
        page = session.id
        mode = session.mode
        options = owner.options
        self.place = place
        self.view = view
        self.load = load
        self.owner = owner
        hasScript = session.mode != .plain || options.watchesPlainPages
        health = PageHealth(options)
        stopwatch = Stopwatch(options.clock)
        lastLoad = view.loading.lastLoad?.number
    }

    /// Adds the script and its message handler to the view, and observes the load.
    /// - Throws: `EngineError` if the view refuses the handler. The page is then monitored without a script.
    func begin() throws {
        guard let view else { return }
        load?.onErrorPage = { [weak self] in self?.channel.send(.watchRetry) }
        load?.watch = { [weak self] in self?.receive($0) }
        recordVisibility()
        guard hasScript else { return }
        do {
            try view.scripting.setMessageHandler(named: HealthScript.name, in: HealthScript.world) { [weak self] in
                await self?.channel.reply(to: $0).rawValue ?? HealthScript.Reply.end.rawValue
            }
            view.scripting.add(HealthScript.script)
        } catch {
            hasScript = false
            throw error
        }
    }

    /// Ends the monitor. Cancels timers and work, and replies to a waiting script.
    func end() {
        isOver = true
        alarm?.task.cancel()
        work?.cancel()
        processCheck?.cancel()
        channel.end()
    }

    // MARK: Events

    /// Applies an event and performs the actions.
    func handle(_ event: PageHealth.Event) {
        guard !isOver else { return }
        recordLoad()
        apply(event)
        schedule()
    }

    /// Applies events of the current document, and then records a load that the app started while the events were
    /// reported.
    private func handleEarlier(_ events: [PageHealth.Event]) {
        for event in events where !isOver { apply(event) }
        recordLoad()
        schedule()
    }

    private func apply(_ event: PageHealth.Event) {
        health.isOn = owner?.isOn ?? false
        let actions = health.apply(event, at: stopwatch.elapsed)
        if !health.isOn { _ = health.apply(.isWell, at: stopwatch.elapsed) }
        for action in actions {
            switch action {
            case .examine: examine()
            case .dropPackage(let step): dropPackage(step)
            case .endProcess: view?.recovery?.endProcess()
            case .perform(let step): perform(step)
            }
        }
    }

    /// Records a load that the app has started in the view. The engine reports the load only later.
    func recordLoad() {
        guard !isOver, let load = view?.loading.lastLoad, load.number != lastLoad else { return }
        lastLoad = load.number
        (overtaken, isRefused) = (comingPlace ?? place, false)
        _ = health.apply(.loadRequested(url: load.url), at: stopwatch.elapsed)
    }

    /// Records that the container could not respond to the request for the next document.
    func recordRefusal() { isRefused = true }

    /// Records a failed request that may belong to the page.
    func recordFailedRequest() { hasFailedRequest = true }

    /// The URL in the engine to which the page navigates; `nil` without a navigation.
    var comingPlace: String? { health.isNavigating ? health.coming.url : nil }

    /// Records the visibility of the view, if the engine reports it.
    private func recordVisibility() {
        if let isVisible = view?.recovery?.isVisible { handle(.visibilityChanged(isVisible: isVisible)) }
    }

    private func receive(_ signal: ViewSignal) {
        // An earlier observer of the signal may have started another load.
        let isOvertaken = view?.loading.lastLoad.map { $0.number != lastLoad } ?? false
        switch signal {
        case .started(let url):
            (overtaken, isRefused) = (nil, false)
            handle(.started(url: url, byPerson: view?.prompts?.isUserGesture(for: url) == true))
            if view?.loading.posting.isPosting(to: url) == true { handle(.hasBody) }
        case .committed(let url):
            place = url
            hasFailedRequest = false
            channel.documentChanged()
            let isWatched = owner?.isWatched(url, in: mode) ?? false
            let committed = PageHealth.Event.committed(url: url, isWatched: isWatched)
            handleEarlier(view?.loading.posting.isPosted == true ? [.hasBody, committed] : [committed])
        case .finished: handleEarlier([.finished])
        case .stopped(let url):
            guard !isOvertaken, overtaken != url || health.coming.url == url else { return }
            handle(.loadStopped)
        case .failed(let url, let error):
            // Ignore the failure of a load that another load of the app has replaced.
            guard !isOvertaken, overtaken != url || health.coming.url == url else { return }
            let isReal = error.isOfNetwork || isRefused
            if isReal, health.showsNothing { place = url }
            handle(.loadFailed("\(error)", isReal: isReal))
        case .resource(let resource):
            if resource.failure != nil || resource.status ?? 0 >= 500 { hasFailedRequest = true }
            handle(.activity)
        case .processEnded(let reason):
            channel.documentChanged()
            // If the view has ended, the user has closed its window.
            guard view?.hasEnded == false else { return end() }
            recordVisibility()
            handle(isOvertaken ? .processReplaced : .processEnded(reason))
        case .visibilityChanged(let isVisible): handle(.visibilityChanged(isVisible: isVisible))
        case .frameLoaded: break
        }
    }

    private func receive(_ message: HealthScript.Message) {
        // A notification may come from a document in the page cache.
        if !message.isNotification { handle(.spoke) }
        switch message.visible {
        case true? where message.isNotification: handle(.shown)
        case false?: handle(.hidden)
        default: break
        }
        if message.painted == true { handle(.painted) }
        if message.used == true { handle(.used) }
        if message.retry == true { handle(.retryRequested) }
    }

    // MARK: Processes

    /// Checks that the document has a process. A system can end the processes of a suspended app, and an engine may
    /// report that only as the error of the next call. A page that does not reply is left alone, because it may
    /// compute.
    func checkProcess() {
        guard !isOver, !health.showsNothing, !health.isNavigating else { return }
        processCheck?.cancel()
        processCheck = Task { [weak self, weak view, limit = options.examinationLimit, number = lastLoad] in
            let call = Task { [weak view] in await Self.hasLostProcess(view) }
            let isLost = await call.value(within: limit) ?? false
            call.cancel()
            // A signal or a load may have arrived in the meantime.
            guard isLost, !Task.isCancelled, let self else { return }
            recordLoad()
            guard lastLoad == number, !health.showsNothing, !health.isNavigating else { return }
            channel.documentChanged()
            handle(.processEnded("the process ended while the app was absent"))
        }
    }

    /// Returns a Boolean value that indicates whether the process of a view has ended, but not the view.
    private static func hasLostProcess(_ view: (any EngineView)?) async -> Bool {
        do {
            _ = try await view?.scripting.evaluate("return null", in: HealthScript.world)
            return false
        } catch {
            return (error as? EngineError)?.code == .processEnded && view?.hasEnded == false
        }
    }

    // MARK: Examinations

    private func examine() {
        work?.cancel()
        work = Task { [weak self] in
            let result = await self?.probe()
            guard !Task.isCancelled, let self else { return }
            if isAwaitingAnswer { handle(.awaitsAnswer) }
            // A request has begun in the meantime, so the page is not quiet.
            if isBusy { handle(.activity) }
            handle(.examined(result ?? nil))
        }
    }

    /// Returns the findings about the page; `nil` if it does not reply. The view is not retained while the reply or
    /// the snapshot is awaited.
    private func probe() async -> ProbeResult? {
        guard hasScript, view != nil else { return nil }
        let answer = await channel.examine(within: options.examinationLimit)
        guard var result = answer, result.needsPicture(for: options.signals) else { return answer }
        // A snapshot runs no code in the page.
        let picture = Task { [weak view] in (try? await view?.snapshots?.snapshot().isUniform()) ?? nil }
        result.isUniform = await picture.value(within: options.examinationLimit) ?? nil
        picture.cancel()
        return await owner?.attribute(result, of: page) ?? result
    }

    /// A Boolean value that indicates whether the page waits for an answer to a prompt or to a message of a script.
    /// Scripts of the container may wait for a reply as long as the page is open. Their handlers have a common prefix.
    private var isAwaitingAnswer: Bool {
        owner?.host.isAwaitingAnswer(page) == true
            || view?.scripting.pendingHandlers.contains { !$0.hasPrefix("containerkit-") } == true
    }

    private var isBusy: Bool { owner?.isBusy(page) ?? false }

    // MARK: Steps

    private func perform(_ step: BlankPageStep) {
        guard let view else { return }
        owner?.host.page(page, willTake: step)
        // The host may have closed the page or started a load.
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
            // With a loopback server, a new process loads the URL instead of the history entry that the engine would
            // reload.
            if isNew, mode == .loopbackServer { view.loading.load(place) } else { view.loading.reload(place) }
        case .showedErrorPage:
            channel.documentChanged()
            load?.ignoreErrorPage()
            view.loading.showErrorPage(ErrorPage(options.errorPage, for: place).html, for: place)
        }
    }

    private func dropPackage(_ step: BlankPageStep) {
        work?.cancel()
        // `end()` cancels this task.
        work = Task { [weak self, weak owner, page] in
            let isDropped = await owner?.dropPackages(of: page, for: step) {
                self?.recordLoad()
                return owner?.isOn == true && self?.health.awaitsDrop == true
            }
            guard !Task.isCancelled else { return }
            self?.handle(.packageDropped(isDropped ?? false))
        }
    }

    // MARK: Time

    /// Schedules one task for the deadline. If the deadline is postponed, the task still runs at the earlier time, and
    /// schedules a new one.
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
            handle(isAwaitingAnswer ? .awaitsAnswer : .clock(isBusy: isBusy))
        }
        alarm = (due, task)
    }
}

extension PageSnapshot {
    /// Returns a Boolean value that indicates whether all pixels are equal; `nil` if there are fewer than two. Runs
    /// off the caller's actor, because it compares megabytes.
    @concurrent
    nonisolated fileprivate func isUniform() async -> Bool? {
        let size = 4
        return pixels.count <= size ? nil : pixels.dropFirst(size) == pixels.dropLast(size)
    }
}

extension EngineError {
    /// A Boolean value that indicates whether the document could not be loaded, as opposed to being stopped, refused
    /// or downloaded.
    fileprivate var isOfNetwork: Bool {
        [.unknownHost, .cannotConnect, .connectionLost, .badAnswer, .timedOut, .tls].contains(code)
    }
}
