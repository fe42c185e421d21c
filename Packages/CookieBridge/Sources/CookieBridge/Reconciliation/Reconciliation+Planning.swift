// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Foundation

// What follows from the state: reads, writes and clearings.
extension Reconciliation {
    /// Begins the writes of one cookie that can begin, and forgets it where no store has it any more.
    mutating func plan(_ identity: Cookie.Identity) {
        guard var entry = entries[identity] else { return }
        for lane in lanes.indices { plan(identity, &entry, in: lane) }
        guard !isForgettable(entry) else {
            forget(identity)
            return
        }
        entries[identity] = entry
        if entry.slots.contains(where: { $0.dirtySince != nil }) {
            unsynchronized.insert(identity)
        } else {
            unsynchronized.remove(identity)
        }
        if live(entry.desired) == nil {
            bury(identity)
        } else {
            tombstones[identity] = nil
        }
    }

    private mutating func plan(_ identity: Cookie.Identity, _ entry: inout Entry, in lane: Int) {
        let want = lanes[lane].representation.projected(live(entry.desired))
        let slot = entry.slots[lane]
        let isThere =
            slot.possible.count == 1 && slot.possible.allSatisfy { isSame($0, want, in: lane) }
        if slot.inFlight == nil, isThere || slot.verdict == .refused {
            entry.slots[lane].dirtySince = nil
            return
        }
        if slot.dirtySince == nil { entry.slots[lane].dirtySince = entry.version }
        // Where it is not certain what the store holds, a read comes first: a write would bury what it might show.
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

    /// Plans what is not settled, in the order in which it became known.
    mutating func planUnsynchronized() {
        let waiting = unsynchronized.compactMap { identity in entries[identity].map { (identity, $0.serial) } }
        for (identity, _) in waiting.sorted(by: { $0.1 < $1.1 }) { plan(identity) }
    }

    /// Begins the clearings and reads that can begin, and writes that waited for their turn.
    mutating func pump() {
        for lane in lanes.indices where !lanes[lane].isPaused {
            beginClearing(lane)
            beginReading(lane)
            while lanes[lane].writes < limits.writes, !lanes[lane].backlog.isEmpty {
                // As many as there is room for, in one go.
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
        // A write that is under way would land behind it.
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

    /// Something at a store failed: nothing new begins there for a time.
    mutating func pause(_ lane: Int) {
        counters.failures += 1
        lanes[lane].failures += 1
        guard !lanes[lane].isPaused else { return }
        lanes[lane].isPaused = true
        outbox.append(.pause(lanes[lane].id, failures: lanes[lane].failures))
    }

    /// Whether two states look the same in a store, now.
    func isSame(_ one: Cookie?, _ other: Cookie?, in lane: Int) -> Bool {
        lanes[lane].representation.isSame(live(one), live(other))
    }

    func contains(_ states: [Cookie?], _ state: Cookie?, in lane: Int) -> Bool {
        states.contains { isSame($0, state, in: lane) }
    }

    // MARK: Deletions

    /// Whether all stores are known to be without it: what is unknown is absent.
    private func isForgettable(_ entry: Entry) -> Bool {
        live(entry.desired) == nil
            && entry.slots.allSatisfy { slot in
                slot.inFlight == nil && slot.possible.count == 1 && slot.possible.allSatisfy { live($0) == nil }
                    // A read that is under way may still show it.
                    && slot.window.allSatisfy { live($0) == nil }
            }
    }

    private mutating func bury(_ identity: Cookie.Identity) {
        guard tombstones[identity] == nil else { return }
        tombstones[identity] = now
        guard tombstones.count > limits.tombstones else { return }
        let oldest = tombstones.filter { mayBeForgotten($0.key) }.min { $0.value < $1.value }
        if let oldest { forgetEarly(oldest.key) }
    }

    /// Forgets deletions that have waited too long.
    mutating func forgetOldDeletions() {
        for (identity, date) in tombstones where now.timeIntervalSince(date) > limits.tombstoneLife {
            if mayBeForgotten(identity) { forgetEarly(identity) }
        }
    }

    /// Whether a deletion may be forgotten: a write that is under way still has to find its entry.
    private func mayBeForgotten(_ identity: Cookie.Identity) -> Bool {
        entries[identity]?.slots.allSatisfy { $0.inFlight == nil } ?? true
    }

    private mutating func forgetEarly(_ identity: Cookie.Identity) {
        counters.forgottenDeletions += 1
        forget(identity)
    }

    private mutating func forget(_ identity: Cookie.Identity) {
        entries[identity] = nil
        unsynchronized.remove(identity)
        tombstones[identity] = nil
    }
}
