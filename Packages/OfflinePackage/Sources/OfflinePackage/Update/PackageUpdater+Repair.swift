// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import PackageFormat
internal import ResourceLoading

extension PackageUpdater {
    /// Fetches again what the active version of a package has lost of its files, from where it came. Nothing else changes:
    /// pages that have it stay on it, and there is no trial.
    ///
    /// Only what is missing is fetched, where that is cheaper.
    /// - Parameters:
    ///   - id: the package to repair.
    ///   - urgency: what the host's conditions must allow, looked at once.
    /// - Throws: ``DeliveryError``, with code `notNow` where the conditions do not allow
    ///   it, `PackageError`, `StoreError` or `CancellationError`.
    @discardableResult
    public func repair(
        _ id: PackageID, urgency: UpdateUrgency = .whenConvenient
    ) async throws -> RepairResult {
        guard let source = try await library.source(of: id) else { return .unknownSource }
        if let reason = urgency.obstacle(in: configuration.conditions.conditions) {
            throw DeliveryError(.notNow, reason, at: source.manifestURL)
        }
        // A page that misses a file after this says so anew.
        func forget() {
            if let generation = library.activeGeneration(of: id) { library.forgetDamage(of: generation) }
        }
        do {
            let outcome = try await repair(id, from: source)
            if case .whole = outcome { forget() }
            return outcome
        } catch {
            forget()
            throw error
        }
    }

    private func repair(_ id: PackageID, from source: PackageSource) async throws -> RepairResult {
        try await sources.run(source.manifestURL) {
            let (manifest, _) = try await manifest(of: source)
            // Only the bytes that the active version names can come of it.
            _ = try source.check(manifest, against: nil)
            return try await fetches.run(id.description) { try await repair(manifest, from: source) }
        }
    }

    private func repair(_ manifest: PackageManifest, from source: PackageSource) async throws -> RepairResult {
        let draft = try await library.draft(of: manifest)
        guard let generation = try await library.activeGeneration(like: draft) else {
            return .outdated(manifest.version)
        }
        guard !draft.missing.isEmpty else { return .whole }
        let (transfer, traffic) = try await fetch(draft, from: source)
        // Whatever is active by now: the bytes are those of the digests that the generation names.
        try await library.restore(generation, from: draft)
        let files = draft.missing.count
        hub.send(.repaired(manifest.id, manifest.version, files: files))
        return .repaired(files: files, transfer: transfer, traffic: traffic)
    }
}

/// What came of a look at what a package has lost.
public enum RepairResult: Sendable, Hashable {
    /// It has all its files.
    case whole
    /// It has all its files again: so many were fetched.
    case repaired(files: Int, transfer: PackageUpdate.Transfer, traffic: DeliveryTraffic)
    /// It was not fetched by an updater, so nobody knows from where it could be: installing or updating it repairs it.
    case unknownSource
    /// Its source has this version by now, perhaps with other files: an update repairs it.
    case outdated(PackageVersion)
}
