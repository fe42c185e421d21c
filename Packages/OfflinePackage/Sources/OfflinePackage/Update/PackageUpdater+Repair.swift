// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import PackageFormat
internal import ResourceLoading

extension PackageUpdater {
    /// Fetches lost files of the active version of a package again from its source.
    ///
    /// Nothing else changes: open pages keep the generation, and there is no trial. If it is cheaper, only the
    /// missing files are fetched.
    /// - Parameters:
    ///   - id: the package to repair.
    ///   - urgency: the required conditions of the host, which are checked once.
    /// - Throws: ``DeliveryError``, with code `notNow` if the conditions do not allow the repair, `PackageError`,
    ///   `StoreError` or `CancellationError`.
    @_spi(Facade) @discardableResult
    public func repair(
        _ id: PackageID, urgency: UpdateUrgency = .whenConvenient
    ) async throws -> RepairResult {
        guard let source = try await library.source(of: id) else { return .unknownSource }
        if let reason = urgency.obstacle(in: configuration.conditions.conditions) {
            throw DeliveryError(.notNow, reason, at: source.manifestURL)
        }
        // Later failures to read a file are reported again.
        func removeDamage() {
            if let generation = library.activeGeneration(of: id) { library.removeDamage(of: generation) }
        }
        do {
            let outcome = try await BackgroundTransfer.$isCurrent.withValue(urgency == .whenConvenient) {
                try await repair(id, from: source)
            }
            if case .whole = outcome { removeDamage() }
            return outcome
        } catch {
            removeDamage()
            throw error
        }
    }

    private func repair(_ id: PackageID, from source: PackageSource) async throws -> RepairResult {
        try await sources.run(source.manifestURL) {
            // A signed release that was stopped since cannot be repaired.
            guard let fetched = try await releasedManifest(of: source) else { return .noRelease }
            // A repair stores only bytes that the active version names, so the binding of the package is not checked.
            _ = try fetched.source.check(fetched.manifest, against: nil)
            return try await fetches.run(id.description) { try await repair(fetched.manifest, from: fetched.source) }
        }
    }

    private func repair(_ manifest: PackageManifest, from source: PackageSource) async throws -> RepairResult {
        let draft = try await library.draft(of: manifest)
        guard let generation = try await library.activeGeneration(equalTo: draft) else {
            return .outdated(manifest.version)
        }
        guard !draft.missing.isEmpty else { return .whole }
        let (transfer, traffic) = try await fetch(draft, from: source)
        // The active generation may have changed, but the bytes match the digests of the repaired generation.
        try await library.restore(generation, from: draft)
        let files = draft.missing.count
        hub.send(.repaired(manifest.id, manifest.version, files: files))
        return .repaired(files: files, transfer: transfer, traffic: traffic)
    }
}

/// The result of a repair.
@_spi(Facade) public enum RepairResult: Sendable, Hashable {
    /// The package has all its files.
    case whole
    /// The package has all its files again. The associated values describe the transfer.
    case repaired(files: Int, transfer: PackageUpdate.Transfer, traffic: DeliveryTraffic)
    /// The package was not fetched by an updater, so its source is not known. An install or update repairs it.
    case unknownSource
    /// No signed release is for the device, for example because the active one was stopped. The next one repairs the
    /// package.
    case noRelease
    /// The manifest of the source differs from the active generation. The associated value is its version. An update
    /// repairs the package.
    case outdated(PackageVersion)
}
