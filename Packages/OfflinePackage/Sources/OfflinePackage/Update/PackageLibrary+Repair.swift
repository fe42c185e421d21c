// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import ResourceStore

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
