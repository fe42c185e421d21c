// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import WebEngine

/// The state machine of the recovery of one page. It is a value without clock and timers: it receives events with
/// their time and returns actions.
///
/// A document is examined when the page has loaded and has been quiet for a while, and again if it has painted
/// nothing for a long time. Only the result of an examination leads to a step, never the elapsed time alone. During a
/// navigation to another document the page is neither examined nor recovered.
struct PageHealth: Sendable {
    enum Phase: Hashable {
        /// There is no document, or it is not examined, or it is healthy.
        case idle
        /// The document was committed.
        case committed
        /// The page and its resources have loaded.
        case finished
        /// A step is in progress.
        case recovering
        /// The error page is shown.
        case errorPage
    }

    let limits: Limits
    var policy: RecoveryPolicy
    var phase = Phase.idle
    var document = Document()
    /// The state of the document that was requested last, until its commit.
    private(set) var coming = Document.PendingDocument()
    /// The time of the next examination or evaluation; `nil` if none is due before the next event.
    var due: Duration?
    var isExamining = false
    var isPaused = false
    /// A Boolean value that indicates whether steps are performed, except those that the user starts.
    var isOn = true
    /// A Boolean value that indicates whether the view is visible, if the engine reports it. An invisible page is not
    /// reloaded before it becomes visible.
    private var isVisible = true
    /// A Boolean value that indicates whether a navigation is in progress.
    private(set) var isNavigating = false
    /// A Boolean value that indicates whether a request of the page was pending when the examination began.
    var isBusyExamination = false
    /// A Boolean value that indicates whether the process of the page was ended because it was unresponsive.
    var isEndingProcess = false
    /// A Boolean value that indicates whether there is no document or a blank document.
    var showsNothing = true
    /// The step that waits for ``Event/packageDropped(_:)``.
    var pending: BlankPageStep?
    /// The event that occurred while the app was absent or the view was not visible. It is applied afterwards.
    var held: Event?

    init(_ options: BlankPageOptions) {
        limits = Limits(options)
        policy = RecoveryPolicy(limit: options.stepLimit)
    }

    /// A Boolean value that indicates whether a step waits for ``Event/packageDropped(_:)``. A navigation ends the
    /// wait.
    var awaitsDrop: Bool { pending != nil }

    /// The URL of the document whose process ended before its commit. The view loads this URL instead of a reload.
    var lostURL: String? { document.isLost ? document.url : nil }

    var isWatching: Bool { phase == .committed || phase == .finished }

