// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Logging
@_spi(Facade) package import OfflinePackage
package import PackageFormat
package import ResourceLoading
package import ResourceStore

/// The packages of a container: the store, the library, the updater, and the background work that connects them.
///
/// Forwards package events, and removes files from disk that no page and no package uses any more.
///
/// Isolation: the main actor; disk access and hashing run on other threads.
@MainActor
package final class PackageService {
    /// The store of all files.
    package let store: BlobStore
    /// The installed packages and their generations.
    package let library: PackageLibrary
    /// The updater of the packages.
    package let updater: PackageUpdater
    /// The scheduler of automatic updates and of updates that wait.
    package let schedule: UpdateScheduler
    /// The scopes whose active generation has changed since the last process ended.
    package let changesAtLaunch: [PackageScopeChange]
    private let logger: Logger
    private let events: AsyncStream<PackageEvent>
    private let damage: PackageRepairer
    private let reporter: ReleaseReporter?
    private var repairs: [Task<Void, Never>] = []
    private let sweeps: AsyncStream<Void>.Continuation
    private let notices: AsyncStream<Notice>.Continuation
    /// The number of reports that were dropped because the queue was full.
    package private(set) var lostReports = 0
    private var sweeping: Task<Void, Never>?
    private var reporting: Task<Void, Never>?
    private var forwarding: Task<Void, Never>?
    /// The generations that have served the current document of each open page.
    private var answers: [PageID: Set<GenerationReference>] = [:]
    private var absences: Set<HostAbsence> = []
    private var lastPause: UInt64 = 0
    private var isOver = false

    /// An input of the updater. Inputs are processed in order.
    private enum Notice: Sendable {
        case report(BootReport)
        /// A report whose caller waits for the consequences.
        case verdict(BootReport, AsyncStream<[Task<Void, Never>]>.Continuation)
        /// The app returned to the foreground. Ignored if the app is absent again.
        case present(UInt64)
    }

    /// Opens the store and restores the state of the last process.
    /// - Parameters:
    ///   - directory: the folder of the store.
    ///   - budgets: the limits of the store.
    ///   - packages: the limits of packages; its logger is replaced.
    ///   - updates: the configuration of updates; its conditions and its logger are replaced.
    ///   - automatic: the options of automatic updates.
    ///   - reports: the options of release reports. If `nil`, the default, none are sent.
    ///   - conditions: the conditions of the device and the app.
    ///   - network: the loader of manifests, archives and catalogues, and of the reports.
    ///   - logger: the log of failures.
    /// - Throws: `StoreError`.
    package init(
        directory: String, budgets: BlobStore.Configuration, packages: PackageLibrary.Configuration,
        updates: PackageUpdater.Configuration, automatic: AutomaticUpdates = AutomaticUpdates(),
        reports: ReleaseReports? = nil, conditions: any HostConditioning, network: any ResourceLoader, logger: Logger
    ) async throws {
        var (packages, updates) = (packages, updates)
        updates.conditions = conditions
        updates.signedManifests = automatic.catalogue?.signedManifests
        updates.signedScopes = automatic.effectiveScopes
        packages.logger = logger
        updates.logger = logger
        (store, library) = try await Self.open(directory, budgets, packages)
        self.logger = logger
        updater = PackageUpdater(library: library, loader: network, configuration: updates)
        damage = PackageRepairer(updater, conditions: conditions, logger: logger)
        // Subscribe before the start, which sends events.
        events = updater.events()
        changesAtLaunch = try await updater.start()
        schedule = await UpdateScheduler(
            automatic, updater: updater, library: library, store: store, network: network,
            allowsInsecure: packages.allowsInsecure, conditions: conditions, logger: logger,
            clock: updates.downloads.clock, now: updates.downloads.now)
        if let reports {
            reporter = await ReleaseReporter(
                reports, channel: updates.signedManifests?.channel, store: store, network: network,
                allowsInsecure: packages.allowsInsecure, conditions: conditions, logger: logger,
                clock: updates.downloads.clock)
        } else {
            reporter = nil
        }
        let sweepRequests: AsyncStream<Void>
        let noticeStream: AsyncStream<Notice>
        (sweepRequests, sweeps) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (noticeStream, notices) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        repairs = damage.start()
        // The tasks end when `deinit` finishes the streams. The references are weak, so that the folder is released
        // then.
        sweeping = Task { [weak library, logger] in
            for await _ in sweepRequests {
                guard let library else { return }
                await Self.sweep(library, onlyRetired: true, logger)
            }
        }
        reporting = Task { [weak updater] in
            for await notice in noticeStream {
                switch notice {
                case .report(let report): await updater?.record(report)
                case .verdict(let report, let continuation):
                    continuation.yield(await updater?.record(report) ?? [])
                    continuation.finish()
                case .present(let order): await updater?.pauseTrials(false, order: order)
                }
            }
        }
    }

    deinit {
        sweeps.finish()
        notices.finish()
        forwarding?.cancel()
        // A download in progress would retain the folder.
        for task in repairs { task.cancel() }
    }

    /// Ends background work and waits for it. Reports that were received are processed, their events are sent, and
    /// unused files are removed.
    package func shutDown() async {
        isOver = true
        await schedule.shutDown()
        notices.finish()
        await reporting?.value
        for task in repairs { task.cancel() }
        for task in repairs { await task.value }
        await updater.shutDown()
        await forwarding?.value
        await reporter?.shutDown()
        sweeps.finish()
        await sweeping?.value
    }

    @concurrent
    private static func open(
        _ directory: String, _ budgets: BlobStore.Configuration, _ packages: PackageLibrary.Configuration
    ) async throws -> (BlobStore, PackageLibrary) {
        let store = try BlobStore(directory: directory, configuration: budgets)
        return try (store, PackageLibrary(store: store, configuration: packages))
    }

    /// Forwards package events, including those of the launch, for the lifetime of this object. Call it once.
    /// - Parameter receive: a closure that receives each event.
    package func forward(to receive: @escaping @MainActor (PackageEvent) -> Void) {
        schedule.receive = receive
        forwarding = Task { [sweeps, weak damage, weak reporter, events] in
            for await event in events {
                receive(event)
                reporter?.record(event)
                switch event {
                // After these events, a generation is no longer in use, or is no longer the fallback of a trial.
                case .scopeChanged, .confirmed, .quarantined: sweeps.yield()
                case .fileDamaged(let file): damage?.record(file.package)
                default: break
                }
            }
        }
    }

    /// Schedules the removal of unused generations. Returns at once.
    package func sweepSoon() {
        sweeps.yield()
    }

    /// Removes unused generations.
    package func sweepRetired() async {
        await Self.sweep(library, onlyRetired: true, logger)
    }

    /// Removes unused generations, and files that remain from a crash or a failed install. This may take long.
    package func sweepAll() async {
        await Self.sweep(library, onlyRetired: false, logger)
    }

    /// Sends a report of a page to the updater. The updater receives reports in order.
    package func report(_ report: BootReport) {
        // No generation has served the page's next document yet.
        if report.kind == .moved || report.kind == .closed { answers[report.page.id] = nil }
        send(.report(report))
    }

    /// Returns a Boolean value that indicates whether a generation has served the current document of a page, as
    /// recorded by ``recordResponse(of:to:)``.
    package func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool {
        answers[page]?.contains(generation) ?? false
    }

    /// Records that a generation has served an open page, and reports it the first time.
    package func recordResponse(of generation: GenerationReference, to page: PageReference) {
        guard page.generations.contains(generation), answers[page.id, default: []].insert(generation).inserted else {
            return
        }
        report(BootReport(.answered(generation), of: page))
    }

    /// Reports that a page failed, after earlier reports, and waits for the consequences.
    ///
    /// Returns after five seconds at the latest, because a rollback waits for work on its package. That work
    /// continues afterwards.
    /// - Parameters:
    ///   - page: the page that failed.
    ///   - reason: one line of text.
    ///   - clock: the clock of the time limit; the continuous clock by default.
    package func markFailed(_ page: PageReference, because reason: String, clock: (any Clock<Duration>)? = nil) async {
        let (verdicts, continuation) = AsyncStream<[Task<Void, Never>]>.makeStream()
        send(.verdict(BootReport(.failed(reason), of: page), continuation))
        let work = Task {
            for await conclusions in verdicts {
                for conclusion in conclusions { await conclusion.value }
            }
        }
        _ = await work.value(within: Self.conclusionLimit, clock: clock ?? ContinuousClock())
        work.cancel()
    }

    private static let conclusionLimit = Duration.seconds(5)

    private func send(_ notice: Notice) {
        let lost: Notice
        switch notices.yield(notice) {
        case .dropped(let dropped): lost = dropped
        case .terminated: lost = notice
        default: return
        }
        switch lost {
        // Without this notice, no later boot would be timed.
        case .present: return isOver ? () : send(lost)
        case .verdict(_, let continuation): continuation.finish()
        case .report: break
        }
        guard !isOver else { return }
        lostReports += 1
        logger.warning("a report was dropped because the queue is full", metadata: ["report": "\(lost)"])
    }

    /// Records that the app goes to the background or is suspended. After this method returns, no boot is timed.
    package func pause(_ absence: HostAbsence) async {
        absences.insert(absence)
        schedule.pause(absence)
        if absence == .background { reporter?.recordBackground() }
        lastPause += 1
        await updater.pauseTrials(true, order: lastPause)
    }

    /// Records the end of an absence, after earlier reports. Boots are timed again when no absence remains.
    package func resume(from absence: HostAbsence) {
        damage.tryAgain()
        schedule.resume(from: absence)
        reporter?.save()
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        lastPause += 1
        send(.present(lastPause))
    }

    private static func sweep(_ library: PackageLibrary, onlyRetired: Bool, _ logger: Logger) async {
        do {
            _ = try await onlyRetired ? library.sweepRetired() : library.sweep()
        } catch {
            // The next sweep removes the remaining files.
            logger.warning("cannot remove unused packages", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: - Calls of the app

extension PackageService {
    /// Updates a package. An update with the urgency `whenConvenient` waits until the conditions allow it.
    /// - Throws: `DeliveryError`, `PackageError`, `StoreError` or `CancellationError`.
    package func update(
        from source: PackageSource, timing: ApplyTiming, urgency: UpdateUrgency
    ) async throws -> PackageUpdate {
        guard urgency != .whenConvenient else { return try await schedule.update(from: source, timing: timing) }
        let update = try await updater.update(from: source, timing: timing, urgency: urgency)
        schedule.drop(source)
        return update
    }

    /// Installs the package that came with the app, unless the catalogue has withdrawn it.
    /// - Throws: `DeliveryError`, `PackageError`, `StoreError` or `CancellationError`.
    package func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        try await updater.installBaseline(
            archive: archive, manifest: manifest, excluding: schedule.withdrawnPackages)
    }

    /// Removes a package, and drops the updates of it that wait.
    /// - Throws: `StoreError` or `CancellationError`.
    package func remove(_ id: PackageID) async throws -> [PackageScopeChange] {
        await schedule.drop(id)
        return try await updater.remove(id)
    }
}

// MARK: - Life cycle of the app

extension PackageService {
    /// Writes pending changes of the store, so that they survive the end of the process.
    /// - Throws: `StoreError`.
    @concurrent
    nonisolated package func checkpoint() async throws { try store.checkpoint() }

    /// Releases the locks of the store before the app is suspended.
    /// - Throws: `StoreError`.
    @concurrent
    nonisolated package func suspend() async throws { try store.suspend() }

    /// Acquires the locks of the store again after a suspension.
    /// - Throws: `StoreError` with code `inUse` if another process uses the folder.
    @concurrent
    nonisolated package func resume() async throws { try store.resume() }
}
