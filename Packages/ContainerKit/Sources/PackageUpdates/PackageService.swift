// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Logging
package import OfflinePackage
package import ResourceLoading
package import ResourceStore

/// The packages of a container: the store, the library, the updater, and the background work that connects them. It
/// forwards events of packages, and removes files from disk that no page and no package needs any more.
///
/// Isolation: the main actor; disk access and hashing run on other threads.
@MainActor
package final class PackageService {
    /// The store of all files.
    package let store: BlobStore
    /// The packages that answer.
    package let library: PackageLibrary
    /// The updates of packages.
    package let updater: PackageUpdater
    /// The scopes in which another generation answers since the last process ended.
    package let changesAtLaunch: [PackageScopeChange]
    private let logger: Logger
    private let events: AsyncStream<PackageEvent>
    private let damage: PackageRepairer
    private var repairs: [Task<Void, Never>] = []
    private let sweeps: AsyncStream<Void>.Continuation
    private let notices: AsyncStream<Notice>.Continuation
    /// The number of reports that were dropped because too many waited.
    package private(set) var lostReports = 0
    private var sweeping: Task<Void, Never>?
    private var reporting: Task<Void, Never>?
    private var forwarding: Task<Void, Never>?
    /// The generations that have answered the current document of each open page.
    private var answers: [PageID: Set<GenerationReference>] = [:]
    private var absences: Set<HostAbsence> = []
    private var lastPause: UInt64 = 0
    private var isOver = false

    /// An input of the updater; inputs are processed in their order.
    private enum Notice: Sendable {
        case report(BootReport)
        /// A report whose consequences a caller waits for.
        case verdict(BootReport, AsyncStream<[Task<Void, Never>]>.Continuation)
        /// The app is back, unless it has left again since.
        case present(UInt64)
    }

    /// Opens the store and continues where the last process ended.
    /// - Parameters:
    ///   - directory: the folder of the store.
    ///   - budgets: the limits of the store.
    ///   - packages: the limits of packages; its logger is replaced.
    ///   - updates: the rules of updates; its logger is replaced.
    ///   - network: the loader of manifests and archives.
    ///   - logger: the log of failures.
    /// - Throws: `StoreError`.
    package init(
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
        // Before the start, which sends events.
        events = updater.events()
        changesAtLaunch = try await updater.start()
        let sweepRequests: AsyncStream<Void>
        let noticeStream: AsyncStream<Notice>
        (sweepRequests, sweeps) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (noticeStream, notices) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1_024))
        repairs = damage.start()
        // They end with this object, which finishes the streams. Weak, so that the folder is free after that.
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
        // A download that is under way would keep the folder in use.
        for task in repairs { task.cancel() }
    }

    /// Ends background work and waits for it: reports that were received are processed, their events are sent, and files
    /// that are out of use are removed.
    package func shutDown() async {
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

    /// Forwards the events of packages, those of the launch included, for the lifetime of this object. Call it once.
    /// - Parameter receive: receives each event.
    package func forward(to receive: @escaping @MainActor (PackageEvent) -> Void) {
        forwarding = Task { [sweeps, weak damage, events] in
            for await event in events {
                receive(event)
                switch event {
                // A generation went out of use, or is no longer the one that a trial may fall back to.
                case .scopeChanged, .confirmed, .quarantined: sweeps.yield()
                case .fileDamaged(let file): damage?.record(file.package)
                default: break
                }
            }
        }
    }

    /// Schedules the removal of generations that are out of use. Returns at once.
    package func sweepSoon() {
        sweeps.yield()
    }

    /// Removes generations that are out of use.
    package func sweepRetired() async {
        await Self.sweepRetired(library, logger)
    }

    /// Removes generations that are out of use, and files that a crash or a failed install left. It may take long.
    package func sweepAll() async {
        await Self.tolerating(logger) { [library] in try await library.sweep() }
    }

    /// Passes a report of a page to the updater. Reports reach the updater in their order.
    package func report(_ report: BootReport) {
        // The next document of the page has not been answered yet.
        if report.kind == .moved || report.kind == .closed { answers[report.page.id] = nil }
        send(.report(report))
    }

    /// Returns a Boolean value that indicates whether a generation has answered the current document of a page, as
    /// recorded by ``recordResponse(of:to:)``.
    package func hasRecorded(_ generation: GenerationReference, of page: PageID) -> Bool {
        answers[page]?.contains(generation) ?? false
    }

    /// Records that a generation has answered an open page, and reports it the first time.
    package func recordResponse(of generation: GenerationReference, to page: PageReference) {
        guard page.generations.contains(generation), answers[page.id, default: []].insert(generation).inserted else {
            return
        }
        report(BootReport(.answered(generation), of: page))
    }

    /// Reports that a page failed, after earlier reports, and returns when the consequences are done.
    ///
    /// It returns after five seconds in any case, since a rollback waits for work on its package. The work continues then.
    /// - Parameters:
    ///   - page: the page that failed.
    ///   - reason: one line for people.
    ///   - clock: the clock of the limit; the continuous clock by default.
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
        // Without it no later boot would be timed.
        case .present: return isOver ? () : send(lost)
        case .verdict(_, let continuation): continuation.finish()
        case .report: break
        }
        guard !isOver else { return }
        lostReports += 1
        logger.warning("too many reports at once; one is lost", metadata: ["report": "\(lost)"])
    }

    /// Records that the app leaves. After this returns no boot is timed.
    package func leave(_ absence: HostAbsence) async {
        absences.insert(absence)
        lastPause += 1
        await updater.pauseTrials(true, order: lastPause)
    }

    /// Records the end of an absence, after the reports that came before. Boots are timed again when no absence is left.
    package func comeBack(from absence: HostAbsence) {
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
            // The next sweep removes the rest.
            logger.warning("cannot remove old packages", metadata: ["error": "\(error)"])
        }
    }
}

// MARK: - Life cycle of the app

extension PackageService {
    /// Writes pending changes of the store, so that a kill costs nothing.
    /// - Throws: `StoreError`.
    @concurrent
    nonisolated package func checkpoint() async throws { try store.checkpoint() }

    /// Releases the locks of the store before the app is suspended.
    /// - Throws: `StoreError`.
    @concurrent
    nonisolated package func suspend() async throws { try store.suspend() }

    /// Locks the store again after a suspension.
    /// - Throws: `StoreError`, with code `inUse` if another process has the folder.
    @concurrent
    nonisolated package func resume() async throws { try store.resume() }
}
