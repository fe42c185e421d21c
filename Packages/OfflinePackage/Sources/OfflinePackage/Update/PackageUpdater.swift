// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Logging
@_spi(Packaging) public import PackageFormat
public import ResourceLoading
internal import ResourceStore

/// A controller that updates packages: it fetches manifests and archives, installs and activates them, and rolls back
/// versions that do not boot.
///
/// A library has one updater. Call ``start()`` before the first page and before the first sweep, because it pins the
/// generations that a trial may roll back to.
///
/// **Isolation.** This actor. Bytes are fetched, unpacked and hashed elsewhere. Different packages are processed
/// concurrently, up to the limit of downloads; each package is processed serially.
///
/// **Life cycle of a version.** A version is fetched and staged, and activated immediately or at its time. It is then
/// on trial until a page reports that it booted. A version that fails its trial is first recorded as failed, so that a
/// kill does not allow another trial. Then the last good generation is activated again, or the package is deactivated
/// if there is none.
public actor PackageUpdater {
    let library: PackageLibrary
    let configuration: Configuration
    let downloader: PackageDownloader
    let hub = Broadcast<PackageEvent>(capacity: 256)
    /// The packages that are downloaded for the first time, for the loader that serves their files.
    nonisolated let arrivals: PartialPackages
    let health: any HealthRecording
    /// The queue of manifest fetches, one at a time for each manifest.
    let sources: KeyedQueue
    /// The queue of downloads, one at a time for each package.
    ///
    /// Changes of the active generation do not wait for it, so that a rollback and the transition to the background
    /// are fast.
    let fetches: KeyedQueue
    /// The queue of changes to active and staged generations, one at a time for each package.
    ///
    /// A job of one of the three queues never enters a queue that is declared before it, so the jobs cannot block each
    /// other forever. The queues run any number of jobs with different keys. The downloader limits transfers.
    let packages: KeyedQueue
    let watch: Stopwatch
    var trialRecord = TrialRecord()
    /// A Boolean value that indicates whether the trial record may be saved. It is `false` if an existing record
    /// could not be read.
    private(set) var mayWriteRecord = true
    /// A Boolean value that indicates whether the saved trial record is up to date.
    var isRecordWritten = true
    /// The last good generations that trials may roll back to, by package. Each is pinned once.
    var pins: [String: Int64] = [:]
    var alarm: Task<Void, Never>?
    /// The running tasks that process verdicts, by generation.
    var conclusions: [Int64: Task<Void, Never>] = [:]
    /// The trials that a running activation replaces, by package.
    var replaced: [String: ReplacedTrial] = [:]
    /// The number of installs and removals by the host, by package. An update that began before the last of them fails.
    private(set) var hostInstallCounts: [String: Int] = [:]
    /// The updates that wait for a background download, by package.
    var backgroundWaits: [String: BackgroundWait] = [:]
    var isShutDown = false
    var boots = BootTracker()
    var areTrialsPaused = false
    /// The order of the last call of ``pauseTrials(_:order:)``.
    var lastPause: UInt64 = 0
    private var isStarted = false

    /// Creates an updater.
    /// - Parameters:
    ///   - library: the library to install into.
    ///   - loader: the network loader.
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
        sources = KeyedQueue(maxConcurrent: .max, maxWaiting: configuration.downloads.maxWaiting)
        fetches = KeyedQueue(maxConcurrent: .max, maxWaiting: configuration.downloads.maxWaiting)
        packages = KeyedQueue(maxConcurrent: .max, maxWaiting: configuration.downloads.maxWaiting)
        watch = Stopwatch(configuration.clock)
        library.onDamage { [hub] in hub.send(.fileDamaged($0)) }
    }

    deinit {
        alarm?.cancel()
    }

    /// Returns a stream of the events from now on. A slow subscriber loses the oldest events.
    public nonisolated func events() -> AsyncStream<PackageEvent> {
        hub.subscribe()
    }

    /// The number of events that slow subscribers have lost, in total.
    public nonisolated var droppedEvents: Int {
        hub.dropped
    }

    // MARK: Launch and background

    /// Resumes the work of the last process: it ends trials, activates versions that waited for this launch and
    /// removes stale downloads.
    ///
    /// Call it once, before the first page. A second call has no effect.
    /// - Returns: the changes of base URLs since the last process ended.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func start() async throws -> [PackageScopeChange] {
        guard !isStarted else { return [] }
        isStarted = true
        do {
            trialRecord = try health.load()
        } catch {
            // The updater works without the trial record, but a failed version may be tried once more. The record may
            // be readable at the next launch, so it is not overwritten.
            mayWriteRecord = false
            configuration.logger.error("cannot read the trial record", metadata: ["error": "\(error)"])
        }
        let loaded = trialRecord
        var changes: [PackageScopeChange] = []
        for (name, trial) in trialRecord.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name), library.activeGeneration(of: id)?.number == trial.generation else {
                // The generation was never activated, or another one has been activated since.
                trialRecord.trials[name] = nil
                continue
            }
            pinFormer(of: trial, name)
            changes += try await tolerating(id) {
                if let verdict = trial.verdict { return try await conclude(verdict, of: id, trial) }
                guard let (verdict, trial) = apply(.relaunched, of: id, trial.generation) else { return [] }
                return try await conclude(verdict, of: id, trial)
            }
        }
        if trialRecord != loaded { save() }
        changes += try await apply([.nextLaunch, .inBackground])
        await downloader.removeStale()
        return changes
    }

    /// Retries failed rollbacks and activates versions that waited for the background.
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
                    // A version is discarded if the host is now too old, the version has failed, its table cannot be
                    // read, its base URL lies outside the scope, or it lacks a signature. It is also discarded if a
                    // later version is active, unless that version came with the app.
                    let isBaselineActive = try await library.isBaselineActive(id) == true
                    guard HostVersion.allows(generation.minHost, in: hostVersion),
                        try await library.mayActivate(
                            generation, signed: configuration.signedManifests != nil, in: configuration.signedScopes),
                        !trialRecord.isQuarantined("\(generation.package.version)", of: "\(id)"),
                        library.activeGeneration(of: id).map({ $0.number < generation.number || isBaselineActive })
                            ?? true,
                        try await library.isReadable(generation)
                    else {
                        try await library.discard(generation)
                        return []
                    }
                    return try await activate(generation)
                }
            }
        }
        return changes
    }

    /// Runs `body`, and logs and reports its errors.
    ///
    /// A package that cannot be changed, for example on a full disk, must not prevent updates of other packages or
    /// the launch of the app. The change is tried again next time.
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

    /// Fetches the manifest of a package and installs the version if it differs from the active one.
    ///
    /// If the manifest has slices and it is cheaper, only the missing files are fetched. The operation is atomic: on
    /// an error, active and staged generations are unchanged. If the host installs or removes the package meanwhile,
    /// the update fails.
    ///
    /// With the urgency `.whenConvenient` and a background downloader, the update may wait for days. Other updates of
    /// the package do not wait for it: with `.whenConvenient` they throw `notNow`, and with `.wanted` they end it.
    ///
    /// Before the archive is fetched, the manifest must match the source's package and scope, and must not be older
    /// than an installed one; see ``PackageSource`` and `PackageManifest.sequence`. If the publisher signs manifests,
    /// its metadata decides on scope and age instead. If no release is for this device, the active version stays.
    /// - Parameters:
    ///   - source: the URL of the manifest, and the package and scope that it may publish.
    ///   - timing: the time at which the version becomes active.
    ///   - urgency: the required conditions of the host, which are checked once, before the manifest is fetched.
    /// - Throws: ``DeliveryError``, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func update(
        from source: PackageSource, timing: ApplyTiming = .now, urgency: UpdateUrgency = .wanted
    ) async throws -> PackageUpdate {
        try await update(from: source, timing: timing, urgency: urgency) {}
    }

    /// Installs the package that came with the app, unless a downloaded version or the same package is active.
    /// - Parameters:
    ///   - archive: the path of the zip, which is not removed.
    ///   - manifest: the path of its manifest.
    ///   - withdrawn: the packages that must not be installed. Default: none.
    /// - Returns: the result, or `nil` if a downloaded version remains active, or the package is one of `withdrawn`.
    /// - Throws: ``DeliveryError`` if the version failed its trial before or requires a later host; `PackageError`,
    ///   `StoreError` or `CancellationError`.
    @discardableResult
    public func installBaseline(
        archive: String, manifest: String, excluding withdrawn: Set<PackageID> = []
    ) async throws -> PackageUpdate? {
        let (manifest, digest) = try await library.readManifest(manifest)
        guard !withdrawn.contains(manifest.id) else { return nil }
        return try await packages.run(manifest.id.description) {
            // This check comes first, because an earlier failure does not matter if a downloaded version is active.
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

    /// Installs a package on behalf of the host: without a trial, over any active version, even if the version failed
    /// its trial.
    ///
    /// A running trial ends without a verdict, and staged generations are discarded.
    /// - Parameters:
    ///   - archive: the path of the archive, which is not removed.
    ///   - location: the path of its manifest.
    /// - Throws: ``DeliveryError`` if the package requires a later host, `PackageError`, `StoreError` or
    ///   `CancellationError`.
    @discardableResult
    public func install(archive: String, manifest location: String) async throws -> InstalledPackage {
        let (manifest, digest) = try await library.readManifest(location)
        try manifest.check(host: hostVersion, at: location)
        let id = manifest.id
        return try await packages.run(id.description) {
            let former = library.activeGeneration(of: id)?.package
            // An update that begins from here on has precedence over this install.
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
            await cancelBackgroundDownloads(of: id)
            return package
        }
    }

    private func put(
        _ manifest: PackageManifest, _ digest: SHA256Digest, from archive: String
    ) async throws -> InstalledPackage {
        let draft = try await library.draft(of: manifest)
        if let active = try await library.active(equalTo: draft) {
            try await discardStaged(of: manifest.id)
            return active
        }
        try await library.fill(draft, from: archive)
        try await library.raiseSequence(to: manifest, digest)
        let generation = try await library.stage(draft, timing: nil, isBaseline: false)
        do {
            // Staged generations are discarded after the package is verified and stored, but before it is activated.
            // After a kill in between, no staged generation replaces it at the next launch.
            try await discardStaged(of: manifest.id)
            try await library.activate(generation)
        } catch {
            // If `discard` fails too, the next library that opens the store discards the generation.
            try? await library.discard(generation)
            throw error
        }
        return generation.package
    }

    /// Deactivates a package and discards its staged generations. Open pages use it until they close.
    /// - Throws: `StoreError` or `CancellationError`.
    @discardableResult
    public func remove(_ id: PackageID) async throws -> [PackageScopeChange] {
        try await packages.run(id.description) {
            hostInstallCounts[id.description, default: 0] += 1
            await cancelBackgroundDownloads(of: id)
            // Staged generations are discarded first, even if the package has no active one, because a staged one would
            // be activated at the next launch.
            try await discardStaged(of: id)
            let former = library.activeGeneration(of: id)?.package
            guard try await library.remove(id) else { return [] }
            endTrial(of: id.description)
            save()
            return announce(id, from: former, to: nil, .removed)
        }
    }

    var hostVersion: PackageVersion? { configuration.hostVersion ?? library.configuration.hostVersion }

    func check(_ manifest: PackageManifest, at location: String) throws {
        try manifest.check(host: hostVersion, at: location)
        try checkHealth(of: manifest.id, manifest.version, at: location)
    }

    /// Checks that a version did not fail its trial.
    ///
    /// Call it again after each suspension, because reports arrive meanwhile and the same version may already be on
    /// trial with other files.
    func checkHealth(of id: PackageID, _ version: PackageVersion, at location: String) throws {
        guard !trialRecord.isQuarantined("\(version)", of: "\(id)") else {
            throw DeliveryError(.quarantined, "version \(version) of \(id) failed its trial before", at: location)
        }
    }

    /// Checks that the version is healthy, and that the host has not installed or removed the package since.
    func checkNotOvertaken(
        _ manifest: PackageManifest, from source: PackageSource, since installCounts: [String: Int]
    ) throws {
        let name = manifest.id.description
        try checkHealth(of: manifest.id, manifest.version, at: source.manifestURL)
        guard hostInstallCounts[name] == installCounts[name] else {
            throw DeliveryError(
                .overtaken, "the host installed or removed \(name) during the update", at: source.manifestURL)
        }
    }

    /// Installs the version of a manifest.
    /// - Throws: ``BackgroundDownloadRequired`` with `wait`, and the errors of ``update(from:timing:urgency:)``.
    func update(
        to fetched: FetchedManifest, _ timing: ApplyTiming, _ use: BackgroundUse, since installCounts: [String: Int]
    ) async throws -> PackageUpdate {
        let (manifest, digest, source) = (fetched.manifest, fetched.digest, fetched.source)
        let name = manifest.id.description
        func checkNotOvertaken() throws {
            try self.checkNotOvertaken(manifest, from: source, since: installCounts)
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
        if let present {
            await cancelBackgroundDownloads(of: manifest.id)
            return present
        }
        let former = library.activeGeneration(of: manifest.id)?.number
        let (transfer, traffic) = try await fetch(draft, from: source, use)
        return try await packages.run(name) {
            try checkNotOvertaken()
            // The package that came with the app may have been installed meanwhile.
            if let active = try await library.activeGeneration(equalTo: draft), active.number != former {
                return PackageUpdate(outcome: .unchanged, package: active.package, transfer: transfer, traffic: traffic)
            }
            // A package of another source or manifest may have been installed meanwhile.
            let scope = try await library.authorise(manifest, digest, from: source)
            // The sequence number is raised before staging. If staging fails, the same manifest may be installed with
            // the same number.
            try await library.raiseSequence(to: manifest, digest)
            let timing = effective(timing)
            // An earlier staged generation is discarded only after the new one is staged.
            let generation = try await library.stage(
                draft, timing: timing == .now ? nil : timing, isBaseline: false, authority: (source, scope))
            if timing == .now {
                try await activateNow(generation)
                // If this call fails, the staged generation is discarded when its time comes, because it is older than
                // the active one.
                try? await discardStaged(of: manifest.id)
                return PackageUpdate(
                    outcome: .activated, package: generation.package, transfer: transfer, traffic: traffic)
            }
            do {
                try await discardStaged(of: manifest.id, except: generation)
            } catch {
                try? await library.discard(generation)
                throw error
            }
            hub.send(.staged(manifest.id, manifest.version, timing))
            return PackageUpdate(
                outcome: .staged(timing), package: generation.package, transfer: transfer, traffic: traffic)
        }
    }

    /// Returns the result of an update that needs no new generation, or `nil` if a new generation is required.
    private func update(to draft: PackageDraft, _ timing: ApplyTiming) async throws -> PackageUpdate? {
        if let active = try await library.active(equalTo: draft) {
            try await discardStaged(of: draft.manifest.id)
            return PackageUpdate(outcome: .unchanged, package: active, transfer: .nothing, traffic: DeliveryTraffic())
        }
        guard let (generation, since) = try await waiting(equalTo: draft) else { return nil }
        let timing = effective(timing)
        // If the timing differs, the generation is staged again.
        guard timing == .now || timing == since else { return nil }
        // If the activation fails, the generation stays staged.
        if timing == .now { _ = try await activate(generation) }
        return PackageUpdate(
            outcome: timing == .now ? .activated : .unchanged, package: generation.package, transfer: .nothing,
            traffic: DeliveryTraffic())
    }

    /// Returns the effective timing. In the background, `inBackground` means immediately.
    private func effective(_ timing: ApplyTiming) -> ApplyTiming {
        timing == .inBackground && areTrialsPaused ? .now : timing
    }

    private func waiting(
        equalTo draft: PackageDraft
    ) async throws -> (generation: PackageGeneration, timing: ApplyTiming)? {
        for (generation, timing) in try await library.waiting() where generation.package.id == draft.manifest.id {
            guard try await library.isReadable(generation) else {
                try await library.discard(generation)
                continue
            }
            if try generation.equals(draft, in: library.store) { return (generation, timing) }
        }
        return nil
    }

    /// Discards the staged generations of a package, because a newer version or the host replaces them.
    func discardStaged(of id: PackageID, except kept: PackageGeneration? = nil) async throws {
        for (generation, _) in try await library.waiting()
        where generation.package.id == id && generation.number != kept?.number {
            try await library.discard(generation)
        }
    }
}
