// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Logging
internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

// The trial that follows an activation: reports of pages, verdicts, rollback, and the alarm that ends a boot.
extension PackageUpdater {
    /// Takes a report of a page, and returns once what it leads to is done: a rollback waits for work on its package.
    /// Reports that no trial waits for change nothing.
    ///
    /// A report counts for the generations that the page is pinned to, that are on trial, and that have the page's document
    /// under their base URL or have answered it: see ``BootReport/Kind-swift.enum/answered(_:)``. A boot that was under way
    /// counts for these from the first answer on. A page that began to boot before a generation was there counts for it
    /// only where that has answered.
    public func report(_ report: BootReport) async {
        for conclusion in record(report) { await conclusion.value }
    }

    /// Waits for what reports have led to so far, then ends the streams of events. Work that callers wait for goes on.
    public func shutDown() async {
        while let conclusion = conclusions.values.first { await conclusion.value }
        hub.finish()
    }

    /// Takes a report of a page like ``report(_:)``, and does not wait for what it leads to.
    /// - Returns: what is still to be done: one task for each trial that the report ended, and for each rollback that is
    ///   tried again.
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
        // What is no URL of a package, `about:blank` for one, lies in none.
        let document = PackageURL(page.documentURL)
        boots.record(report)
        // Before this report's own verdict is among them.
        let retried = retryRollbacks()
        let ended: [Task<Void, Never>] = page.generations.compactMap { pinned in
            let isReplaced = replaced[pinned.package]?.trial.generation == pinned.number
            guard isReplaced || trialRecord.trials[pinned.package]?.generation == pinned.number,
                let id = try? PackageID(pinned.package),
                let active = library.activeGeneration(of: id), active.number == pinned.number
            else { return nil }
            let isInside = document.map(active.contains) ?? false
            // What its document came from is not this generation, wherever it lies.
            let isForeign = !isInside || boots.began(page.id, without: pinned.number)
            let isMeant =
                switch report.kind {
                case .began, .healthy, .failed: !isForeign || boots.has(page.id, answersOf: pinned.number)
                case .answered(let generation): isForeign && generation == pinned && boots.isBooting(page.id)
                case .moved: !isInside
                // A page that is closed boots no more, wherever it is by then.
                case .closed: true
                }
            guard isMeant else { return nil }
            if isReplaced {
                replaced[pinned.package]?.record(event, at: watch.elapsed)
                return nil
            }
            return send(event, of: id, pinned.number)
        }
        return retried + ended
    }

    /// Tells a trial of an event; where that ends it, the rest is done in a task, since it may wait for a download.
    private func send(_ event: TrialPeriod.Event, of id: PackageID, _ generation: Int64) -> Task<Void, Never>? {
        judge(event, of: id, generation).map { begin($0, of: id, $1) }
    }

    @discardableResult
    func begin(
        _ verdict: TrialPeriod.Verdict, of id: PackageID, _ trial: TrialPeriod, again: Bool = false
    ) -> Task<Void, Never> {
        let generation = trial.generation
        // It holds the updater until it is done. The verdict stands in the trial record: where this ends early, the
        // next start goes on from there.
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

    /// Verdicts that have not led to what they must, because the disk was full or the store suspended, and that nobody is
    /// at work on.
    var unfinished: [(PackageID, TrialPeriod, TrialPeriod.Verdict)] {
        trialRecord.trials.sorted { $0.key < $1.key }.compactMap { name, trial in
            guard let verdict = trial.verdict, conclusions[trial.generation] == nil, let id = try? PackageID(name)
            else { return nil }
            return (id, trial, verdict)
        }
    }

    /// Tries again to take back what failed its trial and could not be taken back then, and to write down what could not
    /// be written. So does every report, and every way to the background; the owner of the store does when it can be
    /// written to again.
    /// - Returns: what is still to be done.
    @discardableResult
    public func retryRollbacks() -> [Task<Void, Never>] {
        if !isRecordWritten { save() }
        return unfinished.map { id, trial, verdict in begin(verdict, of: id, trial, again: true) }
    }

    /// - Parameter time: when it happened; now where `nil`.
    func judge(
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

    /// - Parameter again: whether it was tried before, and told.
    func conclude(
        _ verdict: TrialPeriod.Verdict, of id: PackageID, _ trial: TrialPeriod, again: Bool = false
    ) async throws -> [PackageScopeChange] {
        guard let active = library.activeGeneration(of: id), active.number == trial.generation else { return [] }
        switch verdict {
        case .healthy:
            // The next version may be about to be activated, with a trial of its own.
            guard trialRecord.trials[id.description]?.generation == trial.generation else { return [] }
            endTrial(of: id.description)
            save()
            hub.send(.confirmed(id, active.package.version))
            return []
        case .failed(let reason):
            // First of all, so that a kill from here on cannot bring it back.
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
                return announce(id, from: active.package, to: current?.package, .rolledBack(reason))
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

    /// - Returns: whether the trial record is as safe as it can be: written, or not to be written at all.
    @discardableResult
    func save() -> Bool {
        guard mayWriteRecord else { return true }
        isRecordWritten = false
        do {
            try health.save(trialRecord)
            isRecordWritten = true
        } catch {
            configuration.logger.error("cannot write the record of health", metadata: ["error": "\(error)"])
        }
        return isRecordWritten
    }

    // MARK: Time

    /// Pauses all trials, those that begin meanwhile among them, while the app is in the background or suspended; or ends
    /// that: each boot that is under way has the whole limit again. See ``TrialPeriod``.
    /// - Parameters:
    ///   - isPaused: `true` to pause, `false` to resume.
    ///   - order: a number that rises with each call; a call with a number that is not higher than the last changes
    ///     nothing.
    public func pauseTrials(_ isPaused: Bool, order: UInt64) {
        guard order > lastPause else { return }
        lastPause = order
        guard isPaused != areTrialsPaused else { return }
        areTrialsPaused = isPaused
        let boots = trialRecord.trials.mapValues(\.unfinishedBoots)
        for (name, trial) in trialRecord.trials {
            var trial = trial
            // Neither brings a verdict.
            _ = trial.apply(isPaused ? .paused : .resumed, of: trial.generation, at: watch.elapsed)
            trialRecord.trials[name] = trial
        }
        for name in replaced.keys { replaced[name]?.record(isPaused ? .paused : .resumed, at: watch.elapsed) }
        schedule()
        if trialRecord.trials.mapValues(\.unfinishedBoots) != boots { save() }
        if !isPaused { retryRollbacks() }
    }

    /// Sets the alarm to when the next boot is over.
    func schedule() {
        alarm?.cancel()
        alarm = nil
        guard let due = trialRecord.trials.values.compactMap(\.deadline).min() else { return }
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
        for (name, trial) in trialRecord.trials.sorted(by: { $0.key < $1.key }) {
            guard let id = try? PackageID(name) else { continue }
            await send(.clock, of: id, trial.generation)?.value
        }
    }
}
