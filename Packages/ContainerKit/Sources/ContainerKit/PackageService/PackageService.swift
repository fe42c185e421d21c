// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
internal import OfflinePackage
internal import ResourceLoading
internal import ResourceStore
internal import WebEngine

/// What has to do with packages behind the facade: the store, the library, the updater, and what goes on by itself
/// between them. It removes from disk what no page and no package needs any more, and hands on what happens.
///
/// Isolation: the main actor; the work itself happens elsewhere.
@MainActor
final class PackageService {
    let store: BlobStore
    let library: PackageLibrary
    let updater: PackageUpdater
    /// What answers differently since the last process ended.
    let changesAtLaunch: [PackageScopeChange]
    private let logger: Logger
    private let events: AsyncStream<PackageEvent>
    private let damage: PackageRepairer
    private var repairs: [Task<Void, Never>] = []
    private let sweeps: AsyncStream<Void>.Continuation
    private let notices: AsyncStream<Notice>.Continuation
    /// Reports that came faster than they could be taken.
    private(set) var lostReports = 0
    private var sweeping: Task<Void, Never>?
    private var reporting: Task<Void, Never>?
    private var forwarding: Task<Void, Never>?
    /// The generations that have answered the document of each open page.
    private var answers: [PageID: Set<GenerationReference>] = [:]
    private var absences: Set<HostAbsence> = []
    private var lastPause: UInt64 = 0
    private var isOver = false

    /// What the updater hears in its order.
    private enum Notice: Sendable {
        case report(BootReport)
        /// A report whose consequences somebody waits for.
        case verdict(BootReport, AsyncStream<[Task<Void, Never>]>.Continuation)
        /// The app is back, unless it has gone away since.
        case present(UInt64)
    }

    /// Opens the store and takes up what the last process left.
    /// - Throws: `StoreError`.
    init(
        directory: String, budgets: BlobStore.Configuration, packages: PackageLibrary.Configuration,
        updates: PackageUpdater.Configuration, network: any ResourceLoader, logger: Logger
    ) async throws {
        var (packages, updates) = (packages, updates)
        packages.logger = logger
        updates.logger = logger
        (store, library) = try await Self.open(directory, budgets, packages)
        self.logger = logger
        updater = PackageUpdater(library: library, loader: network, configuration: updates)
        damage = PackageRepairer(updater, conditions: updates.conditions, logger: logger)
        // Before the start, which has something to tell.
        events = updater.events()
        changesAtLaunch = try await updater.start()
        let sweepRequests: AsyncStream<Void>
        let noticeStream: AsyncStream<Notice>
        (sweepRequests, sweeps) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (noticeStream, notices) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        repairs = damage.start()
        // Owned: they end with this object, which finishes the streams. Weak, so that the folder is free once it is gone.
        sweeping = Task { [weak library, logger] in
            for await _ in sweepRequests {
                guard let library else { return }
                await Self.sweepRetired(library, logger)
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
        // A download may be under way, which would keep the folder.
        for task in repairs { task.cancel() }
    }

    /// Waits for what goes on by itself, which ends: the reports that came are taken, what they lead to is done and
    /// told, and what is out of use is removed.
    func shutDown() async {
        isOver = true
        notices.finish()
        await reporting?.value
        for task in repairs { task.cancel() }
        for task in repairs { await task.value }
        await updater.shutDown()
        await forwarding?.value
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

    /// Hands on what happens to packages, from before this object was there until it goes. Once.
    func forward(to receive: @escaping @MainActor (PackageEvent) -> Void) {
        forwarding = Task { [sweeps, weak damage, events] in
            for await event in events {
                receive(event)
                switch event {
                // A generation went out of use, or is no longer what a trial may fall back to.
                case .scopeChanged, .confirmed, .quarantined: sweeps.yield()
                case .fileDamaged(let file): damage?.record(file.package)
                default: break
                }
            }
        }
    }

    /// Removes soon what nobody needs any more.
    func sweepSoon() {
        sweeps.yield()
    }

    /// Removes now what nobody needs any more.
    func sweepRetired() async {
        await Self.sweepRetired(library, logger)
    }

    /// The same, and what a crash or a failed install left. For a time when nobody waits.
    func sweepAll() async {
        await Self.tolerating(logger) { [library] in try await library.sweep() }
    }

    /// Takes a report; reports reach the updater in their order.
    func report(_ report: BootReport) {
        // Another document has to be answered anew.
        if report.kind == .moved || report.kind == .closed { answers[report.page.id] = nil }
        send(.report(report))
    }

    /// Whether this was noted of the page's document.
    func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool {
        answers[page]?.contains(generation) ?? false
    }

    /// Notes that a generation has answered an open page; only the first time is told.
    func recordResponse(of generation: GenerationReference, to page: PageReference) {
        guard page.generations.contains(generation), answers[page.id, default: []].insert(generation).inserted else {
            return
        }
        report(BootReport(.answered(generation), of: page))
    }

    /// Reports that a page fails, after the reports that came before, and returns once what that leads to is done; after
    /// five seconds in any case, since a rollback waits for work on its package, which goes on.
    func markFailed(_ page: PageReference, because reason: String, clock: (any Clock<Duration>)? = nil) async {
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
        // Without it no boot would be timed any more.
        case .present: return isOver ? () : send(lost)
        case .verdict(_, let continuation): continuation.finish()
        case .report: break
        }
        guard !isOver else { return }
        lostReports += 1
        logger.warning("too many reports at once; one is lost", metadata: ["report": "\(lost)"])
    }

    /// The app goes away: no boot is timed from when this returns.
    func leave(_ absence: HostAbsence) async {
        absences.insert(absence)
        lastPause += 1
        await updater.pauseTrials(true, order: lastPause)
    }

    /// The app is back, from this absence at least. Heard after the reports that came before.
    func comeBack(from absence: HostAbsence) {
        damage.tryAgain()
        guard absences.remove(absence) != nil, absences.isEmpty else { return }
        lastPause += 1
        send(.present(lastPause))
    }

    private static func sweepRetired(_ library: PackageLibrary, _ logger: Logger) async {
        await tolerating(logger) { try await library.sweepRetired() }
    }

    private static func tolerating(_ logger: Logger, _ sweep: () async throws -> SweepResult) async {
        do {
            _ = try await sweep()
        } catch {
            // Nothing is lost by it: the next sweep finds what this one left.
            logger.warning("cannot remove old packages", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: - Life of the app

extension PackageService {
    @concurrent
    nonisolated func checkpoint() async throws { try store.checkpoint() }

    @concurrent
    nonisolated func suspend() async throws { try store.suspend() }

    @concurrent
    nonisolated func resume() async throws { try store.resume() }
}
