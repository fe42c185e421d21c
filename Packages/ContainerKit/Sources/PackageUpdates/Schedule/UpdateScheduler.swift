// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Foundation
internal import HTTPTypes
package import Logging
@_spi(Facade) package import OfflinePackage
package import PackageFormat
package import ResourceLoading
@_spi(Facade) package import ResourceStore
@_spi(Facade) internal import ResourceTable

/// The scheduler of automatic updates and of updates that wait for favorable conditions. It performs the steps of an
/// `UpdatePlan` and stores the plan's state.
///
/// Isolation: the main actor; transfers and disk access run on other threads.
@MainActor
package final class UpdateScheduler {
    /// The maximum time of a request for a catalogue.
    private nonisolated static let answerLimit = Duration.seconds(30)
    private let updater: PackageUpdater
    private let library: PackageLibrary
    private let catalogue: (any PackageCataloguing)?
    private let load: DocumentLoading
    private let conditions: any HostConditioning
    private let storage: StoredDocument
    private let logger: Logger
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private var plan: UpdatePlan
    /// The state on disk.
    private var saved: UpdatePlan.Stored
    /// The closure that receives the events of the scheduler.
    package var receive: @MainActor (PackageEvent) -> Void = { _ in }
    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastTask = 0
    private var listening: Task<Void, Never>?
    private var waking: Task<Void, Never>?
    private var saving: Task<Void, Never>?
    /// The streams that end when nothing is in progress.
    private var rests: [AsyncStream<Void>.Continuation] = []
    private var absences: Set<HostAbsence> = []
    private var isOver = false

    /// Creates a scheduler and restores the state of the last process. Nothing starts before the first trigger.
    /// - Parameters:
    ///   - options: the policy, the sources and the catalogue.
    ///   - updater: the updater of the packages.
    ///   - library: the installed packages.
    ///   - store: the store of the state.
    ///   - network: the network loader for the catalogue, which must not follow redirects itself.
    ///   - allowsInsecure: whether the catalogue may be fetched over `http` from other machines.
    ///   - conditions: the conditions of the device and the app.
    ///   - logger: the log of failures.
    ///   - clock: the clock of timers and time limits.
    ///   - now: the source of the wall clock time.
    package init(
        _ options: AutomaticUpdates, updater: PackageUpdater, library: PackageLibrary, store: BlobStore,
        network: any ResourceLoader, allowsInsecure: Bool, conditions: any HostConditioning, logger: Logger,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() }
    ) async {
        self.updater = updater
        self.library = library
        catalogue = options.catalogue
        self.conditions = conditions
        storage = StoredDocument("package-updates", in: store)
        self.logger = logger
        self.clock = clock
        self.now = now
        load = Self.makeLoad(network, allowsInsecure: allowsInsecure, clock)
        var stored = UpdatePlan.Stored()
        do {
            if let data = try await storage.read() { stored = try await Self.decode(data) }
        } catch {
            // The next check makes the updates due again.
            logger.warning("cannot read the state of updates", metadata: ["error": "\(error)"])
        }
        saved = stored
        plan = UpdatePlan(UpdatePlan.Options(options), stored: stored)
        let changes = conditions.changes()
        listening = Task { [weak self] in
            for await _ in changes { self?.conditionsDidChange() }
        }
    }

    deinit {
        listening?.cancel()
        waking?.cancel()
        for task in tasks.values { task.cancel() }
    }

    // MARK: Triggers

    /// Records the launch of the app.
    package func recordLaunch() { record(.launch) }

    /// Records that a page opens. Returns at once.
    package func recordOpening(of url: String) { record(.opened(url)) }

    /// Checks the catalogue and all packages now, and returns when no check and no automatic update is in progress.
    /// It does not wait for updates whose conditions do not hold, or that wait for a background download.
    package func checkNow() async {
        guard !isOver else { return }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        rests.append(end)
        record(.request)
        for await _ in ends {}
    }

    /// Records that the app goes to the background or is suspended. No update starts until it returns.
    package func pause(_ absence: HostAbsence) {
        absences.insert(absence)
        plan.setAway(true)
        advance()
    }

    /// Records the end of an absence, which may not have been recorded before.
    package func resume(from absence: HostAbsence) {
        absences.remove(absence)
        plan.setAway(!absences.isEmpty)
        record(absence == .background ? .foreground : .timer)
    }

    private func record(_ trigger: UpdatePlan.Trigger) {
        guard !isOver else { return }
        plan.record(trigger, at: now())
        advance()
    }

    private func conditionsDidChange() {
        guard !isOver else { return }
        plan.conditionsDidChange(at: now())
        advance()
    }

    /// Stops the work in progress and waits for its end. Unfinished updates are due again in the next process.
    package func shutDown() async {
        isOver = true
        listening?.cancel()
        waking?.cancel()
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
        await saving?.value
        // The tasks may have finished updates.
        save()
        await saving?.value
        endRests()
    }

    // MARK: Requests of the app

    /// Updates a package as soon as the conditions allow it.
    ///
    /// If they do not allow it now, the update is stored and retried, also in later processes.
    /// - Returns: the result of the update, or `waiting`.
    /// - Throws: `DeliveryError`, with code `queueFull` if too many updates wait; `PackageError`, `StoreError` or
    ///   `CancellationError`. The update is not retried then.
    package func update(from source: PackageSource, timing: ApplyTiming) async throws -> PackageUpdate {
        let key = source.manifestURL
        guard plan.request(source, timing) else {
            throw DeliveryError(.queueFull, "too many updates wait", at: key)
        }
        if let reason = plan.obstacle(to: key, in: conditions.conditions) {
            advance()
            await saving?.value
            return .waiting(reason: reason)
        }
        // If an attempt is in progress, the updater runs this one afterwards.
        let isOwner = plan.beginCall(key, at: now())
        advance()
        await saving?.value
        do {
            let update = try await updater.update(from: source, timing: timing, urgency: .whenConvenient)
            if isOwner { finish(key, with: .finished) }
            return update
        } catch {
            guard case .notNow(let reason) = Self.ending(of: error, .whenConvenient, conditions) else {
                if isOwner { finish(key, with: .refused) }
                throw error
            }
            if isOwner {
                finish(key, with: .notNow(reason))
            } else if plan.request(source, timing) {
                plan.hold(key)
                advance()
            }
            await saving?.value
            return .waiting(reason: reason)
        }
    }

    /// Drops updates that wait, because an update of the source was successful.
    package func drop(_ source: PackageSource) {
        plan.drop { $0.isOfApp && $0.key == source.manifestURL }
        advance()
    }

    /// Drops requests of the app that wait for a package, because the app removes it.
    package func drop(_ id: PackageID) async {
        let source = try? await library.source(of: id)
        plan.drop {
            $0.isOfApp && ($0.source.package.map { $0 == id } ?? ($0.key == source?.manifestURL))
        }
        advance()
    }

    /// The packages that the catalogue no longer lists.
    package var withdrawnPackages: Set<PackageID> { Set(plan.stored.withdrawn) }

    // MARK: Steps

    private func advance() {
        guard !isOver else { return }
        for step in plan.advance(at: now(), in: conditions.conditions) { perform(step) }
        save()
        scheduleWake()
        if plan.isResting { endRests() }
    }

    private func perform(_ step: UpdatePlan.Step) {
        switch step {
        case .check(let attempt):
            guard let catalogue else { return }
            start { [weak self, load, conditions] in
                let fetch = await Self.fetch(catalogue, isMirror: attempt.source == .mirror, load, conditions)
                self?.finish(attempt, with: fetch)
            }
        case .update(let update):
            start { [weak self, updater, library, conditions] in
                let ending = await Self.attempt(update, updater, library, conditions) { [weak self] in
                    await self?.beginBackgroundWait(update.key)
                }
                self?.finish(update.key, with: ending)
            }
        case .remove(let id):
            start { [weak self, updater, logger] in
                do {
                    try await updater.remove(id)
                    self?.finishRemoval(of: id, isRemoved: true)
                } catch {
                    logger.warning("cannot remove a package", metadata: ["package": "\(id)", "error": "\(error)"])
                    self?.finishRemoval(of: id, isRemoved: false)
                }
            }
        case .announceWaiting(let source, let reason): receive(.waiting(source, reason: reason))
        case .announceProgress(let progress):
            receive(.updating(finished: progress.finished, failed: progress.failed, total: progress.total))
        }
    }

    /// Runs work in a task that does not retain this object.
    private func start(_ work: @escaping @MainActor () async -> Void) {
        lastTask += 1
        let id = lastTask
        tasks[id] = Task { [weak self] in
            await work()
            self?.tasks[id] = nil
        }
    }

    private func beginBackgroundWait(_ key: String) {
        plan.beginBackgroundWait(key)
        advance()
    }

    private func finish(_ key: String, with ending: UpdatePlan.Ending) {
        plan.finish(key, with: ending, at: now())
        advance()
    }

    private func finish(_ attempt: SourceCheck.Attempt, with fetch: UpdatePlan.Fetch) {
        do {
            if let catalogue = try plan.finish(attempt, with: fetch, at: now()) {
                receive(.catalogueChanged(catalogue))
            }
        } catch {
            logger.warning("cannot update the catalogue", metadata: ["error": "\(error)"])
            receive(.catalogueFailed(PackageFailure(error)))
        }
        advance()
    }

    private func finishRemoval(of id: PackageID, isRemoved: Bool) {
        plan.finishRemoval(of: id, isRemoved: isRemoved)
        if isRemoved { receive(.withdrawn(id)) }
        advance()
    }

    private func endRests() {
        for rest in rests { rest.finish() }
        rests = []
    }

    private func scheduleWake() {
        waking?.cancel()
        waking = nil
        let time = now()
        guard let wake = plan.nextWake(at: time) else { return }
        waking = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: .seconds(max(wake.timeIntervalSince(time), 1)))) != nil,
                !Task.isCancelled
            else { return }
            self?.record(.timer)
        }
    }

    // MARK: State

    /// Stores the state unless it is stored. A failed write is repeated with the next change.
    private func save() {
        guard saving == nil, plan.stored != saved else { return }
        saving = Task { [weak self, storage, logger] in
            while let stored = self?.unsaved {
                do {
                    try await storage.write(Self.encode(stored))
                } catch {
                    logger.warning("cannot store the state of updates", metadata: ["error": "\(error)"])
                    break
                }
                self?.saved = stored
            }
            self?.saving = nil
        }
    }

    private var unsaved: UpdatePlan.Stored? { plan.stored == saved ? nil : plan.stored }

    @concurrent
    private static func decode(_ data: Data) async throws -> UpdatePlan.Stored {
        try JSONDecoder().decode(UpdatePlan.Stored.self, from: data)
    }

    @concurrent
    private static func encode(_ stored: UpdatePlan.Stored) async throws -> Data {
        try JSONEncoder().encode(stored)
    }
}

