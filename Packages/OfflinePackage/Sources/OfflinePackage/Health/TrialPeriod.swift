// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// The trial of a generation that was just activated: from its activation until it is known to be good or bad.
///
/// A value without clock and timers: events go in with the time at which they happened, verdicts come out. Times are
/// counted from any instant that stays the same, such as the start of the process.
///
/// A page on the generation that begins to boot has so long to report that it is healthy. One healthy page proves the
/// generation. One that fails or does not report in time condemns it; one that the user closes meanwhile says nothing.
/// A process that ends while a page boots says nothing either, unless that happens so often in a row that the boot is
/// likely to be what ends it. Reports of another generation, and any after the verdict, change nothing.
///
/// While the app is away, in the background or suspended, pages boot slowly or not at all, no clock says when the system
/// froze the process, and it may be ended at any time. So the trial is paused: no boot is too late, and a process that
/// ends counts for nothing. Afterwards each boot that is under way has the whole limit again.
public struct TrialPeriod: Sendable, Hashable, Codable {
    /// The numbers of a trial.
    public struct Limits: Sendable, Hashable, Codable {
        /// How long a page's boot may take. Default: 10 s.
        public var boot: Duration = .seconds(10)
        /// How many processes in a row may end during a boot before the generation is condemned. Default: 3.
        public var unfinishedBoots = 3

        private enum CodingKeys: String, CodingKey {
            case boot, unfinishedBoots
        }

        public init() {}
    }

    /// What became of a trial.
    public enum Verdict: Sendable, Hashable, Codable {
        case healthy
        case failed(String)

        private enum CodingKeys: String, CodingKey {
            case healthy, failed
        }

        private enum FailedCodingKeys: String, CodingKey {
            case _0
        }
    }

    /// What is reported.
    public enum Event: Sendable, Hashable {
        /// A page begins to boot; again for the same page where it loads anew.
        case bootBegan(PageID)
        case healthy(PageID)
        case failed(PageID, String)
        /// The page was closed.
        case closed(PageID)
        /// Time went by.
        case clock
        /// A new process took over; pages of the former one are gone.
        case relaunched
        /// The app goes away.
        case paused
        /// The app is back.
        case resumed
    }

    /// The generation that is tried.
    public let generation: Int64
    /// Its version, as text.
    public let version: String
    /// The last good generation, to fall back to; `nil` where there is none.
    public let former: Int64?
    /// The numbers that it goes by.
    public let limits: Limits
    /// What became of it; `nil` while it runs.
    public private(set) var verdict: Verdict?
    /// How many processes in a row began to boot it, this one included, and did not come to a verdict.
    public private(set) var unfinishedBoots = 0
    /// When each boot that is under way is over.
    private var deadlines: [UInt64: Duration] = [:]
    /// Whether this process is counted in ``unfinishedBoots``.
    private var isCounted = false
    private var isPaused = false

    private enum CodingKeys: String, CodingKey {
        case generation, version, former, limits, verdict, unfinishedBoots
    }

    public init(of generation: Int64, version: String, over former: Int64?, limits: Limits = Limits()) {
        self.generation = generation
        self.version = version
        self.former = former
        self.limits = limits
    }

    /// When the next boot is over, where one is under way and time counts: a ``Event/clock`` is due then.
    public var deadline: Duration? { verdict == nil && !isPaused ? deadlines.values.min() : nil }

    /// Takes an event.
    /// - Parameters:
    ///   - event: what happened to a page, the process or the app.
    ///   - generation: the one that the event speaks of.
    ///   - now: when it happened.
    /// - Returns: the verdict, where this event brought it.
    public mutating func apply(_ event: Event, of generation: Int64, at now: Duration) -> Verdict? {
        guard generation == self.generation, verdict == nil else { return nil }
        // A report that comes after the limit comes too late, whatever it says. That the app goes away or is back is no
        // report, and may be heard late.
        if ![.relaunched, .paused, .resumed].contains(event), let deadline, deadline <= now {
            return conclude(.failed("the page did not report within \(limits.boot)"))
        }
        switch event {
        case .bootBegan(let page):
            // A page that loads anew is not given more time.
            if deadlines[page.rawValue] == nil { deadlines[page.rawValue] = now + limits.boot }
            count()
        case .healthy: return conclude(.healthy)
        case .failed(_, let reason): return conclude(.failed(reason))
        case .closed(let page):
            deadlines[page.rawValue] = nil
            if deadlines.isEmpty { uncount() }
        case .clock: break
        case .paused:
            isPaused = true
            uncount()
        case .resumed:
            guard isPaused else { break }
            isPaused = false
            for page in deadlines.keys { deadlines[page] = now + limits.boot }
            if !deadlines.isEmpty { count() }
        case .relaunched:
            deadlines = [:]
            isCounted = false
            isPaused = false
            if unfinishedBoots >= limits.unfinishedBoots {
                return conclude(.failed("\(unfinishedBoots) processes in a row ended while it booted"))
            }
        }
        return nil
    }

    private mutating func count() {
        guard !isCounted, !isPaused else { return }
        unfinishedBoots += 1
        isCounted = true
    }

    private mutating func uncount() {
        guard isCounted else { return }
        unfinishedBoots -= 1
        isCounted = false
    }

    private mutating func conclude(_ verdict: Verdict) -> Verdict {
        self.verdict = verdict
        deadlines = [:]
        return verdict
    }
}

/// A trial in whose place another was put before the activation that may fail, and what was reported since. A value.
struct ReplacedTrial {
    /// The most events that are kept; what comes after them is forgotten.
    private static let limit = 1_024

    let trial: TrialPeriod
    /// In order, with the time of each.
    private(set) var events: [(TrialPeriod.Event, Duration)] = []

    init(_ trial: TrialPeriod) {
        self.trial = trial
    }

    mutating func record(_ event: TrialPeriod.Event, at time: Duration) {
        if events.count < Self.limit { events.append((event, time)) }
    }
}
