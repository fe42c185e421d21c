// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a look at a page has shown.
struct PageExamination: Sendable, Hashable {
    /// Whether the document is one that scripts and style sheets make: no picture, film or text.
    var isHTML = true
    var isHidden = false
    /// Whether someone has typed or pressed something.
    var isUsed = false
    /// Whether there was a first contentful paint.
    var isPainted = false
    /// Whether the document holds nothing at all.
    var isEmpty = false
    var hasScripts = false
    /// Whether the document has a colour or a picture of its own behind it.
    var hasBackground = false
    /// What scripts have thrown.
    var bootErrors: [String] = []
    /// The URLs of scripts and style sheets that could not be had.
    var failedResources: [String] = []
    /// Whether all of the picture has one colour; `nil` where none was taken.
    var isUniform: Bool?

    /// Whether a picture has to tell.
    func needsPicture(for signals: Set<WhitePageSignal>) -> Bool {
        isHTML && !isHidden && !isUsed && (!isPainted || signals.contains(.uniformPicture))
    }
}

/// How a page is, and what is to be done about it: a value without clock and timers. Events go in with the time at
/// which they happened, what to do comes out.
///
/// A document is looked at once the page has loaded and been quiet for a moment, and once more when it has painted
/// nothing for long; the look decides, never the time alone.
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
        /// A request or a resource of the page ended.
        case activity
        /// The document on its way, or the one just there, was asked for with a body.
        case hasBody
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
    /// Whether a click on the error page is told; otherwise it shows as a navigation.
    private let hearsRetries: Bool

    private var phase = Phase.idle
    private var url = ""
    private var finishedAt = Duration.zero
    private var lastActivity = Duration.zero
    /// Whether a first look left it open.
    private var waitsForPaint = false
    /// Whether nothing is due before something is heard.
    private var isDormant = false
    private var isExamining = false
    private var isPaused = false
    /// How often in a row the page did not answer.
    private var silences = 0
    /// Whether no document is there, or a white one.
    private var showsNothing = true
    private var hasBody = false
    private var steps = 0
    private var hasReloaded = false
    private var hasDropped = false
    /// The document that the steps were taken for.
    private var troubledURL: String?
    private var pending: WhitePageStep?

    /// How often a page that does not answer is asked.
    private static let silenceLimit = 3

    init(_ options: WhitePageOptions, hearsRetries: Bool) {
        signals = options.signals
        stepLimit = min(max(options.stepLimit, 0), 3)
        grace = max(options.grace, .zero)
        firstPaint = max(options.firstPaint, .zero)
        self.hearsRetries = hearsRetries
    }

    /// When a ``Event/clock(isBusy:)`` is due.
    var deadline: Duration? {
        guard !isPaused, !isDormant, !isExamining else { return nil }
        switch phase {
        case .idle, .recovering, .errorPage: return nil
        case .committed: return lastActivity + firstPaint
        case .finished:
            // A page that is never quiet is looked at, too.
            return waitsForPaint ? lastActivity + firstPaint : min(lastActivity + grace, finishedAt + firstPaint)
        }
    }

    mutating func take(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .started: start()
        case .committed(let url, let isWatched): commit(url, isWatched: isWatched, at: now)
        case .finished where phase == .committed:
            phase = .finished
            (finishedAt, lastActivity, isDormant) = (now, now, false)
        case .finished:
            if phase == .idle, url != troubledURL { forget() }
        case .loadFailed(let reason, let isReal):
            guard isReal, showsNothing, phase != .errorPage else { break }
            return act(.loadFailed, reason)
        case .processEnded(let reason):
            showsNothing = true
            // The load that comes next is in a new process.
            guard pending == nil else { break }
            return act(.processEnded, reason)
        case .activity: (lastActivity, isDormant) = (now, false)
        case .hasBody: hasBody = true
        case .examined(let examination):
            guard isExamining else { break }
            isExamining = false
            guard !isPaused, phase == .committed || phase == .finished else { break }
            return judge(examination, at: now)
        case .packageDropped(let isDropped):
            guard let step = pending else { break }
            pending = nil
            guard phase == .recovering else { break }
            guard isDropped else { return act(step.signal, step.detail) }
            steps += 1
            return [.take(step)]
        case .retryAsked:
            guard phase == .errorPage else { break }
            forget()
            phase = .recovering
            return [.take(WhitePageStep(kind: .retried, signal: .loadFailed, detail: "", number: 0))]
        case .isWell: become(well: true)
        case .paused: isPaused = true
        case .resumed:
            guard isPaused else { break }
            isPaused = false
            (finishedAt, lastActivity, isDormant) = (now, now, false)
        case .clock(let isBusy):
            guard let deadline, deadline <= now else { break }
            if isBusy {
                isDormant = true
            } else {
                isExamining = true
                return [.examine]
            }
        }
        return []
    }

    private mutating func start() {
        if phase == .errorPage, !hearsRetries { forget() }
        // What is there stays to be seen until the next document is: it may be a download.
        hasBody = false
    }

    private mutating func commit(_ url: String, isWatched: Bool, at now: Duration) {
        self.url = url
        // Whoever waits for an answer waits for one about the document before.
        pending = nil
        showsNothing = false
        phase = isWatched ? .committed : .idle
        (lastActivity, finishedAt) = (now, now)
        (waitsForPaint, isDormant, isExamining, silences) = (false, false, false, 0)
    }

    private mutating func judge(_ examination: PageExamination?, at now: Duration) -> [Action] {
        guard let seen = examination, seen.isHidden || !seen.needsPicture(for: signals) || seen.isUniform != nil else {
            // Busy, or gone before it could answer.
            silences += 1
            if silences >= Self.silenceLimit { become(well: false) }
            (lastActivity, waitsForPaint) = (now, true)
            return []
        }
        silences = 0
        if seen.isHidden {
            isDormant = true
            return []
        }
        guard seen.isHTML, !seen.isUsed, seen.isUniform == true else {
            become(well: true)
            return []
        }
        if seen.isPainted {
            guard phase == .finished else { return [] }
            return act(.uniformPicture, "the picture has one colour")
        }
        if phase == .finished {
            if seen.isEmpty, signals.contains(.emptyDocument) { return act(.emptyDocument, "the document is empty") }
            if let error = seen.bootErrors.first, signals.contains(.bootError) { return act(.bootError, error) }
            if let url = seen.failedResources.first, signals.contains(.failedResource) {
                return act(.failedResource, url)
            }
        }
        guard now >= max(lastActivity, finishedAt) + firstPaint else {
            waitsForPaint = true
            return []
        }
        guard signals.contains(.noFirstPaint), seen.hasScripts, !seen.hasBackground else {
            // Nothing that is on its way would change it.
            become(well: false)
            return []
        }
        return act(.noFirstPaint, "nothing was painted within \(firstPaint)")
    }

    private mutating func act(_ signal: WhitePageSignal, _ detail: String) -> [Action] {
        guard signals.contains(signal), steps < stepLimit else {
            become(well: false)
            return []
        }
        showsNothing = true
        troubledURL = url
        let isLast = steps == stepLimit - 1
        let canRepeat = !hasBody && signal != .loadFailed && !isLast
        if canRepeat, !hasReloaded {
            hasReloaded = true
            phase = .recovering
            return [.take(step(.reloaded, signal, detail))]
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
        return [.take(step(.showedErrorPage, signal, detail))]
    }

    private mutating func step(
        _ kind: WhitePageStep.Kind, _ signal: WhitePageSignal, _ detail: String
    ) -> WhitePageStep {
        steps += 1
        return WhitePageStep(kind: kind, signal: signal, detail: detail, number: steps)
    }

    /// Watches the document no more.
    /// - Parameter well: whether it is known to be.
    private mutating func become(well: Bool) {
        guard phase != .errorPage else { return }
        phase = .idle
        // The same document that is well at times may be what ends its process.
        if well, url != troubledURL { forget() }
    }

    private mutating func forget() {
        (steps, hasReloaded, hasDropped, troubledURL) = (0, false, false, nil)
    }
}
