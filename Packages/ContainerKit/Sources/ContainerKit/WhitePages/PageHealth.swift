// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How a page is, and what is to be done about it: a value without clock and timers. Events go in with the time at
/// which they happened, what to do comes out.
///
/// A document is looked at once the page has loaded and been quiet for a moment, and once more when it has painted
/// nothing for long; the look decides, never the time alone. A page that is on its way to another document is neither
/// looked at nor touched.
struct PageHealth: Sendable {
    enum Event: Sendable, Hashable {
        /// A navigation began.
        case started
        /// A document is there.
        /// - isWatched: whether how it looks counts.
        case committed(url: String, isWatched: Bool)
        case finished
        /// A navigation failed.
        /// - isReal: whether the document could not be had; otherwise it was stopped, or became a download.
        case loadFailed(String, isReal: Bool)
        case processEnded(String)
        /// A request or a resource of the page ended, or the page is shown now.
        case activity
        /// The document on its way, or the one just there, was asked for with a body.
        case hasBody
        /// The document on its way, or the one just there, is empty because its server says so.
        case hasNoContent
        /// The document has painted something.
        case painted
        /// The page waits for what someone says to it: a dialog, a permission.
        case asks
        /// What a look has shown; `nil` where the page did not answer.
        case examined(PageExamination?)
        /// Whether the page has lost the packages that answered its document.
        case packageDropped(Bool)
        /// Someone asks to try again.
        case retryAsked
        /// The host knows better.
        case isWell
        case paused
        case resumed
        /// Time went by.
        /// - isBusy: whether a request of the page waits for its answer.
        case clock(isBusy: Bool)
    }

    enum Action: Sendable, Hashable {
        /// Look at the page, and tell.
        case examine
        /// Mark what answered the page as failed, and take it away from the page, and tell.
        case dropPackage(WhitePageStep)
        /// End the page's process, which does not answer; its end is told like any other.
        case endProcess
        /// Take this step.
        case take(WhitePageStep)
    }

    private enum Phase: Hashable {
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

    private let signals: Set<WhitePageSignal>
    private let stepLimit: Int
    private let grace: Duration
    private let firstPaint: Duration
    private let patience: Duration
    private let silenceLimit: Duration
    private let countsErrorsOfNetwork: Bool

    private var phase = Phase.idle
    private var url = ""
    /// Since when the document has its time.
    private var documentAt = Duration.zero
    private var finishedAt = Duration.zero
    private var lastActivity = Duration.zero
    /// When to look, or to ask whether to; `nil` where nothing is due before something is heard.
    private var due: Duration?
    /// Whether a first look left it open.
    private var waitsForPaint = false
    private var isExamining = false
    private var isPaused = false
    /// Whether another document was asked for and is not there.
    private var isOnWay = false
    private var hasPainted = false
    /// Since when the page does not answer, and how often in a row it did not.
    private var silence: (since: Duration, count: Int)?
    /// Whether the page's process was ended because of that.
    private var isEndingProcess = false
    /// Whether no document is there, or a white one.
    private var showsNothing = true
    private var hasBody = false
    private var hasNoContent = false
    private var steps = 0
    private var lastStepAt = Duration.zero
    private var hasReloaded = false
    private var hasDropped = false
    /// The document that the steps were taken for.
    private var troubledURL: String?
    private var pending: WhitePageStep?
    /// What happened while the app was away, and is dealt with when it is back.
    private var held: Event?

    /// After how long without a step the next one is a reload again, and not what would come after it.
    private static let calm = Duration.seconds(600)
    /// How often a page that is busy is asked about at least.
    private static let silences = 2

    init(_ options: WhitePageOptions) {
        signals = options.signals
        stepLimit = min(max(options.stepLimit, 0), 3)
        grace = max(options.grace, .zero)
        firstPaint = max(options.firstPaint, .zero)
        patience = max(options.patience, .zero)
        silenceLimit = max(options.silence, .zero)
        countsErrorsOfNetwork = options.countsErrorsOfNetwork
    }

    /// When a ``Event/clock(isBusy:)`` is due.
    var deadline: Duration? {
        guard !isPaused, !isExamining, !isOnWay, phase == .committed || phase == .finished else { return nil }
        return due
    }

