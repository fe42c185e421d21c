// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ContentDigest
public import Foundation
internal import SystemSupport

extension BlobStore {
    /// Begins to bring in blobs.
    public func makeBatch() -> BlobBatch {
        BlobBatch(self)
    }

    /// Finds a blob: a small one in memory or as a row, a large one as a file.
    ///
    /// - Parameters:
    ///   - id: the digest of the blob.
    ///   - size: the number of bytes that it was stored with, if that is known. It decides where the store looks first,
    ///     and a blob of another size is damaged.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/notFound`` where it is not there, or
    ///   ``StoreError/Code-swift.struct/damaged`` where its bytes are wrong: it was dropped then.
    public func blob(_ id: SHA256Digest, size: Int64? = nil) throws -> StoredBlob {
        let isSmall = size.map { $0 <= configuration.smallBlobLimit }
        if isSmall != false, let bytes = memory.bytes(of: id) { return StoredBlob(id, bytes) }
        if isSmall == false, let file = try largeBlob(id, size: size) { return file }
        if let row = try smallBlob(id) { return row }
        // The store may have been written with another limit.
        if isSmall != false, let file = try largeBlob(id, size: size) { return file }
        throw StoreError(.notFound, "no blob \(id)", at: directory)
    }

    /// The bytes of a small blob that was asked for lately; `nil` where they have to be read. Does not block, and tells
    /// nothing of large ones.
    public func bytesInMemory(of id: SHA256Digest) -> Data? {
        memory.bytes(of: id, countsMiss: false)
    }

    private func smallBlob(_ id: SHA256Digest) throws -> StoredBlob? {
        // Copied under the mutex: once it is hidden, its memory is used again.
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
            throw dropDamaged(id, "row of \(bytes.count) bytes with another digest", at: rows.path)
        }
        memory.insert(bytes, as: id)
        return StoredBlob(id, bytes)
    }

    private func largeBlob(_ id: SHA256Digest, size: Int64?) throws -> StoredBlob? {
        guard let file = try file(of: id) else { return nil }
        let status = try file.status()
        if let size, size != status.size {
            throw dropDamaged(id, "file of \(status.size) bytes, stored with \(size)", at: file.path)
        }
        if needsCheck(id, status) {
            guard try digest(of: file) == id else {
                throw dropDamaged(id, "file of \(status.size) bytes with another digest", at: file.path)
            }
            state.withLock { _ = $0.checked.insert(id) }
            // For the sessions after this one. Not again where it is there: that would touch the file.
            if status.modificationTime != marker.era, copy == nil { file.setModificationTime(marker.era) }
        }
        return StoredBlob(id: id, content: .file(file), size: status.size)
    }

    /// The digest of the bytes that the file of a large blob has now.
    func digest(of file: StoredFile) throws -> SHA256Digest {
        var hasher = SHA256Hasher()
        try file.read { piece in
            // A file of somebody else may be of any size.
            if copy != nil { try Task.checkCancellation() }
            hasher.update(piece)
        }
        return hasher.finalize()
    }

    /// Whether a file may have other bytes than those that were written and synced: unless it was seen to be right since
    /// the store was last left unclean, and nobody has touched it since it was last left clean.
    private func needsCheck(_ id: SHA256Digest, _ status: FileStatus) -> Bool {
        if let clean = marker.cleanSince, status.changeTime < clean, status.modificationTime == marker.era {
            return false
        }
        return !state.withLock { $0.checked.contains(id) }
    }

    /// Removes a blob whose bytes are wrong, as far as that is possible, and counts it.
    /// - Returns: what to throw.
    func dropDamaged(
        _ id: SHA256Digest, _ what: String, at path: String, cause: (any Error)? = nil
    ) -> StoreError {
        state.withLock { state in
            state.counters.damagedBlobs += 1
            state.claims[id]?.isPlaced = false
            state.checked.remove(id)
        }
        memory.remove([id])
        // Where this fails, the digest says so again when it is next read.
        try? writing {
            try blobFolder(of: id)?.remove(Self.fileName(of: id))
            try rows.remove([id], choosing: { $0 }, afterCommit: { _ in })
        }
        return StoreError(.damaged, "blob \(id): \(what)", at: path, cause: cause)
    }

    /// Has the next opening begin the database of small blobs anew.
    private func recordBrokenRows() {
        guard copy == nil else { return }
        try? root.createEmpty(BlobRows.brokenMarker)
    }

    /// The file of a large blob, open for reading; `nil` if there is none, or something that is no file has its name.
    func file(of id: SHA256Digest) throws -> StoredFile? {
        guard let folder = try blobFolder(of: id) else { return nil }
        let name = Self.fileName(of: id)
        // A link in its place is no blob, and goes when the blob is next placed.
        return try folder.status(of: name) == nil ? nil : folder.file(name)
    }

    /// The folder that has a blob's file; `nil` if there is none.
    func blobFolder(of id: SHA256Digest) throws -> PrivateFolder? {
        try blobs?.subfolder(Self.folderName(of: id), tightens: copy == nil)
    }

    private static func folderName(of id: SHA256Digest) -> String { String(id.description.prefix(2)) }

    static func fileName(of id: SHA256Digest) -> String { String(id.description.dropFirst(2)) }

    /// The path of a blob's file, for messages.
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

    /// Whether a batch has put a blob in place that is claimed since.
    func isPlaced(_ id: SHA256Digest) -> Bool {
        state.withLock { $0.claims[id]?.isPlaced == true }
    }

    /// Lets ``blob(_:size:)`` find a small blob that is not committed yet.
    func show(_ id: SHA256Digest, in chunk: BlobChunk, at range: Range<Int>) {
        state.withLock { $0.unwritten[id] = (chunk, range) }
    }

    /// Takes back what was shown of a chunk.
    func hide(_ chunk: BlobChunk) {
        state.withLock { state in
            for id in chunk.ranges.keys where state.unwritten[id]?.chunk === chunk { state.unwritten[id] = nil }
        }
    }

    /// Those of the given blobs that something names and that are there with the given sizes.
    /// They are claimed, so a sweep that begins now leaves them.
    func intact(_ wanted: [SHA256Digest: Int64]) throws -> (rows: Set<SHA256Digest>, files: Set<SHA256Digest>) {
        let named = try index.named(of: wanted.keys)
        let sizes = try rows.sizes(of: named)
        let rows = named.filter { sizes[$0] == wanted[$0] }
        let files = try named.subtracting(rows).filter { try fileSize(of: $0) == wanted[$0] }
        return (rows, files)
    }

    /// The size in bytes of the file of a large blob; `nil` if there is none.
    func fileSize(of id: SHA256Digest) throws -> Int64? {
        try blobFolder(of: id)?.status(of: Self.fileName(of: id))?.size
    }

    /// Commits small blobs. They are claimed.
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

    /// Moves a file from `staging/` to where its blob belongs. The blob is claimed.
    func place(_ file: StagedFile, as id: SHA256Digest, size: Int64) throws {
        try onStep(.blobWritten)
        try suspension.check()
        let name = Self.fileName(of: id)
        // A file that something names was synced, and must not be replaced by one that was not. A file that
        // nothing names may be left from before a power cut, with its length and without its bytes.
        if let status = try blobFolder(of: id)?.status(of: name), status.size == size, !needsCheck(id, status),
            try index.named(of: [id]).contains(id)
        {
            return
        }
        file.setModificationTime(marker.era)
        try state.withLock { state in
            // Another batch was sooner. It may have staged a generation since the look above.
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
