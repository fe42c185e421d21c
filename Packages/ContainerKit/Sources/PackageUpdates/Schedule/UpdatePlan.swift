// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Facade) internal import OfflinePackage
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
@_spi(Facade) internal import ResourceTable

/// The state machine of automatic updates and of updates that wait: it decides when to check the catalogue, which
/// updates run, and which packages are removed. A value without a clock.
///
/// The caller applies events and then calls ``advance(at:in:)``, which returns the next steps. ``stored`` is the state
/// that must survive the process: after a kill, updates that were due or ran are due again, and removals are repeated.
///
/// - A manifest has at most one due update. At most ``Options/maxConcurrent`` updates run at one time. Updates that a
///   caller waits for, or that wait for a background download, are not counted.
/// - A package is not attempted again within 30 seconds.
/// - An update whose conditions do not hold waits. It starts when they hold.
/// - An update that failed for a reason that may pass is attempted again after ``retryInterval``, a change of the
///   network, or a request of the app. An automatic one is attempted at most ``maxFailures`` times until the next
///   check, and one that the app has requested until it succeeds or is refused.
/// - An update that the conditions did not allow is attempted again after the next trigger or change of conditions.
///
/// Times are those of the wall clock, because they are kept across processes. A time in the future means that the clock
/// was set back, and delays nothing.
struct UpdatePlan: Sendable, Hashable {
    /// The options, which are not stored.
    struct Options: Sendable, Hashable {
        var policy = UpdatePolicy.manual
        var sources: [PackageSource] = []
        /// The URL that identifies the catalogue, or `nil` if there is none.
        var catalogueURL: String?
        var hasMirror = false
        /// A Boolean value that indicates whether the source of the catalogue itself refuses outdated ones.
        var isSigned = false
        /// The URLs below which the scopes of a catalogue must lie. The updater checks those of a signed one.
        var scopes: [PackageBaseURL] = []
        var timing = ApplyTiming.nextLaunch
        var urgency = UpdateUrgency.whenConvenient
        var maxConcurrent = 2
    }

    /// An event that may trigger a check.
    enum Trigger: Sendable, Hashable {
        case launch
        case foreground
        /// A page with this URL opens.
        case opened(String)
        /// The app has requested a check of everything.
        case request
        /// The time of ``nextWake(at:)`` has come.
        case timer
    }

    /// A step of the caller.
    enum Step: Sendable, Hashable {
        case check(SourceCheck.Attempt)
        case update(DueUpdate)
        case remove(PackageID)
        /// An event: an update waits.
        case announceWaiting(PackageSource, reason: String)
        /// An event: the progress of the updates that run at one time.
        case announceProgress(Progress)
    }

    /// The numbers of updates that run at one time.
    struct Progress: Sendable, Hashable {
        var finished = 0
        var failed = 0
        var total = 0
    }

    /// The end of an attempt to update a package.
    enum Ending: Sendable, Hashable {
        /// The version is active, staged or unchanged.
        case finished
        /// The same manifest would fail again.
        case refused
        /// A reason that may pass: the network, the server or the storage.
        case failed
        /// The conditions do not allow the update now. The reason is one line.
        case notNow(String)
        /// The work of the container ended.
        case interrupted
    }

    /// The packages of a check.
    struct Demand: Sendable, Hashable {
        /// The number of pages above which all packages are checked.
        static let maxPages = 32
        var isAll = false
        var pages: Set<String> = []

        mutating func merge(_ other: Demand) {
            isAll = isAll || other.isAll || pages.union(other.pages).count > Self.maxPages
            pages = isAll ? [] : pages.union(other.pages)
        }
    }

    /// The number of failed attempts after which an automatic update is given up until the next check.
    static let maxFailures = 5
    /// The time after which an update that failed is attempted again, in seconds.
    static let retryInterval: TimeInterval = 600
    /// The maximum number of due updates. Further ones are dropped until the next check.
    static let maxDue = 2 * PackageCatalogue.maxPackages
    /// The maximum number of withdrawn packages that are remembered. The oldest are dropped first.
    static let maxWithdrawn = PackageCatalogue.maxPackages

