// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// The trial of an activated generation: a state machine from activation to a verdict.
///
/// It is a value without clock and timers. It receives events with their times and returns verdicts. Times are
/// measured from any fixed instant, such as the start of the process.
///
/// A page that begins to boot on the generation must report success within a limit. One healthy page ends the trial
/// successfully. If a page fails or exceeds the limit, the trial fails. A page that the user closes has no effect, nor
/// does a process that ends during a boot. If several processes in a row end during a boot, the trial fails, because
/// the boot is the probable cause. Reports about another generation and reports after the verdict are ignored.
///
/// The trial is paused while the app is in the background or suspended. Pages then boot slowly or not at all, and the
/// process may end at any time. The duration of a suspension is not measurable. During the pause no boot exceeds its
/// limit, and a process that ends is not counted. On resume, each running boot has the full limit again.
package struct TrialPeriod: Sendable, Hashable, Codable {
    /// The result of a trial.
    package enum Verdict: Sendable, Hashable, Codable {
        case healthy
        case failed(String)

        private enum CodingKeys: String, CodingKey {
            case healthy, failed
        }

        private enum FailedCodingKeys: String, CodingKey {
            case _0
        }
    }

    /// An event that affects a trial.
    package enum Event: Sendable, Hashable {
        /// A page begins to boot, or the same page loads again.
        case bootBegan(PageID)
        case healthy(PageID)
        case failed(PageID, String)
        /// The page was closed.
        case closed(PageID)
        /// Time has passed.
        case clock
        /// A new process has started, so the pages of the former process no longer exist.
        case relaunched
        /// The app enters the background or is suspended.
        case paused
        /// The app has returned to the foreground.
        case resumed
    }

    /// The number of the generation on trial.
    package let generation: Int64
    /// The version of the generation, as text.
    package let version: String
    /// The last good generation, to which a rollback returns, or `nil` if there is none.
    package let former: Int64?
    /// The limits of the trial.
    package let limits: TrialLimits
    /// The verdict, or `nil` while the trial runs.
    package private(set) var verdict: Verdict?
    /// The kind of a failure that no page has reported.
    private var unreported: TrialFailure?
    /// The number of processes in a row, including this one, that began a boot without reaching a verdict.
    package private(set) var unfinishedBoots = 0
    /// The deadlines of the running boots, by page.
    private var deadlines: [UInt64: Duration] = [:]
    /// A Boolean value that indicates whether this process is counted in ``unfinishedBoots``.
    private var isCounted = false
    private var isPaused = false

    private enum CodingKeys: String, CodingKey {
        case generation, version, former, limits, verdict, unreported, unfinishedBoots
    }

    /// Creates a trial.
    package init(of generation: Int64, version: String, over former: Int64?, limits: TrialLimits = TrialLimits()) {
        self.generation = generation
        self.version = version
        self.former = former
        self.limits = limits
    }

    /// The kind of the failure, or `nil` if the trial has not failed.
    package var failure: TrialFailure? {
        guard case .failed = verdict else { return nil }
        return unreported ?? .failed
    }

    /// The earliest deadline of a running boot, at which an ``Event/clock`` event is due, or `nil` if there is none.
    package var deadline: Duration? { verdict == nil && !isPaused ? deadlines.values.min() : nil }

    /// Applies an event.
    /// - Parameters:
    ///   - event: the event of a page, the process or the app.
    ///   - generation: the generation that the event refers to.
    ///   - now: the time of the event.
    /// - Returns: the verdict if the event ends the trial, otherwise `nil`.
    package mutating func apply(_ event: Event, of generation: Int64, at now: Duration) -> Verdict? {
        guard generation == self.generation, verdict == nil else { return nil }
        // A report after the deadline is too late. `relaunched`, `paused` and `resumed` are not reports and may
        // arrive late.
        if ![.relaunched, .paused, .resumed].contains(event), let deadline, deadline <= now {
            unreported = .timedOut
            return conclude(.failed("the page did not report within \(limits.boot)"))
        }
        switch event {
        case .bootBegan(let page):
            // A page that loads again does not receive more time.
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
                unreported = .relaunched
                return conclude(.failed("\(unfinishedBoots) processes in a row ended during a boot"))
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

/// The limits of a trial.
public struct TrialLimits: Sendable, Hashable, Codable {
    /// The maximum duration of a page's boot. Default: 10 s.
    public var boot: Duration = .seconds(10)
    /// The number of processes in a row that may end during a boot before the generation fails. Default: 3.
    public var unfinishedBoots = 3

    private enum CodingKeys: String, CodingKey {
        case boot, unfinishedBoots
    }

    /// Creates the default limits.
    public init() {}
}

/// A trial that a running activation replaces, with the events since the replacement. If the activation fails, the
/// trial is restored.
struct ReplacedTrial {
    /// The maximum number of recorded events. Later events are dropped.
    private static let limit = 1_024

    let trial: TrialPeriod
    /// The events in order, with their times.
    private(set) var events: [(TrialPeriod.Event, Duration)] = []

    init(_ trial: TrialPeriod) {
        self.trial = trial
    }

    mutating func record(_ event: TrialPeriod.Event, at time: Duration) {
        if events.count < Self.limit { events.append((event, time)) }
    }
}
