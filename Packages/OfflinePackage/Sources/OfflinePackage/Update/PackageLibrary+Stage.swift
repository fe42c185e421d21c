// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
@_spi(Packaging) public import PackageFormat
internal import ResourceLoading
internal import ResourceStore

// The steps of an install. Each step runs on the library's thread.
extension PackageLibrary {
    /// Creates a draft and determines which files are in the store.
    /// - Throws: ``DeliveryError`` with code `insecure`, ``PackageError``, ``StoreError`` or `CancellationError`.
    func draft(of manifest: PackageManifest) async throws -> PackageDraft {
        if !configuration.allowsInsecure { try SecureURL.check(manifest.baseURL.description) }
        return try await onThread { library in
            try PackageDraft(of: manifest, in: library.store)
        }
    }

    /// Returns the active package if it equals a draft without missing files.
    func active(equalTo draft: PackageDraft) async throws -> InstalledPackage? {
        draft.missing.isEmpty ? try await activeGeneration(equalTo: draft)?.package : nil
    }

    /// Returns the active generation if it equals a draft.
    func activeGeneration(equalTo draft: PackageDraft) async throws -> PackageGeneration? {
        try await onThread { library in
            // A table that cannot be read is repaired by a new install.
            guard let active = library.activeGeneration(of: draft.manifest.id),
                (try? active.equals(draft, in: library.store)) == true
            else { return nil }
            return active
        }
    }

    /// Returns a Boolean value that indicates whether the active generation of a package has the signed manifest with
    /// a digest, and all of its files.
    func isWhole(_ id: PackageID, signedAs digest: SHA256Digest) async throws -> Bool {
        try await onThread { library in
            // A table that cannot be read is repaired by a new install.
            guard let active = library.activeGeneration(of: id),
                try library.activeRecord(of: id)?.signedDigest == digest.description,
                let entries = try? active.entries(in: library.store)
            else { return false }
            let sizes = Dictionary(entries.values.map { ($0.blob, $0.size) }) { size, _ in size }
            return try library.store.makeBatch().reuse(sizes).count == sizes.count
        }
    }

    /// Stores a filled draft as staged. When the function returns, the generation survives a power loss.
    /// - Parameters:
    ///   - draft: a draft without missing files.
    ///   - timing: the time of activation, or `nil` to activate it now.
    ///   - isBaseline: whether the package came with the app.
    ///   - authority: the source that the package was fetched from and its scope, or `nil` if it came with the app or
    ///     from the host. If `nil`, the package keeps its source and scope if the new base URL lies in that scope.
    ///     Otherwise its scope is the base URL.
    /// - Throws: ``PackageError``, ``StoreError`` or `CancellationError`.
    func stage(
        _ draft: PackageDraft, timing: ApplyTiming?, isBaseline: Bool,
        authority: (source: PackageSource, scope: PackageBaseURL)? = nil
    ) async throws -> PackageGeneration {
        try await onThread { library in
            let manifest = draft.manifest
            var record = GenerationRecord(of: manifest)
            record.timing = timing
            record.isBaseline = isBaseline ? true : nil
            if let (source, scope) = authority {
                record.source = .init(manifestURL: source.manifestURL, archiveURL: source.archiveURL)
                (record.scope, record.boundTo) = (scope, source.address)
                record.signedDigest = source.signed?.sha256.description
            } else if let storedBinding = try library.binding(of: manifest.id),
                manifest.baseURL.lies(under: storedBinding.scope)
            {
                (record.scope, record.boundTo) = (storedBinding.scope, storedBinding.source)
            } else {
                record.scope = manifest.baseURL
            }
            let stored = try library.store.stage(
                package: manifest.id.description, version: manifest.version.description, metadata: record.encoded(),
                entries: draft.entries, from: draft.batch)
            do {
                return try PackageGeneration(
                    InstalledPackage(
                        id: manifest.id, version: manifest.version, baseURL: manifest.baseURL,
                        isComplete: manifest.isComplete,
                        generation: GenerationReference(package: stored.package, number: stored.number)),
                    minHost: manifest.minHost, fieldRules: manifest.fieldRules, table: draft.entries)
            } catch {
                // If `retire` fails too, the next library that opens the store discards the generation.
                try? library.store.retire(stored.number)
                throw error
            }
        }
    }

    /// Makes a staged generation, or a retired one that is still in the store, the active one of its package.
    /// - Throws: ``StoreError`` or `CancellationError`.
    func activate(_ generation: PackageGeneration) async throws {
        try await onThread { try $0.makeActive(generation) }
    }