    let options: Options
    /// The state that must survive the process.
    var stored = Stored()
    /// The keys of the updates that run.
    private(set) var running: Set<String> = []
    /// The keys of the running updates that a caller of the app waits for, or that wait for a background download. They
    /// may take days, so they do not count as automatic updates.
    private var calls: Set<String> = []
    /// The keys of the updates that are not attempted before the next trigger.
    private var held: Set<String> = []
    /// The earliest times of the next attempts of updates that failed, by key.
    private var retries: [String: Date] = [:]
    /// The network at the last call of ``advance(at:in:)``.
    private var network: HostConditions.Network?
    /// The reasons that were announced, by key.
    private var announced: [String: String] = [:]
    /// The packages whose removal is in progress.
    private var removalsInProgress: Set<PackageID> = []
    /// The packages whose removal failed. It is not attempted again before the next trigger.
    private var failedRemovals: Set<PackageID> = []
    /// The packages to update after the check in progress.
    var demand = Demand()
    /// The steps that are due at once.
    var steps: [Step] = []
    /// A Boolean value that indicates whether the catalogue was checked in this process.
    var hasChecked = false
    /// A Boolean value that indicates whether the app is in the background or suspended. Nothing starts then.
    private(set) var isAway = false
    /// The packages of checks that failed because the device had no network.
    var missed = Demand()
    private var progress = Progress()
    private var lastProgress = Progress()

    /// The plan after a launch.
    init(_ options: Options, stored: Stored = Stored()) {
        self.options = options
        self.stored = stored
        restore()
    }

    // MARK: Events

    /// Applies a trigger.
    mutating func record(_ trigger: Trigger, at now: Date) {
        held = []
        failedRemovals = []
        if trigger == .request { retries = [:] }
        switch trigger {
        case .launch where options.policy.isOnLaunch, .foreground where options.policy.isOnForeground, .request:
            check(Demand(isAll: true), at: now)
        case .opened(let url) where options.policy.isWhenOpened:
            check(Demand(pages: [url]), at: now)
        default:
            if let due = periodicTime(at: now), due <= now { check(Demand(isAll: true), at: now) }
        }
    }

    /// Applies a change of the host's conditions.
    mutating func conditionsDidChange(at now: Date) {
        held = []
        guard missed != Demand() else { return }
        let missed = missed
        self.missed = Demand()
        check(missed, at: now)
    }

    /// Applies the absence or the return of the app. A return is followed by a trigger.
    mutating func setAway(_ isAway: Bool) { self.isAway = isAway }

    /// Makes an update due that the app has requested.
    /// - Returns: `false` if too many updates are due.
    mutating func request(_ source: PackageSource, _ timing: ApplyTiming) -> Bool {
        let update = DueUpdate(source: source, timing: timing, urgency: .whenConvenient, isOfApp: true)
        if let index = stored.due.firstIndex(where: { $0.key == update.key }) {
            if !running.contains(update.key) { stored.due[index] = update }
        } else {
            guard stored.due.count < Self.maxDue else { return false }
            stored.due.append(update)
        }
        held.remove(update.key)
        retries[update.key] = nil
        return true
    }

    /// Drops due updates that do not run, for example because the app has removed their package.
    mutating func drop(where isDropped: (DueUpdate) -> Bool) {
        let running = running
        stored.due.removeAll { !running.contains($0.key) && isDropped($0) }
        let keys = Set(stored.due.map(\.key))
        held.formIntersection(keys)
        retries = retries.filter { keys.contains($0.key) }
        announced = announced.filter { keys.contains($0.key) }
    }

    /// Records that a caller of the app attempts a due update and waits for it.
    /// - Returns: `false` if an attempt is in progress.
    mutating func beginCall(_ key: String, at now: Date) -> Bool {
        guard !running.contains(key) else { return false }
        calls.insert(key)
        begin(key, at: now)
        return true
    }

