// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a page is, and what is to be done about it: a value without clock and timers. Events go in with the time at
/// which they happened, what to do comes out.
///
/// A document is looked at once the page has loaded and been quiet for a moment, and once more when it has painted
/// nothing for long; the look decides, never the time alone. A page that is on its way to another document is neither
/// looked at nor touched.
struct PageHealth: Sendable {
    enum Phase: Hashable {
        /// Nothing to watch: no document, one that does not count, or one that is well.
        case idle
        /// The document is there.
        case committed
        /// So is what it loads.
        case finished
        /// Somebody is at work on it.
        case recovering
        /// The error page is shown.
        case errorPage
    }

    let limits: Limits
    var policy: RecoveryPolicy
    var phase = Phase.idle
    var document = Document()
    /// What is known of the document that was asked for last, until one is there.
    private(set) var coming = Document.Asked()
    /// When to look, or to ask whether to; `nil` where nothing is due before something is heard.
    var due: Duration?
    var isExamining = false
    var isPaused = false
    /// Whether anything is to be done but what a person asks for.
    var isOn = true
    /// Whether the view is in sight, where the engine says so: a page out of sight is not loaded anew before it is.
    private var isVisible = true
    /// Whether another document was asked for and is not there.
    private(set) var isOnWay = false
    /// Whether a request of the page waited for its answer as the look began.
    var isBusyLook = false
    /// Whether the page's process was ended because it did not answer.
    var isEndingProcess = false
    /// Whether no document is there, or a white one.
    var showsNothing = true
    var pending: BlankPageStep?
    /// What happened while the app was away, and is dealt with when it is back.
    var held: Event?

    init(_ options: BlankPageOptions) {
        limits = Limits(options)
        policy = RecoveryPolicy(limit: options.stepLimit)
    }

    /// Whether a step waits for ``Event/packageDropped(_:)``: not any more once another document was asked for.
    var awaitsDrop: Bool { pending != nil }

    /// The document that a process took with it before it was there: what is to be loaded in place of a reload.
    var lostURL: String? { document.isLost ? document.url : nil }

    var isWatching: Bool { phase == .committed || phase == .finished }

    mutating func apply(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .started(let url, let byPerson): start(url, byPerson: byPerson)
        case .loadAsked(let url):
            coming = Document.Asked()
            start(url, byPerson: false)
        case .committed(let url, let isWatched): commit(url, isWatched: isWatched, at: now)
        case .finished:
            isOnWay = false
            guard phase == .committed else { break }
            phase = .finished
            (document.finishedAt, document.lastActivity) = (now, now)
            wait(from: now, at: now)
        case .loadFailed(let reason, let isReal): return failLoad(event, reason, isReal: isReal, at: now)
        case .processEnded(let reason): return endProcess(event, reason, at: now)
        case .processReplaced: (showsNothing, isExamining, isEndingProcess) = (true, false, false)
        case .visibilityChanged(let isVisible):
            self.isVisible = isVisible
            return applyHeld(at: now)
        case .activity:
            document.lastActivity = now
            if isWatching { wait(from: now, at: now) }
        case .hasBody: coming.hasBody = true
        case .hasNoContent: coming.hasNoContent = true
        case .spoke:
            document.hasSpoken = true
            recordResponsiveness()
        case .painted:
            document.hasPainted = true
            recordResponsiveness()
            if !limits.signals.contains(.uniformPicture) { recordHealthy() }
        case .used:
            recordResponsiveness()
            recordHealthy()
        case .hidden:
            (document.isHidden, isExamining) = (true, false)
            recordResponsiveness()
        case .shown:
            document.isHidden = false
            recordResponsiveness()
            renewTime(at: now)
        case .asks: renewTime(at: now)
        case .examined(let result):
            if result != nil { isEndingProcess = false }
            guard isExamining else { break }
            isExamining = false
            guard !isPaused, isWatching else { break }
            return judge(result, at: now)
        case .packageDropped(let isDropped): return endDrop(event, isDropped, at: now)
        case .stepOvertaken:
            guard phase == .errorPage else { break }
            phase = .recovering
            policy.revertErrorPage()
        case .retryAsked:
            guard phase == .errorPage else { break }
            policy.renew()
            phase = .recovering
            return [.perform(BlankPageStep(kind: .retried, signal: .loadFailed, detail: "", number: 0))]
        case .isWell: recordHealthy()
        case .paused: isPaused = true
        case .resumed:
            guard isPaused else { break }
            isPaused = false
            renewTime(at: now)
            return applyHeld(at: now)
        case .clock(let isBusy): return look(isBusy: isBusy, at: now)
        }
        return []
    }

    // MARK: Documents

    private mutating func start(_ url: String, byPerson: Bool) {
        if byPerson { policy.renew() }
        if pending != nil {
            // What a step was to be taken for is about to go.
            (pending, phase) = (nil, .finished)
            policy.keepPackages()
        }
        // What is there stays to be seen until the next document is, which may be a download.
        (isOnWay, isExamining, held, isEndingProcess) = (true, false, nil, false)
        coming.url = url
    }

    private mutating func commit(_ url: String, isWatched: Bool, at now: Duration) {
        coming.url = url
        (document, coming) = (Document(coming, at: now), Document.Asked())
        // Whoever waits for an answer waits for one about the document before.
        (pending, held) = (nil, nil)
        (showsNothing, isOnWay, isExamining, isEndingProcess) = (false, false, false, false)
        phase = isWatched ? .committed : .idle
        wait(from: now, at: now)
    }

    private mutating func failLoad(_ event: Event, _ reason: String, isReal: Bool, at now: Duration) -> [Action] {
        // What came of the navigation was no document.
        (isOnWay, coming.hasBody, coming.hasNoContent) = (false, false, false)
        guard isReal, showsNothing, phase != .errorPage else {
            if due != nil { wait(from: now, at: now) }
            return []
        }
        guard !isPaused else {
            held = event
            return []
        }
        return act(Trouble(signal: .loadFailed, detail: reason), at: now)
    }

    private mutating func endProcess(_ event: Event, _ reason: String, at now: Duration) -> [Action] {
        if isOnWay, coming.hasBody || coming.url != document.url {
            // Whoever asked for the other document gets that, and what was there is not to blame. A form may lead to
            // the URL that it is on.
            (document, coming) = (Document(coming, at: now), Document.Asked())
            document.isLost = true
        }
        (showsNothing, isOnWay, isExamining) = (true, false, false)
        // The load that comes next is in a new process.
        guard pending == nil else { return [] }
        guard !isPaused, isVisible else {
            if !isVisible { document.isHidden = true }
            held = event
            return []
        }
        let trouble = Trouble(signal: isEndingProcess ? .unresponsive : .processEnded, detail: reason)
        guard document.mayHaveBeenWell, !isEndingProcess, !document.hasBody, phase != .errorPage else {
            isEndingProcess = false
            return act(trouble, at: now)
        }
        return endWell(trouble, at: now)
    }

    /// What has happened while nothing could be done about it is dealt with.
    private mutating func applyHeld(at now: Duration) -> [Action] {
        guard let event = held, !isPaused, isVisible else { return [] }
        held = nil
        return apply(event, at: now)
    }

    /// The document has said something: it neither hangs nor is about to be ended for that.
    private mutating func recordResponsiveness() { (document.silence, isEndingProcess) = (nil, false) }
}
