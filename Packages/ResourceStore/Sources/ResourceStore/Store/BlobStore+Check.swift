// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest

extension BlobStore {
    /// Counts what is there. Reads names and sizes, no bytes.
    /// - Throws: ``StoreError``.
    public func statistics() throws -> StoreStatistics {
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

    /// Checks everything: the structure of the databases, the digest of every blob, the seals of all tables, records and
    /// documents, and that every name has its bytes. For a store in which nothing is under way; reads every byte.
    ///
    /// - Parameters:
    ///   - repairs: whether to drop what is damaged, and resources without their bytes, so that they are fetched again.
    ///     Generations stay, with the files that they still have: installing again repairs them.
    ///   - progress: called after each blob; what it throws ends the check and is thrown on.
    /// - Returns: what was found, also where it was repaired.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/readOnly`` where it is to repair a store that was
    ///   opened to read it.
    public func check(
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

    /// - Returns: the sound blobs, with their sizes.
    private func checkBlobs(
        _ check: inout StoreCheck, repairs: Bool, progress: (StoreCheck.Progress) throws -> Void
    ) throws -> [SHA256Digest: Int64] {
        let rowBlobs = try rows.all()
        let fileBlobs = try fileBlobs().compactMap { id in try fileSize(of: id).map { (id: id, size: $0) } }
        var total = StoreStatistics.Amount()
        for (_, size) in rowBlobs + fileBlobs { total.add(max(0, size)) }
        var completed = StoreStatistics.Amount()
        var state = StoreCheck.Progress(
            completedBlobs: 0, totalBlobs: total.count, completedBytes: 0, totalBytes: total.bytes)
        var sound: [SHA256Digest: Int64] = [:]
        func record(_ id: SHA256Digest, _ size: Int64, isSound: Bool) throws {
            if isSound {
                sound[id] = size
                check.blobs.add(size)
            } else {
                check.damagedBlobs.append(id)
                if repairs { _ = dropDamaged(id, "found by a check", at: directory) }
            }
            completed.add(max(0, size))
            (state.completedBlobs, state.completedBytes) = (completed.count, completed.bytes)
            try progress(state)
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

    /// Holds names against the blobs that are there.
    private func checkNames(_ check: inout StoreCheck, _ sizes: [SHA256Digest: Int64], repairs: Bool) throws {
        func record(_ lack: StoreCheck.Lack) {
            check.lackingCount += 1
            if check.lacking.count < 1_000 { check.lacking.append(lack) }
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

    /// The blobs that are files, and whatever else has such a name.
    func fileBlobs() throws -> [SHA256Digest] {
        guard let blobs else { return [] }
        return try blobs.names().sorted().flatMap { prefix -> [SHA256Digest] in
            // Other names are not looked into.
            guard prefix.utf8.count == 2, SHA256Digest(lowerCaseHex: prefix + String(repeating: "0", count: 62)) != nil,
                let folder = try blobs.subfolder(prefix, tightens: copy == nil)
            else { return [] }
            return try folder.names().sorted().compactMap { SHA256Digest(lowerCaseHex: prefix + $0) }
        }
    }
}
