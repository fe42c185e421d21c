// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

// An install in steps, for who brings the bytes from the network. Each step runs on the library's thread.
extension PackageLibrary {
    /// Begins a generation: looks up what of it the store has.
    /// - Throws: ``PackageError``, ``StoreError`` or `CancellationError`.
    func draft(of manifest: PackageManifest) async throws -> PackageDraft {
        try await onThread { library in
            try PackageDraft(of: manifest, in: library.store)
        }
    }

    /// The active package, where it is what a draft would become and has all its files.
    func active(equalTo draft: PackageDraft) async throws -> InstalledPackage? {
        guard draft.missing.isEmpty else { return nil }
        return try await onThread { $0.activePackage(equalTo: draft.manifest, draft.entries) }
    }

    /// Stores a filled draft as staged. When this returns it survives a power cut.
    /// - Throws: ``PackageError``, ``StoreError`` or `CancellationError`.
    func stage(
        _ draft: PackageDraft, timing: ApplyTiming?, isBaseline: Bool, source: PackageSource? = nil
    ) async throws -> PackageGeneration {
        try await onThread { library in
            let manifest = draft.manifest
            var record = GenerationRecord(of: manifest)
            record.timing = timing
            record.isBaseline = isBaseline ? true : nil
            record.source = source.map { .init(manifestURL: $0.manifestURL, archiveURL: $0.archiveURL) }
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
