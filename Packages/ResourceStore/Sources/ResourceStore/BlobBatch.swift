// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Dispatch
internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
    let store: ResourceStore
    private let state = Mutex(State())
    /// Chunks on their way to the database. Invariant: each wait is followed by the chunk's signal, which comes when
    /// SQLite has answered.
    private let room = DispatchSemaphore(value: BlobBatch.chunksInFlight)
    private let written = DispatchGroup()

    static let chunkBytes = 4 << 20
    private static let chunksInFlight = 2

    private struct State {
        /// Every blob of this batch. Each is claimed in the store exactly once until `deinit`.
        var claimed: Set<BlobID> = []
        /// Small blobs that are in no chunk yet.
        var waiting: [BlobID: Data] = [:]
        var waitingBytes = 0
        /// Whether one of the blobs is a file, so that the file system must be synced.
        var hasFiles = false
        /// Why a chunk could not be written. Nothing of this batch can be named after that.
        var failure: (any Error)?

        mutating func takeChunk() -> [BlobID: Data] {
            defer {
                waiting = [:]
                waitingBytes = 0
            }
            return waiting
        }
    }

    init(_ store: ResourceStore) {
        self.store = store
        store.beginActivity()
    }

    deinit {
        let (claimed, waiting) = state.withLock { ($0.claimed, $0.waiting) }
        store.release(claimed, unwritten: waiting.keys)
        store.endActivity()
    }

    /// Takes in blobs that the store holds already.
    /// - Parameter wanted: blobs and their sizes in bytes.
    /// - Returns: those that something names and that are there with these sizes. The others must be written.
    /// - Throws: ``StoreError``.
    public func reuse(_ wanted: [BlobID: Int64]) throws -> Set<BlobID> {
        for id in wanted.keys { claim(id) }
        let (rows, files) = try store.intact(wanted)
        if !files.isEmpty { state.withLock { $0.hasFiles = true } }
        return rows.union(files)
    }

    /// Begins a new blob.
    /// - Throws: ``StoreError``, where an earlier blob of this batch could not be written.
    public func makeWriter() throws -> BlobWriter {
        if let failure = state.withLock(\.failure) { throw failure }
        try store.prepareToWrite()
        return BlobWriter(self)
    }

    /// The blobs of this batch, written or reused.
    var blobs: Set<BlobID> { state.withLock { $0.claimed } }

    /// Whether the blobs are safe only once the file system was synced.
    var hasFiles: Bool { state.withLock { $0.hasFiles } }

    /// Keeps a blob from being swept while this batch lives.
    func claim(_ id: BlobID) {
        if state.withLock({ $0.claimed.insert(id).inserted }) { store.claim(id) }
    }

    /// Takes a small blob, which is claimed.
    func add(_ bytes: Data, as id: BlobID) throws {
        guard !store.isPlaced(id) else { return }
        // Shown first: a chunk that takes it along hides it again.
        store.show(bytes, as: id)
        let chunk = state.withLock { state -> [BlobID: Data]? in
            guard state.waiting[id] == nil else { return nil }
            state.waiting[id] = bytes
            state.waitingBytes += bytes.count
            return state.waitingBytes >= Self.chunkBytes || state.waiting.count >= 4_096 ? state.takeChunk() : nil
        }
        if let chunk { try send(chunk) }
    }

    /// Takes a large blob, which is claimed.
    func place(_ file: StagedFile, as id: BlobID, size: Int64) throws {
        state.withLock { $0.hasFiles = true }
        try store.place(file, as: id, size: size)
    }

    /// Blocks until every small blob is committed.
    /// - Throws: why one is not.
    func finishWriting() throws {
        let chunk = state.withLock { $0.takeChunk() }
        if !chunk.isEmpty { try send(chunk) }
        written.wait()
        if let failure = state.withLock(\.failure) { throw failure }
    }

    private func send(_ chunk: [BlobID: Data]) throws {
        room.wait()
        if let failure = state.withLock(\.failure) {
            room.signal()
            store.hide(chunk.keys)
            throw failure
        }
        written.enter()
        store.rowQueue.async { [self] in
            do {
                try store.writeRows(chunk)
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
            store.hide(chunk.keys)
            written.leave()
            room.signal()
        }
    }
}
