// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

// The trial that follows an activation: reports of pages, verdicts, rollbacks, and the timer that ends a boot.
extension PackageUpdater {
    /// Applies a report of a page and waits for its effects. A rollback waits for other work on its package.
    ///
    /// A report counts for a pinned generation on trial if the page's document lies below the generation's base URL. It
    /// also counts if the generation has served the document; see ``BootReport/Kind-swift.enum/answered(_:)``. In the
    /// second case a running boot counts from the first response on. The second case is required if the page began to
    /// boot before the generation was active. Other reports have no effect.
    public func report(_ report: BootReport) async {
        for conclusion in record(report) { await conclusion.value }
    }

    /// Waits for the effects of the reports so far, then ends the event streams. Other work continues.
    ///
    /// Updates that wait for a background download throw `CancellationError`. The download itself continues, for the
    /// next updater of the store.
    public func shutDown() async {
        isShutDown = true
        for wait in backgroundWaits.values { wait.task.cancel() }
        while let conclusion = conclusions.values.first { await conclusion.value }
        hub.finish()
    }

    /// Applies a report of a page like ``report(_:)``, without waiting for its effects.
    /// - Returns: one task for each trial that the report ended, and for each rollback that is tried again.
    @discardableResult
    public func record(_ report: BootReport) -> [Task<Void, Never>] {
        let page = report.page
        let event: TrialPeriod.Event =
            switch report.kind {
            case .began, .answered: .bootBegan(page.id)
            case .healthy: .healthy(page.id)
            case .failed(let reason): .failed(page.id, reason)
            case .moved, .closed: .closed(page.id)
            }
        // A URL that is not a package URL, for example `about:blank`, lies in no package.
        let document = PackageURL(page.documentURL)
        boots.record(report)
        // The retries start first, so that they do not include the verdict of this report.
        let retried = retryRollbacks()
        let ended: [Task<Void, Never>] = page.generations.compactMap { pinned in
            let isReplaced = replaced[pinned.package]?.trial.generation == pinned.number
            guard isReplaced || trialRecord.trials[pinned.package]?.generation == pinned.number,
                let id = try? PackageID(pinned.package),
                let active = library.activeGeneration(of: id), active.number == pinned.number
            else { return nil }
            let isInside = document.map(active.contains) ?? false
            // The document was served by another generation or by the network.
            let isForeign = !isInside || boots.began(page.id, without: pinned.number)
            let isOfTrial =
                switch report.kind {
                case .began, .healthy, .failed: !isForeign || boots.has(page.id, answersOf: pinned.number)
                case .answered(let generation): isForeign && generation == pinned && boots.isBooting(page.id)
                case .moved: !isInside
                // A closed page no longer boots, wherever its document lies.
                case .closed: true
                }
            guard isOfTrial else { return nil }
            if isReplaced {
                replaced[pinned.package]?.record(event, at: watch.elapsed)
                return nil
            }
            return send(event, of: id, pinned.number)
        }
        return retried + ended
    }

    /// Applies an event to a trial. A verdict is processed in a task, because it may wait for a download.
    private func send(_ event: TrialPeriod.Event, of id: PackageID, _ generation: Int64) -> Task<Void, Never>? {
        apply(event, of: id, generation).map { begin($0, of: id, $1) }
    }

    @discardableResult
    func begin(
        _ verdict: TrialPeriod.Verdict, of id: PackageID, _ trial: TrialPeriod, again: Bool = false
    ) -> Task<Void, Never> {
        let generation = trial.generation
        // The task retains the updater until it ends. The verdict is in the trial record. If the process ends first,
        // the next start processes the verdict.
        let conclusion = Task {
            defer { conclusions[generation] = nil }
            do {
                _ = try await conclude(verdict, of: id, trial, again: again)
            } catch {
                configuration.logger.error(
                    "cannot roll a package back", metadata: ["package": "\(id)", "error": "\(error)"])
            }
        }
        conclusions[generation] = conclusion
        return conclusion
    }

    /// The verdicts that no task is processing, because a first attempt failed, for example on a full disk.
    var unfinished: [(PackageID, TrialPeriod, TrialPeriod.Verdict)] {
        trialRecord.trials.sorted { $0.key < $1.key }.compactMap { name, trial in
            guard let verdict = trial.verdict, conclusions[trial.generation] == nil, let id = try? PackageID(name)
            else { return nil }
            return (id, trial, verdict)
        }
    }

    /// Retries failed rollbacks and a failed save of the trial record.
    ///
    /// Every report and every transition to the background does the same. The owner of the store calls it when the
    /// store is writable again.
    /// - Returns: one task for each rollback.
    @discardableResult
    public func retryRollbacks() -> [Task<Void, Never>] {
        if !isRecordWritten { save() }
        return unfinished.map { id, trial, verdict in begin(verdict, of: id, trial, again: true) }
    }

    /// Applies an event to the trial of a package.
    /// - Parameters:
    ///   - event: the event to apply.
    ///   - id: the package on trial.
    ///   - generation: the generation that the event refers to.
    ///   - time: the time of the event, or `nil` for now.
    /// - Returns: the verdict and the trial if the event ends the trial, otherwise `nil`.
    func apply(
        _ event: TrialPeriod.Event, of id: PackageID, _ generation: Int64, at time: Duration? = nil
    ) -> (TrialPeriod.Verdict, TrialPeriod)? {
        guard var trial = trialRecord.trials[id.description] else { return nil }
        let boots = trial.unfinishedBoots
        let verdict = trial.apply(event, of: generation, at: time ?? watch.elapsed)
        trialRecord.trials[id.description] = trial
        schedule()
        if verdict != nil || boots != trial.unfinishedBoots { save() }
        return verdict.map { ($0, trial) }
    }