    /// Records that an update that runs waits for a background download.
    mutating func beginBackgroundWait(_ key: String) {
        if running.contains(key) { calls.insert(key) }
    }

    private mutating func begin(_ key: String, at now: Date) {
        running.insert(key)
        stored.attempts[key] = now
        announced[key] = nil
    }

    /// Records that a due update is not attempted before the next trigger.
    mutating func hold(_ key: String) { held.insert(key) }

    /// Applies the end of an attempt that began.
    mutating func finish(_ key: String, with ending: Ending, at now: Date) {
        guard running.remove(key) != nil else { return }
        let isCall = calls.remove(key) != nil
        switch ending {
        case .finished, .refused: stored.due.removeAll { $0.key == key }
        case .failed:
            if let index = stored.due.firstIndex(where: { $0.key == key }) {
                stored.due[index].failures += 1
                if stored.due[index].failures >= Self.maxFailures, !stored.due[index].isOfApp {
                    stored.due.remove(at: index)
                }
            }
            retries[key] = now + Self.retryInterval
        case .notNow(let reason):
            held.insert(key)
            if let update = stored.due.first(where: { $0.key == key }) { announce(reason, of: update) }
        case .interrupted: break
        }
        switch ending {
        case .finished where !isCall: progress.finished += 1
        case .refused where !isCall, .failed where !isCall: progress.failed += 1
        default: break
        }
        // The catalogue may have dropped the manifest meanwhile.
        let isListed = candidates.contains { $0.key == key }
        drop { !$0.isOfApp && $0.key == key && !isListed }
    }

    /// Applies the end of a removal.
    mutating func finishRemoval(of id: PackageID, isRemoved: Bool) {
        removalsInProgress.remove(id)
        if isRemoved { stored.removals.remove(id) } else { failedRemovals.insert(id) }
    }

    // MARK: Steps

    /// Returns the steps that are due, and records that they begin.
    mutating func advance(at now: Date, in conditions: HostConditions) -> [Step] {
        stored.attempts = stored.attempts.filter { Self.isRecent($0.value, at: now) || running.contains($0.key) }
        if network != conditions.network { retries = [:] }
        network = conditions.network
        // A time that is later than the interval means that the clock was set back.
        retries = retries.filter { now < $0.value && $0.value <= now + Self.retryInterval }
        defer { steps = [] }
        guard !isAway else { return steps }
        for id in stored.removals.subtracting(failedRemovals).sorted()
        where removalsInProgress.insert(id).inserted { steps.append(.remove(id)) }
        var waiting = 0
        for update in stored.due where isReady(update, at: now) {
            if let reason = update.urgency.obstacle(in: conditions) {
                announce(reason, of: update)
            } else if automaticCount < max(options.maxConcurrent, 1) {
                begin(update.key, at: now)
                steps.append(.update(update))
            } else {
                waiting += 1
            }
        }
        reportProgress(waiting: waiting)
        return steps
    }

    /// The time at which ``Trigger/timer`` must be applied, or `nil` if there is none.
    func nextWake(at now: Date) -> Date? {
        guard !isAway else { return nil }
        let retry = (held.isEmpty ? [] : [now + Self.retryInterval]) + retries.values
        let cooled = stored.due.filter { !running.contains($0.key) && !held.contains($0.key) && retries[$0.key] == nil }
            .compactMap { stored.attempts[$0.key] }.filter { Self.isRecent($0, at: now) }.min()
            .map { $0 + SourceCheck.minimumInterval }
        return [periodicTime(at: now), retry.min(), cooled].compactMap { $0 }.min()
    }

    /// A Boolean value that indicates whether no check, no automatic update and no removal is in progress. Updates that
    /// wait for a background download do not count.
    var isResting: Bool { automaticCount == 0 && removalsInProgress.isEmpty && demand == Demand() }

    private var automaticCount: Int { running.count - calls.count }

    /// Returns the reason that prevents a due update now, or `nil` if there is none.
    func obstacle(to key: String, in conditions: HostConditions) -> String? {
        stored.due.first { $0.key == key }?.urgency.obstacle(in: conditions)
    }

