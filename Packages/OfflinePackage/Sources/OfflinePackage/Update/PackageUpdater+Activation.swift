// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat
internal import ResourceStore

// Activation, with the trial that begins by it.
extension PackageUpdater {
    /// Activates what was just staged, or gives it up.
    func activateNow(_ generation: PackageGeneration) async throws {
        do {
            try checkHealth(of: generation.package.id, generation.package.version, at: library.store.directory)
            _ = try await activate(generation)
        } catch {
            // Where this fails too, the next library on this store gives the generation up.
            try? await library.giveUp(generation)
            throw error
        }
    }

    /// Makes a generation the active one of its package, on trial.
    /// - Throws: ``DeliveryError`` where the trial cannot be written down, ``StoreError`` or `CancellationError`. Then what
    ///   was active is, and its own trial goes on as if nothing had been.
    func activate(_ generation: PackageGeneration) async throws -> [PackageScopeChange] {
        let id = generation.package.id
        let name = id.description
        let former = library.activeGeneration(of: id)
        let running = trialRecord.trials[name].flatMap { $0.generation == former?.number ? $0 : nil }
        // What was never proven is not what to fall back to.
        let good = running.flatMap { $0.verdict == .healthy ? nil : $0 }.map(\.former) ?? former?.number
        var trial = TrialPeriod(
            of: generation.number, version: generation.package.version.description, over: good,
            limits: configuration.trial)
        if areTrialsPaused { _ = trial.apply(.paused, of: generation.number, at: watch.elapsed) }
        replaced[name] = running.map(ReplacedTrial.init)
        pinFormer(of: trial, name)
        trialRecord.trials[name] = trial
        do {
            // Before it is activated: a kill in between leaves a trial of what is not active, which the next start drops. The
            // other way round nobody would count the processes that end while it boots.
            guard save() else {
                throw DeliveryError(
                    .io, "the trial of version \(generation.package.version) cannot be written down",
                    at: library.store.directory)
            }
            try await library.activate(generation)
        } catch {
            restoreTrial(of: id)
            throw error
        }
        replaced[name] = nil
        schedule()
        return announce(id, from: former?.package, to: generation.package, .activated)
    }

    /// Puts the trial in its place again that an activation was to end, with what was reported meanwhile.
    private func restoreTrial(of id: PackageID) {
        let name = id.description
        guard let back = replaced.removeValue(forKey: name) else {
            endTrial(of: name)
            save()
            return
        }
        trialRecord.trials[name] = back.trial
        save()
        schedule()
        for (event, time) in back.events {
            guard let (verdict, trial) = judge(event, of: id, back.trial.generation, at: time) else { continue }
            begin(verdict, of: id, trial)
        }
    }
}