// MARK: - Work

extension UpdateScheduler {
    /// Attempts a due update. The closure is called if it begins to wait for a background download.
    private static func attempt(
        _ update: DueUpdate, _ updater: PackageUpdater, _ library: PackageLibrary, _ conditions: any HostConditioning,
        _ waitDidBegin: @Sendable () async -> Void
    ) async -> UpdatePlan.Ending {
        // If another version is staged, the update discards it.
        if let id = update.source.package, let version = update.version,
            library.installed.contains(where: { $0.id == id && $0.version == version }),
            (try? await library.hasStagedGeneration(of: id)) == false
        {
            return .finished
        }
        do {
            try await updater.update(
                from: update.source, timing: update.timing, urgency: update.urgency, waitDidBegin: waitDidBegin)
            return .finished
        } catch {
            return ending(of: error, update.urgency, conditions)
        }
    }

    /// The errors of updates that may not occur in a later attempt with the same manifest.
    private static let passingCodes: Set<DeliveryError.Code> = [
        .network, .status, .stalled, .truncated, .noSpace, .queueFull, .overtaken, .io, .unsigned,
    ]

    private static func ending(
        of error: any Error, _ urgency: UpdateUrgency, _ conditions: any HostConditioning
    ) -> UpdatePlan.Ending {
        switch error {
        case is CancellationError: return .interrupted
        case let error as DeliveryError where error.code == .notNow: return .notNow(error.message)
        case let error as DeliveryError where error.code == .noRelease: return .finished
        case let error as StoreError where error.code == .suspended: return .notNow("the container is suspended")
        // The cause is the fault of the metadata. Without one, the source or the manifest itself is refused.
        case let error as DeliveryError where error.code == .unsigned && error.cause == nil: return .refused
        case let error as DeliveryError where !passingCodes.contains(error.code): return .refused
        case is DeliveryError, is StoreError:
            // The transfer may have failed because the conditions changed.
            return urgency.obstacle(in: conditions.conditions).map { .notNow($0) } ?? .failed
        default: return .refused
        }
    }