    // MARK: Helpers

    /// Makes the updates of a demand due, from the sources and the catalogue that is in use.
    mutating func add(_ demand: Demand, at now: Date) {
        let pages = demand.pages.compactMap { PackageURL($0) }
        for update in candidates where demand.isAll || pages.contains(where: update.covers) {
            guard stored.due.count < Self.maxDue else { return }
            let isRecent = stored.attempts[update.key].map { Self.isRecent($0, at: now) } ?? false
            guard !isRecent, !stored.due.contains(where: { $0.key == update.key }) else { continue }
            stored.due.append(update)
        }
    }

    /// The updates of the configured sources and of the catalogue. An earlier process may have stored a catalogue
    /// whose scopes are not allowed any more.
    private var candidates: [DueUpdate] {
        let listed = options.catalogueURL == nil ? [] : (stored.catalogue?.packages ?? []).filter(isAllowed)
        var keys: Set<String> = []
        let named = options.sources.map {
            DueUpdate(source: $0, timing: options.timing, urgency: options.urgency)
        }
        return (named + listed.map(update)).filter { keys.insert($0.key).inserted }
    }

    private func update(_ entry: PackageCatalogue.Entry) -> DueUpdate {
        DueUpdate(
            source: PackageSource(entry.manifestURL, package: entry.package, scope: entry.scope),
            timing: options.timing, urgency: options.urgency, version: entry.version)
    }

    /// Drops stored updates that the configuration and the catalogue no longer contain.
    private mutating func restore() {
        if let url = options.catalogueURL, stored.catalogueURL != url {
            // The numbers and the errors of another source do not apply.
            stored.check = SourceCheck()
            stored.formerPackages.formUnion(unnamedPackages)
            (stored.catalogue, stored.lostPackages, stored.sequence) = (nil, [:], nil)
            stored.catalogueURL = url
        }
        refreshDue()
    }

    /// Drops automatic updates that the configuration and the catalogue no longer contain, and sets the scope, the
    /// version and the options of the others. An update that runs is dropped at its end.
    mutating func refreshDue() {
        let current = Dictionary(uniqueKeysWithValues: candidates.map { ($0.key, $0) })
        drop { !$0.isOfApp && current[$0.key] == nil }
        for index in stored.due.indices where !stored.due[index].isOfApp {
            guard var update = current[stored.due[index].key] else { continue }
            update.failures = stored.due[index].failures
            stored.due[index] = update
        }
    }

    private func isReady(_ update: DueUpdate, at now: Date) -> Bool {
        !running.contains(update.key) && !held.contains(update.key) && retries[update.key] == nil
            && !(update.source.package.map { stored.removals.union(removalsInProgress).contains($0) } ?? false)
            && !(stored.attempts[update.key].map { Self.isRecent($0, at: now) } ?? false)
    }

    private mutating func announce(_ reason: String, of update: DueUpdate) {
        guard announced[update.key] != reason else { return }
        announced[update.key] = reason
        steps.append(.announceWaiting(update.source, reason: reason))
    }

    private mutating func reportProgress(waiting: Int) {
        progress.total = progress.finished + progress.failed + automaticCount + waiting
        if progress != lastProgress { steps.append(.announceProgress(progress)) }
        if automaticCount == 0, waiting == 0 { progress = Progress() }
        lastProgress = progress
    }

    /// The time of the next periodic check, or `nil` if there is none.
    private func periodicTime(at now: Date) -> Date? {
        guard let interval = options.policy.interval else { return nil }
        guard let last = stored.lastRound, last <= now else { return now }
        return last + interval / .seconds(1)
    }

    private static func isRecent(_ date: Date, at now: Date) -> Bool {
        let passed = now.timeIntervalSince(date)
        return passed >= 0 && passed < SourceCheck.minimumInterval
    }

    /// Returns the root of a URL's origin, or `nil` if it has none.
    static func origin(of url: String) -> PackageBaseURL? {
        WebOrigin(url: url).flatMap { try? PackageBaseURL("\($0)/") }
    }
}
