// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

// An install in steps, for who brings the bytes from the network. Each step runs on the library's thread.
extension PackageLibrary {
    /// Begins a generation: looks up what of it the store has.
    /// - Throws: ``DeliveryError`` with code `insecure`, ``PackageError``,
    ///   ``StoreError`` or `CancellationError`.
    func draft(of manifest: PackageManifest) async throws -> PackageDraft {
        if !configuration.allowsInsecure { try SecureURL.check(manifest.baseURL.description) }
        return try await onThread { library in
            try PackageDraft(of: manifest, in: library.store)
        }
    }

    /// The active package, where it is what a draft would become and has all its files.
    func active(equalTo draft: PackageDraft) async throws -> InstalledPackage? {
        guard draft.missing.isEmpty else { return nil }
        return try await onThread { $0.activePackage(equalTo: draft.manifest, draft.entries) }
    }

    /// Stores a filled draft as staged. When this returns it survives a power cut.
    /// - Parameter authority: the source that it was fetched from and the scope that the source has for it; `nil` if it
    ///   came with the app or from the host, whose word is not questioned: the package keeps its source and scope if the
    ///   new base URL lies in that scope, and has its base URL as the scope otherwise.
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
            } else if let kept = try library.binding(of: manifest.id), manifest.baseURL.lies(under: kept.scope) {
                (record.scope, record.boundTo) = (kept.scope, kept.source)
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
                    minHost: manifest.minHost, table: draft.entries)
            } catch {
                // Where this fails too, the next library on this store gives the generation up.
                try? library.store.retire(stored.number)
                throw error
            }
        }
    }

    /// Makes a staged generation, or a retired one that was not swept, the active one of its package.
    /// - Throws: ``StoreError`` or `CancellationError`.
    func activate(_ generation: PackageGeneration) async throws {
        try await onThread { library in
            try library.store.activate(generation.number)
            library.adopt(generation)
        }
    }

    /// Gives a staged generation up, also for a task that is cancelled.
    func giveUp(_ generation: PackageGeneration) async throws {
        try await withTaskExecutorPreference(executor) { [store] in try store.retire(generation.number) }
    }

    /// Whether the table of a generation is whole.
    /// - Throws: ``StoreError`` where nobody can say, or `CancellationError`.
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

    /// The generations that were staged to wait, with what they wait for.
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

    /// Returns a Boolean value that indicates whether a generation that waits lies in the scope that the active one of
    /// its package keeps. An older build may have staged another one.
    func isInScope(_ generation: PackageGeneration) async throws -> Bool {
        try await onThread { library in
            let id = generation.package.id
            guard
                let active = try library.store.activeGenerations().first(where: { $0.package == id.description }),
                let kept = try? PackageBinding(active)
            else { return true }
            return generation.package.baseURL.lies(under: kept.scope)
        }
    }

    /// A retired generation that was not swept yet; `nil` also where its record is damaged.
    func retired(_ number: Int64) async throws -> PackageGeneration? {
        try await onThread { library in
            try library.store.generations(in: .retired).first { $0.number == number }.flatMap { stored in
                // A rollback to it must not fail: without it the package goes out of use.
                try? PackageGeneration(stored)
            }
        }
    }

    /// Whether the active generation of a package came with the app; `nil` where the package is not active, or its record
    /// is damaged and the library left it out.
    func isBaselineActive(_ id: PackageID) async throws -> Bool? {
        try await onThread { library in
            try library.store.activeGenerations().first { $0.package == id.description }.flatMap { stored in
                guard let record = try? GenerationRecord(decoding: stored.metadata) else { return nil }
                return record.isBaseline ?? false
            }
        }
    }
}

extension PackageLibrary {
    /// Where the active generation of a package was fetched from; `nil` where it was not, or nobody knows any more.
    func source(of id: PackageID) async throws -> PackageSource? {
        try await onThread { library in
            try library.store.activeGenerations().first { $0.package == id.description }.flatMap { stored in
                guard let record = try? GenerationRecord(decoding: stored.metadata), let source = record.source else {
                    return nil
                }
                return PackageSource(
                    source.manifestURL, archiveURL: source.archiveURL, package: id, scope: record.keptScope)
            }
        }
    }

    /// The active generation, where a filled draft would be the same.
    func activeGeneration(like draft: PackageDraft) async throws -> PackageGeneration? {
        try await onThread { library in
            guard library.activePackage(equalTo: draft.manifest, draft.entries) != nil else { return nil }
            return library.activeGeneration(of: draft.manifest.id)
        }
    }

    /// Gives the bytes of a filled draft to the generation that lost them. When this returns they survive a power cut.
    func restore(_ generation: PackageGeneration, from draft: PackageDraft) async throws {
        try await onThread { try $0.store.restore(from: draft.batch) }
        forgetDamage(of: generation)
    }
}
