// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation

/// A memory cache of small blobs with a limited size in bytes.
///
/// SIEVE selects the blob to evict (Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024). Blobs are in the order of
/// insertion, and a hit only marks its blob. The hand, a position in this order, moves from the oldest to the newest
/// blob, clears marks, and evicts the first blob without a mark. Blobs that are read once therefore do not evict blobs
/// that every page needs.
///
/// Isolation: any. A mutex is held during a lookup, but never during disk access.
final class BlobCache: Sendable {
    /// The estimated overhead of a blob in bytes: its slot, its dictionary entry and the header of its buffer.
    static let overhead = 192

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    /// - Parameter capacity: the maximum size in bytes; zero disables the cache.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Returns the bytes of a blob, and counts a hit or a miss.
    /// - Parameter countsMiss: `false` if the caller repeats the lookup later.
    func bytes(of id: SHA256Digest, countsMiss: Bool = true) -> Data? {
        guard capacity > 0 else { return nil }
        return state.withLock { state in
            guard let slot = state.slotByID[id] else {
                if countsMiss { state.misses += 1 }
                return nil
            }
            state.hits += 1
            state.slots[slot].isVisited = true
            return state.slots[slot].bytes
        }
    }

    /// Inserts a blob, and evicts others until it fits. A blob that needs more than a quarter of the capacity is not
    /// inserted.
    func insert(_ bytes: Data, as id: SHA256Digest) {
        let cost = bytes.count + Self.overhead
        guard cost <= capacity / 4 else { return }
        state.withLock { state in
            guard state.slotByID[id] == nil else { return }
            while state.cost + cost > capacity { state.removeOne() }
            state.insert(bytes, as: id)
        }
    }

    func remove(_ ids: some Sequence<SHA256Digest>) {
        state.withLock { state in
            for id in ids {
                if let slot = state.slotByID[id] { state.remove(slot) }
            }
        }
    }

    /// Removes all blobs. The counters stay unchanged.
    func removeAll() {
        state.withLock { $0 = State(hits: $0.hits, misses: $0.misses) }
    }

    /// The numbers of hits and misses, and the bytes in use including the overhead.
    var figures: (hits: Int, misses: Int, bytes: Int) {
        state.withLock { ($0.hits, $0.misses, $0.cost) }
    }
}

extension BlobCache {
    /// A doubly linked queue in an array of slots, so that any blob can be removed in constant time.
    private struct State {
        struct Slot {
            var id: SHA256Digest
            var bytes: Data
            var isVisited = false
            /// The slots of the next and the previous blob in the order of insertion.
            var newer: Int?
            var older: Int?
        }

        var hits = 0
        var misses = 0
        var cost = 0
        var slots: [Slot] = []
        var slotByID: [SHA256Digest: Int] = [:]
        private var free: [Int] = []
        private var newest: Int?
        private var oldest: Int?
        private var hand: Int?

        init(hits: Int = 0, misses: Int = 0) {
            self.hits = hits
            self.misses = misses
        }

        mutating func insert(_ bytes: Data, as id: SHA256Digest) {
            let slot = Slot(id: id, bytes: bytes, older: newest)
            let place: Int
            if let reused = free.popLast() {
                place = reused
                slots[place] = slot
            } else {
                place = slots.count
                slots.append(slot)
            }
            if let newest { slots[newest].newer = place } else { oldest = place }
            newest = place
            slotByID[id] = place
            cost += bytes.count + BlobCache.overhead
        }

        /// Moves the hand to the first blob without a mark, and evicts that blob.
        mutating func removeOne() {
            guard var place = hand ?? oldest else { return }
            while slots[place].isVisited {
                slots[place].isVisited = false
                guard let next = slots[place].newer ?? oldest else { return }
                place = next
            }
            hand = place
            remove(place)
        }

        mutating func remove(_ place: Int) {
            let slot = slots[place]
            if hand == place { hand = slot.newer }
            if let newer = slot.newer { slots[newer].older = slot.older } else { newest = slot.older }
            if let older = slot.older { slots[older].newer = slot.newer } else { oldest = slot.newer }
            slotByID[slot.id] = nil
            slots[place].bytes = Data()
            free.append(place)
            cost -= slot.bytes.count + BlobCache.overhead
        }
    }
}
