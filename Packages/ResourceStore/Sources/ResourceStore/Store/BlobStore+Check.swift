// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

extension BlobStore {
    /// Returns statistics of the store. Reads names and sizes, but no bytes.
    /// - Throws: ``StoreError``.
    @_spi(Facade) public func statistics() throws -> StoreStatistics {
        var statistics = StoreStatistics()
        let named = try index.namedBlobs()
        for (id, size) in try rows.all() {
            statistics.rowBlobs.add(size)
            if named[id] == nil { statistics.orphanBlobs.add(size) }
        }
        for id in try fileBlobs() {
            guard let size = try fileSize(of: id) else { continue }
            statistics.fileBlobs.add(size)
            if named[id] == nil { statistics.orphanBlobs.add(size) }
        }
        statistics.generations = try index.generationCounts()
        (statistics.packages, statistics.resources) = try index.amounts()
        for name in try documentNames() {
            statistics.documents.add(try documentSize(name) ?? 0)
        }
        return statistics
    }

    /// Verifies the structure of the databases, the digests of all blobs and documents, and the seals of all tables and
    /// records. Also verifies that every reference has its blob. Reads every byte. No other operation may be in
    /// progress.
    ///
    /// - Parameters:
    ///   - repairs: a Boolean value that indicates whether damaged items, and resources without bytes, are removed, so
    ///     that they are downloaded again. Generations and their sound files stay; a new installation repairs a
    ///     generation.
    ///   - progress: a closure that is called after each blob. An error that it throws ends the check and is rethrown.
    /// - Returns: the findings, including repaired ones.
    /// - Throws: ``StoreError``, with code `readOnly` if `repairs` is `true` and the
    ///   store is read-only.
    @_spi(Facade) public func check(
        repairs: Bool = false, progress: (StoreCheck.Progress) throws -> Void = { _ in }
    ) throws -> StoreCheck {
        if repairs { try prepareToWrite() }
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

    /// Verifies the digests of all blobs.
    /// - Returns: the sound blobs and their sizes.
    private func checkBlobs(
        _ check: inout StoreCheck, repairs: Bool, progress: (StoreCheck.Progress) throws -> Void
    ) throws -> [SHA256Digest: Int64] {
        let rowBlobs = try rows.all()
        let fileBlobs = try fileBlobs().compactMap { id in try fileSize(of: id).map { (id: id, size: $0) } }
        var (total, completed) = (StoreStatistics.Amount(), StoreStatistics.Amount())
        for (_, size) in rowBlobs + fileBlobs { total.add(max(0, size)) }
        var sound: [SHA256Digest: Int64] = [:]
        func record(_ id: SHA256Digest, _ size: Int64, isSound: Bool) throws {
            if isSound {
                sound[id] = size
                check.blobs.add(size)
            } else {
                check.damagedBlobs.append(id)
                if repairs { _ = dropDamaged(id, "a check found it damaged", at: directory) }
            }
            completed.add(max(0, size))
            try progress(StoreCheck.Progress(completedBytes: completed.bytes, totalBytes: total.bytes))
        }
        for (id, size) in rowBlobs {
            try record(id, size, isSound: try isRowSound(id, size))
        }
        for (id, size) in fileBlobs {
            try record(id, size, isSound: try file(of: id).map(digest) == id)
        }
        return sound
    }

    private func isRowSound(_ id: SHA256Digest, _ size: Int64) throws -> Bool {
        do {
            guard let bytes = try rows.bytes(of: id) else { return false }
            return Int64(bytes.count) == size && SHA256Digest(of: bytes) == id
        } catch let error as StoreError where error.code == .damaged {
            return false
        }
    }

    /// Compares the references with the sound blobs.
    private func checkNames(_ check: inout StoreCheck, _ sizes: [SHA256Digest: Int64], repairs: Bool) throws {
        func record(_ lack: StoreCheck.MissingReference) {
            check.missingReferenceCount += 1
            if check.missingReferences.count < 1_000 { check.missingReferences.append(lack) }
        }
        let named = try index.namedBlobs()
        for (id, size) in sizes where named[id] == nil { check.orphanBlobs.add(size) }
        for generation in try index.generationNumbers() {
            do {
                for entry in try index.entries(of: generation) ?? [] where sizes[entry.blob] != entry.size {
                    record(.init(generation: generation, name: entry.path, blob: entry.blob))
                }
            } catch let error as StoreError where error.code == .damaged {
                check.damagedGenerations.append(generation)
            }
        }
        let (resources, damagedKeys) = try index.allResources()
        check.damagedResources = damagedKeys.count
        var doomed = damagedKeys
        for resource in resources where sizes[resource.blob] != resource.size {
            record(.init(generation: nil, name: resource.key, blob: resource.blob))
            doomed.append(resource.key)
        }
        if repairs, !doomed.isEmpty { try removeResources(doomed) }
    }

    /// Returns the blobs that are files, including items of another type whose name is a digest.
    func fileBlobs() throws -> [SHA256Digest] {
        guard let blobs else { return [] }
        return try blobs.names().sorted().flatMap { prefix -> [SHA256Digest] in
            // Folders with other names are ignored.
            guard prefix.utf8.count == 2, SHA256Digest(lowerCaseHex: prefix + String(repeating: "0", count: 62)) != nil,
                let folder = try blobs.subfolder(prefix, tightens: copy == nil)
            else { return [] }
            return try folder.names().sorted().compactMap { SHA256Digest(lowerCaseHex: prefix + $0) }
        }
    }
}
