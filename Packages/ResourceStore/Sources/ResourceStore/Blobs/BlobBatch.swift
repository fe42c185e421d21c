// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import ContentDigest
public import Foundation

/// Blobs that are being brought in together, before a generation or a resource names them.
///
/// While a batch lives, a sweep leaves its blobs alone. When it goes, what nothing names by then is an orphan, and
/// the next sweep takes it.
///
/// Small blobs are gathered in memory and written 4 MB at a time, by a thread of the store, while the caller goes on
/// to inflate and hash the next. At most two such chunks wait, so a batch holds at most 12 MB, however much it brings.
///
/// Isolation: any; several writers of a batch may run at the same time.
public final class BlobBatch: Sendable {
    let store: BlobStore
    private let state = Mutex(State())
    private let writes = ChunkWrites()

    private static let chunkBytes = 4 << 20
    /// So that a transaction of tiny blobs is not much longer than another.
    private static let chunkBlobs = 4_096

    private struct State {
        /// Every blob of this batch. Each is claimed in the store exactly once until `deinit`.
        var claimed: Set<SHA256Digest> = []
        /// Small blobs that are not sent to be written yet.
        var chunk: BlobChunk?
        /// Whether one of the blobs is a file, so that the file system must be synced.
        var hasFiles = false
    }

    init(_ store: BlobStore) {
        self.store = store
        store.beginActivity()
    }

    deinit {
        let (claimed, chunk) = state.withLock { ($0.claimed, $0.chunk) }
        if let chunk { store.hide(chunk) }
        // At most two chunks. After that nothing of this batch comes any more, and a sweep finds all that it left.
        writes.wait()
        store.release(claimed)
        store.endActivity()
    }

    /// Takes in blobs that the store holds already.
    /// - Parameter wanted: blobs and their sizes in bytes.
    /// - Returns: those that something names and that are there with these sizes. The others must be written.
    /// - Throws: ``StoreError``.
    public func reuse(_ wanted: [SHA256Digest: Int64]) throws -> Set<SHA256Digest> {
        for id in wanted.keys { claim(id) }
        let (rows, files) = try store.intact(wanted)
        if !files.isEmpty { state.withLock { $0.hasFiles = true } }
        return rows.union(files)
    }

    /// Begins a new blob.
    /// - Throws: ``StoreError``, where an earlier blob of this batch could not be written.
    public func makeWriter() throws -> BlobWriter {
        if let failure = writes.failure { throw failure }
        try store.prepareToWrite()
        return BlobWriter(self)
    }

    /// Takes a blob whose bytes are all in memory: the same as a writer, with one copy less.
    /// - Parameters:
    ///   - bytes: the content of the blob.
    ///   - expected: the digest that the bytes must have, if it is known.
    /// - Returns: the address of the bytes.
    /// - Throws: as ``BlobWriter/finish(expecting:)`` does.
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

    /// Whether the blobs are safe only once the file system was synced.
    var hasFiles: Bool { state.withLock { $0.hasFiles } }

    /// Keeps a blob from being swept while this batch lives.
    func claim(_ id: SHA256Digest) {
        if state.withLock({ $0.claimed.insert(id).inserted }) { store.claim(id) }
    }

    /// Takes a small blob, which is claimed.
    func add(_ bytes: Data, as id: SHA256Digest) throws {
        guard !store.isPlaced(id) else { return }
        while true {
            var isDone = true
            let full = state.withLock { state -> BlobChunk? in
                let chunk = state.chunk ?? writes.popSpare() ?? makeChunk()
                state.chunk = chunk
                guard chunk.ranges[id] == nil else { return nil }
                if let range = chunk.append(bytes, as: id) {
                    store.show(id, in: chunk, at: range)
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

    /// Room for one more blob when there are nearly enough bytes.
    private func makeChunk() -> BlobChunk {
        BlobChunk(capacity: Self.chunkBytes + store.configuration.smallBlobLimit)
    }

    /// Takes a large blob, which is claimed.
    func place(_ file: StagedFile, as id: SHA256Digest, size: Int64) throws {
        state.withLock { $0.hasFiles = true }
        try store.place(file, as: id, size: size)
    }

    /// Blocks until every small blob is committed.
    /// - Throws: why one is not.
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