    private static func makeLoad(
        _ network: any ResourceLoader, allowsInsecure: Bool, _ clock: any Clock<Duration>
    ) -> DocumentLoading {
        @Sendable func isAllowed(_ url: String) -> Bool {
            allowsInsecure || WebOrigin(url: url)?.isPotentiallyTrustworthy ?? false
        }
        let loader = RedirectedLoader(network) { _, target in isAllowed(target) }
        return { url, maxBytes in
            guard isAllowed(url) else {
                throw DeliveryError(.insecure, "the URL uses http and does not refer to this machine", at: url)
            }
            return try await withTimeLimit(answerLimit, clock: clock) {
                DeliveryError(.stalled, "no catalogue arrived within \(answerLimit)", at: url)
            } _: {
                do {
                    return try await loader.documentIfPresent(
                        at: url, [.accept: "application/json", .cacheControl: "no-cache"], upTo: maxBytes,
                        missing: [.forbidden, .notFound])
                } catch let error as ResourceError where error.code == .tooLarge {
                    throw PackageError(.tooLarge, error.message, at: url, cause: error)
                }
            }
        }
    }

    private static func fetch(
        _ catalogue: any PackageCataloguing, isMirror: Bool, _ load: @escaping DocumentLoading,
        _ conditions: any HostConditioning
    ) async -> UpdatePlan.Fetch {
        guard conditions.conditions.network != .none, let url = isMirror ? catalogue.mirrorURL : catalogue.primaryURL
        else { return .offline }
        do {
            return .catalogue(try await catalogue.catalogue(at: url, load: load))
        } catch {
            let isOffline = ResourceError(error).code == .offline || conditions.conditions.network == .none
            return isOffline || Task.isCancelled ? .offline : .failed(error)
        }
    }
}

extension UpdatePlan.Options {
    fileprivate init(_ options: AutomaticUpdates) {
        self.init(
            policy: options.policy, sources: options.sources, catalogueURL: options.catalogue?.primaryURL,
            hasMirror: options.catalogue?.mirrorURL != nil, isSigned: options.catalogue?.signedManifests != nil,
            scopes: options.effectiveScopes ?? [], timing: options.timing, urgency: options.urgency,
            maxConcurrent: options.maxConcurrent)
    }
}
