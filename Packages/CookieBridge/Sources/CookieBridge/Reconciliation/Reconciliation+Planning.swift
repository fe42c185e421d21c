// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

// Reads, writes and clear operations that follow from the state.
extension Reconciliation {
    /// Starts the possible writes of one cookie, and removes its entry if no store has the cookie any more.
    mutating func plan(_ identity: Cookie.Identity) {
        guard var entry = entries[identity] else { return }
        for lane in lanes.indices { plan(identity, &entry, in: lane) }
        guard !isAbsentEverywhere(entry) else {
            removeEntry(identity)
            return
        }
        entries[identity] = entry
        if entry.slots.contains(where: { $0.dirtySince != nil }) {
            unsynchronized.insert(identity)
        } else {
            unsynchronized.remove(identity)
        }
        if live(entry.desired) == nil {
            recordDeletion(identity)
        } else {
            tombstones[identity] = nil
        }
    }

    private mutating func plan(_ identity: Cookie.Identity, _ entry: inout Entry, in lane: Int) {
        let want = live(entry.desired)
        let slot = entry.slots[lane]
        let isThere =
            slot.possible.count == 1 && slot.possible.allSatisfy { isSame($0, want, in: lane) }
        if slot.inFlight == nil, isThere || slot.verdict == .refused {
            entry.slots[lane].dirtySince = nil
            return
        }
        if slot.dirtySince == nil { entry.slots[lane].dirtySince = entry.version }
        // If the state of the store is not certain, a read comes first, because a write would hide a change that the
        // read could show.
        guard slot.inFlight == nil, slot.verdict == nil, slot.possible.count == 1, !lanes[lane].isPaused,
            !lanes[lane].isClearing(identity)
        else { return }
        guard lanes[lane].writes < limits.writes else {
            if !slot.isQueued { lanes[lane].backlog.append(identity) }
            entry.slots[lane].isQueued = true
            return
        }
        entry.slots[lane].inFlight = Slot.InFlight(state: want, version: entry.version)
        entry.slots[lane].possible.append(want)
        lanes[lane].writes += 1
        counters.writes += 1
        let change = want.map(CookieUpdate.set) ?? .remove(identity)
        outbox.append(.write(lanes[lane].id, Write(change: change, version: entry.version)))
    }

    /// Plans all unsynchronized cookies in the order in which they became known.
    mutating func planUnsynchronized() {
        let waiting = unsynchronized.compactMap { identity in entries[identity].map { (identity, $0.serial) } }
        for (identity, _) in waiting.sorted(by: { $0.1 < $1.1 }) { plan(identity) }
    }

    /// Starts the possible clear operations, reads, and queued writes.
    mutating func pump() {
        for lane in lanes.indices where !lanes[lane].isPaused {
            beginClearing(lane)
            beginReading(lane)
            while lanes[lane].writes < limits.writes, !lanes[lane].backlog.isEmpty {
                // Take as many cookies as the write limit allows, in one step.
                let batch = lanes[lane].backlog.prefix(limits.writes - lanes[lane].writes)
                lanes[lane].backlog.removeFirst(batch.count)
                for identity in batch {
                    entries[identity]?.slots[lane].isQueued = false
                    plan(identity)
                }
            }
        }
    }

    private mutating func beginClearing(_ lane: Int) {
        guard let scope = lanes[lane].owed, lanes[lane].clearing == nil, !lanes[lane].isClearStuck else { return }
        // The store could apply a write in progress after the clear operation.
        let isBusy = unsynchronized.contains { identity in
            scope.contains(identity) && entries[identity]?.slots[lane].inFlight != nil
        }
        guard !isBusy else { return }
        lanes[lane].owed = nil
        lanes[lane].clearing = scope
        lanes[lane].clearsStarted += 1
        outbox.append(.clear(lanes[lane].id, scope))
    }

    private mutating func beginReading(_ lane: Int) {
        guard lanes[lane].wantsRead, lanes[lane].reading == nil, !lanes[lane].isSilent else { return }
        tick += 1
        lanes[lane].wantsRead = false
        lanes[lane].readsStarted += 1
        counters.reads += 1
        let number = lanes[lane].readsStarted
        lanes[lane].reading = Lane.Reading(
            number: number, start: tick, ignored: CookieScope.union(lanes[lane].owed, lanes[lane].clearing))
        outbox.append(.read(lanes[lane].id, number: number))
    }

    /// Pauses a store after a failure. No new operation starts in the store until the pause ends.
    mutating func pause(_ lane: Int) {
        counters.failures += 1
        lanes[lane].failures += 1
        guard !lanes[lane].isPaused else { return }
        lanes[lane].isPaused = true
        outbox.append(.pause(lanes[lane].id, failures: lanes[lane].failures))
    }

    /// Returns a Boolean value that indicates whether a store currently represents two states in the same way.
    func isSame(_ one: Cookie?, _ other: Cookie?, in lane: Int) -> Bool {
        lanes[lane].representation.isSame(live(one), live(other))
    }

    func contains(_ states: [Cookie?], _ state: Cookie?, in lane: Int) -> Bool {
        states.contains { isSame($0, state, in: lane) }
    }

    // MARK: Deletions

    /// Returns a Boolean value that indicates whether the cookie is known to be absent from all stores. A cookie
    /// without an entry counts as absent.
    private func isAbsentEverywhere(_ entry: Entry) -> Bool {
        live(entry.desired) == nil
            && entry.slots.allSatisfy { slot in
                slot.inFlight == nil && slot.possible.count == 1 && slot.possible.allSatisfy { live($0) == nil }
                    // A read in progress may still show the cookie, or a change that the last write has replaced.
                    && slot.window.isEmpty
            }
    }

    private mutating func recordDeletion(_ identity: Cookie.Identity) {
        guard tombstones[identity] == nil else { return }
        tombstones[identity] = now
        guard tombstones.count > limits.tombstones else { return }
        let oldest = tombstones.filter { canDiscardDeletion($0.key) }.min { $0.value < $1.value }
        if let oldest { discardDeletion(oldest.key) }
    }

    /// Forgets deletions that have waited too long.
    mutating func discardOldDeletions() {
        for (identity, date) in tombstones where now.timeIntervalSince(date) > limits.tombstoneLife {
            if canDiscardDeletion(identity) { discardDeletion(identity) }
        }
    }

    /// Returns a Boolean value that indicates whether a deletion may be forgotten. A write in progress still needs the
    /// entry.
    private func canDiscardDeletion(_ identity: Cookie.Identity) -> Bool {
        entries[identity]?.slots.allSatisfy { $0.inFlight == nil } ?? true
    }

    private mutating func discardDeletion(_ identity: Cookie.Identity) {
        counters.discardedDeletions += 1
        removeEntry(identity)
    }

    private mutating func removeEntry(_ identity: Cookie.Identity) {
        entries[identity] = nil
        unsynchronized.remove(identity)
        tombstones[identity] = nil
    }
}
