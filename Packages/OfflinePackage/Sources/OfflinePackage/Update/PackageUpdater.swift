// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
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
public actor PackageUpdater {
    let library: PackageLibrary
    let configuration: Configuration
    let downloader: PackageDownloader
    let hub = Broadcast<PackageEvent>(capacity: 256)
    /// The packages whose first download is under way, for the loader that answers from them.
    nonisolated let arrivals: PartialPackages
    let health: any HealthRecording
    /// One look at a time at each manifest.
    let sources: KeyedQueue
    /// One download at a time for each package. Who changes what is active does not wait for it, so that a version that
    /// failed goes at once, and the app's way to the background is short.
    let fetches: KeyedQueue
    /// One change at a time, for each package, of what is active or waits to be. Whoever has a turn in one of the three has
    /// none in a later one, and in none does anyone wait for anything but keys: how many transfer at a time is the
    /// downloader's to say.
    let packages: KeyedQueue
    let watch: Stopwatch
    var trialRecord = TrialRecord()
    /// Whether the trial record may be written: not where one may be there that could not be read.
    private(set) var mayWriteRecord = true
    /// Whether the trial record stands as it is where it is kept.
    var isRecordWritten = true
    /// The last good generations that trials may fall back to; each is pinned once.
    var pins: [String: Int64] = [:]
    var alarm: Task<Void, Never>?
    /// What verdicts lead to and is still being done, by generation.
    var conclusions: [Int64: Task<Void, Never>] = [:]
    /// Trials that an activation under way puts others in the place of, by package.
    var replaced: [String: ReplacedTrial] = [:]
    /// How often the host itself installed or removed a package: what was begun before gives way.
    private var hostInstallCounts: [String: Int] = [:]
    var boots = BootTracker()
    var areTrialsPaused = false
    /// The order of the last word on pauses.
    var lastPause: UInt64 = 0
    private var isStarted = false

    /// - Parameters:
    ///   - library: the library to install into.
    ///   - loader: the network.
    ///   - configuration: the conditions, limits and clock.
    public init(library: PackageLibrary, loader: any ResourceLoader, configuration: Configuration = Configuration()) {
        self.library = library
        self.configuration = configuration
        let directory = library.store.directory
        var downloads = configuration.downloads
        downloads.allowsInsecure = downloads.allowsInsecure || library.configuration.allowsInsecure
        downloader = PackageDownloader(
            loader: loader, directory: directory + "/downloads", configuration: downloads)
        health = configuration.health ?? HealthDocument(library.store)
        arrivals = PartialPackages(library: library)
        sources = KeyedQueue(atATime: .max, inLine: configuration.downloads.inLine)
        fetches = KeyedQueue(atATime: .max, inLine: configuration.downloads.inLine)
        packages = KeyedQueue(atATime: .max, inLine: configuration.downloads.inLine)
        watch = Stopwatch(configuration.clock)
        library.onDamage { [hub] in hub.send(.fileDamaged($0)) }
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
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func start() async throws -> [PackageScopeChange] {
        guard !isStarted else { return [] }
        isStarted = true
        do {
            trialRecord = try health.load()
        } catch {
            // Without its trial record the container works, and a version that failed may be tried once more. What
            // cannot be read now may be read at the next launch, so it is not written over.
            mayWriteRecord = false
            configuration.logger.error("cannot read the record of health", metadata: ["error": "\(error)"])
        }
        let loaded = trialRecord
        var changes: [PackageScopeChange] = []
        for (name, trial) in trialRecord.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name), library.activeGeneration(of: id)?.number == trial.generation else {
                // It was never activated, or another one since.
                trialRecord.trials[name] = nil
                continue
            }
            pinFormer(of: trial, name)
            changes += try await tolerating(id) {
                if let verdict = trial.verdict { return try await conclude(verdict, of: id, trial) }
                guard let (verdict, trial) = judge(.relaunched, of: id, trial.generation) else { return [] }
                return try await conclude(verdict, of: id, trial)
            }
        }
        if trialRecord != loaded { save() }
        changes += try await apply([.nextLaunch, .inBackground])
        await downloader.removeStale()
        return changes
    }

    /// Takes back what could not be taken back before, and activates what waited for the app to go to the background.
    @discardableResult
    public func hostEnteredBackground() async throws -> [PackageScopeChange] {
        var changes: [PackageScopeChange] = []
        for (id, trial, verdict) in unfinished {
            changes += try await tolerating(id) {
                try await conclude(verdict, of: id, trial, again: true)
            }
        }
        return try await changes + apply([.inBackground])
    }

    private func apply(_ timings: Set<ApplyTiming>) async throws -> [PackageScopeChange] {
        var changes: [PackageScopeChange] = []
        for (generation, timing) in try await library.waiting() where timings.contains(timing) {
            let id = generation.package.id
            changes += try await tolerating(id) {
                try await packages.run(id.description) {
                    // The host may be an earlier one than it was, a version may have failed meanwhile, a later one may be
                    // active, but for what came with the app, and what cannot be read must not take the place of what can.
                    let isBaselineActive = try await library.isBaselineActive(id) == true
                    guard HostVersion.allows(generation.minHost, in: hostVersion),
                        !trialRecord.isQuarantined("\(generation.package.version)", of: "\(id)"),
                        library.activeGeneration(of: id).map({ $0.number < generation.number || isBaselineActive })
                            ?? true,
                        try await library.isReadable(generation), try await library.isInScope(generation)
                    else {
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
        _ package: PackageID, _ body: () async throws -> [PackageScopeChange]
    ) async throws -> [PackageScopeChange] {
        do {
            return try await body()
        } catch let error as CancellationError {
            throw error
        } catch {
            configuration.logger.error(
                "cannot change the active version", metadata: ["package": "\(package)", "error": "\(error)"])
            hub.send(.changeFailed(package, PackageFailure(error)))
            return []
        }
    }

    // MARK: Updates

    /// Looks for an update of a package, fetches it and applies it when the host wants.
    ///
    /// Only what the store lacks is fetched, where the manifest tells where it lies in the archive and that is cheaper.
    /// All or nothing: on an error what was active is active, and what waited to be activated waits. Where the host
    /// installs or removes the package meanwhile, that stands, and the update ends with an error.
    ///
    /// Before anything is fetched beside the manifest, the manifest must be of the source's package and scope, and no
    /// older than one that was installed; see ``PackageSource`` and `PackageManifest.sequence`.
    /// - Parameters:
    ///   - source: the URL of the manifest, and the package and scope that it may publish.
    ///   - timing: when it takes effect.
    ///   - urgency: what the host's conditions must allow, looked at once, before the manifest is fetched.
    /// - Throws: ``DeliveryError``, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        if let reason = urgency.obstacle(in: configuration.conditions.conditions) {
            throw DeliveryError(.notNow, reason, at: source.manifestURL)
        }
        let installCounts = hostInstallCounts
        return try await sources.run(source.manifestURL) {
            hub.send(.updateBegan(source))
            do {
                if !library.configuration.allowsInsecure { try SecureURL.check(source.manifestURL) }
                let (manifest, digest) = try await manifest(of: source)
                _ = try await library.authorise(manifest, digest, from: source)
                try check(manifest, at: source.manifestURL)
                return try await fetches.run(manifest.id.description) {
                    try await update(to: manifest, digest, from: source, timing, unlessChangedSince: installCounts)
                }
            } catch {
                hub.send(.updateFailed(source, PackageFailure(error)))
                throw error
            }
        }
    }

    /// Installs the package that came with the app, unless a downloaded version of it is active, or it is itself.
    /// - Parameters:
    ///   - archive: the path of the zip; it stays where it is.
    ///   - manifest: the path of its manifest.
    /// - Returns: what came of it; `nil` where a downloaded version stays.
    /// - Throws: ``DeliveryError`` where it is wanted and failed before, or asks for a newer host; `PackageError`,
    ///   `StoreError` or `CancellationError`.
    @discardableResult
    public func installBaseline(archive: String, manifest: String) async throws -> PackageUpdate? {
        let (manifest, digest) = try await library.readManifest(manifest)
        return try await packages.run(manifest.id.description) {
            // First: where a download has taken its place, it does not matter what became of it.
            guard try await library.isBaselineActive(manifest.id) != false else { return nil }
            try check(manifest, at: archive)
            let draft = try await library.draft(of: manifest)
            if let active = try await library.active(equalTo: draft) {
                return PackageUpdate(
                    outcome: .unchanged, package: active, transfer: .nothing, traffic: DeliveryTraffic())
            }
            try await library.fill(draft, from: archive)
            try await library.raiseSequence(to: manifest, digest)
            let generation = try await library.stage(draft, timing: nil, isBaseline: true)
            try await activateNow(generation)
            return PackageUpdate(
                outcome: .activated, package: generation.package, transfer: .whole, traffic: DeliveryTraffic())
        }
    }

    /// Installs a package because the host says so: without a trial, whatever is active, and also where the version failed
    /// one. A trial that runs ends without a verdict, and what waited to be activated is given up.
    /// - Parameters:
    ///   - archive: the path of the archive; it stays where it is.
    ///   - location: the path of its manifest.
    /// - Throws: ``DeliveryError`` where the package asks for a later host, `PackageError`, `StoreError` or
    ///   `CancellationError`.
    @discardableResult
    public func install(archive: String, manifest location: String) async throws -> InstalledPackage {
        let (manifest, digest) = try await library.readManifest(location)
        try manifest.check(host: hostVersion, at: location)
        let id = manifest.id
        return try await packages.run(id.description) {
            let former = library.activeGeneration(of: id)?.package
            // An update that is asked for from here on is the later word.
            hostInstallCounts[id.description, default: 0] += 1
            let package: InstalledPackage
            do {
                package = try await put(manifest, digest, from: archive)
            } catch {
                hostInstallCounts[id.description, default: 0] -= 1
                throw error
            }
            endTrial(of: id.description)
            save()
            if former?.generation != package.generation { _ = announce(id, from: former, to: package, .activated) }
            return package
        }
    }

    private func put(
        _ manifest: PackageManifest, _ digest: SHA256Digest, from archive: String
    ) async throws -> InstalledPackage {
        let draft = try await library.draft(of: manifest)
        if let active = try await library.active(equalTo: draft) {
            try await giveUpWaiting(manifest.id)
            return active
        }
        try await library.fill(draft, from: archive)
        try await library.raiseSequence(to: manifest, digest)
        let generation = try await library.stage(draft, timing: nil, isBaseline: false)
        do {
            // Once there is room for the package and it is known to be good, and before it is activated: a kill in between
            // leaves nothing that would take its place at the next launch.
            try await giveUpWaiting(manifest.id)
            try await library.activate(generation)
        } catch {
            // Where this fails too, the next library on this store gives the generation up.
            try? await library.giveUp(generation)
            throw error
        }
        return generation.package
    }

    /// Takes a package out of use, and gives up what waited to be activated. Pages that are open keep it until they close.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func remove(_ id: PackageID) async throws -> [PackageScopeChange] {
        try await packages.run(id.description) {
            hostInstallCounts[id.description, default: 0] += 1
            // First: what waits may be all that there is, and must not come at the next launch.
            try await giveUpWaiting(id)
            let former = library.activeGeneration(of: id)?.package
            guard try await library.remove(id) else { return [] }
            endTrial(of: id.description)
            save()
            return announce(id, from: former, to: nil, .removed)
        }
    }

    private var hostVersion: PackageVersion? { configuration.hostVersion ?? library.configuration.hostVersion }

    /// Fetches a manifest, with the digest of its bytes.
    func manifest(of source: PackageSource) async throws -> (PackageManifest, SHA256Digest) {
        let limits = library.configuration.manifestLimits
        let text = try await downloader.text(source.manifestURL, upTo: limits.maxBytes)
        // A long one takes seconds, which reports and deadlines must not wait for.
        return try await library.onThread { _ in
            do {
                return try (PackageManifest(decoding: text, limits: limits), SHA256Digest(of: text))
            } catch let error as PackageError where error.location == nil {
                throw PackageError(error.code, error.message, at: source.manifestURL)
            }
        }
    }

    private func check(_ manifest: PackageManifest, at location: String) throws {
        try manifest.check(host: hostVersion, at: location)
        try checkHealth(of: manifest.id, manifest.version, at: location)
    }

    /// To be asked anew after each wait: reports go on meanwhile, and the version may be on trial already, with other
    /// files.
    func checkHealth(of id: PackageID, _ version: PackageVersion, at location: String) throws {
        guard !trialRecord.isQuarantined("\(version)", of: "\(id)") else {
            throw DeliveryError(.quarantined, "version \(version) of \(id) failed before", at: location)
        }
    }

    private func update(
        to manifest: PackageManifest, _ digest: SHA256Digest, from source: PackageSource, _ timing: ApplyTiming,
        unlessChangedSince installCounts: [String: Int]
    ) async throws -> PackageUpdate {
        let name = manifest.id.description
        func checkNotOvertaken() throws {
            try checkHealth(of: manifest.id, manifest.version, at: source.manifestURL)
            guard hostInstallCounts[name] == installCounts[name] else {
                throw DeliveryError(
                    .overtaken, "the host installed or removed \(name) meanwhile", at: source.manifestURL)
            }
        }
        try checkNotOvertaken()
        let (draft, present): (PackageDraft, PackageUpdate?) = try await packages.run(name) {
            try checkNotOvertaken()
            _ = try await library.authorise(manifest, digest, from: source)
            let draft = try await library.draft(of: manifest)
            guard let present = try await update(to: draft, timing) else { return (draft, nil) }
            try await library.raiseSequence(to: manifest, digest)
            return (draft, present)
        }
        if let present { return present }
        let former = library.activeGeneration(of: manifest.id)?.number
        let (transfer, traffic) = try await fetch(draft, from: source)
        return try await packages.run(name) {
            try checkNotOvertaken()
            // What came with the app may have been installed meanwhile.
            if let active = try await library.activeGeneration(like: draft), active.number != former {
                return PackageUpdate(outcome: .unchanged, package: active.package, transfer: transfer, traffic: traffic)
            }
            // Another source, or another manifest, may have come first.
            let scope = try await library.authorise(manifest, digest, from: source)
            // Before it is staged: a number that is noted and not installed is taken again, with the same bytes.
            try await library.raiseSequence(to: manifest, digest)
            let timing = effective(timing)
            // What waits already is given up only once this one can take its place.
            let generation = try await library.stage(
                draft, timing: timing == .now ? nil : timing, isBaseline: false, authority: (source, scope))
            if timing == .now {
                try await activateNow(generation)
                // It is older, so where this fails it is given up when its time comes.
                try? await giveUpWaiting(manifest.id)
                return PackageUpdate(
                    outcome: .activated, package: generation.package, transfer: transfer, traffic: traffic)
            }
            do {
                try await giveUpWaiting(manifest.id, but: generation)
            } catch {
                try? await library.giveUp(generation)
                throw error
            }
            hub.send(.staged(manifest.id, manifest.version, timing))
            return PackageUpdate(
                outcome: .staged(timing), package: generation.package, transfer: transfer, traffic: traffic)
        }
    }

    /// What an update comes to that needs nothing new; `nil` where a generation has to be made.
    private func update(to draft: PackageDraft, _ timing: ApplyTiming) async throws -> PackageUpdate? {
        if let active = try await library.active(equalTo: draft) {
            try await giveUpWaiting(draft.manifest.id)
            return PackageUpdate(outcome: .unchanged, package: active, transfer: .nothing, traffic: DeliveryTraffic())
        }
        guard let (generation, since) = try await waiting(equalTo: draft) else { return nil }
        let timing = effective(timing)
        // Else it is staged anew, to wait for something else.
        guard timing == .now || timing == since else { return nil }
        // Where this fails it still waits.
        if timing == .now { _ = try await activate(generation) }
        return PackageUpdate(
            outcome: timing == .now ? .activated : .unchanged, package: generation.package, transfer: .nothing,
            traffic: DeliveryTraffic())
    }

    /// When an update takes effect, from here on: who waits for the background need not wait there.
    private func effective(_ timing: ApplyTiming) -> ApplyTiming {
        timing == .inBackground && areTrialsPaused ? .now : timing
    }

    private func waiting(
        equalTo draft: PackageDraft
    ) async throws -> (generation: PackageGeneration, timing: ApplyTiming)? {
        for (generation, timing) in try await library.waiting() where generation.package.id == draft.manifest.id {
            guard try await library.isReadable(generation) else {
                try await library.giveUp(generation)
                continue
            }
            let table = try generation.entries(in: library.store)
            if generation.package.version == draft.manifest.version,
                generation.package.baseURL == draft.manifest.baseURL,
                generation.package.isComplete == draft.manifest.isComplete, table.count == draft.entries.count,
                draft.entries.allSatisfy({ table[$0.path] == $0 })
            {
                return (generation, timing)
            }
        }
        return nil
    }

    /// A newer word of the publisher, or the host's own, takes the place of what still waits.
    private func giveUpWaiting(_ id: PackageID, but kept: PackageGeneration? = nil) async throws {
        for (generation, _) in try await library.waiting()
        where generation.package.id == id && generation.number != kept?.number {
            try await library.giveUp(generation)
        }
    }
}
