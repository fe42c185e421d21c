// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch

/// The queue of a batch's chunks that wait to be written to the database. At most two chunks wait.
///
/// Invariant: each wait for a slot is followed by exactly one signal, after SQLite has finished with the chunk.
final class ChunkWrites: Sendable {
    private let slots = DispatchSemaphore(value: 2)
    private let written = DispatchGroup()
    private let state = Mutex(State())

    private struct State {
        /// Written chunks whose memory can be reused. At most three chunks exist, including the two waiting chunks and
        /// the chunk that is being filled.
        var spares: [BlobChunk] = []
        /// The error of the first chunk that could not be written. After that, nothing of the batch can be referenced.
        var failure: (any Error)?
    }

    /// The error of the first chunk that could not be written, or `nil`.
    var failure: (any Error)? { state.withLock(\.failure) }

    /// Returns a written chunk for reuse, or `nil` if there is none.
    func popSpare() -> BlobChunk? {
        state.withLock { $0.spares.popLast() }
    }

    /// Sends a chunk to the store's queue. Blocks until a slot is free.
    /// - Throws: the error of an earlier chunk.
    func send(_ chunk: BlobChunk, to store: BlobStore) throws {
        slots.wait()
        if let failure {
            slots.signal()
            store.removePending(chunk)
            throw failure
        }
        written.enter()
        // The reference is unowned, so that this closure never closes the store by releasing the last reference. The
        // batch retains the store and waits for this closure before it is deinitialized.
        store.rowQueue.enqueue { [unowned store, self] in
            do {
                try store.writeRows(chunk)
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
            store.removePending(chunk)
            chunk.reset()
            state.withLock { $0.spares.append(chunk) }
            slots.signal()
            written.leave()
        }
    }

    /// Blocks until every sent chunk is written or has failed.
    func wait() {
        written.wait()
    }
}
