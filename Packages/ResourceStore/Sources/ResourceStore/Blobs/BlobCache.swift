// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest
internal import Foundation

/// Small blobs in memory, up to a number of bytes.
///
/// What goes is chosen by SIEVE (Zhang et al., "SIEVE is Simpler than LRU", NSDI 2024): blobs stand in the order of
/// arrival; a hit only sets a mark; a hand walks from the oldest to the newest, takes marks away and removes the first
/// blob without one. A page that is read once so does not push out what every page needs.
///
/// Isolation: any; a mutex is held for a look-up, never while the disk is asked.
final class BlobCache: Sendable {
    /// Bytes that a blob may cost besides its own: its slot, its place in the dictionary, the head of its buffer.
    static let overhead = 192

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: in bytes; zero switches the cache off.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The bytes of a blob. Counts a hit or a miss.
    /// - Parameter countsMiss: false for who goes on to ask again.
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

    /// Takes in a blob, and removes others until there is room. One that would fill more than a quarter of the cache
    /// is not taken.
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

    /// Forgets every blob. The counts stay.
    func removeAll() {
        state.withLock { $0 = State(hits: $0.hits, misses: $0.misses) }
    }

    /// Hits, misses, and the bytes in use with what they cost besides.
    var figures: (hits: Int, misses: Int, bytes: Int) {
        state.withLock { ($0.hits, $0.misses, $0.cost) }
    }
}

extension BlobCache {
    /// A queue in slots that point at each other, so that any blob can be taken out of the middle.
    private struct State {
        struct Slot {
            var id: SHA256Digest
            var bytes: Data
            var isVisited = false
            /// The slot of the blob that came next, and of the one that came before.
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

        /// Moves the hand to the first blob that was not asked for since it last came by, and removes that.
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
