// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Dispatch

/// The chunks of one batch on their way to the database: at most two wait, and the batch can wait for all.
///
/// Invariant: each wait for room is followed by that chunk's signal, which comes when SQLite has answered.
final class ChunkWrites: Sendable {
    private let slots = DispatchSemaphore(value: 2)
    private let written = DispatchGroup()
    private let state = Mutex(State())

    private struct State {
        /// Chunks that were written and whose memory can be used again. With the two that wait and the one that is
        /// being filled there are at most three.
        var spares: [BlobChunk] = []
        /// Why a chunk could not be written. Nothing of the batch can be named after that.
        var failure: (any Error)?
    }

    /// Why a chunk could not be written, if one could not.
    var failure: (any Error)? { state.withLock(\.failure) }

    /// A chunk that was written.
    func popSpare() -> BlobChunk? {
        state.withLock { $0.spares.popLast() }
    }

    /// Hands a chunk to the store's thread, when there is room.
    /// - Throws: why an earlier one could not be written.
    func send(_ chunk: BlobChunk, to store: BlobStore) throws {
        slots.wait()
        if let failure {
            slots.signal()
            store.hide(chunk)
            throw failure
        }
        written.enter()
        // Not to be the last to hold the store: it would close here, some time after its owner let it go. The batch
        // holds it, and waits for this before it goes.
        store.rowQueue.enqueue { [unowned store, self] in
            do {
                try store.writeRows(chunk)
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
            store.hide(chunk)
            chunk.reset()
            state.withLock { $0.spares.append(chunk) }
            slots.signal()
            written.leave()
        }
    }

    /// Blocks until every chunk that was sent is written, or has failed.
    func wait() {
        written.wait()
    }
}
