// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
public import PackageFormat
public import ResourceLoading
internal import ResourceStore

/// Keeps packages up to date: fetches manifests and archives, installs them, makes them active when the host wants,
/// and takes back what does not boot.
///
/// One updater works on a library, from the app's start on: ``start()`` comes before the first page and before the
/// first sweep, since it pins the generations that a trial may fall back to.
///
/// **Isolation.** This actor. Bytes are fetched, unpacked and hashed elsewhere; different packages are worked on at the
/// same time, as many as the downloads may be, and one at a time of each.
///
/// **Life of a version.** Fetched and staged; activated, at once or when it is time; on trial until a page reports that
/// it booted; then good. A version that fails its trial is written down as bad first, so that a kill cannot save it,
/// then the last good generation is made active again, or where there is none the package is taken out of use.
public actor PackageUpdater: HealthReporting {
    let library: PackageLibrary
    let configuration: Configuration
    let downloader: PackageDownloader
    let hub = PackageEventHub()
    /// The packages whose first download is under way, for the loader that answers from them.
    nonisolated let arrivals: ArrivingPackages
    private let health: any HealthRecording
    private let packages: KeyedQueue
    private let sources: KeyedQueue
    private let watch: Stopwatch
    var ledger = HealthLedger()
    /// The last good generations that trials may fall back to; each is pinned once.
    private var pins: [String: Int64] = [:]
    private var alarm: Task<Void, Never>?
    /// What verdicts lead to and is still being done.
    private var conclusions: [UInt64: Task<Void, Never>] = [:]
    private var lastConclusion: UInt64 = 0
    private var isStarted = false

    /// - Parameter loader: the network.
    public init(library: PackageLibrary, loader: any ResourceLoading, configuration: Configuration = Configuration()) {
        self.library = library
        self.configuration = configuration
        let directory = library.store.directory
        downloader = PackageDownloader(
            loader: loader, directory: directory + "/downloads", configuration: configuration.downloads)
        health = configuration.health ?? HealthFile(path: directory + "/health.json")
        arrivals = ArrivingPackages(library: library)
        packages = KeyedQueue(atATime: .max, inLine: configuration.downloads.inLine)
        sources = KeyedQueue(atATime: configuration.downloads.atATime, inLine: configuration.downloads.inLine)
        watch = Stopwatch(configuration.clock)
    }

    deinit {
        alarm?.cancel()
    }

    /// What happens from now on. A listener that does not keep up loses the oldest events.
    public nonisolated func events() -> AsyncStream<PackageEvent> {
        hub.subscribe()
    }

    /// How many events slow listeners have lost so far, all of them together.
    public nonisolated var droppedEvents: Int {
        hub.dropped
    }

    // MARK: Launch and background

    /// Takes up what the last process left: ends trials that its end decided, activates what waited for this launch and
    /// removes stale downloads. Once, before the first page; a second call does nothing.
    /// - Returns: what answers differently from when the last process ended.
    /// - Throws: ``StoreError`` or `CancellationError`.
    @discardableResult
    public func start() async throws -> [PackageScopeChange] {
        guard !isStarted else { return [] }
        isStarted = true
        do {
            ledger = try health.load()
        } catch {
            // Without its ledger the container works, and a version that failed may be tried once more.
            configuration.logger.error("cannot read the record of health", metadata: ["error": "\(error)"])
        }
        var changes: [PackageScopeChange] = []
        for (name, trial) in ledger.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name), library.activeGeneration(of: id)?.number == trial.generation else {
                // It was never activated, or another one since.
                ledger.trials[name] = nil
                continue
            }
            pinFormer(of: trial, name)
            changes += try await tolerating(name) {
                if let verdict = trial.verdict { return try await conclude(verdict, of: id, trial) }
                guard let (verdict, trial) = judge(.relaunched, of: id, trial.generation) else { return [] }
                return try await conclude(verdict, of: id, trial)
            }
        }
        save()
        changes += try await apply([.nextLaunch, .inBackground])
        await downloader.removeStale()
        return changes
    }

    /// Activates what waited for the app to go to the background.
    @discardableResult
    public func hostEnteredBackground() async throws -> [PackageScopeChange] {
        try await apply([.inBackground])
    }

    private func apply(_ timings: Set<ApplyTiming>) async throws -> [PackageScopeChange] {
        var changes: [PackageScopeChange] = []
        for (generation, timing) in try await library.waiting() where timings.contains(timing) {
            let id = generation.package.id
            changes += try await tolerating(id.description) {
                try await packages.run(id.description) {
                    guard !ledger.isQuarantined("\(generation.package.version)", of: "\(id)") else {
                        try await library.giveUp(generation)
                        return []
                    }
                    return try await activate(generation)
                }
            }
        }
        return changes
    }

    /// One package that cannot be written, on a full disk for instance, must not keep the others from their updates, nor
    /// the app from starting with what it has. It waits for the next time.
    private func tolerating(
        _ package: String, _ body: () async throws -> [PackageScopeChange]
    ) async throws -> [PackageScopeChange] {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            configuration.logger.error(
                "cannot change the active version", metadata: ["package": "\(package)", "error": "\(error)"])
            hub.send(.changeFailed(package, error))
            return []
        }
    }

    // MARK: Updates

    /// Looks for an update of a package, fetches it and applies it when the host wants.
    ///
    /// Only what the store lacks is fetched, where the manifest tells where it lies in the archive and that is cheaper.
    /// All or nothing: on an error what was active is active.
    /// - Parameters:
    ///   - timing: when it takes effect.
    ///   - urgency: what the host's conditions must allow, looked at once, before the manifest is fetched.
    /// - Throws: ``DeliveryError``, ``PackageError``, ``StoreError`` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        if let reason = urgency.obstacle(in: configuration.conditions.conditions) {
            throw DeliveryError(.notNow, reason, at: source.manifestURL)
        }
        return try await sources.run(source.manifestURL) {
            hub.send(.updateBegan(source))
            do {
                let limits = library.configuration.manifestLimits
                let text = try await downloader.text(source.manifestURL, upTo: limits.maxBytes)
                let manifest = try PackageManifest(decoding: text, limits: limits)
                try source.check(manifest)
                try check(manifest, at: source.manifestURL)
                return try await packages.run(manifest.id.description) {
                    try await update(to: manifest, from: source, timing)
                }
            } catch {
                hub.send(.updateFailed(source, error))
                throw error
            }
        }
    }

    /// Installs the package that came with the app, unless a downloaded version of it is active, or it is itself.
    /// - Parameters:
    ///   - archive: the path of the zip; it stays where it is.
    ///   - manifest: the path of its manifest.
    /// - Returns: what came of it; `nil` where a downloaded version stays.
    /// - Throws: ``DeliveryError`` where the version failed before, ``PackageError``, ``StoreError`` or
    ///   `CancellationError`.
    @discardableResult
    public func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        let manifest = try PackageManifest(path: manifest, limits: library.configuration.manifestLimits)
        try check(manifest, at: archive)
        return try await packages.run(manifest.id.description) {
            guard try await library.isBaselineActive(manifest.id) != false else { return nil }
            let draft = try await library.draft(of: manifest)
            if let active = try await library.active(equalTo: draft) {
                return PackageUpdate(outcome: .unchanged, package: active, way: .nothing, traffic: DeliveryTraffic())
            }
            try await library.fill(draft, from: archive)
            let generation = try await library.stage(draft, timing: nil, isBaseline: true)
            try await activateNow(generation)
            return PackageUpdate(
                outcome: .activated, package: generation.package, way: .whole, traffic: DeliveryTraffic())
        }
    }

    /// Installs a package because the host says so: without a trial, whatever is active, and also where the version failed
    /// one. A trial that runs ends without a verdict.
    /// - Parameters:
    ///   - archive: the path of the archive; it stays where it is.
    ///   - manifest: the path of its manifest.
    /// - Throws: ``PackageError``, ``StoreError`` or `CancellationError`.
    @discardableResult
    public func install(archive: String, manifest: String) async throws -> InstalledPackage {
        let id = try PackageManifest(path: manifest, limits: library.configuration.manifestLimits).id
        return try await packages.run(id.description) {
            let former = library.activeGeneration(of: id)?.package
            let package = try await library.install(archive: archive, manifest: manifest)
            endTrial(of: id.description)
            save()
            if former?.generation != package.generation { _ = announce(id, from: former, to: package, .activated) }
            return package
        }
    }

    /// Takes a package out of use. Pages that are open keep it until they close.
    /// - Throws: ``StoreError`` or `CancellationError`.
    @discardableResult
    public func remove(_ id: PackageID) async throws -> [PackageScopeChange] {
        try await packages.run(id.description) {
            let former = library.activeGeneration(of: id)?.package
            guard try await library.remove(id) else { return [] }
            endTrial(of: id.description)
            save()
            return announce(id, from: former, to: nil, .removed)
        }
    }

    private func check(_ manifest: PackageManifest, at location: String) throws {
        if let wanted = manifest.minHost {
            guard let wantedVersion = HostVersion(wanted.description),
                let version = configuration.hostVersion.flatMap({ HostVersion($0.description) }),
                version >= wantedVersion
            else {
                throw DeliveryError(
                    .hostTooOld, "version \(manifest.version) asks for a host of version \(wanted)", at: location)
            }
        }
        guard !ledger.isQuarantined("\(manifest.version)", of: "\(manifest.id)") else {
            throw DeliveryError(
                .quarantined, "version \(manifest.version) of \(manifest.id) failed before", at: location)
        }
    }

    private func update(
        to manifest: PackageManifest, from source: PackageSource, _ timing: ApplyTiming
    ) async throws -> PackageUpdate {
        let draft = try await library.draft(of: manifest)
        if let active = try await library.active(equalTo: draft) {
            try await giveUpWaiting(manifest.id)
            return PackageUpdate(outcome: .unchanged, package: active, way: .nothing, traffic: DeliveryTraffic())
        }
        if let waiting = try await waiting(equalTo: draft) {
            if timing == .now {
                try await activateNow(waiting)
                return PackageUpdate(
                    outcome: .activated, package: waiting.package, way: .nothing, traffic: DeliveryTraffic())
            }
            return PackageUpdate(
                outcome: .unchanged, package: waiting.package, way: .nothing, traffic: DeliveryTraffic())
        }
        let (way, traffic) = try await fetch(draft, from: source)
        try await giveUpWaiting(manifest.id)
        let generation = try await library.stage(draft, timing: timing == .now ? nil : timing, isBaseline: false)
        guard timing == .now else {
            hub.send(.staged(manifest.id, manifest.version, timing))
            return PackageUpdate(
                outcome: .staged(timing), package: generation.package, way: way, traffic: traffic)
        }
        try await activateNow(generation)
        return PackageUpdate(outcome: .activated, package: generation.package, way: way, traffic: traffic)
    }

    private func waiting(equalTo draft: PackageDraft) async throws -> PackageGeneration? {
        for (generation, _) in try await library.waiting() where generation.package.id == draft.manifest.id {
            let table = try generation.entries(in: library.store)
            if generation.package.version == draft.manifest.version,
                generation.package.baseURL == draft.manifest.baseURL,
                generation.package.isComplete == draft.manifest.isComplete, table.count == draft.entries.count,
                draft.entries.allSatisfy({ table[$0.path] == $0 })
            {
                return generation
            }
        }
        return nil
    }

    /// A newer word of the publisher takes the place of what still waits.
    private func giveUpWaiting(_ id: PackageID) async throws {
        for (generation, _) in try await library.waiting() where generation.package.id == id {
            try await library.giveUp(generation)
        }
    }

    // MARK: Activation and trial

    private func activateNow(_ generation: PackageGeneration) async throws {
        do {
            _ = try await activate(generation)
        } catch {
            // Where this fails too, the next library on this store gives the generation up.
            try? await library.giveUp(generation)
            throw error
        }
    }

    private func activate(_ generation: PackageGeneration) async throws -> [PackageScopeChange] {
        let id = generation.package.id
        let name = id.description
        let former = library.activeGeneration(of: id)
        let running = ledger.trials[name].flatMap { $0.generation == former?.number ? $0 : nil }
        // What was never proven is not what to fall back to.
        let good = running.map(\.former) ?? former?.number
        let trial = TrialPeriod(
            of: generation.number, version: generation.package.version.description, over: good,
            limits: configuration.trial)
        // Before it is activated: a kill in between leaves a trial of what is not active, which the next start drops.
        pinFormer(of: trial, name)
        ledger.trials[name] = trial
        save()
        do {
            try await library.activate(generation)
        } catch {
            ledger.trials[name] = running
            save()
            throw error
        }
        schedule()
        return announce(id, from: former?.package, to: generation.package, .activated)
    }

    /// Takes a report of a page, and returns once what it leads to is done: a rollback waits for work on its package.
    /// Reports that no trial waits for change nothing.
    ///
    /// A report counts for the generations that the page is pinned to, are on trial and have the page's document under
    /// their base URL.
    public func report(_ report: BootReport) async {
        for conclusion in note(report) { await conclusion.value }
    }

    /// Waits for what reports have led to so far, then ends the streams of events. Work that callers wait for goes on.
    public func shutDown() async {
        while let conclusion = conclusions.values.first { await conclusion.value }
        hub.finish()
    }

    /// Takes a report of a page like ``report(_:)``, and does not wait for what it leads to.
    /// - Returns: what is still to be done, one task for each trial that the report ended.
    @discardableResult
    public func note(_ report: BootReport) -> [Task<Void, Never>] {
        let page = report.page
        let event: TrialPeriod.Event =
            switch report.kind {
            case .began: .bootBegan(page.id)
            case .healthy: .healthy(page.id)
            case .failed(let reason): .failed(page.id, reason)
            case .moved, .closed: .closed(page.id)
            }
        // What is no URL of a package, `about:blank` for one, lies in none.
        let document = PackageURL(page.documentURL)
        return page.generations.compactMap { pinned in
            guard ledger.trials[pinned.package]?.generation == pinned.number, let id = try? PackageID(pinned.package),
                let active = library.activeGeneration(of: id), active.number == pinned.number
            else { return nil }
            let isInside = document.map(active.contains) ?? false
            let isMeant =
                switch report.kind {
                case .began, .healthy, .failed: isInside
                case .moved: !isInside
                // A page that is closed boots no more, wherever it is by then.
                case .closed: true
                }
            guard isMeant else { return nil }
            return tell(event, of: id, pinned.number)
        }
    }

    /// Tells a trial of an event; where that ends it, the rest is done in a task, since it may wait for a download.
    private func tell(_ event: TrialPeriod.Event, of id: PackageID, _ generation: Int64) -> Task<Void, Never>? {
        guard let (verdict, trial) = judge(event, of: id, generation) else { return nil }
        lastConclusion += 1
        let number = lastConclusion
        // It holds the updater until it is done. The verdict stands in the ledger: where this ends early, the next start
        // goes on from there.
        let conclusion = Task {
            defer { conclusions[number] = nil }
            do {
                _ = try await conclude(verdict, of: id, trial)
            } catch {
                configuration.logger.error(
                    "cannot roll a package back", metadata: ["package": "\(id)", "error": "\(error)"])
            }
        }
        conclusions[number] = conclusion
        return conclusion
    }

    private func judge(
        _ event: TrialPeriod.Event, of id: PackageID, _ generation: Int64
    ) -> (TrialPeriod.Verdict, TrialPeriod)? {
        guard var trial = ledger.trials[id.description] else { return nil }
        let boots = trial.unfinishedBoots
        let verdict = trial.take(event, of: generation, at: watch.elapsed)
        ledger.trials[id.description] = trial
        schedule()
        if verdict != nil || boots != trial.unfinishedBoots { save() }
        return verdict.map { ($0, trial) }
    }

    private func conclude(
        _ verdict: TrialPeriod.Verdict, of id: PackageID, _ trial: TrialPeriod
    ) async throws -> [PackageScopeChange] {
        guard let active = library.activeGeneration(of: id), active.number == trial.generation else { return [] }
        switch verdict {
        case .healthy:
            endTrial(of: id.description)
            save()
            hub.send(.proven(id, active.package.version))
            return []
        case .failed(let reason):
            // First of all, so that a kill from here on cannot bring it back.
            ledger.condemn(trial.version, of: id.description)
            save()
            hub.send(.quarantined(id, active.package.version, reason: reason))
            return try await packages.run(id.description) {
                guard ledger.trials[id.description]?.generation == trial.generation,
                    library.activeGeneration(of: id)?.number == trial.generation
                else { return [] }
                var current: PackageGeneration?
                if let number = trial.former, let former = try await library.retired(number) {
                    try await library.activate(former)
                    current = former
                } else {
                    try await library.remove(id)
                }
                endTrial(of: id.description)
                save()
                return announce(id, from: active.package, to: current?.package, .rolledBack(reason))
            }
        }
    }

    private func endTrial(of package: String) {
        ledger.trials[package] = nil
        if let pin = pins.removeValue(forKey: package) { library.store.unpin(pin) }
        schedule()
    }

    private func pinFormer(of trial: TrialPeriod, _ package: String) {
        guard pins[package] != trial.former else { return }
        let old = pins.removeValue(forKey: package)
        if let former = trial.former, library.store.pin(former) { pins[package] = former }
        if let old { library.store.unpin(old) }
    }

    private func announce(
        _ id: PackageID, from former: InstalledPackage?, to current: InstalledPackage?,
        _ reason: PackageScopeChange.Reason
    ) -> [PackageScopeChange] {
        var bases: [PackageBaseURL] = []
        for base in [former?.baseURL, current?.baseURL].compactMap({ $0 }) where !bases.contains(base) {
            bases.append(base)
        }
        let changes = bases.map { base in
            PackageScopeChange(
                package: id, baseURL: base, former: former?.baseURL == base ? former?.generation : nil,
                current: current?.baseURL == base ? current?.generation : nil, reason: reason)
        }
        for change in changes { hub.send(.scopeChanged(change)) }
        return changes
    }

    private func save() {
        do {
            try health.save(ledger)
        } catch {
            configuration.logger.error("cannot write the record of health", metadata: ["error": "\(error)"])
        }
    }

    // MARK: Time

    /// Sets the alarm to when the next boot is over.
    private func schedule() {
        alarm?.cancel()
        alarm = nil
        guard let due = ledger.trials.values.compactMap(\.deadline).min() else { return }
        let clock = configuration.clock
        let wait = due - watch.elapsed
        // Owned: the next alarm, or the end of the updater, cancels it.
        alarm = Task { [weak self] in
            do {
                try await clock.sleep(for: wait)
            } catch {
                return
            }
            await self?.ring()
        }
    }

    private func ring() async {
        // Who cancelled it has set another one. From here on nobody does: what it leads to is done to its end.
        guard !Task.isCancelled else { return }
        alarm = nil
        for (name, trial) in ledger.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name) else { continue }
            await tell(.clock, of: id, trial.generation)?.value
        }
    }
}
