// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ContentDigest
public import Foundation
internal import SystemSupport

extension BlobStore {
    /// Creates a batch for new blobs.
    public func makeBatch() -> BlobBatch {
        BlobBatch(self)
    }

    /// Returns a blob. A small blob is returned as bytes, from memory or from a row; a large blob is returned as a
    /// file.
    ///
    /// - Parameters:
    ///   - id: the digest of the blob.
    ///   - size: the recorded size in bytes, if it is known. The size decides which location the store searches first.
    ///     A blob of another size is damaged.
    /// - Throws: ``StoreError``, with code `notFound` if the blob does not exist, or with code `damaged` if its bytes
    ///   are wrong. A damaged blob is removed.
    public func blob(_ id: SHA256Digest, size: Int64? = nil) throws -> StoredBlob {
        let isSmall = size.map { $0 <= configuration.smallBlobLimit }
        if isSmall != false, let bytes = memory.bytes(of: id) { return StoredBlob(id, bytes) }
        if isSmall == false, let file = try largeBlob(id, size: size) { return file }
        if let row = try smallBlob(id) { return row }
        // The store may have been written with another limit for small blobs.
        if isSmall != false, let file = try largeBlob(id, size: size) { return file }
        throw StoreError(.notFound, "no blob \(id)", at: directory)
    }

    /// Returns the bytes of a small blob that is in the memory cache, or `nil` if it has to be read. Does not block.
    /// Large blobs are never in the cache.
    public func bytesInMemory(of id: SHA256Digest) -> Data? {
        memory.bytes(of: id, countsMiss: false)
    }

    private func smallBlob(_ id: SHA256Digest) throws -> StoredBlob? {
        // The bytes are copied under the mutex, because the memory of a hidden chunk is reused.
        let unwritten = state.withLock { state in state.unwritten[id].map { $0.chunk.bytes(in: $0.range) } }
        if let unwritten { return StoredBlob(id, unwritten) }
        let bytes: Data
        do {
            guard let found = try rows.bytes(of: id) else { return nil }
            bytes = found
        } catch let error as StoreError where error.code == .damaged {
            recordBrokenRows()
            throw dropDamaged(id, "its row cannot be read", at: rows.path, cause: error)
        }
        guard SHA256Digest(of: bytes) == id else {
            throw dropDamaged(id, "the row of \(bytes.count) bytes has another digest", at: rows.path)
        }
        memory.insert(bytes, as: id)
        return StoredBlob(id, bytes)
    }

    private func largeBlob(_ id: SHA256Digest, size: Int64?) throws -> StoredBlob? {
        guard let file = try file(of: id) else { return nil }
        let status = try file.status()
        if let size, size != status.size {
            throw dropDamaged(id, "the file has \(status.size) bytes instead of \(size)", at: file.path)
        }
        if needsCheck(id, status) {
            guard try digest(of: file) == id else {
                throw dropDamaged(id, "the file of \(status.size) bytes has another digest", at: file.path)
            }
            state.withLock { _ = $0.checked.insert(id) }
            // The time indicates to later sessions that the file was verified. An equal time is not set again, because
            // that would update the change time of the file.
            if status.modificationTime != marker.era, copy == nil { file.setModificationTime(marker.era) }
        }
        return StoredBlob(id: id, content: .file(file), size: status.size)
    }

    /// Computes the digest of the current bytes of a large blob's file.
    func digest(of file: StoredFile) throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        try file.read { piece in
            // A read-only store may have files of any size, so that their verification can be cancelled.
            if copy != nil { try Task.checkCancellation() }
            hasher.update(piece)
        }
        return hasher.finalize()
    }

    /// Returns a Boolean value that indicates whether a file has to be verified. A file is trusted if its bytes were
    /// verified since the last unclean end, and it has not changed since the last clean end.
    private func needsCheck(_ id: SHA256Digest, _ status: FileStatus) -> Bool {
        if let clean = marker.cleanSince, status.changeTime < clean, status.modificationTime == marker.era {
            return false
        }
        return !state.withLock { $0.checked.contains(id) }
    }

    /// Counts a damaged blob, and removes it if possible.
    /// - Returns: the error to throw.
    func dropDamaged(
        _ id: SHA256Digest, _ what: String, at path: String, cause: (any Error)? = nil
    ) -> StoreError {
        state.withLock { state in
            state.counters.damagedBlobs += 1
            state.claims[id]?.isPlaced = false
            state.checked.remove(id)
        }
        memory.remove([id])
        // If the removal fails, the next read detects the damage again.
        try? writing {
            try blobFolder(of: id)?.remove(Self.fileName(of: id))
            try rows.remove([id], choosing: { $0 }, afterCommit: { _ in })
        }
        return StoreError(.damaged, "blob \(id): \(what)", at: path, cause: cause)
    }

    /// Records that the next opening has to replace the database of small blobs.
    private func recordBrokenRows() {
        guard copy == nil else { return }
        try? root.createEmpty(BlobRows.brokenMarker)
    }

    /// Opens the file of a large blob for reading. Returns `nil` if there is none, or if its name is not a regular
    /// file.
    func file(of id: SHA256Digest) throws -> StoredFile? {
        guard let folder = try blobFolder(of: id) else { return nil }
        let name = Self.fileName(of: id)
        // A link of this name is not a blob. It is replaced when the blob is written again.
        return try folder.status(of: name) == nil ? nil : folder.file(name)
    }

    /// Returns the folder of a blob's file, or `nil` if there is none.
    func blobFolder(of id: SHA256Digest) throws -> PrivateFolder? {
        try blobs?.subfolder(Self.folderName(of: id), tightens: copy == nil)
    }

    private static func folderName(of id: SHA256Digest) -> String { String(id.description.prefix(2)) }

    static func fileName(of id: SHA256Digest) -> String { String(id.description.dropFirst(2)) }

    /// Returns the path of a blob's file, for messages.
    func path(of id: SHA256Digest) -> String {
        "\(directory)/blobs/\(Self.folderName(of: id))/\(Self.fileName(of: id))"
    }
}