    /// Discards a staged generation, also if the task is cancelled.
    func discard(_ generation: PackageGeneration) async throws {
        try await executor.withPreference { [store] in try store.retire(generation.number) }
    }

    /// Returns a Boolean value that indicates whether the table of a generation can be read.
    /// - Throws: ``StoreError`` if the table cannot be read for another reason than damage, or `CancellationError`.
    func isReadable(_ generation: PackageGeneration) async throws -> Bool {
        try await onThread { library in
            do {
                _ = try generation.entries(in: library.store)
                return true
            } catch let error as StoreError where [.damaged, .notFound].contains(error.code) {
                return false
            }
        }
    }

    /// Returns the staged generations that wait for activation, with their timings.
    func waiting() async throws -> [(generation: PackageGeneration, timing: ApplyTiming)] {
        try await onThread { library in
            try library.store.generations(in: .staged).compactMap { stored in
                guard let timing = try? GenerationRecord(decoding: stored.metadata).timing,
                    let generation = try? PackageGeneration(stored)
                else { return nil }
                return (generation, timing)
            }
        }
    }

    /// Returns a Boolean value that indicates whether a staged generation of a package waits for its activation.
    /// - Throws: ``StoreError`` or `CancellationError`.
    @_spi(Facade) public func hasStagedGeneration(of id: PackageID) async throws -> Bool {
        try await waiting().contains { $0.generation.package.id == id }
    }

    /// Returns a Boolean value that indicates whether a staged generation may become active: it lies in the scope of
    /// its package's active generation, or the publisher has signed it for a scope that the app allows. An older
    /// version of the app may have staged another generation.
    /// - Parameters:
    ///   - isSigned: a Boolean value that indicates whether the publisher must have signed it.
    ///   - scopes: the URLs below which a signed scope must lie, or `nil` for any.
    func mayActivate(
        _ generation: PackageGeneration, signed isSigned: Bool, in scopes: [PackageBaseURL]?
    ) async throws -> Bool {
        try await onThread { library in
            let staged = try library.store.generations(in: .staged).first { $0.number == generation.number }
            let record = staged.flatMap { try? GenerationRecord(decoding: $0.metadata) }
            if isSigned {
                guard let record, record.signedDigest != nil else { return false }
                return scopes?.contains { record.effectiveScope.lies(under: $0) } ?? true
            }
            guard let active = try library.activeRecord(of: generation.package.id) else { return true }
            return generation.package.baseURL.lies(under: active.effectiveScope)
        }
    }

    /// Returns a retired generation that is still in the store, or `nil` if a sweep has removed it or its record is
    /// damaged.
    func retired(_ number: Int64) async throws -> PackageGeneration? {
        try await onThread { library in
            try library.store.generations(in: .retired).first { $0.number == number }.flatMap { stored in
                // A damaged record must not prevent the rollback. Without this generation the package is deactivated.
                try? PackageGeneration(stored)
            }
        }
    }

    /// Returns a Boolean value that indicates whether the active generation of a package came with the app.
    ///
    /// Returns `nil` if the package has no active generation, or if its record is damaged.
    func isBaselineActive(_ id: PackageID) async throws -> Bool? {
        try await onThread { try $0.activeRecord(of: id).map { $0.isBaseline ?? false } }
    }

    /// Returns the record of the active generation of a package, or `nil` if there is none or it is damaged.
    ///
    /// Call it on the library's thread.
    private func activeRecord(of id: PackageID) throws -> GenerationRecord? {
        try store.activeGenerations().first { $0.package == id.description }.flatMap { stored in
            try? GenerationRecord(decoding: stored.metadata)
        }
    }
}

extension PackageLibrary {
    /// Returns the source of the active generation of a package, or `nil` if it has none.
    @_spi(Facade) public func source(of id: PackageID) async throws -> PackageSource? {
        try await onThread { library in
            guard let record = try library.activeRecord(of: id), let source = record.source else { return nil }
            return PackageSource(
                source.manifestURL, archiveURL: source.archiveURL, package: id, scope: record.effectiveScope)
        }
    }

    /// Restores lost bytes of a generation from a filled draft. When the function returns, the bytes survive a power
    /// loss.
    func restore(_ generation: PackageGeneration, from draft: PackageDraft) async throws {
        try await onThread { try $0.store.restore(from: draft.batch) }
        removeDamage(of: generation)
    }
}
