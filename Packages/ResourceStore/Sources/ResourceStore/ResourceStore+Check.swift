// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension ResourceStore {
    /// Counts what is there. Reads names and sizes, no bytes.
    /// - Throws: ``StoreError``.
    public func statistics() throws -> StoreStatistics {
        var statistics = StoreStatistics()
        let named = try index.namedBlobs()
        for (id, size) in try rows.all() {
            statistics.rowBlobs.add(size)
            if named[id] == nil { statistics.orphanBlobs.add(size) }
        }
        for (id, size) in try fileBlobs() {
            statistics.fileBlobs.add(size)
            if named[id] == nil { statistics.orphanBlobs.add(size) }
        }
        statistics.generations = try index.generationCounts()
        (statistics.packages, statistics.resources) = try index.amounts()
        for name in try documentNames() {
            statistics.documents.add(try FileSystem.size(of: "\(directory)/documents/\(name)") ?? 0)
        }
        return statistics
    }

    /// Checks everything: the structure of the databases, the digest of every blob, the seals of all tables, records and
    /// documents, and that every name has its bytes. For a store in which nothing is under way; reads every byte.
    ///
    /// - Parameters:
    ///   - repairs: whether to drop what is damaged, and resources without their bytes, so that they are fetched again.
    ///     Generations stay, with the files that they still have: installing again mends them.
    ///   - progress: called after each blob; what it throws ends the check and is thrown on.
    /// - Returns: what was found, also where it was repaired.
    /// - Throws: ``StoreError``.
    public func check(
        repairs: Bool = false, progress: (StoreCheck.Progress) throws -> Void = { _ in }
    ) throws -> StoreCheck {
        var check = StoreCheck()
        check.brokenDatabases = try index.faults() + rows.faults()
        let sizes = try checkBlobs(&check, repairs: repairs, progress: progress)
        try checkNames(&check, sizes, repairs: repairs)
        for name in try documentNames() {
            guard try readDocument(name) == nil else { continue }
            check.damagedDocuments.append(name)
            if repairs { _ = try document(name) }
        }
        return check
    }

    /// - Returns: the sound blobs, with their sizes.
    private func checkBlobs(
        _ check: inout StoreCheck, repairs: Bool, progress: (StoreCheck.Progress) throws -> Void
    ) throws -> [BlobID: Int64] {
        let rowBlobs = try rows.all()
        let fileBlobs = try fileBlobs()
        var state = StoreCheck.Progress(
            completedBlobs: 0, totalBlobs: rowBlobs.count + fileBlobs.count, completedBytes: 0,
            totalBytes: (rowBlobs + fileBlobs).reduce(0) { $0 + max(0, $1.size) })
        var sound: [BlobID: Int64] = [:]
        func note(_ id: BlobID, _ size: Int64, isSound: Bool) throws {
            if isSound {
                sound[id] = size
                check.blobs.add(size)
            } else {
                check.damagedBlobs.append(id)
                if repairs { _ = dropDamaged(id, "found by a check", at: directory) }
            }
            state.completedBlobs += 1
            state.completedBytes += max(0, size)
            try progress(state)
        }
        for (id, size) in rowBlobs {
            try note(id, size, isSound: try isRowSound(id, size))
        }
        for (id, size) in fileBlobs {
            try note(id, size, isSound: try digest(ofFileOf: id) == id)
        }
        return sound
    }

    private func isRowSound(_ id: BlobID, _ size: Int64) throws -> Bool {
        do {
            guard let bytes = try rows.bytes(of: id) else { return false }
            return Int64(bytes.count) == size && BlobID(hashing: bytes) == id
        } catch let error as StoreError where error.code == .damaged {
            return false
        }
    }

    /// Holds names against the blobs that are there.
    private func checkNames(_ check: inout StoreCheck, _ sizes: [BlobID: Int64], repairs: Bool) throws {
        func note(_ lack: StoreCheck.Lack) {
            check.lackingCount += 1
            if check.lacking.count < 1_000 { check.lacking.append(lack) }
        }
        let named = try index.namedBlobs()
        for (id, size) in sizes where named[id] == nil { check.orphanBlobs.add(size) }
        for generation in try index.generationNumbers() {
            do {
                for entry in try index.entries(of: generation) ?? [] where sizes[entry.blob] != entry.size {
                    note(.init(generation: generation, name: entry.path, blob: entry.blob))
                }
            } catch let error as StoreError where error.code == .damaged {
                check.damagedGenerations.append(generation)
            }
        }
        let (resources, damagedKeys) = try index.allResources()
        check.damagedResources = damagedKeys.count
        var doomed = damagedKeys
        for resource in resources where sizes[resource.blob] != resource.size {
            note(.init(generation: nil, name: resource.key, blob: resource.blob))
            doomed.append(resource.key)
        }
        if repairs, !doomed.isEmpty { try removeResources(doomed) }
    }

    /// The blobs that are files, with their sizes.
    private func fileBlobs() throws -> [(id: BlobID, size: Int64)] {
        var blobs: [(id: BlobID, size: Int64)] = []
        for folder in try FileSystem.names(in: directory + "/blobs").sorted() {
            for name in try FileSystem.names(in: "\(directory)/blobs/\(folder)").sorted() {
                guard let id = BlobID(hex: folder + name),
                    let size = try FileSystem.size(of: "\(directory)/blobs/\(folder)/\(name)")
                else { continue }
                blobs.append((id, size))
            }
        }
        return blobs
    }
}