    /// Whether a step waits for ``Event/packageDropped(_:)``: not any more once another document was asked for.
    var awaitsDrop: Bool { pending != nil }

    mutating func take(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .started: start()
        case .committed(let url, let isWatched): commit(url, isWatched: isWatched, at: now)
        case .finished:
            isOnWay = false
            guard phase == .committed else { break }
            phase = .finished
            (finishedAt, lastActivity) = (now, now)
            wait(from: now, at: now)
        case .loadFailed(let reason, let isReal):
            isOnWay = false
            guard isReal, showsNothing, phase != .errorPage else {
                if due != nil { wait(from: now, at: now) }
                break
            }
            guard !isPaused else {
                held = event
                break
            }
            return act(.loadFailed, reason, at: now)
        case .processEnded(let reason):
            (showsNothing, isOnWay) = (true, false)
            // The load that comes next is in a new process.
            guard pending == nil else { break }
            guard !isPaused else {
                held = event
                break
            }
            let signal = isEndingProcess ? WhitePageSignal.unresponsive : .processEnded
            isEndingProcess = false
            return act(signal, reason, at: now)
        case .activity:
            lastActivity = now
            if phase == .committed || phase == .finished { wait(from: now, at: now) }
        case .hasBody: hasBody = true
        case .hasNoContent: hasNoContent = true
        case .painted:
            hasPainted = true
            if !signals.contains(.uniformPicture), phase == .committed || phase == .finished { leaveAlone() }
        case .asks: renewTime(at: now)
        case .examined(let examination):
            guard isExamining else { break }
            isExamining = false
            guard !isPaused, phase == .committed || phase == .finished else { break }
            return judge(examination, at: now)
        case .packageDropped(let isDropped):
            guard let step = pending else { break }
            guard !isPaused else {
                held = event
                break
            }
            pending = nil
            guard isDropped else { return act(step.signal, step.detail, at: now) }
            (steps, lastStepAt) = (steps + 1, now)
            return [.take(step)]
        case .retryAsked:
            guard phase == .errorPage else { break }
            forget()
            phase = .recovering
            return [.take(WhitePageStep(kind: .retried, signal: .loadFailed, detail: "", number: 0))]
        case .isWell: leaveAlone()
        case .paused: isPaused = true
        case .resumed:
            guard isPaused else { break }
            isPaused = false
            renewTime(at: now)
            guard let event = held else { break }
            held = nil
            return take(event, at: now)
        case .clock(let isBusy):
            guard let deadline, deadline <= now else { break }
            let isLate = now >= documentAt + patience
            if isBusy, !isLate {
                // The end of the request is heard of as activity, if it is this page's.
                due = min(now + max(grace, firstPaint / 3), documentAt + patience)
            } else {
                isExamining = true
                return [.examine]
            }
        }
        return []
    }

    private mutating func start() {
        // Whoever left that page, by the history or a link of the app's, is a person.
        if phase == .errorPage { forget() }
        if pending != nil {
            // What a step was to be taken for is about to go.
            (pending, hasDropped, phase) = (nil, false, .finished)
        }
        // What is there stays to be seen until the next document is, which may be a download.
        (isOnWay, isExamining, hasBody, hasNoContent, held) = (true, false, false, false, nil)
    }

    private mutating func commit(_ url: String, isWatched: Bool, at now: Duration) {
        self.url = url
        // Whoever waits for an answer waits for one about the document before.
        (pending, held, silence) = (nil, nil, nil)
        (showsNothing, isOnWay, waitsForPaint, isExamining) = (false, false, false, false)
        (hasPainted, isEndingProcess) = (false, false)
        phase = isWatched ? .committed : .idle
        (documentAt, lastActivity, finishedAt) = (now, now, now)
        wait(from: now, at: now)
    }

    /// Says when to look next.
    /// - Parameter time: from when on it is counted.
    private mutating func wait(from time: Duration, at now: Duration) {
        // A page that is never quiet is looked at, too.
        let wish =
            phase == .finished && !waitsForPaint ? min(time + grace, finishedAt + firstPaint) : time + firstPaint
        due = min(wish, max(documentAt + patience, now))
    }

    /// The document has its whole time again.
    private mutating func renewTime(at now: Duration) {
        (documentAt, finishedAt, lastActivity, silence, waitsForPaint) = (now, now, now, nil, false)
        wait(from: now, at: now)
    }

