// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ContentDigest
public import Foundation

/// A group of blobs that are added before a generation or a resource refers to them.
///
/// While a batch lives, a sweep does not remove its blobs. After that, blobs without a reference are orphans, and the
/// next sweep removes them.
///
/// Small blobs are collected in memory and written in chunks of 4 MB. They are written on a thread of the store while
/// the caller inflates and hashes the next blobs. At most two chunks wait, so that a batch holds at most 12 MB of small
/// blobs.
///
/// Isolation: any; several writers of a batch may run at the same time.
public final class BlobBatch: Sendable {
    let store: BlobStore
    private let state = Mutex(State())
    private let writes = ChunkWrites()

    private static let chunkBytes = 4 << 20
    /// The maximum number of blobs in a chunk. It limits the duration of a transaction with very small blobs.
    private static let chunkBlobs = 4_096

    private struct State {
        /// Every blob of this batch. Each is claimed in the store exactly once until `deinit`.
        var claimed: Set<SHA256Digest> = []
        /// Small blobs that were not sent to the writer yet.
        var chunk: BlobChunk?
        /// A Boolean value that indicates whether one of the blobs is a file, so that the file system must be synced.
        var hasFiles = false
    }

    init(_ store: BlobStore) {
        self.store = store
        store.marker.begin()
    }

    deinit {
        let (claimed, chunk) = state.withLock { ($0.claimed, $0.chunk) }
        if let chunk { store.removePending(chunk) }
        // Waits for at most two chunks. Afterwards this batch writes nothing more, and a sweep finds all of its blobs.
        writes.wait()
        store.release(claimed)
        store.marker.end()
    }

    /// Adds blobs that the store already has.
    /// - Parameter wanted: the digests of the blobs and their sizes in bytes.
    /// - Returns: the blobs that have a reference and are present with these sizes. The caller must write the other
    ///   blobs.
    /// - Throws: ``StoreError``.
    public func reuse(_ wanted: [SHA256Digest: Int64]) throws -> Set<SHA256Digest> {
        for id in wanted.keys { claim(id) }
        let (rows, files) = try store.intact(wanted)
        if !files.isEmpty { state.withLock { $0.hasFiles = true } }
        return rows.union(files)
    }

    /// Creates a writer for a new blob.
    /// - Throws: ``StoreError``, also if an earlier blob of this batch could not be written.
    public func makeWriter() throws -> BlobWriter {
        if let failure = writes.failure { throw failure }
        try store.prepareToWrite()
        return BlobWriter(self)
    }

    /// Adds a blob whose bytes are in memory. This avoids one copy compared with a writer.
    /// - Parameters:
    ///   - bytes: the content of the blob.
    ///   - expected: the expected digest, if it is known.
    /// - Returns: the digest of the bytes.
    /// - Throws: the errors of ``BlobWriter/finish(expecting:)``.
    public func add(_ bytes: Data, expecting expected: SHA256Digest? = nil) throws -> SHA256Digest {
        guard bytes.count <= store.configuration.smallBlobLimit else {
            var writer = try makeWriter()
            try writer.write(bytes)
            return try writer.finish(expecting: expected)
        }
        if let failure = writes.failure { throw failure }
        try store.prepareToWrite()
        let id = SHA256Digest(of: bytes)
        if let expected { try id.check(expected, size: Int64(bytes.count)) }
        claim(id)
        try add(bytes, as: id)
        return id
    }

    /// The blobs of this batch, written or reused.
    var blobs: Set<SHA256Digest> { state.withLock { $0.claimed } }

    /// A Boolean value that indicates whether the blobs are durable only after a sync of the file system.
    var hasFiles: Bool { state.withLock { $0.hasFiles } }

    /// Protects a blob from sweeps while this batch lives.
    func claim(_ id: SHA256Digest) {
        if state.withLock({ $0.claimed.insert(id).inserted }) { store.claim(id) }
    }

    /// Adds a small blob, which must be claimed.
    func add(_ bytes: Data, as id: SHA256Digest) throws {
        guard !store.isPlaced(id) else { return }
        while true {
            var isDone = true
            let full = state.withLock { state -> BlobChunk? in
                let chunk = state.chunk ?? writes.popSpare() ?? makeChunk()
                state.chunk = chunk
                guard chunk.ranges[id] == nil else { return nil }
                if let range = chunk.append(bytes, as: id) {
                    store.insertPending(id, in: chunk, at: range)
                    if chunk.count < Self.chunkBytes, chunk.ranges.count < Self.chunkBlobs { return nil }
                } else {
                    isDone = false
                }
                state.chunk = nil
                return chunk
            }
            if let full { try writes.send(full, to: store) }
            if isDone { return }
        }
    }

    /// Returns a chunk with space for one more small blob after the threshold at which a chunk is written.
    private func makeChunk() -> BlobChunk {
        BlobChunk(capacity: Self.chunkBytes + store.configuration.smallBlobLimit)
    }

    /// Adds a large blob, which must be claimed.
    func place(_ file: StagedFile, as id: SHA256Digest, size: Int64) throws {
        state.withLock { $0.hasFiles = true }
        try store.place(file, as: id, size: size)
    }

    /// Blocks until every small blob is committed.
    /// - Throws: the error of the first chunk that could not be written.
    func finishWriting() throws {
        let chunk = state.withLock { state in
            defer { state.chunk = nil }
            return state.chunk
        }
        if let chunk, !chunk.ranges.isEmpty { try writes.send(chunk, to: store) }
        writes.wait()
        if let failure = writes.failure { throw failure }
    }
}