    /// Processes a verdict: confirms the generation, or rolls it back.
    /// - Parameters:
    ///   - verdict: the verdict of the trial.
    ///   - id: the package on trial.
    ///   - trial: the trial.
    ///   - again: whether the verdict was processed and announced before.
    /// - Returns: the changes of the base URLs.
    func conclude(
        _ verdict: TrialPeriod.Verdict, of id: PackageID, _ trial: TrialPeriod, again: Bool = false
    ) async throws -> [PackageScopeChange] {
        guard let active = library.activeGeneration(of: id), active.number == trial.generation else { return [] }
        switch verdict {
        case .healthy:
            // The next version may be about to be activated, with its own trial.
            guard trialRecord.trials[id.description]?.generation == trial.generation else { return [] }
            endTrial(of: id.description)
            save()
            hub.send(.confirmed(id, active.package.version))
            return []
        case .failed(let reason):
            // The failure is recorded first, so that a kill from here on does not allow another trial.
            trialRecord.markFailed(trial.version, of: id.description)
            save()
            if !again { hub.send(.quarantined(id, active.package.version, reason: reason)) }
            return try await packages.run(id.description) {
                guard trialRecord.trials[id.description]?.generation == trial.generation,
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
                return announce(
                    id, from: active.package, to: current?.package, .rolledBack(reason), trial.failure)
            }
        }
    }

    func endTrial(of package: String) {
        trialRecord.trials[package] = nil
        if let pin = pins.removeValue(forKey: package) { library.store.unpin(pin) }
        schedule()
    }

    func pinFormer(of trial: TrialPeriod, _ package: String) {
        guard pins[package] != trial.former else { return }
        let old = pins.removeValue(forKey: package)
        if let former = trial.former, library.store.pin(former) { pins[package] = former }
        if let old { library.store.unpin(old) }
    }

    func announce(
        _ id: PackageID, from former: InstalledPackage?, to current: InstalledPackage?,
        _ reason: PackageScopeChange.Reason, _ failure: TrialFailure? = nil
    ) -> [PackageScopeChange] {
        var bases: [PackageBaseURL] = []
        for base in [former?.baseURL, current?.baseURL].compactMap({ $0 }) where !bases.contains(base) {
            bases.append(base)
        }
        let changes = bases.map { base in
            PackageScopeChange(
                package: id, baseURL: base, former: former?.baseURL == base ? former?.generation : nil,
                current: current?.baseURL == base ? current?.generation : nil, reason: reason,
                version: failure == nil ? current?.version : former?.version, failure: failure)
        }
        for change in changes { hub.send(.scopeChanged(change)) }
        return changes
    }

    /// Saves the trial record.
    /// - Returns: `true` if the record was saved or must not be saved.
    @discardableResult
    func save() -> Bool {
        guard mayWriteRecord else { return true }
        isRecordWritten = false
        do {
            try health.save(trialRecord)
            isRecordWritten = true
        } catch {
            configuration.logger.error("cannot save the trial record", metadata: ["error": "\(error)"])
        }
        return isRecordWritten
    }

    // MARK: Time

    /// Pauses all trials while the app is in the background or suspended, or resumes them.
    ///
    /// Trials that begin during the pause are paused too. On resume, each running boot has the full limit
    /// again.
    /// - Parameters:
    ///   - isPaused: `true` to pause, `false` to resume.
    ///   - order: a number that increases with each call. A call with a number that is not higher than the last has
    ///     no effect.
    public func pauseTrials(_ isPaused: Bool, order: UInt64) {
        guard order > lastPause else { return }
        lastPause = order
        guard isPaused != areTrialsPaused else { return }
        areTrialsPaused = isPaused
        let boots = trialRecord.trials.mapValues(\.unfinishedBoots)
        for (name, trial) in trialRecord.trials {
            var trial = trial
            // Neither event leads to a verdict.
            _ = trial.apply(isPaused ? .paused : .resumed, of: trial.generation, at: watch.elapsed)
            trialRecord.trials[name] = trial
        }
        for name in replaced.keys { replaced[name]?.record(isPaused ? .paused : .resumed, at: watch.elapsed) }
        schedule()
        if trialRecord.trials.mapValues(\.unfinishedBoots) != boots { save() }
        if !isPaused { retryRollbacks() }
    }

    /// Sets the timer to the deadline of the next boot.
    func schedule() {
        alarm?.cancel()
        alarm = nil
        guard let due = trialRecord.trials.values.compactMap(\.deadline).min() else { return }
        let clock = configuration.clock
        let wait = due - watch.elapsed
        // The next timer or the end of the updater cancels the task.
        alarm = Task { [weak self] in
            do {
                try await clock.sleep(for: wait)
            } catch {
                return
            }
            await self?.applyDeadlines()
        }
    }

    /// Applies the deadline to each trial.
    private func applyDeadlines() async {
        // A cancelled timer has been replaced. From here on the task is not cancelled and completes.
        guard !Task.isCancelled else { return }
        alarm = nil
        for (name, trial) in trialRecord.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name) else { continue }
            await send(.clock, of: id, trial.generation)?.value
        }
    }
}