    private mutating func judge(_ examination: PageExamination?, at now: Duration) -> [Action] {
        guard let seen = examination, seen.isHidden || !seen.needsPicture(for: signals) || seen.isUniform != nil else {
            return noteSilence(at: now)
        }
        silence = nil
        if seen.isHidden {
            // The page tells when it is shown.
            due = nil
            return []
        }
        guard seen.isHTML, !seen.isUsed, seen.isUniform == true else {
            leaveAlone()
            return []
        }
        if seen.isPainted {
            guard phase == .finished else { return [] }
            return act(.uniformPicture, "the picture has one colour", at: now)
        }
        if phase == .finished, let (signal, detail) = trouble(in: seen) { return act(signal, detail, at: now) }
        let quietSince = max(lastActivity, finishedAt)
        guard phase == .finished && now >= quietSince + firstPaint || now >= documentAt + patience else {
            waitsForPaint = true
            wait(from: phase == .finished ? quietSince : now, at: now)
            return []
        }
        guard signals.contains(.noFirstPaint), seen.hasScripts, !seen.hasBackground else {
            // Nothing that is on its way would change it.
            leaveAlone()
            return []
        }
        return act(.noFirstPaint, "nothing was painted in time", at: now)
    }

    /// What a look has shown of a document that has loaded, and painted nothing.
    private func trouble(in seen: PageExamination) -> (WhitePageSignal, String)? {
        if seen.isEmpty, !hasNoContent, signals.contains(.emptyDocument) {
            return (.emptyDocument, "the document is empty")
        }
        // A script's error is of the version, which a package can be rid of, and a server cannot.
        if let error = seen.bootErrors.first, signals.contains(.bootError), seen.isPackaged || countsErrorsOfNetwork {
            return (.bootError, error)
        }
        if let url = seen.failedResources.first, signals.contains(.failedResource) { return (.failedResource, url) }
        return nil
    }

    /// Busy, or gone before it could answer.
    private mutating func noteSilence(at now: Duration) -> [Action] {
        let silence = (since: self.silence?.since ?? now, count: (self.silence?.count ?? 0) + 1)
        self.silence = silence
        waitsForPaint = true
        due = now + min(firstPaint, silenceLimit)
        guard now - silence.since >= silenceLimit, silence.count >= Self.silences else { return [] }
        let canEnd = signals.contains(.unresponsive) && !hasPainted && steps < stepLimit
        leaveAlone()
        guard canEnd else { return [] }
        isEndingProcess = true
        return [.endProcess]
    }

    private mutating func act(_ signal: WhitePageSignal, _ detail: String, at now: Duration) -> [Action] {
        guard signals.contains(signal), steps < stepLimit else {
            leaveAlone()
            return []
        }
        showsNothing = true
        if url != troubledURL || now - lastStepAt >= Self.calm { (hasReloaded, hasDropped) = (false, false) }
        troubledURL = url
        let isLast = steps == stepLimit - 1
        let canRepeat = !hasBody && signal != .loadFailed && !isLast
        if canRepeat, !hasReloaded {
            hasReloaded = true
            phase = .recovering
            return [.take(step(.reloaded, signal, detail, at: now))]
        }
        if canRepeat, !hasDropped {
            hasDropped = true
            phase = .recovering
            let step = WhitePageStep(
                kind: .reloadedWithoutPackage, signal: signal, detail: detail, number: steps + 1)
            pending = step
            return [.dropPackage(step)]
        }
        phase = .errorPage
        pending = nil
        return [.take(step(.showedErrorPage, signal, detail, at: now))]
    }

    private mutating func step(
        _ kind: WhitePageStep.Kind, _ signal: WhitePageSignal, _ detail: String, at now: Duration
    ) -> WhitePageStep {
        (steps, lastStepAt) = (steps + 1, now)
        return WhitePageStep(kind: kind, signal: signal, detail: detail, number: steps)
    }

    /// Watches the document no more: it is well, or nothing is to be done about it.
    private mutating func leaveAlone() {
        guard phase != .errorPage else { return }
        phase = .idle
        due = nil
    }

    private mutating func forget() {
        (steps, hasReloaded, hasDropped, troubledURL) = (0, false, false, nil)
    }
}
