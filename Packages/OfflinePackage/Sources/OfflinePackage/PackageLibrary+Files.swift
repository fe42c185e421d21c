// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
@_spi(Packaging) internal import PackageFormat
internal import ResourceStore

// Extraction of the files of a draft from an archive. Drafts are processed one at a time, because they share the same
// cores and disk.
extension PackageLibrary {
    /// Stores the missing files of a draft in its batch when its turn comes.
    /// - Parameters:
    ///   - draft: the draft to fill.
    ///   - archive: the path of a whole archive, or of a file with the slices of the missing files at their offsets.
    ///   - isWhole: whether `archive` is a whole archive.
    /// - Throws: ``PackageError``, ``StoreError``, ``DeliveryError`` or `CancellationError`.
    func fill(_ draft: PackageDraft, from archive: String, isWhole: Bool = true) async throws {
        try await inTurn { try await extractFiles(of: draft, from: archive, isWhole: isWhole) }
    }

    /// Runs `body` when its turn comes.
    func inTurn<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await turns.run("files") { try await body() }
    }

    /// Stores the missing files of a draft in its batch. Call it inside ``inTurn(_:)``.
    func extractFiles(
        of draft: PackageDraft, from archive: String, isWhole: Bool = true,
        progress: (@Sendable (InstallProgress) -> Void)? = nil
    ) async throws {
        try await onThread { try $0.store.ensureSpace(for: draft.missingBytes) }
        if draft.manifest.archive == nil {
            try await onThread { try $0.unpack(draft, from: archive, progress) }
        } else {
            try await inflate(draft, from: archive, isWhole, InstallTally(of: draft, report: progress))
        }
    }

    /// Reads the archive sequentially.
    private func unpack(
        _ draft: PackageDraft, from archive: String, _ progress: (@Sendable (InstallProgress) -> Void)?
    ) throws {
        var unpacking = PackageUnpacking(draft.entries, into: draft.batch, holding: draft.held)
        try archives.read(archive, limits: configuration.archiveLimits) { entry, content in
            try unpacking.add(entry, &content)
            progress?(unpacking.progress)
        }
        try unpacking.finish()
    }

    /// Reads the slices of the missing files. Neighboring slices are read on the same thread.
    private func inflate(
        _ draft: PackageDraft, from archive: String, _ isWhole: Bool, _ tally: InstallTally
    ) async throws {
        let (sliced, shares) = try await onThread { library in
            let sliced = try SlicedArchive(
                archive, manifest: draft.manifest, limits: library.configuration.archiveLimits, isWhole: isWhole)
            return (sliced, sliced.shares(library.inflaters.count, of: draft.missing))
        }
        try await withThrowingTaskGroup { group in
            for (share, inflater) in zip(shares, inflaters) {
                group.addTask {
                    try await inflater.withPreference {
                        try sliced.read(share) { file, reader in
                            try Self.store(file, &reader, into: draft.batch)
                            tally.add(file)
                        }
                    }
                }
            }
            // An error ends the loop, and the group then cancels its other tasks.
            for try await _ in group {}
        }
    }

    private static func store(
        _ file: PackageManifest.File, _ content: inout any ArchiveEntryReading, into batch: BlobBatch
    ) throws {
        let id = file.sha256
        // The reader never returns more bytes than the manifest declares.
        let first = try content.next() ?? Data()
        do {
            if Int64(first.count) == file.size {
                _ = try batch.add(first, expecting: id)
            } else {
                var writer = try batch.makeWriter()
                try writer.write(first)
                while let piece = try content.next() { try writer.write(piece) }
                _ = try writer.finish(expecting: id)
            }
        } catch let error as StoreError where error.code == .digestMismatch {
            throw PackageError(.digestMismatch, error.message, at: file.path.description, cause: error)
        }
    }
}