// MARK: - For batches

extension BlobStore {
    func makeStagedFile() throws -> StagedFile {
        let number = state.withLock { state in
            state.nextStagedFile += 1
            return state.nextStagedFile
        }
        return try StagedFile("\(number)", in: root.makeSubfolder("staging"))
    }

    func claim(_ id: SHA256Digest) {
        state.withLock { $0.claims[id, default: Claim(holders: 0)].holders += 1 }
    }

    func release(_ ids: Set<SHA256Digest>) {
        state.withLock { state in
            for id in ids {
                guard var claim = state.claims[id] else { continue }
                claim.holders -= 1
                state.claims[id] = claim.holders > 0 ? claim : nil
            }
        }
    }

    /// Returns a Boolean value that indicates whether a blob is claimed and one of its batches has written it.
    func isPlaced(_ id: SHA256Digest) -> Bool {
        state.withLock { $0.claims[id]?.isPlaced == true }
    }

    /// Makes a small blob visible to ``blob(_:size:)`` before it is committed.
    func insertPending(_ id: SHA256Digest, in chunk: BlobChunk, at range: Range<Int>) {
        state.withLock { $0.unwritten[id] = (chunk, range) }
    }

    /// Reverts ``insertPending(_:in:at:)`` for the blobs of a chunk.
    func removePending(_ chunk: BlobChunk) {
        state.withLock { state in
            for id in chunk.ranges.keys where state.unwritten[id]?.chunk === chunk { state.unwritten[id] = nil }
        }
    }

    /// Returns those blobs that are referenced and present with the given sizes. A batch must have claimed the blobs,
    /// so that a concurrent sweep does not remove them.
    func intact(_ wanted: [SHA256Digest: Int64]) throws -> (rows: Set<SHA256Digest>, files: Set<SHA256Digest>) {
        let named = try index.named(of: wanted.keys)
        let sizes = try rows.sizes(of: named)
        let rows = named.filter { sizes[$0] == wanted[$0] }
        let files = try named.subtracting(rows).filter { try fileSize(of: $0) == wanted[$0] }
        return (rows, files)
    }

    /// Returns the size in bytes of a large blob's file, or `nil` if there is none.
    func fileSize(of id: SHA256Digest) throws -> Int64? {
        try blobFolder(of: id)?.status(of: Self.fileName(of: id))?.size
    }

    /// Commits small blobs, which must be claimed.
    func writeRows(_ chunk: BlobChunk) throws {
        do {
            try rows.write(chunk) { try onStep(.rowsWritten) }
        } catch let error as StoreError where error.code == .damaged {
            recordBrokenRows()
            throw error
        }
        state.withLock { state in
            for id in chunk.ranges.keys { state.claims[id]?.isPlaced = true }
        }
        try onStep(.rowsCommitted)
    }

    /// Moves a file from `staging/` to its place in `blobs/`. The blob must be claimed.
    func place(_ file: StagedFile, as id: SHA256Digest, size: Int64) throws {
        try onStep(.blobWritten)
        try suspension.check()
        let name = Self.fileName(of: id)
        // A referenced file was synced and must not be replaced with an unsynced file. An unreferenced file is
        // replaced: after a power failure it may have its length but not its bytes.
        if let status = try blobFolder(of: id)?.status(of: name), status.size == size, !needsCheck(id, status),
            try index.named(of: [id]).contains(id)
        {
            return
        }
        file.setModificationTime(marker.era)
        try state.withLock { state in
            // If another batch has placed the blob, it may have staged a generation since the check above.
            if state.claims[id]?.isPlaced == true { return }
            guard let folder = try blobFolder(of: id) ?? blobs?.makeSubfolder(Self.folderName(of: id)) else { return }
            try file.move(to: folder, name)
            state.claims[id]?.isPlaced = true
            state.checked.insert(id)
        }
        try onStep(.blobPlaced)
    }
}

extension StoredBlob {
    fileprivate init(_ id: SHA256Digest, _ bytes: Data) {
        self.init(id: id, content: .bytes(bytes), size: Int64(bytes.count))
    }
}