    /// Applies an event and returns the resulting actions.
    mutating func apply(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .started(let url, let byPerson): start(url, byPerson: byPerson, at: now)
        case .loadRequested(let url):
            coming = Document.PendingDocument()
            start(url, byPerson: false, at: now)
        case .committed(let url, let isWatched): commit(url, isWatched: isWatched, at: now)
        case .finished:
            isNavigating = false
            guard phase == .committed else { break }
            phase = .finished
            (document.finishedAt, document.lastActivity) = (now, now)
            wait(from: now, at: now)
        case .loadStopped: stopLoad(at: now)
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
        case .awaitsAnswer: renewTime(at: now)
        case .examined(let result):
            if result != nil { isEndingProcess = false }
            guard isExamining else { break }
            isExamining = false
            guard !isPaused, isWatching else { break }
            return evaluate(result, at: now)
        case .packageDropped(let isDropped): return endDrop(event, isDropped, at: now)
        case .stepOvertaken:
            guard phase == .errorPage else { break }
            phase = .recovering
            policy.revertErrorPage()
        case .retryRequested:
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
        case .clock(let isBusy): return beginExamination(isBusy: isBusy, at: now)
        }
        return []
    }

    // MARK: Documents

    private mutating func start(_ url: String, byPerson: Bool, at now: Duration) {
        if byPerson { policy.renew() }
        if let stopped = document.stoppedAt, !showsNothing, now - stopped <= ViewLoad.longestReplacement {
            // The navigation has stopped the load. It may become a download, and then this document stays. After the
            // end of the process there is no document that could stay.
            phase = .finished
            (document.finishedAt, document.lastActivity) = (now, now)
            wait(from: now, at: now)
        }
        document.stoppedAt = nil
        if pending != nil {
            // The navigation replaces the document of the pending step.
            (pending, phase) = (nil, .finished)
            policy.keepPackages()
        }
        // The current document stays until the next commit, because the navigation may become a download.
        (isNavigating, isExamining, held, isEndingProcess) = (true, false, nil, false)
        coming.url = url
    }

    private mutating func commit(_ url: String, isWatched: Bool, at now: Duration) {
        coming.url = url
        (document, coming) = (Document(coming, at: now), Document.PendingDocument())
        // The pending step belongs to the former document.
        (pending, held) = (nil, nil)
        (showsNothing, isNavigating, isExamining, isEndingProcess) = (false, false, false, false)
        phase = isWatched ? .committed : .idle
        wait(from: now, at: now)
    }

    private mutating func stopLoad(at now: Duration) {
        let isOfDocument = !isNavigating
        (isNavigating, coming.hasBody, coming.hasNoContent) = (false, false, false)
        if isOfDocument, isWatching {
            // The document is incomplete on purpose, unless a navigation follows at once.
            recordHealthy()
            document.stoppedAt = now
        } else if due != nil {
            wait(from: now, at: now)
        }
    }

    private mutating func failLoad(_ event: Event, _ reason: String, isReal: Bool, at now: Duration) -> [Action] {
        // A failed navigation leads to no document.
        (isNavigating, coming.hasBody, coming.hasNoContent) = (false, false, false)
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
        if isNavigating, coming.hasBody || coming.url != document.url {
            // The requested document is loaded next; the current document is not responsible. With a body, the same URL
            // is another document: a form may navigate to the URL of its own document.
            (document, coming) = (Document(coming, at: now), Document.PendingDocument())
            document.isLost = true
        }
        (showsNothing, isNavigating, isExamining) = (true, false, false)
        // The load of the pending step starts a new process, so no other step is needed.
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

    /// Applies the held event.
    private mutating func applyHeld(at now: Duration) -> [Action] {
        guard let event = held, !isPaused, isVisible else { return [] }
        held = nil
        return apply(event, at: now)
    }

    /// Records that the document is responsive, so that its process is not ended.
    private mutating func recordResponsiveness() { (document.silence, isEndingProcess) = (nil, false) }

    // MARK: Time

    /// The time at which ``Event/clock(isBusy:)`` is due; `nil` if it is not.
    var deadline: Duration? { isPaused || isExamining || isNavigating || document.isHidden || !isWatching ? nil : due }

    /// Sets the time of the next examination.
    /// - Parameters:
    ///   - time: the start of the wait.
    ///   - now: the current time.
    mutating func wait(from time: Duration, at now: Duration) {
        // A page that is never quiet is also examined.
        let preferred =
            phase == .finished && !document.waitsForPaint
            ? min(time + limits.grace, document.finishedAt + limits.firstPaint) : time + limits.firstPaint
        due = min(preferred, max(document.since + limits.patience, now))
    }

    /// Restarts the times of the document. The result of an examination in progress is ignored.
    private mutating func renewTime(at now: Duration) {
        (document.since, document.finishedAt, document.lastActivity) = (now, now, now)
        (document.silence, document.waitsForPaint, isExamining) = (nil, false, false)
        wait(from: now, at: now)
    }

    /// Starts an examination if it is due, or postpones it if a request of the page is pending.
    private mutating func beginExamination(isBusy: Bool, at now: Duration) -> [Action] {
        guard isOn, let deadline, deadline <= now else { return [] }
        guard isBusy, !isLate(at: now) else {
            (isExamining, isBusyExamination) = (true, isBusy)
            return [.examine]
        }
        // The end of the request is reported as activity if the request belongs to this page.
        due = min(now + max(limits.grace, limits.firstPaint / 3), document.since + limits.patience)
        return []
    }

    /// Returns a Boolean value that indicates whether the patience for the document is over.
    func isLate(at now: Duration) -> Bool { now >= document.since + limits.patience }
}
