// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat
internal import ResourceStore

// Activation of a generation and the start of its trial.
extension PackageUpdater {
    /// Activates a staged generation, or discards it on an error.
    func activateNow(_ generation: PackageGeneration) async throws {
        do {
            try checkHealth(of: generation.package.id, generation.package.version, at: library.store.directory)
            _ = try await activate(generation)
        } catch {
            // If `discard` fails too, the next library that opens the store discards the generation.
            try? await library.discard(generation)
            throw error
        }
    }

    /// Makes a generation the active one of its package, and starts its trial.
    /// - Throws: ``DeliveryError`` if the trial cannot be saved, ``StoreError`` or `CancellationError`. On an error
    ///   the active generation and its own trial are unchanged.
    func activate(_ generation: PackageGeneration) async throws -> [PackageScopeChange] {
        let id = generation.package.id
        let name = id.description
        let former = library.activeGeneration(of: id)
        let running = trialRecord.trials[name].flatMap { $0.generation == former?.number ? $0 : nil }
        // A generation that did not pass its trial is not a target of a rollback.
        let good = running.flatMap { $0.verdict == .healthy ? nil : $0 }.map(\.former) ?? former?.number
        var trial = TrialPeriod(
            of: generation.number, version: generation.package.version.description, over: good,
            limits: configuration.trial)
        if areTrialsPaused { _ = trial.apply(.paused, of: generation.number, at: watch.elapsed) }
        replaced[name] = running.map(ReplacedTrial.init)
        pinFormer(of: trial, name)
        trialRecord.trials[name] = trial
        do {
            // The trial is saved before the activation. A kill in between leaves a trial of an inactive generation,
            // which the next start removes. In the reverse order, processes that end during a boot would not be
            // counted.
            guard save() else {
                throw DeliveryError(
                    .io, "the trial of version \(generation.package.version) cannot be saved",
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

    /// Restores the trial that a failed activation had replaced, and applies the events since then.
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
            guard let (verdict, trial) = apply(event, of: id, back.trial.generation, at: time) else { continue }
            begin(verdict, of: id, trial)
        }
    }
}
